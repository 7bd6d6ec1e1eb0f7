# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of array ops whose signatures do not say what their inputs mean; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import graphs
from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint


def _i32(d: Drawer, content):
    return d.array(sig.INT32, content)


def _dims(d: Drawer, what, shape):
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
    out = [d.values("T", shape), _dims(d, "Tshape", target)]
    if d.sig.name == "QuantizedReshape":
        out += [d.array(sig.FLOAT, -1.0), d.array(sig.FLOAT, 2.0)]
    return out


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
    return [d.values("T", shape), _dims(d, "Tperm", perm)]


@hint("InvertPermutation")
def _invert_permutation(d: Drawer):
    n = 5000 if d.large else d.dim()
    return [d.array("T", d.rng.permutation(n))]


@hint("BroadcastArgs", "BroadcastGradientArgs")
def _broadcast_args(d: Drawer):
    return [_dims(d, "T", s) for s in d.broadcast_shapes(2)]


@hint("BroadcastTo")
def _broadcast_to(d: Drawer):
    full = d.shape()
    part = [1 if d.chance(0.4) else s for s in full][d.int(0, len(full)) :]
    return [d.values("T", part), _dims(d, "Tidx", full)]


@hint("ConcatOffset")
def _concat_offset(d: Drawer):
    shape = d.shape(low=1)
    axis = d.axis(len(shape))
    shapes = []
    for _ in range(d["N"]):
        mine = list(shape)
        mine[axis] = d.dim()
        shapes.append(
            _dims(d, "shape_type" if "shape_type" in d.attrs else sig.INT32, mine)
        )
    return [_i32(d, axis), shapes]


@hint("Fill")
def _fill(d: Drawer):
    what = "index_type" if "index_type" in d.attrs else sig.INT32
    return [_dims(d, what, d.shape()), d.values("T", [])]


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
    return [_i32(d, axis), values]


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
    return [_i32(d, axis % values[0].ndim), values, lows, highs]


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
        axis, shape[0] = 0, 7
    d.attrs["axis"], d.attrs["num"] = axis, shape[axis]
    return [d.values("T", shape)]


@hint("Split")
def _split(d: Drawer):
    n = d.attrs["num_split"] = d.int(1, 4)
    shape = d.shape(low=1)
    axis = d.axis(len(shape))
    shape[axis] = n * (d.dim() if not d.large else 100)
    return [_i32(d, axis), d.values("T", shape)]


@hint("SplitV")
def _split_v(d: Drawer):
    n = d.attrs["num_split"] = d.int(1, 4)
    shape = d.shape(low=1)
    axis = d.axis(len(shape))
    sizes = [d.int(0, 4) for _ in range(n)]
    shape[axis] = sum(sizes)
    if d.chance(0.3):
        sizes[d.int(0, n - 1)] = -1
    return [d.values("T", shape), d.array("Tlen", sizes), _i32(d, axis)]


@hint("Tile", "TileGrad")
def _tile(d: Drawer):
    shape = d.shape()
    multiples = [d.int(0 if d.chance(0.1) else 1, 3) for _ in shape]
    if d.sig.name == "TileGrad":
        multiples = [max(m, 1) for m in multiples]
        shape = [s * m for s, m in zip(shape, multiples)]
        return [d.values("T", shape, "normal"), _dims(d, sig.INT32, multiples)]
    return [d.values("T", shape), _dims(d, "Tmultiples", multiples)]


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


# Slices. -----------------------------------------------------------------------------------------------------


@hint("Slice")
def _slice(d: Drawer):
    shape = d.shape()
    begin = [d.int(0, s) for s in shape]
    size = [-1 if d.chance(0.2) else d.int(0, s - b) for s, b in zip(shape, begin)]
    return [d.values("T", shape), _dims(d, "Index", begin), _dims(d, "Index", size)]


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
        if n and d.chance(0.2):
            b = d.int(-n if low < 0 else 0, n - 1)
            masks["shrink_axis"] |= entry(b, b + 1, 1)
            continue
        stride = d.int(1, 3) * (d.pick([1, -1]) if low < 0 else 1)
        bit = entry(d.int(low * n, n + 1), d.int(low * n, n + 1), stride)
        for name in ("begin", "end"):
            if d.chance(0.25):
                masks[name] |= bit
    for name, mask in masks.items():
        d.attrs[f"{name}_mask"] = mask
    return [_dims(d, "Index", v) for v in (begin, end, strides)]


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
    return [_dims(d, "Index", shape), *keys, dy]


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
    return [d.values("T", shape), _dims(d, "Tidx", axes)]


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
    indices_shape = [*shape[:batch], *d.shape(high=2)]
    indices = d.ints("Tindices", indices_shape, 0, shape[axis] - 1)
    out = [d.values("Tparams", shape), indices]
    return out + ([d.array("Taxis", axis)] if d.sig.name == "GatherV2" else [])


def _coordinates(
    d: Drawer, shape: list[int], depth: int, distinct: bool = False, low: int = 0
):
    n = d.shape(low=low, high=2)
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
    return [indices, updates, _dims(d, "Tindices", shape)]


@hint("ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate")
def _scatter_nd_ref(d: Drawer):
    shape, indices, updates = _scatter_nd_parts(
        d, distinct=d.sig.name == "ScatterNdUpdate"
    )
    return [d.values("T", shape, "normal"), indices, updates]


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
    low = 0 if sig.numpy_type(d["TI"]).kind == "u" else -1
    indices = d.ints("TI", shape, low, 6)
    return [indices, _i32(d, depth), d.values("T", []), d.values("T", [])]


@hint("Unique", "UniqueWithCounts")
def _unique(d: Drawer):
    n = 100_000 if d.large else d.dim()
    return [d.values("T", [n], "normal")]


@hint("Where")
def _where(d: Drawer):
    return [d.values("T", d.shape(low=1))]


@hint("ListDiff")
def _list_diff(d: Drawer):
    x, y = d.values("T", [d.dim()], "normal"), d.values("T", [d.dim()], "normal")
    if x.size and y.size:
        y[0] = x[-1]
    return [x, y]


@hint("EditDistance")
def _edit_distance(d: Drawer):
    groups, length = d.int(1, 3), d.int(1, 5)
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


# Matrices, space and batch. ----------------------------------------------------------------------------------


@hint("MatrixBandPart", "BatchMatrixBandPart")
def _matrix_band_part(d: Drawer):
    shape = d.shape(low=2)
    what = "Tindex" if "Tindex" in d.attrs else sig.INT64
    bounds = [d.array(what, d.int(-1, n)) for n in shape[-2:]]
    return [d.values("T", shape), *bounds]


@hint("MatrixDiag", "BatchMatrixDiag")
def _matrix_diag(d: Drawer):
    shape = [9, 301] if d.large else d.shape(low=1, high=3)
    return [d.values("T", shape)]


def _diagonals(d: Drawer, rows: int, cols: int):
    """k as a scalar or a range, and the shape of these diagonals less the batch."""
    low, high = sorted(d.int(1 - rows, cols - 1) for _ in range(2))
    if d.chance(0.5):
        length = min(rows + min(low, 0), cols - max(low, 0))
        return _i32(d, low), [length]
    length = min(rows + min(high, 0), cols - max(low, 0))
    shape = [length] if low == high else [high - low + 1, length]
    return _i32(d, [low, high]), shape


@hint("MatrixDiagV3")
def _matrix_diag_v3(d: Drawer):
    rows, cols = d.int(1, 5), d.int(1, 5)
    k, shape = _diagonals(d, rows, cols)
    diagonal = d.values("T", [*d.shape(high=2), *shape])
    return [diagonal, k, _i32(d, rows), _i32(d, cols), d.values("T", [])]


@hint("MatrixDiagPartV3", "MatrixSetDiagV3")
def _matrix_diag_part_v3(d: Drawer):
    batch, rows, cols = d.shape(high=2), d.int(1, 5), d.int(1, 5)
    k, shape = _diagonals(d, rows, cols)
    matrix = d.values("T", [*batch, rows, cols])
    if d.sig.name == "MatrixSetDiagV3":
        return [matrix, d.values("T", [*batch, *shape]), k]
    return [matrix, k, d.values("T", [])]


@hint("MatrixDiagPart", "BatchMatrixDiagPart")
def _matrix_diag_part(d: Drawer):
    return [d.values("T", d.shape(low=2))]


@hint("MatrixSetDiag", "BatchMatrixSetDiag")
def _matrix_set_diag(d: Drawer):
    shape = d.shape(low=2)
    diagonal = [*shape[:-2], min(shape[-2:])]
    return [d.values("T", shape), d.values("T", diagonal)]


@hint("Diag")
def _diag(d: Drawer):
    shape = [9, 11] if d.large else d.shape(low=1, high=3)
    return [d.values("T", shape)]


@hint("DiagPart")
def _diag_part(d: Drawer):
    half = [23, 19] if d.large else d.shape(low=1, high=2)
    return [d.values("T", [*half, *half])]


def _block(d: Drawer) -> int:
    d.attrs["block_size"] = block = d.int(2, 3)
    return block


@hint("SpaceToDepth", "DepthToSpace")
def _space_depth(d: Drawer):
    block = _block(d)
    if "data_format" in d.attrs:
        d.attrs["data_format"] = "NHWC"
    n, h, w, c = d.dim(), d.int(1, 3), d.int(1, 3), d.int(1, 3)
    if d.sig.name == "SpaceToDepth":
        return [d.values("T", [n, h * block, w * block, c])]
    return [d.values("T", [n, h, w, c * block * block])]


@hint("SpaceToBatch", "BatchToSpace")
def _space_batch(d: Drawer):
    block = _block(d)
    what = "Tpaddings" if "Tpaddings" in d.attrs else "Tidx"
    n, c = d.int(1, 3), d.int(1, 3)
    rows, sizes = _crops(d, [block, block])
    if d.sig.name == "SpaceToBatch":
        shape = [n, *(s * block - sum(r) for s, r in zip(sizes, rows)), c]
    else:
        shape = [n * block * block, *sizes, c]
    return [d.values("T", shape), d.array(what, np.array(rows))]


def _crops(d: Drawer, blocks: list[int]):
    """Paddings of dims, each smaller than the dim, and the dims divided by the blocks."""
    rows = [[d.int(0, b), d.int(0, b)] for b in blocks]
    return rows, [d.int(3, 4) for _ in blocks]


@hint("SpaceToBatchND", "BatchToSpaceND")
def _space_batch_nd(d: Drawer):
    blocks = [d.int(1, 3) for _ in range(d.int(1, 3))]
    to_batch = d.sig.name == "SpaceToBatchND"
    n, rest = d.int(1, 3), d.shape(high=1)
    rows, sizes = _crops(d, blocks)
    if to_batch:
        dims = [s * b - sum(r) for s, b, r in zip(sizes, blocks, rows)]
        if min(dims) < 0:
            raise Unsuitable("more padding than dim")
    else:
        dims, n = sizes, n * int(np.prod(blocks))
        rows = [
            [min(a, 1), min(b, 1)] if k > 1 else [0, 1]
            for (a, b), k in zip(rows, blocks)
        ]
    return [
        d.values("T", [n, *dims, *rest]),
        _dims(d, "Tblock_shape", blocks),
        d.array("Tpaddings" if to_batch else "Tcrops", np.array(rows)),
    ]


@hint("ExtractImagePatches")
def _extract_image_patches(d: Drawer):
    for name in ("ksizes", "strides", "rates"):
        d.attrs[name] = [1, d.int(1, 3), d.int(1, 3), 1]
    return [d.values("T", [d.dim(), d.int(5, 9), d.int(5, 9), d.int(1, 3)])]


# Quantization. -----------------------------------------------------------------------------------------------


def _range(d: Drawer, n: list[int] | None = None, what=sig.FLOAT):
    low = -np.abs(d.rng.normal(size=n)) - 0.1
    return d.array(what, low), d.array(
        what, low + np.abs(d.rng.normal(size=n)) * 4 + 0.5
    )


@hint("QuantizeV2")
def _quantize_v2(d: Drawer):
    d.attrs["mode"] = d.pick(["MIN_COMBINED", "MIN_FIRST", "SCALED"])
    if d["mode"] != "SCALED":
        d.attrs["round_mode"] = "HALF_AWAY_FROM_ZERO"
        d.attrs["narrow_range"] = False
    return [d.values(sig.FLOAT, d.shape(), "normal"), *_range(d)]


@hint("Dequantize")
def _dequantize(d: Drawer):
    d.attrs["mode"] = d.pick(["MIN_COMBINED", "MIN_FIRST", "SCALED"])
    return [d.values("T", d.shape()), *_range(d)]


@hint("QuantizeAndDequantize")
def _quantize_and_dequantize(d: Drawer):
    low, high = _range(d)
    d.attrs["input_min"], d.attrs["input_max"] = float(low), float(high)
    if not d["signed_input"]:
        d.attrs["input_min"] = 0.0
    return [d.values("T", d.shape(), "normal")]


@hint("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3")
def _quantize_and_dequantize_v2(d: Drawer):
    low, high = _range(d, None, "T")
    if not d["signed_input"]:
        low = d.array("T", 0)
    out = [d.values("T", d.shape(), "normal"), low, high]
    return out + ([_i32(d, 8)] if d.sig.name.endswith("V3") else [])


def _fake_quant_attrs(d: Drawer) -> None:
    d.attrs["num_bits"] = d.int(2, 16)


@hint("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxArgsGradient")
def _fake_quant_args(d: Drawer):
    _fake_quant_attrs(d)
    low, high = _range(d)
    d.attrs["min"], d.attrs["max"] = float(low), float(high)
    shape = d.shape()
    return [d.values(sig.FLOAT, shape, "normal") for _ in d.sig.inputs]


@hint("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsGradient")
def _fake_quant_vars(d: Drawer):
    _fake_quant_attrs(d)
    shape = d.shape()
    data = [d.values(sig.FLOAT, shape, "normal") for _ in d.sig.inputs[:-2]]
    return [*data, *_range(d)]


@hint("FakeQuantWithMinMaxVarsPerChannel", "FakeQuantWithMinMaxVarsPerChannelGradient")
def _fake_quant_channel(d: Drawer):
    _fake_quant_attrs(d)
    shape = d.pick([d.shape(1, 1), d.shape(2, 2), d.shape(4, 4)])
    data = [d.values(sig.FLOAT, shape, "normal") for _ in d.sig.inputs[:-2]]
    return [*data, *_range(d, [shape[-1]])]


@hint("QuantizedInstanceNorm")
def _quantized_instance_norm(d: Drawer):
    shape = [d.int(1, 3), d.int(1, 5), d.int(1, 5), d.int(1, 9)]
    d.attrs["given_y_min"], d.attrs["given_y_max"] = -1.5, 2.0
    return [d.values("T", shape), *_range(d)]
