# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops that slice, reverse, gather and scatter; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint
from tensorwright.tools.opcheck.hints_array import int32, vector

# Slices. -----------------------------------------------------------------------------------------------------


@hint("Slice")
def _slice(d: Drawer):
    shape = d.shape()
    begin = [d.int(0, s // 8 if d.large else s) for s in shape]
    size = [
        -1 if d.chance(0.2) else d.int((s - b) // 2 if d.big else 0, s - b)
        for s, b in zip(shape, begin)
    ]
    return [d.values("T", shape), vector(d, "Index", begin), vector(d, "Index", size)]


def _strided(d: Drawer, shape: list[int]):
    """begin, end, strides of a slice of `shape`; sets the mask attrs."""
    low = 0 if sig.numpy_type(d["Index"]).kind == "u" else -1
    begin, end, strides = [], [], []
    masks = dict.fromkeys(("begin", "end", "ellipsis", "new_axis", "shrink_axis"), 0)
    used = d.int(0, len(shape))
    ellipsis = d.int(0, used) if d.chance(0.3) else None
    skipped = d.int(0, len(shape) - used) if ellipsis is not None else 0
    axis = 0

    def entry(b: int, e: int, s: int) -> int:
        begin.append(b), end.append(e), strides.append(s)
        return 1 << (len(begin) - 1)

    for i in range(used + 1):
        if i == ellipsis:
            masks["ellipsis"] |= entry(0, 0, 1)
            axis += skipped
        if d.chance(0.12):
            masks["new_axis"] |= entry(0, 0, 1)
        if i == used:
            break
        n = shape[axis]
        axis += 1
        if n and not d.huge and d.chance(0.2):
            b = d.int(-n if low < 0 else 0, n - 1)
            masks["shrink_axis"] |= entry(b, b + 1, 1)
            continue
        stride = d.int(1, 3) * (d.pick([1, -1]) if low < 0 else 1)
        if d.huge:
            few = d.int(0, n // 8)
            ends = (n - 1 - few, 0) if stride < 0 else (few, n - few)
            entry(*ends, stride)
            continue
        bit = entry(d.int(low * n, n + 1), d.int(low * n, n + 1), stride)
        for name in ("begin", "end"):
            if d.chance(0.25):
                masks[name] |= bit
    for name, mask in masks.items():
        d.attrs[f"{name}_mask"] = mask
    return [vector(d, "Index", v) for v in (begin, end, strides)]


@hint("StridedSlice")
def _strided_slice(d: Drawer):
    shape = d.shape()
    return [d.values("T", shape), *_strided(d, shape)]


def _sliced_shape(d: Drawer, shape, begin, end, strides):
    """The shape of a strided slice, by NumPy."""
    keys: list = []
    bits = lambda name, i: d[f"{name}_mask"] >> i & 1  # noqa: E731
    for i in range(len(begin)):
        if bits("ellipsis", i):
            keys.append(Ellipsis)
        elif bits("new_axis", i):
            keys.append(None)
        elif bits("shrink_axis", i):
            keys.append(int(begin[i]))
        else:
            b = None if bits("begin", i) else int(begin[i])
            e = None if bits("end", i) else int(end[i])
            keys.append(slice(b, e, int(strides[i])))
    return np.empty(shape, dtype=bool)[tuple(keys)].shape


@hint("StridedSliceGrad")
def _strided_slice_grad(d: Drawer):
    shape = d.shape()
    keys = _strided(d, shape)
    dy = d.values("T", _sliced_shape(d, shape, *keys), "normal")
    return [vector(d, "Index", shape), *keys, dy]


@hint("StridedSliceAssign", "ResourceStridedSliceAssign")
def _strided_slice_assign(d: Drawer):
    shape = d.shape()
    keys = _strided(d, shape)
    value = d.values("T", _sliced_shape(d, shape, *keys))
    return [d.values("T", shape), *keys, value]


@hint("Reverse")
def _reverse(d: Drawer):
    shape = d.shape()
    return [d.values("T", shape), d.values(sig.BOOL, [len(shape)])]


@hint("ReverseV2")
def _reverse_v2(d: Drawer):
    shape = d.shape()
    axes = d.rng.permutation(len(shape))[: d.int(0, len(shape))]
    axes = [int(a) - (len(shape) if d.chance(0.3) else 0) for a in axes]
    return [d.values("T", shape), vector(d, "Tidx", axes)]


@hint("Roll")
def _roll(d: Drawer):
    shape = d.shape(low=1)
    if d.chance(0.3):
        return [
            d.values("T", shape),
            d.array("Tshift", d.int(-9, 9)),
            d.array("Taxis", d.axis(len(shape))),
        ]
    axes = [d.axis(len(shape)) for _ in range(d.int(1, 3))]
    shifts = [d.int(-9, 9) for _ in axes]
    return [d.values("T", shape), vector(d, "Tshift", shifts), vector(d, "Taxis", axes)]


@hint("ReverseSequence")
def _reverse_sequence(d: Drawer):
    shape = d.shape(low=2)
    batch, seq = (int(a) for a in d.rng.permutation(len(shape))[:2])
    d.attrs["batch_dim"], d.attrs["seq_dim"] = batch, seq
    return [d.values("T", shape), d.ints("Tlen", [shape[batch]], 0, shape[seq])]


# Indices. ----------------------------------------------------------------------------------------------------


@hint("Gather", "GatherV2")
def _gather(d: Drawer):
    shape = d.shape(low=1)
    axis = d.axis(len(shape)) if d.sig.name == "GatherV2" else 0
    batch = 0
    if d.sig.name == "GatherV2" and d.chance(0.3):
        batch = d.int(0, axis if axis >= 0 else axis + len(shape))
        d.attrs["batch_dims"] = batch
    count = [1500] if len(shape) > 1 else [1 << 20]
    indices_shape = [*shape[:batch], *(count if d.huge else d.shape(high=2))]
    if d.big:
        each = int(np.prod(shape[batch:])) // shape[axis]
        indices_shape[batch:] = [1 + 60_000 // (each * int(np.prod(shape[:batch])))]
    if d.huge and len(indices_shape) > 1:
        indices_shape[-1] = 50
    indices = d.ints("Tindices", indices_shape, 0, shape[axis] - 1)
    out = [d.values("Tparams", shape), indices]
    return out + ([d.array("Taxis", axis)] if d.sig.name == "GatherV2" else [])


def _coordinates(
    d: Drawer, shape: list[int], depth: int, distinct: bool = False, low: int = 0
):
    n = d.shape(low=low, high=2)
    if d.large and depth < len(shape):
        n = [shape[0] // 2]
    elif d.huge:
        n = [1 << 20]
    columns = [d.ints("Tindices", n, 0, s - 1) for s in shape[:depth]]
    if not columns:
        return np.zeros([*n, 0], sig.numpy_type(d["Tindices"]))
    out = np.stack(columns, -1)
    if distinct:
        rows = np.unique(out.reshape(-1, depth), axis=0)
        return rows[d.rng.permutation(len(rows))]
    return out


def _bad_indices_policy(d: Drawer) -> None:
    if "bad_indices_policy" in d.attrs:
        d.attrs["bad_indices_policy"] = ""


@hint("GatherNd")
def _gather_nd(d: Drawer):
    _bad_indices_policy(d)
    shape = d.shape(low=1)
    return [
        d.values("Tparams", shape),
        _coordinates(d, shape, d.int(0 if d.chance(0.1) else 1, len(shape))),
    ]


def _scatter_nd_parts(d: Drawer, distinct: bool = False):
    _bad_indices_policy(d)
    shape = d.shape(low=1, min_dim=1)
    depth = d.int(1, len(shape))
    low = 0 if d.chance(0.1) else 1  # One update without an outer dimension.
    distinct = distinct or d["T"] == sig.STRING
    indices = _coordinates(d, shape, depth, distinct, low)
    updates = d.values("T", [*indices.shape[:-1], *shape[depth:]], "normal")
    return shape, indices, updates


@hint("ScatterNd")
def _scatter_nd(d: Drawer):
    shape, indices, updates = _scatter_nd_parts(d)
    return [indices, updates, vector(d, "Tindices", shape)]


@hint(
    "ScatterNdAdd", "ScatterNdMax", "ScatterNdMin", "ScatterNdSub", "ScatterNdUpdate",
    "ResourceScatterNdAdd",
    "ResourceScatterNdMax", "ResourceScatterNdMin", "ResourceScatterNdSub",
    "ResourceScatterNdUpdate", "TensorScatterAdd",
    "TensorScatterMax", "TensorScatterMin", "TensorScatterSub", "TensorScatterUpdate",
)  # fmt: skip
def _scatter_nd_ref(d: Drawer):
    shape, indices, updates = _scatter_nd_parts(
        d, distinct=d.sig.name.endswith("Update")
    )
    return [d.values("T", shape, "normal"), indices, updates]


@hint("InplaceAdd", "InplaceSub", "InplaceUpdate")
def _inplace(d: Drawer):
    shape = d.shape(low=1, min_dim=1)
    n = shape[0] if d.large else d.int(0, 4)
    at = d.ints(sig.INT32, [n], -shape[0], 2 * shape[0])
    v = d.values("T", [n, *shape[1:]], "normal")
    return [d.values("T", shape, "normal"), at, v]


@hint("Empty")
def _empty(d: Drawer):
    """Without init the elements are whatever they are."""
    d.attrs["init"] = True
    return [d.array(sig.INT32, d.shape()).reshape(-1)]


@hint("ScatterNdNonAliasingAdd")
def _scatter_nd_add(d: Drawer):
    shape, indices, updates = _scatter_nd_parts(d)
    return [d.values("T", shape, "normal"), indices, updates]


@hint("OneHot")
def _one_hot(d: Drawer):
    shape = d.shape(high=3)
    d.attrs["axis"] = d.axis(len(shape) + 1) if d.chance(0.6) else -1
    if d["axis"] < -1:
        d.attrs["axis"] = -1
    depth = d.int(0, 6)
    if d.huge:
        shape, depth = [4096], 1000
    low = 0 if sig.numpy_type(d["TI"]).kind == "u" else -1
    indices = d.ints("TI", shape, low, 6)
    return [indices, int32(d, depth), d.values("T", []), d.values("T", [])]


@hint("Unique", "UniqueWithCounts")
def _unique(d: Drawer):
    n = 2_000_001 if d.huge else 100_000 if d.large else d.dim()
    return [d.values("T", [n], "normal")]


@hint("UniqueV2", "UniqueWithCountsV2")
def _unique_along_axis(d: Drawer):
    """Few values in slices of few elements, so that some slices are equal."""
    if d.large:
        shape = [20_011, 2] if d.big else [2_000_001]
        return [d.ints("T", shape, 0, 9), d.array("Taxis", [0])]
    shape = d.shape(low=1, high=3)
    axis = [] if len(shape) == 1 and d.chance(0.3) else [d.axis(len(shape))]
    x = d.values("T", shape, "normal")
    if d["T"] not in (sig.STRING, sig.BOOL) and d.chance(0.8):
        x = d.ints("T", shape, 0, 2)
    return [x, d.array("Taxis", axis).reshape(-1)]


@hint("LowerBound", "UpperBound")
def _bound(d: Drawer):
    rows = 61 if d.huge else d.int(1, 4)
    sizes = (1000, 70_000) if d.huge else (d.dim(), d.dim())
    if d.big:
        sizes = (1000, 30_000)
    return [
        np.sort(d.values("T", [rows, sizes[0]], "normal"), axis=1),
        d.values("T", [rows, sizes[1]], "normal"),
    ]


@hint("UnravelIndex")
def _unravel_index(d: Drawer):
    dims = [20, 30, 40] if d.huge else [d.dim(1) for _ in range(d.int(1, 4))]
    shape = [1 << 20] if d.huge else d.shape(high=1)
    indices = d.ints("Tidx", shape, 0, int(np.prod(dims)) - 1)
    return [indices, vector(d, "Tidx", dims)]


@hint("Where")
def _where(d: Drawer):
    return [d.values("T", d.shape(low=1))]


@hint("ListDiff")
def _list_diff(d: Drawer):
    sizes = (1 << 20, 1 << 18) if d.huge else (d.dim(), d.dim())
    if d.big:
        sizes = (30_000, 9_000)
    x, y = (d.values("T", [n], "normal") for n in sizes)
    if x.size and y.size:
        y[0] = x[-1]
    return [x, y]


@hint("EditDistance")
def _edit_distance(d: Drawer):
    groups, length = (20_000, 20) if d.huge else (d.int(1, 3), d.int(1, 5))
    if d.big:
        groups, length = 20_011, 3
    shape = d.array(sig.INT64, [groups, length])
    out = []
    for _ in range(2):
        lengths = d.rng.randint(0 if out else 1, length + 1, groups)
        rows = [[g, i] for g, n in enumerate(lengths) for i in range(n)]
        rows_array = np.array(rows, dtype=np.int64).reshape(-1, 2)
        values = d.values("T", [len(rows)], "normal")
        if values.dtype.kind in "iu":
            values = values % 3
        out += [rows_array, values, shape.copy()]
    return out
