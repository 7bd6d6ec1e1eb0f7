# SPDX-License-Identifier: Apache-2.0
"""Writes lists/kernels.json: the dtypes for which TensorFlow 2.21 has CPU kernels, of each op in the other two lists.

    ./run tools/conformance/record_kernels.py

The file has, by op and type attr, the dtypes that any kernel takes; an attr that some kernel leaves open is not in it, nor
is an op without a CPU kernel.
"""

from __future__ import annotations

import json
import pathlib
import subprocess

from tensorwright.tools.conformance import op_lists
from tensorwright.tools.difftest import peer_venv

# Run by the peer: op -> attr -> dtype enums, of the kernels that are chosen without a label.
_ASK = """
import json, sys
from tensorflow.python.framework import kernels
found = {}
for op in json.load(sys.stdin):
    of_cpu = [k for k in kernels.get_registered_kernels_for_op(op).kernel
              if k.device_type in ("CPU", "DEFAULT") and not k.label]
    open_to = [{c.name: list(c.allowed_values.list.type) for c in k.constraint} for k in of_cpu]
    if open_to:
        named = set.intersection(*map(set, open_to))
        found[op] = {a: sorted({t for k in open_to for t in k[a]}) for a in sorted(named)}
print("KERNELS" + json.dumps(found))
"""


def main() -> None:
    ops = sorted({*op_lists.ops_of_1_3(), *op_lists.later_ops()})
    answer = subprocess.run(
        [peer_venv.python(), "-c", _ASK],
        input=json.dumps(ops),
        env={"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    found = json.loads(answer.partition("KERNELS")[2])
    # Dtypes that are younger than TensorFlow 1.x have no name here.
    names = op_lists.DTYPES
    lines = []
    for op, attrs in sorted(found.items()):
        told = {
            a: [names[t] for t in types if t in names] for a, types in attrs.items()
        }
        lines.append(f"{json.dumps(op)}: {json.dumps(told)}")
    file = pathlib.Path(__file__).with_name("lists") / "kernels.json"
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{file.name}: {len(lines)} ops with CPU kernels")


if __name__ == "__main__":
    main()
