# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of this folder under tensorwright, and compares what they print with what TensorFlow printed.

    python -m tensorwright.tools.programs.run_programs [NAME...]            # against expected/NAME.txt
    python -m tensorwright.tools.programs.run_programs --record PYTHON      # writes those, with that Python's TensorFlow

A program is for `import tensorflow as tf`, seeds its random numbers, and prints words and numbers.  Numbers agree to
1e-4 of their size, words exactly.  Exits with 0 if all agree, 1 otherwise.

That Python has tensorflow-cpu 2.21 and tf-keras, which keeps tf.layers and the recurrent cells.  It cannot run programs
of parts that TensorFlow has dropped (estimators, contrib); such a program has a twin in plain/, which computes the same
in plain operations and is recorded in its place.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RELATIVE, ABSOLUTE = 1e-4, 2e-6
_TIMEOUT_SECS = 300

# How a program starts under each library.
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
sys.modules["tensorflow"] = tf
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def names() -> list[str]:
    """The programs, in order."""
    return sorted(path.stem for path in (HERE / "programs").glob("*.py"))


def output(name: str, python: str = sys.executable, theirs: bool = False) -> str:
    """Returns the output of a program.

    Raises:
        RuntimeError: the program fails; the message has the end of its output.
    """
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}  # fmt: skip # noqa: E501
    environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, sys.path))
    program = HERE / "programs" / f"{name}.py"
    if theirs:
        del environment["PYTHONPATH"]
        environment["TF_USE_LEGACY_KERAS"] = "1"
        twin = HERE / "plain" / program.name
        program = twin if twin.exists() else program
    done = subprocess.run(
        [python, "-c", _THEIRS if theirs else _OURS, program],
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_SECS,
        cwd=tempfile.gettempdir(),
        env=environment,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{name} fails: {done.stderr[-1500:]}")
    return done.stdout


def expected(name: str) -> str:
    """Returns TensorFlow's output."""
    return (HERE / "expected" / f"{name}.txt").read_text()


def difference(ours: str, theirs: str) -> str | None:
    """The first line that differs, and how; None if all agree."""
    a, b = _lines(ours), _lines(theirs)
    for i, (mine, other) in enumerate(zip(a, b)):
        if len(mine) != len(other) or not all(map(_agree, mine, other)):
            return f"line {i + 1}: {' '.join(mine)!r} is {' '.join(other)!r} under TensorFlow"
    if len(a) != len(b):
        return f"{len(a)} lines, {len(b)} under TensorFlow"
    return None


def _lines(text: str) -> list[list[str]]:
    # An array's brackets are no difference.
    plain = re.sub(r"[\[\](),]", " ", text)
    return [line.split() for line in plain.splitlines() if line.strip()]


def _agree(mine: str, other: str) -> bool:
    if mine == other:
        return True
    number = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$", re.I)
    if not (number.match(mine) and number.match(other)):
        return False
    a, b = float(mine), float(other)
    return abs(a - b) <= ABSOLUTE + RELATIVE * max(abs(a), abs(b))


def compare(name: str) -> str | None:
    """Returns the difference in a program's output, None if there is none."""
    try:
        return difference(output(name), expected(name))
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--record", metavar="PYTHON")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    args = parser.parse_args(argv)
    chosen = args.names or names()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        if args.record:
            found = pool.map(lambda n: _record(n, args.record), chosen)
        else:
            found = pool.map(compare, chosen)
        for name, problem in zip(chosen, found):
            print(f"{name}: {problem or 'as TensorFlow'}")
            failed += problem is not None
    print(f"{len(chosen) - failed} of {len(chosen)} programs")
    return 1 if failed else 0


def _record(name: str, python: str) -> str | None:
    try:
        text = output(name, python, theirs=True)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return str(error)
    (HERE / "expected").mkdir(exist_ok=True)
    (HERE / "expected" / f"{name}.txt").write_text(text)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
