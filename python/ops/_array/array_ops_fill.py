# SPDX-License-Identifier: Apache-2.0
"""Tensors made from a shape: zeros, ones, fill, placeholders, one-hot rows, masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    tensor_shape,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import gen_array_ops, gen_math_ops
from tensorwright.python.ops._array.array_ops_shape import expand_dims, shape_internal

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor

# Constants up to this many elements go into the graph; larger ones are filled in
# a run.
_MAX_CONSTANT_ELEMENTS = 1000


def fill(
    dims: TensorLike, value: TensorLike, name: str | None = None, layout: object = None
) -> ops.Tensor:
    """A tensor of shape `dims` whose elements are all the scalar `value`."""
    del layout
    _check_sizes(dims, name or "Fill")
    return gen_array_ops.fill(dims, value, name=name)


def _check_sizes(shape: Any, name: str) -> None:
    """Raises ValueError for a negative size among the numbers in `shape`."""
    sizes = shape.ravel() if isinstance(shape, np.ndarray) else shape
    if not isinstance(sizes, (list, tuple, np.ndarray)):
        return
    if any(isinstance(s, (int, np.integer)) and s < 0 for s in sizes):
        raise ValueError(f"{name}: sizes must be >= 0, got {list(sizes)}")


def _filled(shape: Any, value: Any, dtype: Any, name: str) -> ops.Tensor:
    dtype = dtypes.as_dtype(dtype).base_dtype
    if dtype == dtypes.bool:
        value = bool(value)
    elif dtype == dtypes.string:
        value = ""
    if not isinstance(shape, ops.Tensor):
        static = _static_shape(shape)
        count = None if static is None else static.num_elements()
        if static is not None and count is not None and count < _MAX_CONSTANT_ELEMENTS:
            if count == 0:
                value = np.empty(static.as_list(), dtype.as_numpy_dtype)
            return constant_op.constant(
                value, dtype=dtype, shape=static.as_list(), name=name
            )
    with ops.name_scope(name) as scope:
        if isinstance(shape, tensor_shape.TensorShape):
            shape = shape.as_list()
        _check_sizes(shape, name)
        dims = ops.convert_to_tensor(shape, name="shape")
        if dims.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
            dims = ops.convert_to_tensor(shape, dtype=dtypes.int32)
        if dims.get_shape().ndims == 0:
            dims = gen_array_ops.reshape(dims, [-1])
        fill_value = constant_op.constant(value, dtype=dtype, name="Const")
        return gen_array_ops.fill(dims, fill_value, name=scope)


def _static_shape(shape: Any) -> tensor_shape.TensorShape | None:
    try:
        static = tensor_shape.TensorShape(shape)
    except (TypeError, ValueError):
        return None
    return static if static.is_fully_defined() else None


def zeros(
    shape: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    layout: object = None,
) -> ops.Tensor:
    """A tensor of `shape` full of zeros (False, "")."""
    del layout
    return _filled(shape, 0, dtype, name or "zeros")


def ones(
    shape: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    layout: object = None,
) -> ops.Tensor:
    """A tensor of `shape` full of ones (True)."""
    del layout
    return _filled(shape, 1, dtype, name or "ones")


def zeros_like(
    tensor: TensorLike | SparseTensor,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> ops.Tensor:
    """Zeros in the shape of `tensor`, of its dtype or of `dtype`."""
    name = name or "zeros_like"
    tensor = ops.convert_to_tensor(cast(Any, tensor), name="tensor")
    dtype = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
    static = tensor.get_shape()
    if optimize and static.is_fully_defined() and dtype != dtypes.variant:
        return zeros(static, dtype, name=name)
    if dtype == tensor.dtype.base_dtype:
        return gen_array_ops.zeros_like(tensor, name=name)
    result = zeros(shape_internal(tensor, optimize=optimize), dtype, name=name)
    result.set_shape(static)
    return result


def ones_like(
    tensor: TensorLike | SparseTensor,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> ops.Tensor:
    """Ones in the shape of `tensor`, of its dtype or of `dtype`."""
    name = name or "ones_like"
    tensor = ops.convert_to_tensor(cast(Any, tensor), name="tensor")
    with ops.name_scope(name, values=[tensor]) as scope:
        dims = shape_internal(tensor, optimize=optimize)
        dtype = tensor.dtype.base_dtype if dtype is None else dtype
        result = ones(dims, dtype, name=scope)
        result.set_shape(tensor.get_shape())
        return result


def placeholder(
    dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None
) -> ops.Tensor:
    """A tensor that every run must feed; `shape` may be partly known or None."""
    if shape is None:
        shape = tensor_shape.unknown_shape()
    return gen_array_ops.placeholder(dtype=dtype, shape=shape, name=name)


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike, name: str | None = None
) -> ops.Tensor:
    """Returns `input`, or the value that a run feeds instead, which must fit `shape`."""
    if shape is None:
        shape = tensor_shape.unknown_shape()
    return gen_array_ops.placeholder_with_default(input, shape, name=name)


def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Rows of `depth` entries, `on_value` at the index and `off_value` elsewhere.

    indices: [...] -> [..., depth], or with the new dimension at `axis`.  The values
    default to 1 and 0 of `dtype` (float32).  Raises TypeError if dtypes disagree.
    """
    with ops.name_scope(name, "one_hot", [indices, depth]) as scope:
        value_dtype = None
        for label, value in (("on_value", on_value), ("off_value", off_value)):
            if value is None:
                continue
            found = ops.convert_to_tensor(value, preferred_dtype=dtype).dtype.base_dtype
            if dtype is not None and found != dtypes.as_dtype(dtype):
                raise TypeError(
                    f"one_hot: dtype {found.name} of {label} does not match dtype "
                    f"parameter {dtypes.as_dtype(dtype).name}"
                )
            if value_dtype is not None and found != value_dtype:
                raise TypeError(
                    f"one_hot: dtype {value_dtype.name} of on_value does not match "
                    f"dtype {found.name} of off_value"
                )
            value_dtype = found
        dtype = value_dtype or dtypes.as_dtype(dtype or dtypes.float32)
        on = ops.convert_to_tensor(
            1 if on_value is None else on_value, dtype, name="on_value"
        )
        off = ops.convert_to_tensor(
            0 if off_value is None else off_value, dtype, name="off_value"
        )
        return gen_array_ops.one_hot(
            indices, depth, on, off, axis=-1 if axis is None else axis, name=scope
        )


def sequence_mask(
    lengths: TensorLike,
    maxlen: TensorLike | None = None,
    dtype: DTypeLike = dtypes.bool,
    name: str | None = None,
) -> ops.Tensor:
    """mask[..., j] = j < lengths[...], for j < maxlen (the longest if None)."""
    with ops.name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = ops.convert_to_tensor(lengths)
        if maxlen is None:
            axes = gen_math_ops.range(0, gen_array_ops.rank(lengths), 1)
            maxlen = gen_math_ops.max(lengths, axes)
            maxlen = gen_math_ops.maximum(
                constant_op.constant(0, maxlen.dtype.base_dtype), maxlen
            )
        else:
            maxlen = ops.convert_to_tensor(maxlen)
        if maxlen.get_shape().ndims not in (0, None):
            raise ValueError("maxlen must be scalar for sequence_mask")
        one = constant_op.constant(1, maxlen.dtype.base_dtype)
        zero = constant_op.constant(0, maxlen.dtype.base_dtype)
        row = gen_math_ops.range(zero, maxlen, one)
        lengths = gen_math_ops.cast(lengths, DstT=maxlen.dtype.base_dtype)
        result = gen_math_ops.less(row, expand_dims(lengths, -1))
        static_max = tensor_util.constant_value(maxlen)
        if lengths.get_shape().ndims is not None and static_max is not None:
            result.set_shape(lengths.get_shape().concatenate(int(static_max)))
        dtype = dtypes.as_dtype(dtype)
        if dtype == dtypes.bool:
            return result
        return gen_math_ops.cast(result, DstT=dtype)


def constant_eye(rows: int, columns: int, dtype: DTypeLike) -> ops.Tensor:
    """The identity matrix [rows, columns] as a constant."""
    dtype = dtypes.as_dtype(dtype)
    return constant_op.constant(np.eye(rows, columns), dtype=dtype)
