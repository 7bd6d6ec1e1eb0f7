# SPDX-License-Identifier: Apache-2.0
"""The command that main.py builds and starts; its options are there."""

from __future__ import annotations

import argparse
import pathlib
import sys
import time
from collections.abc import Sequence

# The modules that register all gradients.
from tensorwright.python.ops import (
    gradients as _gradients,  # noqa: F401
    standard_ops as _standard_ops,  # noqa: F401
)
from tensorwright.tools.mutate import report, survivors
from tensorwright.tools.mutate.campaign import (
    Campaign,
    OpResult,
    Pool,
    record,
    shuffled,
)
from tensorwright.tools.mutate.kinds import KINDS
from tensorwright.tools.opcheck.signature import registered_ops

_ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_files(words: Sequence[str] = ()) -> list[pathlib.Path]:
    """The Python tests of the library, or those whose path below the tree has one of the words.

    Tests of the tools prove nothing of an op, and those of clusters start processes in which nothing is wrong.
    """
    found = {
        f for d in ("python", "user_ops") for f in (_ROOT / d).glob("**/*_test.py")
    }
    found -= set((_ROOT / "python/cluster_tests").glob("*_test.py"))
    return sorted(
        file
        for file in found
        if not words or any(word in str(file.relative_to(_ROOT)) for word in words)
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("op", nargs="*", help="every op, if none is named")
    parser.add_argument("--ops", action="store_true", help="a table by op too")
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--nightly", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--budget", type=float, default=10, help="seconds of tests for a mutant"
    )
    parser.add_argument(
        "--recording",
        type=pathlib.Path,
        help="add what tests do to this file as it comes; what it has is not recorded again",
    )
    parser.add_argument(
        "--tests",
        action="append",
        default=[],
        metavar="WORD",
        help="only the tests in files whose path has the word: seconds, where all take minutes",
    )
    parser.add_argument("--json", type=pathlib.Path, help="write all verdicts here")
    parser.add_argument(
        "--results",
        type=pathlib.Path,
        help="add each op's verdicts to this file as they come; ops that it has are not tried again",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="run nothing, print the table of what --results has",
    )
    args = parser.parse_args()
    known = registered_ops()
    unknown = sorted(set(args.op) - set(known))
    if unknown:
        parser.error(f"no such op: {', '.join(unknown)}")
    ops = args.op or known
    if args.report:
        if args.results is None:
            parser.error("--report is of --results")
        return _report(report.read_results(args.results), set(ops), args.kind)

    files = test_files(args.tests)
    if not files:
        parser.error(f"no test file's path has {' or '.join(args.tests)}")
    start = time.monotonic()
    pool = Pool(_ROOT, files, args.jobs)
    try:
        if pool.ready["broken"]:
            # A test that is not there catches nothing.
            sys.exit("\n".join(["cannot be imported:", *pool.ready["broken"]]))
        recording = record(pool, args.recording)
        print(
            f"{len(recording.tests)} tests, {len(recording.left_out)} left out, "
            f"recorded in {time.monotonic() - start:.0f} s",
            flush=True,
        )
        campaign = Campaign(
            recording, budget=args.budget, nightly=args.nightly, file=args.recording
        )

        def work(server, op):
            mutants = campaign.mutants(server, op)
            if args.kind:
                mutants = [m for m in mutants if m.kind in args.kind]
            return campaign.run_mutants(server, op, mutants)

        results = report.read_results(args.results) if args.results else []
        done = {r.op for r in results}
        for result in pool.map(work, [op for op in shuffled(ops) if op not in done]):
            results.append(result)
            if args.results:
                report.add_result(result, args.results)
            if args.ops:
                print(report.op_row(result), flush=True)
    finally:
        pool.close()
    if args.json:
        report.save(results, args.json)
    code = _report(results, set(ops), args.kind)
    print(f"{time.monotonic() - start:.0f} s")
    return code


def _report(results: list[OpResult], ops: set[str], kinds: list[str] | None) -> int:
    """Prints the table of the ops that have results; returns the exit status.  `kinds` are those tried, if not all."""
    results = sorted((r for r in results if r.op in ops), key=lambda r: r.op)
    known_survivors = {
        key: entry
        for key, entry in survivors.read().items()
        if not kinds or entry.kind in kinds
    }
    print(report.text(results, known_survivors))
    return 0 if report.is_good(results, known_survivors) else 1


if __name__ == "__main__":
    sys.exit(main())
