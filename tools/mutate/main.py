# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: makes each op wrong in many ways, one at a time, and counts what the tests notice.

    ./run tools/mutate/main.py                    every op: the table by kind, and what survived
    ./run tools/mutate/main.py --ops MatMul Relu  some, with a table by op
    ./run tools/mutate/main.py --kind nan --kind ties
    ./run tools/mutate/main.py --tests pad_op --ops Pad
                                                  with the tests of some files alone, whose paths have the word
    ./run tools/mutate/main.py --recording tests.jsonl --results verdicts.jsonl
                                                  a campaign that goes on where it was stopped, a line an op
    ./run tools/mutate/main.py --nightly          survivors are compared with TensorFlow, and checked by opcheck's long form

A mutant is a fault that hooks put into a running process: into an op's kernels, its shape function or its gradient
(kinds.py).  It is caught if opcheck's quick form, as ./test runs it, or a Python test that touches the op fails; a
crash or a hang is a failure too.  Survivors are listed; survivors.txt has, for those that a person has looked at, why,
and which of them are harmless: right by the op's contract.  Harmless ones do not count.  The exit status is 1 if a
budget (kinds.py) is not met, or if an op fails its checks without any mutant.
"""

import os
import pathlib
import subprocess
import sys

_HERE = pathlib.Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]


def main() -> None:
    if {"-h", "--help"} & set(sys.argv):
        print(__doc__)
    # ./run builds the library alone: this tool has a library of its own, and modules that only tests use.
    subprocess.run([_ROOT / "tools/dev/build.sh", "//tools/mutate:command"], check=True)
    packages = _ROOT / "bazel-bin/tools/mutate/command.runfiles"
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    program = [sys.executable, str(_HERE / "command.py"), *sys.argv[1:]]
    os.execve(sys.executable, program, environment)


if __name__ == "__main__":
    main()
