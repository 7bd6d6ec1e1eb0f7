# SPDX-License-Identifier: Apache-2.0
"""Constants, and the conversion of Python values and arrays to tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python import _pywrap
from tensorwright.python.framework import conversion, dtypes, tensor_shape, tensor_util
from tensorwright.python.framework.tensor import Tensor
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.util import later

if TYPE_CHECKING:
    from tensorwright.python.framework.operation import Operation


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """Returns a tensor with a fixed value.

    Args:
        value: a number, string, nested list of them, or an array.
        dtype: the element type.  By default, that of an array; else float32, int32
            (int64 for large ints), bool or string, whichever fits the value.
        shape: the result's shape; if `value` has fewer elements, its last one is repeated.
        name: the operation's name.
        verify_shape: if True, `value` must have exactly `shape`; TypeError if not.

    Raises:
        TypeError: for values the dtype cannot hold, and for a tensor as shape.
        ValueError: for ragged lists, or a shape with fewer elements than `value`.

    Example:
        tf.constant([1, 2, 3])               # int32 [3]
        tf.constant(-1.0, shape=[2, 3])      # float32 [2, 3], all -1
    """
    if shape is None:
        result = _pywrap.constant(value, dtype, name)
        if result is not NotImplemented:
            return result
    array, dtype, fill = tensor_util.to_array(value, dtype, shape, verify_shape)
    return _pywrap.constant_from_array(array, dtype, fill, name)


def is_constant(tensor_or_op: Tensor | Operation) -> bool:
    op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
    return op.type == "Const"


def _constant_tensor_conversion_function(value, dtype=None, name=None, as_ref=False):
    del as_ref
    return constant(value, dtype=dtype, name=name or "Const")


def _list_conversion_function(value, dtype=None, name=None, as_ref=False):
    """Makes a constant; a list with tensors is packed, which a program may ask for before it has loaded array_ops."""
    try:
        return constant(value, dtype=dtype, name=name or "Const")
    except TypeError:
        packing = later.part("lists of tensors")
        packed = packing.convert_list(value, dtype, name, as_ref)
        if packed is NotImplemented:
            raise
        return packed


conversion.register_tensor_conversion_function(
    (np.ndarray, np.generic), _constant_tensor_conversion_function, 100
)
conversion.register_tensor_conversion_function(
    (list, tuple), _list_conversion_function, 100
)
conversion.register_tensor_conversion_function(
    object, _constant_tensor_conversion_function, 200
)


def _dtype_of_sizes(kind: str, sizes: list[int], dtype: Any) -> Any:
    """The dtype for sizes: int32, or int64 where one is large, if `dtype` is None."""
    if dtype is None:
        return dtypes.int64 if max(sizes, default=0) >= 2**31 else dtypes.int32
    if dtypes.as_dtype(dtype) in (dtypes.int32, dtypes.int64):
        return dtype
    raise TypeError(f"Cannot convert a {kind} to dtype: {dtype}")


def _tensor_shape_tensor_conversion_function(
    value, dtype=None, name=None, as_ref=False
):
    """A fully known TensorShape -> its sizes, int32 (int64 for large ones) [rank]."""
    del as_ref
    if not value.is_fully_defined():
        raise ValueError(
            f"Cannot convert a partially known TensorShape to a Tensor: {value}"
        )
    sizes = value.as_list()
    dtype = _dtype_of_sizes("TensorShape", sizes, dtype)
    return constant(sizes, dtype=dtype, name=name or "shape_as_tensor")


conversion.register_tensor_conversion_function(
    tensor_shape.TensorShape, _tensor_shape_tensor_conversion_function, 100
)


def _dimension_tensor_conversion_function(value, dtype=None, name=None, as_ref=False):
    """A known Dimension -> a scalar int32 or int64."""
    del as_ref
    if value.value is None:
        raise ValueError(f"Cannot convert an unknown Dimension to a Tensor: {value}")
    dtype = _dtype_of_sizes("Dimension", [value.value], dtype)
    return constant(value.value, dtype=dtype, name=name or "shape_as_tensor")


conversion.register_tensor_conversion_function(
    tensor_shape.Dimension, _dimension_tensor_conversion_function, 100
)
