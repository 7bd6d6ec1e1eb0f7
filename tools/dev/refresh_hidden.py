# SPDX-License-Identifier: Apache-2.0
"""Prints python/ops/BUILD: a tf_gen_op_wrapper_py for each op family, with the family's hidden ops.

Usage: python tools/dev/refresh_hidden.py path/to/ops.json > python/ops/BUILD
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

HEAD = """\
# Op functions.  gen_*.py are printed by //tools/op_gen from the registrations of core/ops and user_ops.
# The hidden lists are the `hidden` flags of the conformance list: tools/dev/refresh_hidden.py writes them.
load("//:tensorwright.bzl", "tf_gen_op_wrapper_py", "tf_py_package")

package(default_visibility = ["//visibility:public"])
"""

# The users' ops; a name here makes gen_user_ops.py give it a leading underscore.
USER_OPS = """
tf_gen_op_wrapper_py(
    name = "user_ops",
    hidden = [%s
    ],
    op_gen = "//tools/op_gen:op_gen_user_ops",
)
"""


def registered_ops(folder: pathlib.Path) -> dict[str, set[str]]:
    """Maps each op family, named by its files' stem, to the ops its files register."""
    heads: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*.cc"), key=lambda p: p.stem):
        if path.stem.endswith("_test"):
            continue
        head = next((h for h in heads if path.stem.startswith(h + "_")), path.stem)
        names = re.findall(r"REGISTER_OP\(\s*\"(\w+)\"", path.read_text())
        heads.setdefault(head, set()).update(names)
    return heads


def string_list(names: list[str]) -> str:
    return "".join(f'\n        "{name}",' for name in names)


def main() -> None:
    conformance = json.loads(pathlib.Path(sys.argv[1]).read_text())
    families = registered_ops(ROOT / "core" / "ops")
    print(HEAD, end="")
    for family, names in sorted(families.items()):
        hidden = sorted(n for n in names if conformance.get(n, {}).get("hidden"))
        print(f'\ntf_gen_op_wrapper_py(\n    name = "{family}",')
        if hidden:
            print(f"    hidden = [{string_list(hidden)}\n    ],")
        print(")")
    user_hidden = {n for f in registered_ops(ROOT / "user_ops").values() for n in f}
    print(USER_OPS % string_list(sorted(user_hidden)), end="")
    print('\ntf_py_package(\n    name = "ops",\n    deps = [')
    for family in [*sorted(families), "user_ops"]:
        print(f'        ":gen_{family}",')
    print("    ],\n)")


if __name__ == "__main__":
    main()
