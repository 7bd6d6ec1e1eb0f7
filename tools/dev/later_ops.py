# SPDX-License-Identifier: Apache-2.0
"""Lists the registered ops that TensorFlow 1.3's list does not have: docs/later_ops.md.

    ./run tools/dev/later_ops.py            writes it
    ./run tools/dev/later_ops.py --check    fails if it would change

The 719 names of that list are in docs/ops_of_1_3.txt.  The user of an op is found in the Python sources: the first
public module, or contrib's, that calls or re-exports its wrapper, gradients apart.
"""

from __future__ import annotations

import argparse
import ast
import collections
import pathlib
import re
import sys

from tensorwright.python import _pywrap

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs/later_ops.md"
_OLD = _ROOT / "docs/ops_of_1_3.txt"

_HEAD = """# Later ops

Ops outside TensorFlow 1.3's list of 719 that are registered here, whole, with the signatures of TensorFlow 2.21, by
family, and the Python module that needs each. `tools/dev/later_ops.py` writes this page.

| op | needed by |
| --- | --- |
"""


def _wrapper(op: str) -> str:
    """BlockLSTMGradV2 -> block_lstm_grad_v2, as the generator writes it."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", op)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def _callers() -> dict[str, list[str]]:
    """Wrapper, without underscores -> the modules that call it, and behind them those that name its op."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    # A text may be no op's name: "Conv" is a scope of layers too.
    naming: dict[str, list[str]] = collections.defaultdict(list)
    folders = [_ROOT / "python", _ROOT / "contrib"]
    for path in sorted(p for f in folders if f.exists() for p in f.rglob("*.py")):
        if path.name.endswith("_test.py") or "kernel_tests" in path.parts:
            continue
        module = str(path.relative_to(_ROOT).with_suffix("")).replace("/", ".")
        text = path.read_text()
        for name in set(re.findall(r"gen_\w+_ops\.(\w+)", text)):
            found[name.replace("_", "")].append(module)
        for imported in ast.walk(ast.parse(text)):
            if (
                isinstance(imported, ast.ImportFrom)
                and ".gen_" in f".{imported.module}"
            ):
                for name in {alias.name for alias in imported.names}:
                    found[name.replace("_", "")].append(module)
        for op in set(re.findall(r'"([A-Z]\w+)"', text)):
            naming[op.lower()].append(module)
    for name, modules in naming.items():
        found[name] += modules
    return found


def page() -> str:
    """The text of the page."""
    old = set(_OLD.read_text().split())
    callers = _callers()
    families = collections.defaultdict(list)
    for op in _pywrap.op_registrations():
        name = op["name"]
        outside = str(op["file"]).startswith("user_ops")
        if name in old or name.startswith("_") or outside:
            continue
        families[_family(op)].append(name)
    lines = [_HEAD.rstrip("\n")]
    for family in sorted(families):
        for name in sorted(families[family]):
            modules = callers.get(_wrapper(name).replace("_", ""), [])
            public = [m for m in modules if "_grad" not in m.rsplit(".", 1)[-1]]
            needed = f"`{public[0]}`" if public else "GraphDefs of TensorFlow 2"
            lines.append(f"| {family}: {name} | {needed} |")
    return "\n".join(lines) + "\n"


def _family(op: dict) -> str:
    file = pathlib.Path(str(op["file"])).stem
    return re.sub(r"_ops?(_.*)?$", "", file)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    text = page()
    if parser.parse_args().check:
        if text != _PAGE.read_text():
            print("docs/later_ops.md is not up to date: ./run tools/dev/later_ops.py")
            return 1
        return 0
    _PAGE.write_text(text)
    print(f"docs/later_ops.md: {text.count('| ') // 2} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
