# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of math and bitwise ops whose signatures do not explain their inputs; see draws.hint."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import SMOOTH, Drawer, Unsuitable, hint

# Elementwise. ------------------------------------------------------------------------------------------------


def _unary(kind: str):
    def draw(d: Drawer):
        arg = d.types_of(0)
        smooth = kind if d.size == SMOOTH or d.chance(0.7) else "any"
        return [d.values(arg, d.shape(), smooth)]

    return draw


hint("Acos", "Asin", "Atanh")(_unary("unit"))
hint("Acosh")(_unary("above 1"))
hint("Log", "Sqrt", "Rsqrt", "Lgamma", "Digamma", "Inv", "Reciprocal")(
    _unary("positive")
)
hint("Log1p")(_unary("positive"))


@hint(
    "Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "Maximum", "Minimum", "Less",
    "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual", "SquaredDifference",
    "LogicalAnd", "LogicalOr", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Atan2",
    "Complex",
)  # fmt: skip
def _binary(d: Drawer):
    shapes = d.broadcast_shapes(2)
    return [d.values(d.types_of(i), s) for i, s in enumerate(shapes)]


@hint("FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod")
def _division(d: Drawer):
    a, b = d.broadcast_shapes(2)
    x = d.values("T", a, "normal")
    y = d.values("T", b, "normal" if d["T"] in sig.FLOATS else "any")
    if d["T"] in sig.INTEGERS and not d.chance(0.1):
        y = np.where(y == 0, np.array(3, y.dtype), y)
    return [x, y]


@hint("Pow")
def _pow(d: Drawer):
    a, b = d.broadcast_shapes(2)
    if d["T"] in sig.INTEGERS:
        return [d.ints("T", a, 0, 5), d.ints("T", b, 0, 4)]
    return [d.values("T", a, "positive"), d.values("T", b, "normal")]


def _scale(d: Drawer) -> float:
    """At times 100 to a million, where other formulae hold; 1 for derivatives, whose steps are absolute."""
    if d.size == SMOOTH or d.chance(0.75):
        return 1.0
    return 10.0 ** d.rng.uniform(2, 6)


def _scaled(d: Drawer, shape: Any) -> Any:
    x = d.values("T", shape, "positive")
    with np.errstate(over="ignore"):
        return (x * _scale(d)).astype(x.dtype)


@hint("Igamma", "Igammac")
def _igamma(d: Drawer):
    return [_scaled(d, s) for s in d.broadcast_shapes(2)]


@hint("Zeta")
def _zeta(d: Drawer):
    a, b = d.broadcast_shapes(2)
    return [d.values("T", a, "above 1"), d.values("T", b, "positive")]


@hint("Polygamma")
def _polygamma(d: Drawer):
    a, b = d.broadcast_shapes(2)
    return [d.array("T", d.rng.randint(0, 6, a)), d.values("T", b, "positive")]


@hint("Betainc")
def _betainc(d: Drawer):
    shape = d.shape()
    shapes = [[] if d.chance(0.25) else shape for _ in range(3)]
    a, b = (_scaled(d, s) for s in shapes[:2])
    return [a, b, d.values("T", shapes[2], "probability")]


@hint("InvGrad", "ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad")
def _unary_grad(d: Drawer):
    shape = d.shape()
    return [d.values("T", shape, "positive"), d.values("T", shape)]


@hint("ApproximateEqual")
def _approximate_equal(d: Drawer):
    shape = d.shape()
    d.attrs["tolerance"] = d.pick([1e-5, 0.5, 2.0])
    x = d.values("T", shape)
    return [x, d.values("T", shape) if d.chance(0.7) else x.copy()]


@hint("AddN")
def _add_n(d: Drawer):
    shape = d.shape()
    return [[d.values("T", shape) for _ in range(d["N"])]]


@hint("Select")
def _select(d: Drawer):
    shape = d.shape()
    condition = shape
    if shape and d.chance(0.4):
        condition = d.pick([[], shape[:1]])
    return [
        d.values(sig.BOOL, condition),
        d.values("T", shape),
        d.values("T", shape),
    ]


@hint("SelectV2")
def _select_v2(d: Drawer):
    shape = d.shape()

    def part() -> list[int]:
        """The shape, or one that broadcasts to it."""
        if d.chance(0.4):
            return shape
        kept = shape[d.int(0, len(shape)) :]
        return [1 if d.chance(0.3) else size for size in kept]

    return [d.values(sig.BOOL, part()), d.values("T", part()), d.values("T", part())]


@hint("Cross")
def _cross(d: Drawer):
    shape = [*d.shape(high=3), 3]
    return [d.values("T", shape), d.values("T", shape)]


@hint("Bucketize")
def _bucketize(d: Drawer):
    n = d.int(0, 5)
    d.attrs["boundaries"] = sorted(float(x) for x in d.rng.normal(size=n))
    return [d.values("T", d.shape())]


# Reductions, scans, sequences. -------------------------------------------------------------------------------


def _axes(d: Drawer, rank: int) -> np.ndarray:
    """The axes of a reduction: distinct, in any order, some counted from the end."""
    axes = d.rng.permutation(rank)[: d.int(0, rank)]
    axes = [int(a) - rank if d.chance(0.3) else int(a) for a in axes]
    if len(axes) == 1 and d.chance(0.4):
        return d.array("Tidx", axes[0])
    return d.array("Tidx", axes).reshape(-1)


@hint("Sum", "Mean", "Prod", "Max", "Min", "All", "Any")
def reduction(d: Drawer):
    shape = d.shape(high=5)
    if d.big and d.chance(0.4):
        x = d.values(d.types_of(0), [20_011, 3], "normal")
        return [x, d.array("Tidx", [1])]
    x = d.values(d.types_of(0), shape, "normal" if d.large else "any")
    return [x, _axes(d, len(shape))]


@hint("ArgMax", "ArgMin")
def _arg_extreme(d: Drawer):
    if d.big:
        return [d.values("T", [20_011, 3]), d.array("Tidx", 1)]
    shape = d.shape(low=1, min_dim=1)
    return [d.values("T", shape), d.array("Tidx", d.axis(len(shape)))]


@hint("Cumsum", "Cumprod", "CumulativeLogsumexp")
def _scan(d: Drawer):
    shape = d.shape(low=1)
    return [d.values("T", shape, "normal"), d.array("Tidx", d.axis(len(shape)))]


@hint("Range")
def _range(d: Drawer):
    if d.large:
        wide = sig.numpy_type(d["Tidx"]).itemsize > 2
        if d.big and not wide:
            raise Unsuitable("the dtype does not count so far")
        values = (3, 30_011 if d.big else 4_000_001 if wide else 1000, 1)
    elif d["Tidx"] in sig.FLOATS:
        start, delta = d.rng.normal(size=2)
        steps = d.rng.uniform(0, 20)
        values = (start, start + steps * delta, delta)
    else:
        low = 0 if sig.numpy_type(d["Tidx"]).kind == "u" else -9
        start, limit = d.int(low, 20), d.int(low, 20)
        delta = d.int(1, 4) * (1 if limit >= start or low == 0 else -1)
        values = (start, max(start, limit) if low == 0 else limit, delta)
    return [d.array("Tidx", v) for v in values]


@hint("LinSpace")
def _linspace(d: Drawer):
    start, stop = d.rng.normal(size=2)
    return [
        d.array("T", start),
        d.array("T", stop),
        d.array("Tidx", 4_000_001 if d.huge else 30_001 if d.big else d.int(1, 20)),
    ]


@hint("Bincount")
def _bincount(d: Drawer):
    shape = d.shape(high=2)
    weights = shape if d.chance(0.6) else [0]
    return [
        d.ints(sig.INT32, shape, 0, 12),
        d.array(sig.INT32, 30_000 if d.big else d.int(0, 10)),
        d.values("T", weights, "normal"),
    ]


@hint("HistogramFixedWidth")
def _histogram(d: Drawer):
    low = d.rng.normal()
    return [
        d.values("T", d.shape(), "normal"),
        d.array("T", [low, low + d.pick([1.0, 3.0, 10.0])]),
        d.array(sig.INT32, d.int(1, 9)),
    ]


# Products. ---------------------------------------------------------------------------------------------------


def matrix(d: Drawer, what, rows: int, cols: int, transposed: bool, batch=()):
    shape = (cols, rows) if transposed else (rows, cols)
    return d.values(what, [*batch, *shape], "normal")


def sizes(d: Drawer) -> tuple[int, int, int]:
    if d.huge:
        return 700, 701, 702
    if d.large:
        return 257, 129, 193
    return d.dim(), d.dim(), d.dim()


@hint("MatMul")
def _matmul(d: Drawer):
    m, k, n = sizes(d)
    for name in ("grad_a", "grad_b"):
        if name in d.attrs:
            d.attrs[name] = False
    a = matrix(d, "T", m, k, d["transpose_a"])
    return [a, matrix(d, "T", k, n, d["transpose_b"])]


@hint("SparseMatMul")
def _sparse_matmul(d: Drawer):
    m, k, n = sizes(d)
    a = matrix(d, "Ta", m, k, d["transpose_a"])
    b = matrix(d, "Tb", k, n, d["transpose_b"])
    for x, name in ((a, "a_is_sparse"), (b, "b_is_sparse")):
        if d[name] and d.size != SMOOTH:
            x[d.rng.random_sample(x.shape) < 0.7] = 0
    return [a, b]


@hint("BatchMatMul", "BatchMatMulV2")
def _batch_matmul(d: Drawer):
    m, k, n = (128 if d.huge else 37 if d.big else d.dim() for _ in range(3))
    batch = d.shape(high=2) if not d.large else [64] if d.huge else [17]
    for name in ("grad_x", "grad_y"):
        if name in d.attrs:
            d.attrs[name] = False
    x = matrix(d, "T", m, k, d["adj_x"], batch)
    return [x, matrix(d, "T", k, n, d["adj_y"], batch)]


# Segments. ---------------------------------------------------------------------------------------------------


def _sorted_ids(d: Drawer, what, n: int) -> np.ndarray:
    step = d.rng.randint(0, 2 if d.chance(0.7) else 3, n)
    ids = np.cumsum(step) - (step[0] if n and d.chance(0.8) else 0)
    return d.array(what, ids)


@hint("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin")
def _segment(d: Drawer):
    shape = d.shape(low=1)
    return [d.values("T", shape, "normal"), _sorted_ids(d, "Tindices", shape[0])]


@hint(
    "UnsortedSegmentSum",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
    "UnsortedSegmentProd",
)
def _unsorted_segment(d: Drawer):
    shape = d.shape(low=1)
    ids_shape = shape[: d.int(1, len(shape))]
    n = d.pick([5, 10_000]) if d.huge else d.int(1, 6)
    if d.big:
        n = 1 + 20_001 // int(np.prod(shape[len(ids_shape) :]))
    return [
        d.values("T", shape, "normal"),
        d.ints("Tindices", ids_shape, -1 if d.chance(0.2) else 0, n - 1),
        d.array("Tnumsegments", n),
    ]


def _sparse_segment_rows(d: Drawer, rows: int, index, ids):
    if rows == 0:
        raise Unsuitable("no rows to take")
    n = 50_000 if d.huge else 900 if d.big else d.int(1, 7)
    return d.ints(index, [n], 0, rows - 1), _sorted_ids(d, ids, n)


def _segment_ids_attr(d: Drawer):
    return "Tsegmentids" if "Tsegmentids" in d.attrs else sig.INT32


@hint("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")
def sparse_segment(d: Drawer):
    shape = [20_000, 64] if d.huge else d.shape(low=1, min_dim=1)
    rows = _sparse_segment_rows(d, shape[0], "Tidx", _segment_ids_attr(d))
    return [d.values("T", shape, "normal"), *rows]


@hint("SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad", "SparseSegmentSumGrad")
def _sparse_segment_grad(d: Drawer):
    out_rows = 20_000 if d.huge else 700 if d.big else d.int(1, 6)
    indices, ids = _sparse_segment_rows(d, out_rows, "Tidx", _segment_ids_attr(d))
    rest = [64] if d.large else d.shape(high=2)
    grad = d.values("T", [int(ids[-1]) + 1, *rest], "normal")
    return [grad, indices, ids, d.array(sig.INT32, out_rows)]


# Random numbers. ---------------------------------------------------------------------------------------------


def _seeds(d: Drawer) -> None:
    d.attrs["seed"], d.attrs["seed2"] = d.int(1, 99), d.int(1, 99)


@hint("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
def _random(d: Drawer):
    _seeds(d)
    return [d.array("T", d.shape()).reshape(-1)]


@hint("RandomUniformInt")
def _random_int(d: Drawer):
    _seeds(d)
    low = d.int(-20, 20)
    bounds = d.array("Tout", low), d.array("Tout", low + d.int(1, 50))
    return [d.array("T", d.shape()).reshape(-1), *bounds]


@hint("RandomShuffle")
def _random_shuffle(d: Drawer):
    _seeds(d)
    return [d.values("T", d.shape())]


@hint("Multinomial")
def _multinomial(d: Drawer):
    _seeds(d)
    shape = [1000, 1000] if d.huge else [d.dim(), d.dim(1)]
    if d.big:
        shape = [300, 20]
    logits = d.values("T", shape, "normal")
    return [logits, d.array(sig.INT32, d.int(0, 6) + 100 * d.large)]
