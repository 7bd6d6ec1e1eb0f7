# SPDX-License-Identifier: Apache-2.0
"""Adds to Bazel's lines of progress how long the rest may take: bazel build ... 2>&1 | tools/dev/time_left.py

Lines go through as they come.  Bazel counts actions, and tests where it runs some:

    [1,260 / 1,728] Compiling core/kernels/math/betainc_op.cc ...; about 9 min left

The estimate is the rest at the speed of the last five minutes: what a cache has goes first, and fast.  While Bazel still
finds out what there is to do, its count of actions grows, and so may the estimate.
"""

from __future__ import annotations

import re
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator

_ACTIONS = re.compile(r"^\[([\d,]+) / ([\d,]+)\]")
_TESTS = re.compile(r"\] ([\d,]+) / ([\d,]+) tests")
_WINDOW_SECS = 300
# A guess from less is worth nothing: the first tests run beside the last of the compiling, and take long.
_LEAST_SECS = 20
_LEAST_TESTS = 20


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _progress(line: str) -> tuple[int, int, bool] | None:
    """Returns how much is done, of how much, and whether these are tests; None for a line that does not say so."""
    actions, tests = _ACTIONS.match(line), _TESTS.search(line)
    # The first tests come with the last of the compiling.
    if tests and _number(tests[1]) > 0:
        return _number(tests[1]), _number(tests[2]), True
    if actions:
        return _number(actions[1]), _number(actions[2]), False
    return None


def _words(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"about {minutes} min left" if minutes else "less than a minute left"


def with_estimates(lines: Iterable[str], clock=time.monotonic) -> Iterator[str]:
    """Yields the lines, those of progress with an estimate."""
    # Times and counts of the last minutes, of actions or of tests.
    seen: deque[tuple[float, int]] = deque()
    were_tests = False
    for line in lines:
        found = _progress(line)
        if found is None:
            yield line
            continue
        done, total, are_tests = found
        if are_tests != were_tests:
            seen.clear()
            were_tests = are_tests
        now = clock()
        seen.append((now, done))
        while now - seen[0][0] > _WINDOW_SECS:
            seen.popleft()
        took, did = now - seen[0][0], done - seen[0][1]
        enough = did >= (_LEAST_TESTS if are_tests else 1) and took >= _LEAST_SECS
        if enough and total > done:
            line = f"{line.rstrip()}; {_words((total - done) * took / did)}\n"
        yield line


def main() -> None:
    for line in with_estimates(sys.stdin):
        sys.stdout.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
