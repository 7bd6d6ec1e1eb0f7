# SPDX-License-Identifier: Apache-2.0
"""Counts what `bazel test` ran, from its log: prints `<passed> <failed> <skipped>`, then a line for each skipped case.

A passed Bazel test counts as many as the cases its test.xml names, less those that were skipped; one that failed, was
not built or gave no such file counts its failures, at least one.
"""

import pathlib
import re
import sys
from typing import NamedTuple
from xml.etree import ElementTree

LINE = re.compile(
    r"^(//\S+)\s+(?:\(cached\) )?"
    r"(PASSED|FLAKY|FAILED|TIMEOUT|NO STATUS|INCOMPLETE|REMOTE FAILURE)"
)


class Counts(NamedTuple):
    """The numbers of cases in one Bazel test's test.xml."""

    good: int
    bad: int
    # "name: reason".
    skipped: list[str]


def test_labels(log: str) -> dict[str, str]:
    """Label -> result of each test that the log of `bazel test` lists."""
    lines = pathlib.Path(log).read_text(errors="replace").splitlines()
    return {m[1]: m[2] for m in map(LINE.match, lines) if m}


def xml_of(testlogs: pathlib.Path, label: str) -> pathlib.Path:
    return testlogs / label.removeprefix("//").replace(":", "/") / "test.xml"


def cases(testlogs: pathlib.Path, label: str) -> Counts:
    """The cases that the test's test.xml names; none without it."""
    try:
        tree = ElementTree.parse(xml_of(testlogs, label))
    except (OSError, ElementTree.ParseError):
        return Counts(0, 0, [])
    counts = Counts(0, 0, [])
    for case in tree.iter("testcase"):
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            counts = counts._replace(bad=counts.bad + 1)
        elif skip is not None or case.get("status") == "notrun":
            reason = "" if skip is None else skip.get("message", "")
            counts.skipped.append(f"{label} {case.get('name')}: {reason}")
        else:
            counts = counts._replace(good=counts.good + 1)
    return counts


def main(log: str, testlogs: str) -> None:
    passed = failed = 0
    skipped: list[str] = []
    for label, result in test_labels(log).items():
        counts = cases(pathlib.Path(testlogs), label)
        skipped += counts.skipped
        if result in ("PASSED", "FLAKY"):
            passed += counts.good if counts.good or counts.skipped else 1
        else:
            failed += max(counts.bad, 1)
            passed += counts.good
    print(passed, failed, len(skipped))
    print("\n".join(skipped))


if __name__ == "__main__":
    main(*sys.argv[1:])
