# SPDX-License-Identifier: Apache-2.0
"""Compares ops with tensorflow-cpu 2.21: ./run tools/difftest/main.py [options] [OP ...]

Random calls (tools/opcheck/draws.py), and calls made wrong, go to both libraries as the same GraphDef: once with the
shapes known and once not.  It compares the existing CPU kernels, values, dtypes, shapes, the results of shape
functions, gradients with random upstream gradients, and the class of errors.  The peer lives in .venv-peer, which is
made on demand.

    ./run tools/difftest/main.py                        every op, 200 draws
    ./run tools/difftest/main.py --short                every op, 10 draws that are always the same and 10 fresh ones
    ./run tools/difftest/main.py --short --fresh 123    the fresh ones of such a run again
    ./run tools/difftest/main.py --draws 50 MatMul      some
    ./run tools/difftest/main.py --seed 123 MatMul      what one draw does, in full
    ./run tools/difftest/main.py --part 3/12            every twelfth op, from the third
    ./run tools/difftest/main.py --start 20261127 --unseen   draws that nobody has looked at: errors do not count

The table counts an op's draws: those computed by both, those whose gradients were compared, those refused by both with
the same class of error and with another, those that differ as explained (explained.py), those that a referee decided at
a second look (referee.py), and those that disagree.  After it come the second looks, the explanations, and each
disagreement with the seed that repeats it; then everything that no draw reached (unreached.py), and the explanations
that no draw needed.  The exit status is 1 if something disagrees, or was not reached without a reason, or if a run of
all ops and 200 draws did not need an explanation.  With --unseen it is 1 if values, gradients or shapes disagree, or if
we died; refusals by one library alone, or by both with different classes, are only printed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pathlib
import secrets
import sys
import time
from collections.abc import Iterator

from tensorwright.tools.difftest import peer_venv, table
from tensorwright.tools.difftest.comparison import Comparison, Row
from tensorwright.tools.difftest.process_pair import ProcessPair
from tensorwright.tools.opcheck.signature import part_of, registered_ops

_SHORT = 10
# The draws an op of the nightly run, which all that is explained must be needed by.
_WHOLE = 200

# A process's own.
_lane: ProcessPair


def _first_seed(op: str, start: int) -> int:
    """Each op has draws of its own, the same in every run."""
    return start + sum(ord(c) * 7919 * (i + 1) for i, c in enumerate(op))


def _open_lane(python: str, spare: bool) -> None:
    global _lane
    _lane = ProcessPair(python, spare)


def _compare(call: tuple[str, list[int], int]) -> Row:
    op, starts, n = call
    row = Comparison(op, _lane).run([_first_seed(op, s) for s in starts], n)
    # The data that explain a difference are dropped here: they may be large.
    for d in row.disagreements:
        d.case, d.arrays, d.outputs = None, None, ([], [])
    return row


def compare_ops(
    names: list[str], starts: list[int], n: int, jobs: int, spare: bool = True
) -> Iterator[Row]:
    """A Row each, as they come: of `n` draws from each start, in so many processes."""
    python = peer_venv.python()
    # Not forked: a copy of a process with the library's threads has none of them.
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, _open_lane, (python, spare)) as pool:
        yield from pool.imap(_compare, [(op, starts, n) for op in names])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ops", nargs="*")
    parser.add_argument(
        "--without", nargs="+", default=[], metavar="OP", help="all but these"
    )
    parser.add_argument("--draws", type=int, default=_WHOLE, help="draws an op")
    parser.add_argument("--start", type=int, default=0, help="other draws")
    parser.add_argument("--seed", type=int, help="one draw of one op, in full")
    parser.add_argument("--short", action="store_true", help="some draws of all")
    parser.add_argument("--fresh", type=int, help="the fresh draws of --short")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every N-th op")
    parser.add_argument("--unseen", action="store_true", help="errors do not count")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--json", type=pathlib.Path, help="write the rows here")
    args = parser.parse_args()
    unknown = sorted({*args.ops, *args.without} - set(registered_ops(internal=True)))
    if unknown:
        parser.error(f"no such op: {', '.join(unknown)} (`tw ops` lists them)")
    if args.seed is not None and len(args.ops) != 1:
        parser.error(f"--seed is of one op, got {len(args.ops)}")
    # TensorFlow's own kernels: oneDNN's round quantized numbers in their own way, and lack some dtypes.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    if args.seed is not None:
        return _one_draw(args.ops[0], args.seed)
    starts, n = [args.start], args.draws
    if args.short:
        fresh = secrets.randbelow(10**8) if args.fresh is None else args.fresh
        starts, n = [args.start, fresh], _SHORT
        print(f"{n} draws an op from seed {args.start}, {n} from --fresh {fresh}")
    begin = time.monotonic()
    chosen = args.ops or part_of(registered_ops(), args.part)
    names = [n for n in chosen if n not in args.without]
    print(table.HEADER, flush=True)
    rows = []
    for row in compare_ops(names, starts, n, args.jobs, spare=not args.short):
        rows.append(row)
        print(table.line(row), flush=True)
    some = args.ops or args.without or args.short or args.part != "1/1"
    whole = not some and args.draws >= _WHOLE
    print(table.summary(rows, time.monotonic() - begin, whole))
    if args.json:
        args.json.write_text(json.dumps([_plain(r) for r in rows], indent=1))
    failed = table.miscomputed(rows) if args.unseen else table.failed(rows, whole)
    return 1 if failed else 0


def _one_draw(op: str, seed: int) -> int:
    lane = ProcessPair(peer_venv.python())
    row = Comparison(op, lane, verbose=True).run_one(seed)
    lane.close()
    for d in row.disagreements:
        print(f"{d.kind}: {d.text}")
    for look in row.second_looks:
        print(f"second look: {look}")
    for why in row.reasons:
        print(f"explained: {why}")
    return 0


def _plain(row: Row) -> dict:
    return {
        **vars(row),
        "disagreements": [d.plain() for d in row.disagreements],
        "second_looks": [str(look) for look in row.second_looks],
        "explanations": sorted(row.explanations),
    }


if __name__ == "__main__":
    sys.exit(main())
