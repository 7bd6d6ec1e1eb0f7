# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that packages of PyPI, written for TensorFlow 1, bring along.

    ./run tools/packages/own_tests.py [NAME...] [-j JOBS] [--verbose]

Each file of tests runs, unmodified, by pytest in a process of its own where `tensorflow` is this tree.  Prints for each
package how many tests passed and failed, and how many have to pass; exits with 1 where fewer did.  A test that is at work
for too long is ended, counted as failed and named, and the file's other tests run on.  Failures of the tests in
unpassable.py are counted apart; one of these that passes is named, to be taken off the list.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from tensorwright.tools.packages import environment
from tensorwright.tools.packages.main import HERE, settings
from tensorwright.tools.packages.packages import PACKAGES, Package
from tensorwright.tools.packages.unpassable import reason

_TEST_TIMEOUT_SECS = 120
_ENDED = "ended: still at work after {} s"
# Writes a line when a test begins, and one when it has ended: a process that is killed has told which test it was at.
_RUN = """\
import sys
sys.path.insert(0, sys.argv[1])
import age
del sys.path[0]
age.live_in()
from tensorwright import compat
compat.alias()
import tensorwright
# Some files ask for eager execution before all else and test what graphs have too: they run in graph mode.
for name in ("enable_eager_execution", "enable_v2_behavior"):
    setattr(tensorwright, name, lambda *args, **kwargs: None)
import pytest

class Record:
    def __init__(self, path):
        self._file = open(path, "a", buffering=1)
        self._worst = {}

    def _write(self, *words):
        self._file.write("\\t".join(words) + "\\n")

    def pytest_runtest_logstart(self, nodeid):
        self._write("began", nodeid)

    def pytest_runtest_logreport(self, report):
        if report.failed or report.nodeid not in self._worst or report.skipped:
            why = ""
            if report.failed:
                crash = getattr(report.longrepr, "reprcrash", None)
                why = " ".join(str(crash.message if crash else report.longrepr).split())
            self._worst[report.nodeid] = (report.outcome, why[:300])

    def pytest_runtest_logfinish(self, nodeid):
        outcome, why = self._worst.pop(nodeid, ("passed", ""))
        self._write(outcome, nodeid, why)

    def pytest_collectreport(self, report):
        if report.failed:
            text = str(report.longrepr).strip().splitlines()
            self._write("failed", report.nodeid, text[-1][:300] if text else "")

# Nothing above the package's folder is read: the tree's own settings and modules are there.
options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null"]
options += [f"--rootdir={sys.argv[2]}", f"--confcutdir={sys.argv[2]}"]
sys.exit(pytest.main([*options, *sys.argv[4:]], plugins=[Record(sys.argv[3])]))
"""


@dataclasses.dataclass(frozen=True)
class Suite:
    """The tests of a package: the files' pattern below its folder, and how many have to pass."""

    name: str
    files: str
    minimum: int


SUITES = (
    Suite("tf_slim", "tf_slim/**/*_test.py", 1351),
    Suite("trfl", "trfl/*_test.py", 306),
    Suite("t3f", "t3f/*_test.py", 243),
    Suite("gpflow", "tests/test_*.py", 856),
    Suite("tensorlayer", "tests/**/test_*.py", 155),
)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a test ended: "passed", "failed" or "skipped", and why it failed."""

    test: str
    result: str
    why: str = ""


def read(record: str) -> tuple[list[Outcome], str]:
    """The outcomes that a record tells, and the test that it says began and not that it ended; "" if none."""
    outcomes, at = [], ""
    for line in record.splitlines():
        word, test, *why = line.split("\t")
        if word == "began":
            at = test
        else:
            outcomes.append(Outcome(test, word, " ".join(why)))
            at = ""
    return outcomes, at


def run_file(
    package: Package,
    python: str,
    folder: pathlib.Path,
    file: pathlib.Path,
    timeout_secs: float = _TEST_TIMEOUT_SECS,
) -> list[Outcome]:
    """Runs a file of tests, again without those that ran after one that has to be ended or ends the process."""
    outcomes: list[Outcome] = []
    while True:
        past = [word for o in outcomes for word in ("--deselect", o.test)]
        with tempfile.TemporaryDirectory() as place:
            record = pathlib.Path(place, "record")
            command = [python, "-c", _RUN, str(HERE), str(folder), str(record)]
            code, said = _watched(
                [*command, str(file), *past],
                record,
                timeout_secs,
                cwd=place,
                env=os.environ
                | settings(package, folder)
                | {"HOME": place, "TMPDIR": place},
            )
            found, at = read(record.read_text() if record.exists() else "")
        outcomes += found
        if at:
            ended = _ENDED.format(timeout_secs) if code is None else f"exit status {code}: {said}"  # fmt: skip # noqa: E501
            outcomes.append(Outcome(at, "failed", ended))
        elif code in (0, 1, 5) or not found:
            # 5: no test is left.  A file that cannot be read has told so, or counts as one failure.
            if code not in (0, 1, 5) and not outcomes:
                outcomes.append(Outcome(file.name, "failed", said or "no word"))
            return outcomes
        elif any("::" not in o.test for o in found):
            return outcomes


def _watched(
    command: list[str],
    record: pathlib.Path,
    timeout_secs: float,
    cwd: str,
    env: dict[str, str],
) -> tuple[int | None, str]:
    """The exit status of a command, None if its record had nothing new for so long; and the last line that it said."""
    output = pathlib.Path(cwd, "output")
    with open(output, "wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, cwd=cwd, env=env)
        news = time.monotonic()
        size = 0
        code: int | None = None
        while True:
            try:
                code = process.wait(0.5)
                break
            except subprocess.TimeoutExpired:
                pass
            if record.exists() and record.stat().st_size != size:
                size, news = record.stat().st_size, time.monotonic()
            elif time.monotonic() - news > timeout_secs:
                process.kill()
                process.wait()
                break
    lines = output.read_text(errors="replace").split("\n")
    return code, next((line[:300] for line in reversed(lines) if line.strip()), "")


def line(suite: Suite, version: str, outcomes: list[Outcome]) -> str:
    """The line that is printed for a package."""
    counts = collections.Counter(
        "listed" if o.result == "failed" and reason(suite.name, o.test) else o.result
        for o in outcomes
    )
    enough = "" if counts["passed"] >= suite.minimum else ": too few passed"
    return (
        f"{suite.name:12} {version:8} {counts['passed']:5} passed {counts['failed']:4} failed "
        f"{counts['listed']:4} cannot pass {counts['skipped']:4} skipped, {suite.minimum} have to pass{enough}"
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="a package, or package/part of a file's path")  # fmt: skip # noqa: E501
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("-v", "--verbose", action="store_true", help="print all failures")  # fmt: skip # noqa: E501
    args = parser.parse_args(argv)
    known = {suite.name: suite for suite in SUITES}
    wanted = [name.partition("/") for name in args.names]
    unknown = sorted({name for name, _, _ in wanted} - set(known))
    if unknown:
        parser.error(f"no tests of: {', '.join(unknown)}; there are those of: {', '.join(known)}")  # fmt: skip # noqa: E501
    packages = {package.name: package for package in PACKAGES}
    python = environment.python()
    short = []
    for name, _, part in wanted or [(name, "", "") for name in known]:
        suite, package = known[name], packages[name]
        folder = environment.folder(package)
        files = sorted(f for f in folder.glob(suite.files) if part in str(f.relative_to(folder)))  # fmt: skip # noqa: E501
        outcomes: list[Outcome] = []
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for found in pool.map(lambda f: run_file(package, python, folder, f), files):  # fmt: skip # noqa: E501
                outcomes += found
                for outcome in found if args.verbose else ():
                    if outcome.result == "failed":
                        why = reason(name, outcome.test)
                        listed = f" (cannot pass: {why})" if why else ""
                        print(f"  {outcome.test}: {outcome.why}{listed}", flush=True)
        for outcome in outcomes:
            if outcome.result == "passed" and reason(name, outcome.test):
                print(f"  {outcome.test}: passes, and unpassable.py says it cannot")
            if outcome.why.startswith(_ENDED.partition("{")[0]) and not args.verbose:
                print(f"  {outcome.test}: {outcome.why}")
        print(line(suite, package.version, outcomes), flush=True)
        passed = sum(outcome.result == "passed" for outcome in outcomes)
        if not part and passed < suite.minimum:
            short.append(name)
    if short:
        print(f"too few passed: {', '.join(short)}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
