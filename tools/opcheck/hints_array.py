# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of array ops whose signatures do not explain their inputs; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import graphs, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint


def int32(d: Drawer, content):
    return d.array(sig.INT32, content)


def vector(d: Drawer, what, shape):
    """A shape as a vector."""
    return d.array(what, shape).reshape(-1)


# Shapes. -----------------------------------------------------------------------------------------------------


@hint("Reshape", "QuantizedReshape")
def _reshape(d: Drawer):
    shape = d.shape()
    size = int(np.prod(shape))
    target = list(d.rng.permutation(shape)) if d.chance(0.5) else [size]
    if d.chance(0.3):
        target.insert(d.int(0, len(target)), 1)
    if size and target and d.chance(0.5):
        target[d.int(0, len(target) - 1)] = -1
    out = [d.values("T", shape), vector(d, "Tshape", target)]
    if d.sig.name == "QuantizedReshape":
        out += [d.array(sig.FLOAT, -1.0), d.array(sig.FLOAT, 2.0)]
    return out


@hint("EnsureShape")
def _ensure_shape(d: Drawer):
    shape = d.shape()
    d.attrs["shape"] = [-1 if d.chance(0.4) else s for s in shape]
    if shape and d.chance(0.1):
        d.attrs["shape"][0] = shape[0] + 1
    return [d.values("T", shape)]


@hint("ExpandDims")
def _expand_dims(d: Drawer):
    shape = d.shape()
    return [d.values("T", shape), d.array("Tdim", d.axis(len(shape) + 1))]


@hint("Squeeze")
def _squeeze(d: Drawer):
    shape = [1 if d.chance(0.4) else s for s in d.shape()]
    ones = [i for i, s in enumerate(shape) if s == 1]
    chosen = [i for i in ones if d.chance(0.5)]
    rank = len(shape)
    d.attrs["squeeze_dims"] = [i - rank if d.chance(0.3) else i for i in chosen]
    return [d.values("T", shape)]


@hint("Transpose", "ConjugateTranspose")
def _transpose(d: Drawer):
    shape = d.shape(high=5)
    perm = d.rng.permutation(len(shape))
    return [d.values("T", shape), vector(d, "Tperm", perm)]


@hint("InvertPermutation")
def _invert_permutation(d: Drawer):
    n = 4_000_001 if d.huge else 30_001 if d.large else d.dim()
    return [d.array("T", d.rng.permutation(n))]


@hint("BroadcastArgs", "BroadcastGradientArgs")
def _broadcast_args(d: Drawer):
    return [vector(d, "T", s) for s in d.broadcast_shapes(2)]


@hint("BroadcastTo")
def _broadcast_to(d: Drawer):
    full = d.shape()
    part = [1 if d.chance(0.4) else s for s in full][d.int(0, len(full)) :]
    return [d.values("T", part), vector(d, "Tidx", full)]


@hint("ConcatOffset")
def _concat_offset(d: Drawer):
    shape = d.shape(low=1)
    axis = d.axis(len(shape))
    shapes = []
    for _ in range(d["N"]):
        mine = list(shape)
        mine[axis] = d.dim()
        shapes.append(
            vector(d, "shape_type" if "shape_type" in d.attrs else sig.INT32, mine)
        )
    return [int32(d, axis), shapes]


@hint("Fill")
def _fill(d: Drawer):
    what = "index_type" if "index_type" in d.attrs else sig.INT32
    return [vector(d, what, d.shape()), d.values("T", [])]


@hint("PlaceholderWithDefault")
def _placeholder_with_default(d: Drawer):
    shape = d.shape()
    d.attrs["shape"] = [-1 if d.chance(0.3) else s for s in shape]
    return [d.values("dtype", shape)]


@hint("ShapeN")
def _shape_n(d: Drawer):
    return [[d.values("T", d.shape()) for _ in range(d["N"])]]


@hint("Const")
def _const(d: Drawer):
    value = d.values("dtype", d.shape())
    d.attrs["value"] = graphs.tensor_proto(value, d["dtype"])
    return []


@hint("ImmutableConst", "Abort")
def _not_alone(d: Drawer):
    raise Unsuitable("needs more than values")


@hint("Bitcast")
def _bitcast(d: Drawer):
    size = {t: sig.numpy_type(t).itemsize for t in (d["T"], d["type"])}
    ratio, rest = divmod(size[d["type"]], size[d["T"]])
    if ratio > 1 and rest:
        raise Unsuitable("sizes do not divide")
    last = [ratio] if ratio > 1 else []
    return [d.values("T", [*d.shape(high=3), *last])]


# Joining, splitting, repeating. ------------------------------------------------------------------------------


def _parts(d: Drawer, n: int, what="T"):
    """n arrays that can be joined, and the axis."""
    shape = d.shape(low=1)
    axis = d.axis(len(shape))
    out = []
    for _ in range(n):
        mine = list(shape)
        if not d.large:
            mine[axis] = d.dim()
        out.append(d.values(what, mine))
    return out, axis


@hint("Concat")
def _concat(d: Drawer):
    d.attrs["N"] = max(2, d["N"])
    values, axis = _parts(d, d["N"])
    return [int32(d, axis), values]


@hint("ConcatV2")
def _concat_v2(d: Drawer):
    d.attrs["N"] = max(2, d["N"])
    values, axis = _parts(d, d["N"])
    return [values, d.array("Tidx", axis)]


@hint("QuantizedConcat")
def _quantized_concat(d: Drawer):
    d.attrs["N"] = max(2, d["N"])
    values, axis = _parts(d, d["N"])
    lows = [d.array(sig.FLOAT, -abs(d.rng.normal())) for _ in values]
    highs = [d.array(sig.FLOAT, abs(d.rng.normal()) + 0.1) for _ in values]
    return [int32(d, axis % values[0].ndim), values, lows, highs]


@hint("ParallelConcat")
def _parallel_concat(d: Drawer):
    rest = d.shape(high=3, min_dim=1)
    d.attrs["shape"] = [d["N"], *rest]
    return [[d.values("T", [1, *rest]) for _ in range(d["N"])]]


@hint("Pack")
def _pack(d: Drawer):
    shape = d.shape()
    d.attrs["axis"] = d.axis(len(shape) + 1)
    return [[d.values("T", shape) for _ in range(d["N"])]]


@hint("Unpack")
def _unpack(d: Drawer):
    shape = d.shape(low=1)
    if not d.large:
        axis = d.axis(len(shape))
    else:
        axis, shape = 0, [7, 20_011] if d.big else [7, *shape[1:]]
    d.attrs["axis"], d.attrs["num"] = axis, shape[axis]
    return [d.values("T", shape)]


@hint("Split")
def _split(d: Drawer):
    n = d.attrs["num_split"] = d.int(1, 4)
    shape = d.shape(low=1)
    axis = d.axis(len(shape))
    shape[axis] = n * (shape[axis] // n if d.large else 100 if d.large else d.dim())
    return [int32(d, axis), d.values("T", shape)]


@hint("SplitV")
def _split_v(d: Drawer):
    n = d.attrs["num_split"] = d.int(1, 4)
    shape = d.shape(low=1)
    axis = d.axis(len(shape))
    sizes = [shape[axis] // n if d.huge else d.int(0, 4) for _ in range(n)]
    shape[axis] = sum(sizes)
    if d.chance(0.3):
        sizes[d.int(0, n - 1)] = -1
    return [d.values("T", shape), d.array("Tlen", sizes), int32(d, axis)]


# The dtypes that TileGrad adds up; it can only pass on others.
_ADDED = (*sig.FLOATS, *sig.COMPLEXES, *sig.INTEGERS)


@hint("Tile", "TileGrad")
def _tile(d: Drawer):
    shape = d.shape()
    if d.huge:
        shape[0] //= 8
    multiples = [d.int(0 if d.chance(0.1) and not d.huge else 1, 3) for _ in shape]
    if d.sig.name == "TileGrad":
        multiples = [max(m, 1) for m in multiples]
        if d["T"] not in _ADDED:
            multiples = [1] * len(shape)
        shape = [s * m for s, m in zip(shape, multiples)]
        return [d.values("T", shape, "normal"), vector(d, sig.INT32, multiples)]
    return [d.values("T", shape), vector(d, "Tmultiples", multiples)]


def _paddings(d: Drawer, what, rank: int, highs: list[int]):
    rows = [[d.int(0, h), d.int(0, h)] for h in highs]
    return d.array(what, np.array(rows, dtype=np.int64).reshape(rank, 2))


@hint("Pad", "PadV2")
def _pad(d: Drawer):
    shape = d.shape()
    out = [
        d.values("T", shape),
        _paddings(d, "Tpaddings", len(shape), [3] * len(shape)),
    ]
    return out + ([d.values("T", [])] if d.sig.name == "PadV2" else [])


@hint("MirrorPad")
def _mirror_pad(d: Drawer):
    shape = d.shape(min_dim=1)
    less = d["mode"] == "REFLECT"
    highs = [min(3, s - less) for s in shape]
    return [d.values("T", shape), _paddings(d, "Tpaddings", len(shape), highs)]


@hint("MirrorPadGrad")
def _mirror_pad_grad(d: Drawer):
    shape = d.shape(min_dim=1)
    less = d["mode"] == "REFLECT"
    paddings = _paddings(d, "Tpaddings", len(shape), [min(3, s - less) for s in shape])
    padded = [int(s + p.sum()) for s, p in zip(shape, paddings)]
    return [d.values("T", padded, "normal"), paddings]
