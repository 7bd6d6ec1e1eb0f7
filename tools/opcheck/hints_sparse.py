# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops of sparse tensors; see draws.hint.

A sparse tensor is drawn in row-major order, each index once, unless the op takes any order.
"""

from __future__ import annotations

import numpy as np

from tensorwright.python.framework import tensor_util
from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint

# Parts of a sparse tensor: indices, values, shape.
Parts = list[np.ndarray]


def _dense_shape(d: Drawer, low: int = 1, high: int = 4) -> list[int]:
    """A shape whose elements are listed in part."""
    if d.huge:
        return [4000, 2000] if high >= 2 else [8_000_000]
    if d.big:
        return [500, 600] if high >= 2 else [300_000]
    return d.shape(low, high, min_dim=0 if d.chance(0.1) else 1)


def _indices(d: Drawer, shape: list[int], shuffled: bool = False) -> np.ndarray:
    """Half of the places of a shape, or a few: int64 [n, rank]."""
    if np.prod(shape, dtype=np.int64) > 1 << 24:
        raise Unsuitable("larger than a draw should be")
    part = d.pick([0.1, 0.5, 0.9]) if not d.large else 0.25
    places = np.flatnonzero(d.rng.random_sample(int(np.prod(shape))) < part)
    if shuffled and d.chance(0.4):
        d.rng.shuffle(places)
    rows = np.array(np.unravel_index(places, shape) if shape else []).T
    return rows.reshape(len(places), len(shape)).astype(np.int64)


def _sparse(
    d: Drawer,
    shape: list[int],
    values: str = "T",
    kind: str = "any",
    index: str | int = sig.INT64,
    sizes: str | int = sig.INT64,
    shuffled: bool = False,
) -> Parts:
    rows = _indices(d, shape, shuffled)
    return [
        d.array(index, rows),
        d.values(values, [len(rows)], kind),
        d.array(sizes, np.array(shape, np.int64)),
    ]


# As a whole. -------------------------------------------------------------------------------------------------


@hint("SparseReorder")
def _reorder(d: Drawer):
    return _sparse(d, _dense_shape(d), shuffled=True)


@hint("SparseToDense")
def _to_dense(d: Drawer):
    form = "matrix" if d.large else d.pick(["matrix", "matrix", "vector", "scalar"])
    shape = _dense_shape(d) if form == "matrix" else [d.int(1, 9)]
    rows = _indices(d, shape, shuffled=not d["validate_indices"])
    if form == "vector":
        rows = rows[:, 0]
    elif form == "scalar":
        rows = np.int64(d.int(0, shape[0] - 1))
    one = d.chance(0.3)
    values = [] if one or form == "scalar" else [len(rows)]
    return [
        d.array("Tindices", rows),
        d.array("Tindices", np.array(shape, np.int64)),
        d.values("T", values),
        d.values("T", []),
    ]


@hint("SparseReshape")
def _reshape(d: Drawer):
    shape = _dense_shape(d, high=3)
    count = int(np.prod(shape))
    wanted = list(shape)
    d.rng.shuffle(wanted)
    if d.chance(0.4) and count:
        wanted = [count]
    if d.chance(0.3) and len(wanted) < 4:
        wanted.insert(d.int(0, len(wanted)), 1)
    if d.chance(0.4) and count:
        wanted[d.int(0, len(wanted) - 1)] = -1
    return [
        _indices(d, shape),
        np.array(shape, np.int64),
        np.array(wanted, np.int64),
    ]


@hint("SparseConcat")
def _concat(d: Drawer):
    n = d.attrs["N"] = d.int(2, 3)
    shape = _dense_shape(d)
    axis = d.attrs["concat_dim"] = d.axis(len(shape))
    parts = []
    for _ in range(n):
        own = list(shape)
        own[axis] = own[axis] if d.large else d.int(0, 5)
        parts.append(_sparse(d, own))
    return [list(p) for p in zip(*parts, strict=True)]


@hint("SparseSplit")
def _split(d: Drawer):
    shape = [max(s, 1) for s in _dense_shape(d)]
    axis = d.axis(len(shape))
    d.attrs["num_split"] = d.int(1, min(shape[axis], 4))
    return [np.array(axis, np.int64), *_sparse(d, shape)]


def _box(d: Drawer, shape: list[int]) -> list[np.ndarray]:
    start = [d.int(0, s) for s in shape]
    size = [d.int(0, s) for s in shape]
    if d.large:
        start, size = [0] * len(shape), [s - 1 for s in shape]
    return [np.array(start, np.int64), np.array(size, np.int64)]


@hint("SparseSlice")
def _slice(d: Drawer):
    shape = _dense_shape(d)
    return [*_sparse(d, shape), *_box(d, shape)]


@hint("SparseSliceGrad")
def _slice_grad(d: Drawer):
    shape = _dense_shape(d)
    rows = _indices(d, shape)
    start, size = _box(d, shape)
    inside = ((rows >= start) & (rows < start + size)).all(1)
    out = rows[inside] - start
    return [d.values("T", [len(out)]), rows, start, out]


@hint("SparseFillEmptyRows")
def _fill(d: Drawer):
    shape = _dense_shape(d)
    return [*_sparse(d, shape, shuffled=True), d.values("T", [])]


@hint("SparseFillEmptyRowsGrad")
def _fill_grad(d: Drawer):
    n = 1_000_000 if d.huge else 50_000 if d.big else d.dim()
    full = n + d.int(0, 5)
    places = np.sort(d.rng.permutation(full)[:n])
    return [places.astype(np.int64), d.values("T", [full])]


# Arithmetic. -------------------------------------------------------------------------------------------------


@hint("SparseAdd")
def _add(d: Drawer):
    shape = _dense_shape(d)
    limit = d.array("Treal", 0 if d.chance(0.6) or d.size == "smooth" else 1)
    return [*_sparse(d, shape), *_sparse(d, shape), limit]


@hint("SparseAddGrad")
def _add_grad(d: Drawer):
    shape = _dense_shape(d)
    a, b = _indices(d, shape), _indices(d, shape)
    union = np.unique(np.concatenate([a, b]), axis=0).reshape(-1, len(shape))
    kept = union[d.rng.random_sample(len(union)) < 0.9]
    return [d.values("T", [len(kept)]), a, b, kept]


@hint("SparseSparseMaximum", "SparseSparseMinimum")
def _extremum(d: Drawer):
    shape = _dense_shape(d)
    return [*_sparse(d, shape), *_sparse(d, shape)]


@hint("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv")
def _with_dense(d: Drawer):
    shape = _dense_shape(d)
    kind = "positive" if d.sig.name == "SparseDenseCwiseDiv" else "any"
    other = list(shape)
    if not d.large:
        other = [1 if d.chance(0.25) else s for s in shape]
        other = other[d.int(0, len(other)) :] if d.chance(0.3) else other
    return [*_sparse(d, shape), d.values("T", other, kind)]


@hint("SparseSoftmax")
def _softmax(d: Drawer):
    return _sparse(d, _dense_shape(d, low=2))


@hint("SparseTensorDenseAdd")
def _dense_add(d: Drawer):
    shape = _dense_shape(d)
    parts = _sparse(d, shape, index="Tindices", sizes="Tindices", shuffled=True)
    return [*parts, d.values("T", shape)]


@hint("SparseTensorDenseMatMul")
def _matmul(d: Drawer):
    m, k, n = d.dim(), d.dim(1), d.dim()
    if d.large:
        m, k, n = (4000, 2000, 64) if d.huge else (300, 200, 100)
    a = [k, m] if d["adjoint_a"] else [m, k]
    b = [n, k] if d["adjoint_b"] else [k, n]
    parts = _sparse(d, a, index="Tindices", shuffled=True)
    return [*parts, d.values("T", b)]


@hint(*(f"SparseReduce{what}{s}" for what in ("Sum", "Max") for s in ("", "Sparse")))
def _reduce(d: Drawer):
    shape = _dense_shape(d)
    axes = [a for a in range(len(shape)) if d.chance(0.5)]
    axes = [a - len(shape) if d.chance(0.3) else a for a in axes]
    if len(axes) == 1 and d.chance(0.3):
        axes = axes[0]
    return [*_sparse(d, shape, shuffled=True), np.array(axes, np.int32)]


# In batches. -------------------------------------------------------------------------------------------------


def _strings_only(d: Drawer, attr: str) -> None:
    """Variants are made and read by ops alone: a test of its own has them."""
    d.attrs[attr] = sig.STRING


@hint("SerializeSparse")
def _serialize(d: Drawer):
    _strings_only(d, "out_type")
    return _sparse(d, _dense_shape(d))


@hint("SerializeManySparse")
def _serialize_many(d: Drawer):
    _strings_only(d, "out_type")
    return _sparse(d, _dense_shape(d, low=2))


@hint("AddSparseToTensorsMap")
def _add_to_map(d: Drawer):
    d.attrs.update(container="", shared_name="")
    return _sparse(d, _dense_shape(d))


@hint("AddManySparseToTensorsMap")
def _add_many_to_map(d: Drawer):
    d.attrs.update(container="", shared_name="")
    return _sparse(d, _dense_shape(d, low=2))


# Rows in the map from which a scenario takes.
MAP_ROWS = 4


@hint("TakeManySparseFromTensorsMap")
def _take_from_map(d: Drawer):
    d.attrs.update(container="", shared_name="map")
    count = d.int(1, MAP_ROWS)
    return [d.rng.permutation(MAP_ROWS)[:count].astype(np.int64)]


def _proto(array: np.ndarray, enum: int) -> bytes:
    return tensor_util.make_tensor_proto(array, dtype=enum).SerializeToString()


@hint("DeserializeSparse", "DeserializeManySparse")
def _deserialize(d: Drawer):
    if "Tserialized" in d.attrs:
        _strings_only(d, "Tserialized")
    outer = [d.int(1, 3)]
    if d.sig.name == "DeserializeSparse":
        outer = [d.int(1, 2) for _ in range(d.int(0, 2))]
    rank = d.int(1, 3)
    rows = []
    for _ in range(int(np.prod(outer))):
        shape = [200, 200] if d.large else d.shape(rank, rank, min_dim=1)
        parts = _sparse(d, shape, values="dtype")
        enums = (sig.INT64, d["dtype"], sig.INT64)
        rows += [_proto(p, e) for p, e in zip(parts, enums, strict=True)]
    out = np.empty(len(rows), dtype=object)
    out[:] = rows
    return [out.reshape([*outer, 3])]


# Crosses. ----------------------------------------------------------------------------------------------------


def _columns(d: Drawer) -> list[list[np.ndarray]]:
    """indices, values, shapes and dense inputs of columns with as many rows."""
    rows = 300 if d.large else d.int(1, 4)
    most = 12 if d.large else 3
    d.attrs["sparse_types"] = [
        d.pick([sig.INT64, sig.STRING]) for _ in range(d.int(1, 2))
    ]
    d.attrs["dense_types"] = [
        d.pick([sig.INT64, sig.STRING]) for _ in range(d.int(0, 2))
    ]
    if d.large:
        d.attrs["sparse_types"] = [sig.INT64, sig.STRING]
        d.attrs["dense_types"] = []
    d.attrs["N"] = len(d.attrs["sparse_types"])
    parts = [
        _sparse(d, [rows, d.int(1, most)], values=t) for t in d.attrs["sparse_types"]
    ]
    columns = [list(p) for p in zip(*parts, strict=True)]
    dense = [d.values(t, [rows, d.int(1, most)]) for t in d.attrs["dense_types"]]
    return [*columns, dense]


@hint("SparseCross")
def _cross(d: Drawer):
    columns = _columns(d)
    d.attrs["hashed_output"] = d.attrs["out_type"] == sig.INT64
    # TensorFlow ends the process where numbers are to be crossed as strings.
    d.attrs["internal_type"] = sig.INT64
    d.attrs["num_buckets"] = d.pick([0, 7, 1000])
    d.attrs["hash_key"] = d.int(0, 1 << 30)
    return columns


@hint("SparseCrossV2")
def _cross_v2(d: Drawer):
    return [*_columns(d), d.values(sig.STRING, [])]


@hint("SparseCrossHashed")
def _cross_hashed(d: Drawer):
    return [
        *_columns(d),
        np.array(d.pick([0, 7, 1000]), np.int64),
        np.array(d.chance(0.5)),
        d.rng.randint(0, 1 << 30, 2).astype(np.int64),
    ]


allowed.allow(
    allowed.DTYPE,
    "SparseCross",
    "TensorFlow ends the process where numbers are to be crossed as strings",
    "internal_type=string",
)
allowed.allow(
    allowed.FLAT, "SparseAdd", "what is below the threshold is left out", of="thresh"
)
allowed.allow(
    allowed.THREADS,
    [
        "SparseCross",
        "SparseCrossHashed",
        "SparseCrossV2",
        "TakeManySparseFromTensorsMap",
    ],
    "one thread goes through the rows in order",
)
allowed.allow(
    allowed.NAN_SPREAD,
    "SparseSoftmax",
    "a value that is alone in its row has the softmax 1, whatever number it is",
)
