# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of math ops of later versions whose signatures do not explain their inputs; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import hints_math, signature as sig
from tensorwright.tools.opcheck.draws import SMOOTH, Drawer, hint

# Elementwise. ------------------------------------------------------------------------------------------------


@hint("DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py")
def _safe_binary(d: Drawer):
    # Libraries divide infinite complex numbers each in its way.
    other = "normal" if d["T"] in sig.COMPLEXES else "any"
    kind = "positive" if d.size == SMOOTH or d.chance(0.5) else other
    x, y = (d.values("T", s, kind) for s in d.broadcast_shapes(2))
    if d.size != SMOOTH and d.chance(0.5):
        x, y = (a * d.array("T", d.rng.random_sample(a.shape) > 0.2) for a in (x, y))
    return [x, y]


@hint("NextAfter")
def _next_after(d: Drawer):
    return [d.values("T", s) for s in d.broadcast_shapes(2)]


@hint("ClipByValue")
def _clip_by_value(d: Drawer):
    shape = d.shape()
    bounds = [d.values("T", shape if d.chance(0.4) else [], "normal") for _ in "lh"]
    if d["T"] not in sig.COMPLEXES and (d.size == SMOOTH or d.chance(0.8)):
        low, high = bounds
        bounds = [np.minimum(low, high), np.maximum(low, high)]
        # The bounds of each are of one shape now.
        bounds = [d.array("T", b) for b in bounds]
    return [d.values("T", shape, "normal"), *bounds]


@hint("EuclideanNorm")
def _euclidean_norm(d: Drawer):
    """Norms far from 0, where they have no derivative."""
    inputs = hints_math.reduction(d)
    if d.size == SMOOTH:
        inputs[0] = d.values("T", inputs[0].shape, "positive")
    return inputs


def _in_span(low: float, high: float):
    def draw(d: Drawer):
        shape = d.shape()
        x = d.rng.uniform(low, high, shape) * d.pick([1, 1, 0.1])
        return [d.array("T", np.clip(x, low, high)).reshape(shape)]

    return draw


hint("BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "Dawsn")(_in_span(-9, 9))
hint("BesselJ0", "BesselJ1")(_in_span(-20, 20))
hint("BesselK0", "BesselK0e", "BesselK1", "BesselK1e")(_in_span(0.05, 9))
hint("BesselY0", "BesselY1", "Expint", "Spence")(_in_span(0.05, 20))
hint("Erfinv")(_in_span(-0.98, 0.98))
hint("Ndtri")(_in_span(0.02, 0.98))
hint("FresnelCos", "FresnelSin")(_in_span(-5, 5))


# Products. ---------------------------------------------------------------------------------------------------

_BIG = [
    ("ij,jk->ik", [257, 129], [129, 193]),
    ("abcd,aecd->acbe", [2, 60, 3, 64], [2, 70, 3, 64]),
    ("ij->ji", [301, 333]),
    ("ijk->k", [67, 3, 512]),
    ("ij,ij->ij", [301, 333], [301, 333]),
]
_HUGE = [("ij,jk->ik", [700, 701], [701, 702])]


@hint("BatchMatMulV3")
def _batch_matmul_v3(d: Drawer):
    """Batches of which one may be repeated."""
    m, k, n = (128 if d.huge else 37 if d.big else d.dim() for _ in range(3))
    batch = d.shape(high=2) if not d.large else [64] if d.huge else [17]
    d.attrs.update(grad_x=False, grad_y=False)
    batches = [[1 if d.chance(0.2) else b for b in batch] for _ in "xy"]
    x = hints_math.matrix(d, "Ta", m, k, d["adj_x"], batches[0])
    return [x, hints_math.matrix(d, "Tb", k, n, d["adj_y"], batches[1])]


@hint("Einsum")
def _einsum(d: Drawer):
    if d.large:
        equation, *shapes = d.pick(_HUGE if d.huge else _BIG)
        return _operands(d, equation, shapes)
    sizes = {c: d.dim() for c in "ijkl"}
    count = 2 if d.chance(0.7) else 1
    dots = d.broadcast_shapes(2, high=2) if d.chance(0.3) else [[], []]
    terms, shapes = [], []
    for own in dots[:count]:
        letters = [c for c in sizes if d.chance(0.5)]
        if letters and d.chance(0.1):
            letters.append(d.pick(letters))
        letters = [letters[i] for i in d.rng.permutation(len(letters))]
        at = d.int(0, len(letters))
        has_dots = bool(own) or d.chance(0.1)
        terms.append("".join([*letters[:at], "..." * has_dots, *letters[at:]]))
        dims = [sizes[c] for c in letters]
        shapes.append([*dims[:at], *own, *dims[at:]])
    known = sorted(set("".join(terms)) - {"."})
    output = [c for c in known if d.chance(0.6)]
    if output and d.chance(0.1):
        output.append(d.pick(output))
    output = [output[i] for i in d.rng.permutation(len(output))]
    if any("..." in t for t in terms):
        output.insert(d.int(0, len(output)), "...")
    return _operands(d, f"{','.join(terms)}->{''.join(output)}", shapes)


def _operands(d: Drawer, equation: str, shapes: list[list[int]]):
    d.attrs["equation"], d.attrs["N"] = equation, len(shapes)
    return [[d.values("T", s, "normal") for s in shapes]]


# Segments. ---------------------------------------------------------------------------------------------------


@hint(
    "SparseSegmentSumWithNumSegments",
    "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtNWithNumSegments",
)
def _sparse_segment(d: Drawer):
    data, indices, ids = hints_math.sparse_segment(d)
    count = int(ids.max(initial=-1)) + 1 + d.pick([0, 0, 1, 3])
    return [data, indices, ids, d.array("Tnumsegments", count)]


# Others. -----------------------------------------------------------------------------------------------------


@hint("AccumulateNV2")
def _accumulate(d: Drawer):
    d.attrs["shape"] = shape = d.shape()
    return [[d.values("T", shape) for _ in range(d["N"])]]


@hint("NthElement")
def _nth_element(d: Drawer):
    shape = [20_011, 5] if d.big else d.shape(low=1, min_dim=1)
    return [d.values("T", shape, "normal"), d.array(sig.INT32, d.int(0, shape[-1] - 1))]
