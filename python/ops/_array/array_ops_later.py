# SPDX-License-Identifier: Apache-2.0
"""Array functions of TensorFlow versions after 1.3 that today's programs use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import gen_array_ops, gen_math_ops
from tensorwright.python.ops._array.array_ops_fill import sequence_mask
from tensorwright.python.ops._array.array_ops_sequence import setdiff1d
from tensorwright.python.ops._array.array_ops_shape import (
    reshape,
    shape_internal,
)
from tensorwright.python.ops._array.array_ops_slice import gather, slice_helper, where
from tensorwright.python.ops.gen_array_ops import (  # noqa: F401 (re-exported)
    broadcast_to,
    guarantee_const,
    roll,
    tensor_scatter_add,
    tensor_scatter_max,
    tensor_scatter_min,
    tensor_scatter_sub,
    unravel_index,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.indexed_slices import IndexedSlices


def ensure_shape(
    x: TensorLike, shape: ShapeLike, name: str | None = None
) -> ops.Tensor:
    """`x` itself, which must fit the static `shape`; its static shape is then merged.

    Raises ValueError for a static shape that does not fit, InvalidArgumentError in a
    run for a real one.
    """
    # The attr has no default: None would be no value, and is the unknown shape.
    shape = tensor_shape.TensorShape(shape)
    return gen_array_ops.ensure_shape(x, shape, name=name)


def tensor_scatter_update(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    name: str | None = None,
) -> ops.Tensor:
    """`tensor` with slices replaced at coordinates: indices [i..., k]."""
    return gen_array_ops.tensor_scatter_update(tensor, indices, updates, name=name)


def batch_gather(
    params: TensorLike, indices: TensorLike, name: str | None = None
) -> ops.Tensor:
    """Rows within each batch: params [b..., n, rest...], indices [b..., m]."""
    with ops.name_scope(name, "BatchGather", [params, indices]):
        indices = ops.convert_to_tensor(indices, name="indices")
        ndims = indices.get_shape().ndims
        if not ndims:
            raise ValueError(
                f"batch_gather: indices must be of known rank >= 1, got {indices}"
            )
        return gather(params, indices, axis=ndims - 1, batch_dims=ndims - 1)


def repeat(
    input: TensorLike,
    repeats: TensorLike,
    axis: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Each slice of `input` along `axis` as often as `repeats` says.

    repeats: an int scalar, or a vector with one number a slice; axis None: of the
    flattened input.
    """
    with ops.name_scope(name, "Repeat", [input, repeats]):
        input = ops.convert_to_tensor(input, name="input")
        if axis is None:
            input, axis = reshape(input, [-1]), 0
        repeats = ops.convert_to_tensor(repeats, dtype_hint_int(repeats), "repeats")
        rank = input.get_shape().ndims
        if axis < 0:
            if rank is None:
                raise ValueError("repeat: an axis from the end needs a known rank")
            axis += rank
        count = slice_helper(shape_internal(input), axis)
        ones = gen_array_ops.ones_like(repeats)
        count = gen_math_ops.cast(count, DstT=repeats.dtype.base_dtype)
        times = gen_math_ops.mul(ones, repeats)
        times = gen_array_ops.broadcast_to(times, gen_array_ops.reshape(count, [1]))
        # Row i of the mask has repeats[i] places for slice i.
        rows = slice_helper(where(sequence_mask(times)), (slice(None), 0))
        return gather(input, rows, axis=axis)


def dtype_hint_int(value: TensorLike) -> DType | None:
    """Returns None for a value with a dtype, int32 for one without."""
    return None if ops.is_dense_tensor_like(value) else dtypes.int32


def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> ops.Tensor:
    """Finds the places in sorted rows [..., n] at which the values [..., m] would have to be inserted.

    `side` "left" means before equal elements, "right" behind them.
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
    bound = gen_array_ops.lower_bound if side == "left" else gen_array_ops.upper_bound
    with ops.name_scope(name, "searchsorted", [sorted_sequence, values]):
        rows = ops.convert_to_tensor(sorted_sequence, name="sorted_sequence")
        values = ops.convert_to_tensor(values, rows.dtype.base_dtype, name="values")
        found = bound(
            _as_matrix(rows), _as_matrix(values), out_type=out_type, name=name
        )
        return reshape(found, shape_internal(values))


def _as_matrix(t: ops.Tensor) -> ops.Tensor:
    """[..., n] -> [b, n]."""
    last = slice_helper(shape_internal(t), -1)
    # Counted, for of no elements nothing follows for the number of rows.
    rows = gen_math_ops.prod(slice_helper(shape_internal(t), slice(None, -1)), [0])
    return reshape(t, gen_array_ops.pack([rows, last], axis=0))


def where_v2(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """`x` where `condition` holds, else `y`, all three broadcast to one shape.

    Without both, the true coordinates, as `tf.where`.
    """
    if x is None and y is None:
        return where(condition, name=name)
    if x is None or y is None:
        raise ValueError(f"where_v2: give both x and y or neither, got {x!r} and {y!r}")
    with ops.name_scope(name, "where_v2", [condition, x, y]) as scope:
        condition = ops.convert_to_tensor(condition, dtypes.bool, name="condition")
        if not ops.is_dense_tensor_like(x) and ops.is_dense_tensor_like(y):
            x = ops.convert_to_tensor(x, y.dtype.base_dtype, name="x")
        x = ops.convert_to_tensor(x, name="x")
        y = ops.convert_to_tensor(y, x.dtype.base_dtype, name="y")
        static = [v.get_shape() for v in (condition, x, y)]
        if static[0].is_fully_defined() and static[0] == static[1] == static[2]:
            return gen_math_ops.select(condition, x, y, name=scope)
        return gen_math_ops.select_v2(condition, x, y, name=scope)


def sparse_placeholder(
    dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """A SparseTensor that every run must feed, with a SparseTensorValue."""
    name = f"{name}/" if name else ""
    rank = None
    if shape is None:
        dense = gen_array_ops.placeholder(
            dtype=dtypes.int64, shape=[None], name=name + "shape"
        )
    elif isinstance(shape, ops.Tensor):
        dense, rank = shape, shape.get_shape()[0]
    else:
        given: Any = shape
        rank = len(given)
        sizes = [-1 if d is None else int(d) for d in given]
        dense = ops.convert_to_tensor(sizes, dtypes.int64, name=name + "shape")
    if rank is not None and not isinstance(rank, int):
        rank = getattr(rank, "value", rank)
    return sparse_tensor.SparseTensor(
        values=gen_array_ops.placeholder(
            dtype=dtype, shape=[None], name=name + "values"
        ),
        indices=gen_array_ops.placeholder(
            dtype=dtypes.int64, shape=[None, rank], name=name + "indices"
        ),
        dense_shape=dense,
    )


def sparse_mask(
    a: ops.IndexedSlices, mask_indices: TensorLike, name: str | None = None
) -> IndexedSlices:
    """The slices of IndexedSlices `a` whose indices are not in `mask_indices`."""
    with ops.name_scope(name, "sparse_mask", [a, mask_indices]) as scope:
        indices = a.indices
        out, where_ = setdiff1d(indices, mask_indices)
        values = gather(a.values, where_, name=scope)
        return ops.IndexedSlices(values, out, a.dense_shape)
