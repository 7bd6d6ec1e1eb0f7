# SPDX-License-Identifier: Apache-2.0
"""Counts what `bazel test` ran, from its log: prints `<passed> <failed>`.

A passed Bazel test counts as many as the cases its test.xml names; one that failed, was not built or gave no
such file counts its failures, at least one.
"""

import pathlib
import re
import sys
from xml.etree import ElementTree

LINE = re.compile(
    r"^(//\S+)\s+(?:\(cached\) )?"
    r"(PASSED|FLAKY|FAILED|TIMEOUT|NO STATUS|INCOMPLETE|REMOTE FAILURE)"
)


def cases(testlogs: pathlib.Path, label: str) -> tuple[int, int]:
    """Returns (all, failed) cases that the test's test.xml names; (0, 0) without it."""
    folder = label.removeprefix("//").replace(":", "/")
    try:
        tree = ElementTree.parse(testlogs / folder / "test.xml")
    except (OSError, ElementTree.ParseError):
        return 0, 0
    elements = list(tree.iter("testcase"))
    bad = sum(
        1
        for case in elements
        if case.find("failure") is not None or case.find("error") is not None
    )
    return len(elements), bad


def main(log: str, testlogs: str) -> None:
    passed = failed = 0
    for line in pathlib.Path(log).read_text(errors="replace").splitlines():
        match = LINE.match(line)
        if not match:
            continue
        total, bad = cases(pathlib.Path(testlogs), match[1])
        if match[2] in ("PASSED", "FLAKY"):
            passed += max(total, 1)
        else:
            failed += max(bad, 1)
            passed += max(total - bad, 0)
    print(passed, failed)


if __name__ == "__main__":
    main(*sys.argv[1:])
