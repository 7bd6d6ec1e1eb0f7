# SPDX-License-Identifier: Apache-2.0
"""Runs the documented first example of packages of PyPI that were written for TensorFlow 1.

    ./run tools/packages/main.py [NAME...] [-j JOBS] [--verbose]

Each runs, unmodified, in a process of its own where `tensorflow` is this tree.  Prints a line for each, and how many ran;
exits with 1 where one failed that is not expected to (packages.py says which and why).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from tensorwright.tools.packages import environment
from tensorwright.tools.packages.packages import PACKAGES, Package

HERE = pathlib.Path(__file__).resolve().parent
_TIMEOUT_SECS = 600
_RUN = """\
import runpy, sys
sys.path.insert(0, sys.argv[2])
import age
del sys.path[0]
age.live_in()
from tensorwright import compat
compat.alias()
runpy.run_path(sys.argv[1], run_name="__main__")
"""


@dataclasses.dataclass(frozen=True)
class Result:
    """How an example ended: `error` is None where it ran."""

    package: Package
    error: str | None
    seconds: float

    def line(self) -> str:
        """The line that is printed: name, version, ok or the last line of the error."""
        text = "ok" if self.error is None else f"failed: {last_line(self.error)}"
        package = self.package
        return f"{package.name:24} {package.version:8} {text} ({self.seconds:.0f} s)"


def last_line(text: str) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no word"


def settings(package: Package, folder: pathlib.Path) -> dict[str, str]:
    """The variables of the environment in which a process runs that uses the package in the folder."""
    paths = [str(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    # Programs that a package starts, and its build, find `tensorflow` on their path.
    tree = next((p for p in paths if os.path.isdir(f"{p}/tensorwright")), "")
    paths.append(os.path.join(tree, "tensorwright/compat/as_tensorflow"))
    made = {
        "CUDA_VISIBLE_DEVICES": "",
        "MPLBACKEND": "Agg",
        "PACKAGE_FOLDER": str(folder),
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "PYTHONWARNINGS": "ignore",
    }
    if package.old_protos:
        made["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"
    return made


def run(
    package: Package,
    python: str,
    folder: pathlib.Path,
    examples: pathlib.Path = HERE / "examples",
    timeout_secs: int = _TIMEOUT_SECS,
) -> Result:
    """Runs the package's example in a process and a working folder of its own."""
    start = time.monotonic()
    around = settings(package, folder)
    with tempfile.TemporaryDirectory() as place:
        around |= {"HOME": place, "TMPDIR": place}
        try:
            done = subprocess.run(
                [python, "-c", _RUN, str(examples / f"{package.name}.py"), str(HERE)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout_secs,
                cwd=place,
                env=os.environ | around,
                check=False,
            )
        except subprocess.TimeoutExpired:
            error = f"still at work after {timeout_secs} s"
        else:
            error = done.stderr or "no word" if done.returncode else None
    return Result(package, error, time.monotonic() - start)


def _made_and_run(package: Package, python: str) -> Result:
    try:
        return run(package, python, environment.folder(package))
    except RuntimeError as error:
        return Result(package, str(error), 0)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("-v", "--verbose", action="store_true", help="print all errors")
    args = parser.parse_args(argv)
    known = {package.name: package for package in PACKAGES}
    unknown = sorted(set(args.names) - set(known))
    if unknown:
        parser.error(f"no such package: {', '.join(unknown)}; there are: {', '.join(known)}")  # fmt: skip
    chosen = [known[name] for name in args.names] or list(PACKAGES)
    python = environment.python()
    ran, surprises = 0, []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for result in pool.map(lambda p: _made_and_run(p, python), chosen):
            print(result.line(), flush=True)
            if result.error is None:
                ran += 1
                continue
            if not result.package.fails:
                surprises.append(result.package.name)
            if args.verbose:
                print(result.error, flush=True)
    if surprises:
        print(f"should have run: {', '.join(surprises)}")
    print(f"{ran} of {len(chosen)}")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
