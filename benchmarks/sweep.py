# SPDX-License-Identifier: Apache-2.0
"""Times ops on large tensors here and in TensorFlow: ./run benchmarks/sweep.py [options] [OP ...]

    ./run benchmarks/sweep.py --families array math bitwise     every op of three families
    ./run benchmarks/sweep.py --dtypes float32 float16 -- Sum Max
    ./run benchmarks/sweep.py --slowest                         the slowest ten of when all were measured
    ./run benchmarks/sweep.py --again FILE --above 1.1          those of a file of figures that were slower
    ./run benchmarks/sweep.py --bandwidth                       what share of memory's speed ours reach, without TensorFlow

The calls are those of `tw check-op`, of some 4 million elements (tools/opcheck/draws.py): each op in its dtypes,
`--draws` calls each.  Their inputs are constants, graphs are run as they are, and nothing is fetched.  The samples of
the libraries alternate.  Beside the ratio ours/TF stands what share of the speed of copying we reach: what a call
reads and writes, in the time it takes.

`--bandwidth` asks for that share alone, by default of calls of three families in float32 or what an op has instead, each beside
a measurement of copying; it ends with what is below `--share`, and why where NOT_BOUND_BY_MEMORY says so.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import pathlib
import statistics
import sys
from collections.abc import Iterator
from typing import Any

from tensorwright.python.framework import dtypes as tf_dtypes
from tensorwright.tools.difftest import peer_venv
from tensorwright.tools.opcheck import draws, graphs, hints, signature as sig
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.processes import OURS, THEIRS, Died, Worker
from tensorwright.tools.opcheck.signature import Signature, registered_ops

_DTYPES = "float32 float64 float16 bfloat16 int32 int64 uint8 bool complex64 string qint32 quint8"
# The calls of array, math and bitwise ops that were slowest beside TensorFlow's in the dtypes measured so far, on an AMD
# EPYC with 2 cores.
SLOWEST = [
    ("Round", "int64", 0),
    ("Add", "bfloat16", 0),
    ("Igammac", "float32", 0),
    ("QuantizedConcat", "qint32", 0),
    ("Betainc", "float32", 0),
    ("BatchMatMul", "float32", 0),
    ("MatrixSetDiagV3", "float32", 0),
    ("Igamma", "float32", 1),
]
# Reasons why calls reach less than four fifths of the speed of copying.
_ARITHMETIC = "arithmetic of many steps an element"
_SEARCH = "a search for each element"
_SCATTERED = "rows or elements at places that no one foresees"
_DIVISION = "divisions"
NOT_BOUND_BY_MEMORY = {
    **dict.fromkeys(
        "Acosh Asinh Atanh Betainc Digamma Erfc Expm1 Igamma Igammac Lgamma Log1p Polygamma Pow Sinh Zeta".split(),
        _ARITHMETIC,
    ),
    **dict.fromkeys(
        "BatchMatMul MatMul QuantizedMatMul SparseMatMul".split(), "products"
    ),
    **dict.fromkeys("Bucketize LowerBound UpperBound".split(), _SEARCH),
    **dict.fromkeys(
        "Bincount InvertPermutation ListDiff ScatterNd ScatterNdNonAliasingAdd SparseSegmentMean SparseSegmentMeanGrad "
        "SparseSegmentSqrtN SparseSegmentSqrtNGrad SparseSegmentSum TensorScatterAdd TensorScatterSub Unique "
        "UniqueWithCounts UnsortedSegmentMax UnsortedSegmentProd".split(),
        _SCATTERED,
    ),
    **dict.fromkeys("FloorMod Mod TruncateMod UnravelIndex".split(), _DIVISION),
    "Cumprod": "of one row of floats, each product for the one before: parts of a row may leave the range of numbers",
    "EditDistance": "a table of distances for each pair",
}
# For calls that move fewer bytes, or take less time, a run costs more than its kernel.
_LEAST_BYTES, _LEAST_SECONDS = 1 << 20, 1e-4


@dataclasses.dataclass
class Row:
    """One call: seconds of the two libraries, and the bytes that it reads and writes."""

    op: str
    dtype: str
    seed: int
    ours: float
    theirs: float  # NaN where TensorFlow was not asked.
    bytes: int
    call: str

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    def share(self, bandwidth: float) -> float:
        return self.bytes / self.ours / bandwidth


class Sweep:
    def __init__(self, samples: int, budget: float, peer: bool = True):
        self.ours = Worker(OURS, timeout=60)
        self.workers = [self.ours]
        if peer:
            self.workers.append(Worker(THEIRS, peer_venv.python(), timeout=60))
        self.samples, self.budget = samples, budget
        definitions = self.workers[-1].ask("ops")
        from tensorwright.core.framework import op_def_pb2

        found = [op_def_pb2.OpDef.FromString(d) for d in definitions]
        self.attrs = {d.name: {a.name for a in d.attr} for d in found}

    def close(self) -> None:
        for worker in self.workers:
            worker.close()

    def bandwidth(self) -> float:
        return self.ours.ask("bandwidth")

    def calls(
        self, op: str, dtypes: list[int], number: int, first: bool = False
    ) -> list[tuple[str, int]]:
        """(dtype, seed) of the calls to time; `first`: in the first of the dtypes that the op has."""
        signature = Signature(op)
        attr = _main_type(signature)
        if attr is None:
            return [("", seed) for seed in range(number)]
        here = {t for k in signature.kernels for t in k.get(attr, dtypes)}
        wanted = [t for t in dtypes if t in here & set(signature.allowed_types(attr))]
        wanted = wanted[:1] if first else wanted
        return [(sig.type_name(t), s) for t in wanted for s in range(number)]

    def time(self, op: str, dtype: str, seed: int) -> Row | str:
        """The figures of one call, or why there are none."""
        if op not in self.attrs:
            return "TensorFlow has no such op"
        signature = Signature(op)
        if signature.variables():
            return "works on variables"
        case = _draw(signature, dtype, seed)
        if isinstance(case, str):
            return case
        without = frozenset(set(signature.attrs) - self.attrs[op])
        built = [
            graphs.build(signature, [case], graphs.CONSTANT, without_attrs=w)
            for w in (frozenset(), without)
        ]
        try:
            answers = [w.ask("prepare", graph=g) for w, g in zip(self.workers, built)]
            for who, answer in zip(("we", "TensorFlow"), answers):
                if "error" in answer:
                    return f"{who} refuse: {answer['error'][1][:100]}"
            moved = answers[0]["bytes"] + sum(a.nbytes for a, _ in case.flat())
            times: list[list[float]] = [[] for _ in self.workers]
            for _ in range(self.samples):
                for worker, found in zip(self.workers, times):
                    found.append(worker.ask("sample", budget=self.budget))
        except Died as death:
            return f"died: {death.how}"
        medians = [statistics.median(t) for t in times]
        if moved < _LEAST_BYTES and max(medians) < _LEAST_SECONDS:
            return f"only {moved} bytes"
        mine, its = (*medians, math.nan)[:2]
        return Row(op, dtype, seed, mine, its, moved, _describe(case))


def _main_type(signature: Signature) -> str | None:
    """The type attr that a sweep goes through: the first that an input has and kernels differ in."""
    used = [a.type_attr for a in signature.inputs if a.type_attr]
    used += [a.name for a in signature.op_def.attr if a.type == "type"]
    for name in used:
        if len({t for k in signature.kernels for t in k.get(name, ())}) > 1:
            return name
    return used[0] if used else None


def _draw(signature: Signature, dtype: str, seed: int) -> Case | str:
    fixed = {}
    attr = _main_type(signature)
    if dtype and attr:
        fixed[attr] = tf_dtypes.as_dtype(dtype).as_datatype_enum
    # Strings are made one by one.
    size = draws.BIG if dtype == "string" else draws.HUGE
    base = sum(ord(c) * 7919 * (i + 1) for i, c in enumerate(signature.name))
    for i in range(5):
        try:
            return hints.draw(signature, base + seed + 1000 * i, size, **fixed)
        except Unsuitable as reason:
            why = str(reason)
    return why


def _describe(case: Case) -> str:
    shapes = "; ".join(
        f"{sig.type_name(t)}{list(a.shape)}" + (f"={a.tolist()}" if a.size < 7 else "")
        for a, t in case.flat()
    )
    attrs = ", ".join(
        f"{k}={v}"
        for k, v in case.attrs.items()
        if not isinstance(v, str) and not k.startswith("T") and len(str(v)) < 40
    )
    return f"{shapes}  {attrs}"[:230]


def _show(row: Row, bandwidth: float) -> None:
    name = f"{row.op} {row.dtype} {row.seed}"
    print(
        f"{name:52}{row.ours * 1e3:9.2f}{row.theirs * 1e3:9.2f} ms{row.ratio:7.2f}{row.share(bandwidth):6.0%}  {row.call}",
        flush=True,
    )


def _show_share(row: Row, bandwidth: float) -> None:
    name = f"{row.op} {row.dtype} {row.seed}"
    speed = f"{row.ours * 1e3:9.2f} ms {row.bytes / row.ours / 1e9:8.1f} GB/s"
    why = NOT_BOUND_BY_MEMORY.get(row.op, "")
    print(
        f"{name:40}{speed}{row.share(bandwidth):6.0%}  {row.call}{'  # ' * bool(why)}{why}",
        flush=True,
    )


def _rows(sweep: Sweep, calls: list[tuple[str, str, int]]) -> Iterator[Row]:
    """The figures of calls; of those without, it prints why."""
    for call in calls:
        row = sweep.time(*call)
        if isinstance(row, str):
            print(f"{' '.join(map(str, call)):52}-  {row}", flush=True)
        else:
            yield row


def _list_shares(sweep: Sweep, calls: list[tuple[str, str, int]], least: float) -> None:
    """The share of the speed of copying that each call reaches, and then those that reach less than `least`."""
    below, timed = [], set()
    for row in _rows(sweep, calls):
        bandwidth = sweep.bandwidth()
        _show_share(row, bandwidth)
        timed.add(row.op)
        if row.share(bandwidth) < least:
            below.append((row, bandwidth))
    # Excused ops that need no excuse.
    if fast := timed.intersection(NOT_BOUND_BY_MEMORY) - {r.op for r, _ in below}:
        print(f"\nneed no place in NOT_BOUND_BY_MEMORY: {' '.join(sorted(fast))}")
    print(f"\nbelow {least:.0%} of the speed of copying:")
    for row, bandwidth in sorted(below, key=lambda b: b[0].share(b[1])):
        _show_share(row, bandwidth)


def _family_ops(families: list[str]) -> list[str]:
    """The ops whose registration is in core/ops/FAMILY_ops*.cc."""
    stems = tuple(f"core/ops/{f}_ops" for f in families)
    return [op for op in registered_ops() if Signature(op).file.startswith(stems)]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ops", nargs="*")
    parser.add_argument("--families", nargs="*", default=[])
    parser.add_argument("--dtypes", nargs="*")
    parser.add_argument("--draws", type=int, default=2, help="calls an op and dtype")
    parser.add_argument("--samples", type=int, default=3, help="samples a library")
    parser.add_argument("--seconds", type=float, default=0.04, help="of a sample")
    parser.add_argument("--json", type=pathlib.Path, help="add the figures here")
    parser.add_argument("--slowest", action="store_true", help="known to be slow")
    parser.add_argument("--again", type=pathlib.Path, help="the calls of such a file")
    parser.add_argument("--above", type=float, default=1.0, help="their least ratio")
    parser.add_argument("--bandwidth", action="store_true", help="shares of it alone")
    parser.add_argument("--share", type=float, default=0.8, help="the least one")
    args = parser.parse_args()
    sweep = Sweep(args.samples, args.seconds, peer=not args.bandwidth)
    bandwidth = sweep.bandwidth()
    if args.bandwidth and not (args.ops or args.families):
        args.families = ["array", "math", "bitwise"]
    names = args.dtypes or _DTYPES.split()
    dtypes = [tf_dtypes.as_dtype(t).as_datatype_enum for t in names]
    one_dtype = args.bandwidth and not args.dtypes
    if args.slowest:
        calls = SLOWEST
    elif args.again:
        rows = [Row(**r) for r in json.loads(args.again.read_text())]
        known = set(args.ops)
        calls = [
            (r.op, r.dtype, r.seed)
            for r in rows
            if r.ratio >= args.above and (not known or r.op in known)
        ]
    else:
        names = [*args.ops, *_family_ops(args.families)]
        calls = [
            (op, *call)
            for op in names
            for call in sweep.calls(op, dtypes, args.draws, one_dtype)
        ]
    print(f"{len(calls)} calls; copying moves {bandwidth / 1e9:.1f} GB/s", flush=True)
    if args.bandwidth:
        _list_shares(sweep, calls, args.share)
        sweep.close()
        return 0
    print(f"{'op, dtype, draw':52}{'ours':>9}{'TF':>9}   {'ratio':>7}{'copy':>6}")
    found = []
    for row in _rows(sweep, calls):
        _show(row, bandwidth)
        found.append(row)
        if args.json:
            plain: list[dict[str, Any]] = [vars(r) for r in found]
            args.json.write_text(json.dumps(plain, indent=1) + "\n")
    sweep.close()
    slowest = sorted(found, key=lambda r: -r.ratio)[:10]
    print("\nthe slowest ten:")
    for row in slowest:
        _show(row, bandwidth)
    return 0


if __name__ == "__main__":
    sys.exit(main())
