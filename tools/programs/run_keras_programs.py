# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of the folder keras, in the style of Keras's guides; each asserts what is true of its result.

    python -m tensorwright.tools.programs.run_keras_programs [NAME...]
    python -m tensorwright.tools.programs.run_keras_programs --reference PYTHON    # under that Python's TensorFlow

A program imports `tensorflow` or `keras`, seeds what it draws, and ends with an error where an assertion fails.  Exits
with 0 where all hold.  The Python of --reference has tensorflow 2.21 and tf-keras.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent / "keras"
_TIMEOUT_SECS = 300
_OURS = """\
import runpy, sys
from tensorwright import compat
compat.alias()
runpy.run_path(sys.argv[1], run_name="__main__")
"""
_THEIRS = """\
import runpy, sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
import tf_keras.api._v1.keras as keras
for name in [n for n in sys.modules if n.startswith(keras.__name__)]:
    sys.modules["tensorflow.keras" + name[len(keras.__name__):]] = sys.modules[name]
tf.keras = keras
sys.modules["tensorflow"] = tf
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def names() -> list[str]:
    """The programs, in order."""
    return sorted(path.stem for path in HERE.glob("*.py"))


def problem(
    name: str, python: str = sys.executable, theirs: bool = False
) -> str | None:
    """How a program ends that fails; None if it does not."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    if theirs:
        environment.pop("PYTHONPATH", None)
        environment["TF_USE_LEGACY_KERAS"] = "1"
    else:
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, sys.path))
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [python, "-c", _THEIRS if theirs else _OURS, HERE / f"{name}.py"],
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_SECS,
                cwd=folder,
                env=environment | {"TMPDIR": folder},
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"still at work after {_TIMEOUT_SECS} s"
    return None if done.returncode == 0 else done.stderr[-1500:] or "no word"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--reference", metavar="PYTHON")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    args = parser.parse_args(argv)
    chosen = args.names or names()

    def run(name: str) -> tuple[str | None, float]:
        start = time.monotonic()
        python = args.reference or sys.executable
        return problem(name, python, bool(args.reference)), time.monotonic() - start

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, (found, seconds) in zip(chosen, pool.map(run, chosen)):
            print(f"{name}: {found or 'holds'} ({seconds:.0f} s)", flush=True)
            failed += found is not None
    print(f"{len(chosen) - failed} of {len(chosen)} programs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
