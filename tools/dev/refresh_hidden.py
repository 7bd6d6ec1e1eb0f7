# SPDX-License-Identifier: Apache-2.0
"""Prints python/ops/BUILD, with the hidden ops of each family that core/ops registers.

Usage: python tools/dev/refresh_hidden.py path/to/ops.json > python/ops/BUILD
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

HEAD = """\
# Op functions.  gen_*.py are printed by //tools/op_gen from the registrations of core/ops and user_ops.
# The hidden lists are the `hidden` flags of the conformance list: tools/dev/refresh_hidden.py writes this file.
load(
    "//:tensorwright.bzl",
    "tf_gen_op_wrapper_py",
    "tf_gen_op_wrappers_py",
    "tf_py_package",
)

package(default_visibility = ["//visibility:public"])

# A family is found by its gradients, row_grad.py, or named here.
tf_gen_op_wrappers_py(
    name = "gen_ops",
    hidden = {
"""

TAIL = """\
    },
)

# The users' ops; gen_user_ops.py gives the functions of these a leading underscore.
tf_gen_op_wrapper_py(
    name = "user_ops",
    hidden = [%s],
    op_gen = "//tools/op_gen:op_gen_user_ops",
)

tf_py_package(
    name = "ops",
    deps = [
        ":gen_ops",
        ":gen_user_ops",
    ],
)
"""

# The runtime's own ops are in these files: they are not called from Python.
INTERNAL = ["function_ops", "sendrecv_ops"]


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


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    conformance = json.loads(pathlib.Path(sys.argv[1]).read_text())
    print(HEAD, end="")
    for family, names in sorted(registered_ops(ROOT / "core" / "ops").items()):
        if family in INTERNAL:
            continue
        hidden = sorted(n for n in names if conformance.get(n, {}).get("hidden"))
        if hidden:
            print(f'        "{family}": [')
            print("".join(f'            "{name}",\n' for name in hidden), end="")
            print("        ],")
        else:
            print(f'        "{family}": [],')
    users = registered_ops(ROOT / "user_ops").values()
    names = sorted(name for file in users for name in file)
    text = "".join(f'\n        "{name}",' for name in names)
    print(TAIL % (text + "\n    " if text else ""), end="")


if __name__ == "__main__":
    main()
