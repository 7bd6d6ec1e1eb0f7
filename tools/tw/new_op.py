# SPDX-License-Identifier: Apache-2.0
"""`tw new-op NAME`: the files of a new op, which build and pass their test as they are."""

from __future__ import annotations

import argparse
import pathlib
import re

_TEMPLATES = pathlib.Path(__file__).parent / "templates" / "op"
_LICENCE = "SPDX-License-Identifier"

# Replacements in the templates for an op in the tree: file -> (text for a folder of its own, text for the tree).
_IN_TREE = {
    "op_name.py": [
        (
            "import os\n\nimport tensorwright as tf\n\n"
            '_ops = tf.load_op_library(os.path.join(os.path.dirname(__file__), "libop_name.so"))\n',
            "import tensorwright as tf\n"
            "from tensorwright.python.ops import gen_user_ops as _ops\n",
        ),
        ("\nop_name = _ops.op_name\n", ""),
    ],
    "op_name_test.py": [
        ("import os\n\nimport numpy", "import numpy"),
        (
            "from op_name import op_name\n\nimport tensorwright as tf\n"
            "from tensorwright.tools.tw import main as tw\n",
            "\nimport tensorwright as tf\nfrom tensorwright.tools.tw import main as tw\n"
            "\nop_name = tf.user_ops.op_name\n",
        ),
        (
            '        library = os.path.join(os.path.dirname(__file__), "libop_name.so")\n'
            '        options = ["--quick", "--library", library]\n'
            '        self.assertEqual(tw.main(["check-op", *options, "OpName"]), 0)\n',
            '        self.assertEqual(tw.main(["check-op", "--quick", "OpName"]), 0)\n',
        ),
    ],
}


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "new-op",
        help="the files of a new op",
        description="In tensorwright's tree the files go to user_ops/, elsewhere into a folder of "
        "their own.",
    )
    parser.add_argument("name", metavar="NAME", help="of the op, as RowNorm")
    parser.set_defaults(do=_new_op)


def _new_op(args: argparse.Namespace) -> int:
    written = write(args.name, pathlib.Path.cwd())
    for path in written:
        print(path)
    stem = written[0].stem
    if written[0].parent.name == "user_ops":
        print(f"\nTry it:  bazel test //user_ops:{stem}_test")
    else:
        print(f"\nTry it:  cd {stem} && tw build && python {stem}_test.py")
    return 0


def write(name: str, folder: pathlib.Path) -> list[pathlib.Path]:
    """Writes the files of op `name` below `folder`; their paths, relative to it, source first."""
    from tensorwright.python import _pywrap

    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        raise SystemExit(
            f"tw new-op: an op's name is in CamelCase, as RowNorm, got {name}"
        )
    if any(op["name"] == name for op in _pywrap.op_registrations()):
        raise SystemExit(f"tw new-op: there is an op {name} already: tw where {name}")
    stem = _pywrap.snake_case(name)
    in_tree = (folder / "tensorwright.bzl").exists()
    target = folder / ("user_ops" if in_tree else stem)
    texts = {}
    for template in sorted(
        _TEMPLATES.iterdir(), key=lambda p: (p.suffix != ".cc", p.name)
    ):
        if template.name.startswith("_") or not template.is_file():
            continue
        if in_tree and not template.name.startswith("op_name"):
            continue
        text = _text(template, in_tree).replace("OpName", name)
        file = template.name.replace("op_name", stem)
        texts[target / file] = text.replace("op_name", stem)
    for path in texts:
        if path.exists():
            raise SystemExit(f"tw new-op: {path} exists already")
    target.mkdir(exist_ok=True)
    for path, text in texts.items():
        path.write_text(text)
    return [path.relative_to(folder) for path in texts]


def _text(template: pathlib.Path, in_tree: bool) -> str:
    lines = template.read_text().splitlines(keepends=True)
    # The licence is ours; the files are the user's.
    text = "".join(line for line in lines if _LICENCE not in line)
    if in_tree:
        for here, there in _IN_TREE.get(template.name, ()):
            assert here in text, (template.name, here)
            text = text.replace(here, there)
    return text
