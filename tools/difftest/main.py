# SPDX-License-Identifier: Apache-2.0
"""Compares ops with tensorflow-cpu 2.21: ./run tools/difftest/main.py [options] [OP ...]

Random calls (tools/opcheck/draws.py), and calls made wrong, go to both libraries as the same GraphDef: once with the
shapes known and once not.  Compared are which CPU kernels there are, values, dtypes, shapes, what the shape functions
infer, gradients with random upstream gradients, and the class of errors.  The peer lives in .venv-peer, made on demand.

    ./run tools/difftest/main.py                        every op, 200 draws
    ./run tools/difftest/main.py --draws 50 MatMul      some
    ./run tools/difftest/main.py --seed 123 MatMul      what one draw does, in full

The table has for each op the draws compared, those where both computed, both refused, and differed; then each
difference with the seed that repeats it.  Those that explained.py accounts for are counted apart.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import sys
import time

from tensorwright.tools.difftest import peer_venv
from tensorwright.tools.difftest.comparison import Comparison, Row
from tensorwright.tools.difftest.lanes import Lane, ask_peer
from tensorwright.tools.opcheck.signature import registered_ops

_HEADER = (
    f"{'op':38}{'draws':>6}{'computed':>9}{'refused':>8}{'grads':>6}"
    f"{'differed':>9}{'explained':>10}"
)


def _line(row: Row) -> str:
    return (
        f"{row.op:38}{row.compared:6}{row.computed:9}{row.refused:8}{row.gradients:6}"
        f"{row.differed:9}{row.explained:10}  {row.note if not row.compared else ''}"
    ).rstrip()


def _first_seed(op: str, start: int) -> int:
    return start + sum(ord(c) * 7919 * (i + 1) for i, c in enumerate(op))


def compare_ops(names: list[str], n: int, start: int, jobs: int) -> list[Row]:
    python = peer_venv.python()
    peer = ask_peer(python)
    lanes = [Lane(python) for _ in range(jobs)]
    free = list(lanes)

    def work(op: str) -> Row:
        if op not in peer.attrs:
            return Row(op, note="TensorFlow 2.21 has no such op")
        lane = free.pop()
        try:
            return Comparison(op, peer, lane).run(_first_seed(op, start), n)
        finally:
            free.append(lane)

    print(_HEADER, flush=True)
    rows = []
    try:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for row in pool.map(work, names):
                rows.append(row)
                print(_line(row), flush=True)
    finally:
        for lane in lanes:
            lane.close()
        peer.worker.close()
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ops", nargs="*")
    parser.add_argument("--draws", type=int, default=200, help="draws an op")
    parser.add_argument("--start", type=int, default=0, help="other draws")
    parser.add_argument("--seed", type=int, help="one draw of one op, in full")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path, help="write the rows here")
    args = parser.parse_args()
    unknown = sorted(set(args.ops) - set(registered_ops(internal=True)))
    if unknown:
        parser.error(f"no such op: {', '.join(unknown)} (`tw ops` lists them)")
    if args.seed is not None and len(args.ops) != 1:
        parser.error(f"--seed is of one op, got {len(args.ops)}")
    # TensorFlow's own kernels: oneDNN's round quantized numbers in their own way, and lack some dtypes.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    if args.seed is not None:
        python = peer_venv.python()
        lane, peer = Lane(python), ask_peer(python)
        row = Comparison(args.ops[0], peer, lane, verbose=True).run(args.seed, 1)
        for d in row.differences:
            print(f"{d.kind}: {d.text}")
        lane.close()
        peer.worker.close()
        return 0
    start = time.monotonic()
    rows = compare_ops(args.ops or registered_ops(), args.draws, args.start, args.jobs)
    _summary(rows, time.monotonic() - start)
    if args.json:
        plain = [
            {**vars(r), "differences": [vars(d) for d in r.differences]} for r in rows
        ]
        args.json.write_text(json.dumps(plain, indent=1))
    return 1 if any(r.differed for r in rows) else 0


def _summary(rows: list[Row], took: float) -> None:
    print()
    for row in rows:
        by_kind = collections.defaultdict(list)
        for d in row.differences:
            by_kind[d.kind].append(d)
        for kind, found in by_kind.items():
            print(f"{row.op}: {kind}, {len(found)} draws")
            for d in found[:3]:
                print(f"    {d.text}" + (f"  (--seed {d.seed})" if d.seed else ""))
    reasons: collections.Counter = collections.Counter()
    for row in rows:
        reasons.update(row.reasons)
    if reasons:
        print("\nexplained:")
        for reason, count in reasons.most_common():
            print(f"  {count:6}  {reason}")
    compared = [r for r in rows if r.compared]
    agreed = sum(r.compared - r.differed - r.explained for r in compared)
    print(
        f"\n{len(compared)} of {len(rows)} ops compared in {took:.0f} s: "
        f"{sum(r.compared for r in rows)} draws, {sum(r.computed for r in rows)} computed by both, "
        f"{sum(r.gradients for r in rows)} gradients; {agreed} agreed, "
        f"{sum(r.explained for r in rows)} differ as explained, "
        f"{sum(r.differed for r in rows)} differ in {sum(bool(r.differed) for r in rows)} ops"
    )


if __name__ == "__main__":
    sys.exit(main())
