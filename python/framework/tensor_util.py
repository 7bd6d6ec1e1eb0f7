# SPDX-License-Identifier: Apache-2.0
"""Values of tensors outside a run: arrays <-> TensorProto, and constants."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes, tensor_shape
from tensorwright.python.framework.tensor import (
    Tensor,
    _TensorLike,
    is_dense_tensor_like,
)
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.util.lazy_protos import tensor_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.framework.tensor_pb2 import TensorProto
    from tensorwright.python.ops._variables.variables_variable import Variable


def to_array(
    values: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike = None,
    verify_shape: bool = False,
) -> tuple[np.ndarray, dtypes.DType, list[int] | None]:
    """The array of a constant, its DType, and the shape to fill where it is larger.

    Raises:
        TypeError: for values that the dtype cannot hold, and for a tensor as shape.
        ValueError: for None, ragged lists, or values that do not fit `shape`.
    """
    if isinstance(shape, Tensor):
        raise TypeError(
            f"The shape of a constant is known while the graph is built; {shape!r} is a tensor. "
            "tf.fill takes one."
        )
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype).base_dtype
    if not isinstance(values, (np.ndarray, np.generic)) and _is_empty(shape):
        # No element is left that could say the dtype.
        _check_values(values, dtype)
        dtype = dtype or dtypes.float32
        sizes = tensor_shape.as_shape(shape).as_list()
        return np.empty(sizes, dtype.as_numpy_dtype), dtype, None
    if isinstance(values, (np.ndarray, np.generic)):
        array = np.asarray(values)
        if dtype is not None and dtype != dtypes.string:
            array = array.astype(dtype.as_numpy_dtype)
    elif values is None:
        raise ValueError("None values not supported.")
    else:
        array = _array_from_python(values, dtype)
    if dtype is None:
        dtype = dtypes._from_numpy(array.dtype)
        if dtype is None:
            raise TypeError(f"Unrecognized data type: {array.dtype} of {values!r}")
    if dtype == dtypes.string and array.dtype != object:
        array = array.astype(object)
    return array, dtype, _fill_shape(array, shape, verify_shape)


def _is_empty(shape: Any) -> bool:
    if shape is None:
        return False
    return 0 in tensor_shape.as_shape(shape).as_list()


def _fill_shape(array: np.ndarray, shape: Any, verify: bool) -> list[int] | None:
    if shape is None:
        return None
    sizes = [int(d) for d in tensor_shape.as_shape(shape).as_list()]
    if verify and list(array.shape) != sizes:
        raise TypeError(
            f"Expected Tensor's shape: {tuple(sizes)}, got {tuple(array.shape)}."
        )
    total = int(np.prod(sizes, dtype=np.int64))
    if array.size > total:
        raise ValueError(
            f"Too many elements provided. Needed at most {total}, but received "
            f"{array.size}"
        )
    if array.size == 0 and total > 0:
        raise ValueError(f"Cannot fill shape {sizes} from no elements")
    return sizes


def _array_from_python(values: Any, dtype: dtypes.DType | None) -> np.ndarray:
    flat = _check_values(values, dtype)
    if dtype is not None:
        # Object arrays keep long strings and str as they are.
        try:
            array = np.array(values, dtype=dtype.as_numpy_dtype)
        except (TypeError, ValueError, OverflowError) as error:
            _raise_not_dense(values, error)
        if dtype == dtypes.string:
            _check_strings(array, values)
        return array
    try:
        array = np.array(values)
    except ValueError as error:
        _raise_not_dense(values, error)
    if array.dtype == object and any(isinstance(v, (str, bytes)) for v in flat):
        _check_strings(array, values)
    elif array.dtype.kind in "SU":
        array = np.array(values, dtype=object)
    elif array.dtype == np.float64:
        array = array.astype(np.float32)
    elif array.dtype == np.int64:
        narrow = array.astype(np.int32)
        array = narrow if np.array_equal(narrow, array) else array
    return array


def _raise_not_dense(values: Any, error: Exception):
    raise ValueError(
        f"Argument must be a dense tensor: {values!r} - {error}"
    ) from error


def _check_strings(array: np.ndarray, values: Any) -> None:
    for item in array.ravel():
        if isinstance(item, (list, tuple)):
            raise ValueError(f"Argument must be a dense tensor: {values!r}")
        if not isinstance(item, (str, bytes)):
            raise TypeError(
                f"Expected string, got {item!r} of type {type(item).__name__!r} instead."
            )


def _flatten(values: Any, tuples: bool = True) -> list:
    """The leaves of nested lists, and of tuples unless they are leaves themselves."""
    if isinstance(values, (list, tuple) if tuples else list):
        return [leaf for item in values for leaf in _flatten(item, tuples)]
    return [values]


def _accepts(dtype: dtypes.DType, value: Any) -> bool:
    if isinstance(value, (tensor_shape.Dimension,)):
        return dtype.is_integer or dtype.is_floating
    # A bool is the number 0 or 1, as in Python.
    if dtype.is_floating:
        return isinstance(value, (numbers.Real, np.bool_))
    if dtype.is_complex:
        return isinstance(value, (numbers.Number, np.bool_))
    if dtype.is_integer:
        return isinstance(value, (numbers.Integral, np.bool_))
    if dtype.is_quantized:
        number = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        return number or isinstance(value, tuple)
    if dtype == dtypes.string:
        return isinstance(value, (str, bytes))
    if dtype == dtypes.bool:
        return isinstance(value, (bool, np.bool_))
    return True


def _check_values(values: Any, dtype: dtypes.DType | None) -> list:
    """The leaves of nested lists.  TypeError for one that does not fit `dtype`."""
    quantized = dtype is not None and dtype.is_quantized
    flat = _flatten(values, not quantized)
    for value in flat:
        if value is None:
            raise ValueError("None values not supported.")
        if isinstance(value, np.ndarray):
            continue
        if isinstance(value, Tensor):
            raise TypeError(
                f"List of Tensors when single Tensor expected: {value!r} is symbolic"
            )
        fits = dtype is None or _accepts(dtype, value)
        if quantized and isinstance(values, list):
            # In a list, a quantized number is a tuple, as NumPy's structured types have it.
            fits = isinstance(value, tuple)
        if not fits:
            raise TypeError(
                f"Expected {dtype and dtype.name}, got {value!r} of type "
                f"{type(value).__name__!r} instead."
            )
    return flat


def make_tensor_proto(
    values: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> TensorProto:
    """A `TensorProto` of values.

    Args:
        values: a number, string, nested list, or array.
        dtype: the element type; float32, int32 (int64 where needed), bool or string
            where it is not given and the values are not an array.
        shape: with fewer values than it needs, the last value is repeated.
        verify_shape: TypeError unless the values have exactly that shape.
    """
    del allow_broadcast
    if isinstance(values, tensor_pb2.TensorProto):
        return values
    array, dtype, fill = to_array(values, dtype, shape, verify_shape)
    data = _pywrap.tensor_proto_bytes(array, dtype, fill)
    return tensor_pb2.TensorProto.FromString(data)


def MakeNdarray(tensor: Message) -> np.ndarray:
    """The array of a `TensorProto`; strings are an object array of bytes."""
    return _pywrap.array_from_proto(tensor.SerializeToString())


make_ndarray = MakeNdarray


def ShapeEquals(tensor_proto: TensorProto, shape: ShapeLike) -> bool:
    """True where a `TensorProto` has that shape."""
    if not hasattr(tensor_proto, "tensor_shape"):
        raise TypeError("tensor_proto is not a tensor_pb2.TensorProto object")
    if hasattr(shape, "dim"):
        shape = tuple(d.size for d in cast(Any, shape).dim)
    if not isinstance(shape, (list, tuple)):
        raise TypeError(
            f"shape must be a list, tuple or TensorShapeProto, got {shape!r}"
        )
    return [d.size for d in tensor_proto.tensor_shape.dim] == list(shape)


def constant_value(tensor: Tensor | Variable, partial: bool = False) -> Any:
    """The value of a tensor where it follows from the graph alone, else None.

    The tensor must not be fed afterwards: what was concluded from it stays.  With `partial` a Pack of scalars has None in
    the places of those that are not known.
    """
    if not isinstance(tensor, Tensor):
        if is_dense_tensor_like(tensor):
            return None  # A variable: runs assign it.
        return np.asarray(tensor) if tensor is not None else None
    value = tensor._constant_value()
    if value is None:
        value = _folded(tensor)
    if value is None and partial:
        value = _packed_in_part(tensor)
    if value is not None:
        # The graph was built on this value; a run may not give it another.
        tensor.graph.prevent_feeding(tensor)
    return value


def _folded(tensor: Tensor) -> Any:
    """Computes a value from known values, where it is more than small integers, which the core knows; else None."""
    op = tensor.op
    if op.type not in _FOLDED:
        return None
    if op.type == "Fill":
        return _filled(tensor)
    inputs = [constant_value(t) for t in op.inputs]
    if any(value is None for value in inputs):
        return None
    if op.type == "Cast":
        return inputs[0].astype(tensor.dtype.as_numpy_dtype)
    if op.type == "Split":
        count = len(op.outputs)
        return np.split(inputs[1], count, axis=int(inputs[0]))[tensor.value_index]
    if op.type == "ConcatV2":
        return np.concatenate(inputs[:-1], axis=int(inputs[-1]))
    if op.type == "Concat":
        return np.concatenate(inputs[1:], axis=int(inputs[0]))
    if op.type == "Pack":
        return np.stack(inputs, axis=op.get_attr("axis"))
    if op.type == "Range":
        return np.arange(*inputs, dtype=tensor.dtype.as_numpy_dtype)
    return np.equal(*inputs) if op.type == "Equal" else np.not_equal(*inputs)


def _filled(tensor: Tensor) -> Any:
    value = constant_value(tensor.op.inputs[1])
    if value is None or not tensor.shape.is_fully_defined():
        return None
    return np.full(tensor.shape.as_list(), value, dtype=value.dtype)


_FOLDED = frozenset(
    (
        "Cast",
        "Concat",
        "ConcatV2",
        "Equal",
        "Fill",
        "NotEqual",
        "Pack",
        "Range",
        "Split",
    )
)


def _packed_in_part(tensor: Tensor) -> Any:
    """The values of a Pack, None for those that are not known; None for another op, or where none is known."""
    if tensor.op.type != "Pack" or not tensor.op.inputs:
        return None
    values = [constant_value(t, partial=True) for t in tensor.op.inputs]
    if all(value is None for value in values):
        return None
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def constant_value_as_shape(tensor: Tensor) -> tensor_shape.TensorShape:
    """A shape from a 1-D tensor of sizes, as far as they are known."""
    shape = tensor.shape.with_rank(1) if tensor.shape.ndims != 0 else tensor.shape
    if shape.ndims == 0:
        value = constant_value(tensor)
        if value is not None and value != -1:
            raise ValueError(
                f"Received a scalar value '{value}' as shape; require a statically known "
                "scalar with value '-1' to describe an unknown shape."
            )
        return tensor_shape.unknown_shape()
    if shape.as_list() == [0]:
        return tensor_shape.scalar()
    if tensor.op.type == "Shape":
        return tensor.op.inputs[0].shape
    if tensor.op.type == "Cast" and tensor.op.inputs[0].dtype.is_integer:
        return constant_value_as_shape(tensor.op.inputs[0])
    if tensor.op.type == "Pack" and not tensor.op.get_attr("axis"):
        return tensor_shape.TensorShape(
            [_known_size(constant_value(t)) for t in tensor.op.inputs]
        )
    if tensor.op.type in ("ConcatV2", "Concat"):
        parts = tensor.op.inputs
        parts = parts[:-1] if tensor.op.type == "ConcatV2" else parts[1:]
        result = tensor_shape.scalar()
        for part in parts:
            result = result.concatenate(constant_value_as_shape(part))
        return result
    if tensor.op.type == "StridedSlice":
        part = _sliced_shape(tensor.op)
        if part is not None:
            return part
    value = constant_value(tensor)
    if value is not None:
        return tensor_shape.TensorShape([_known_size(v) for v in value])
    return tensor_shape.unknown_shape(shape.as_list()[0])


def _sliced_shape(op: Any) -> tensor_shape.TensorShape | None:
    """The part of a shape that a StridedSlice with known bounds takes; None for another slice."""
    bounds = [constant_value(t) for t in op.inputs[1:]]
    masks = ("new_axis_mask", "ellipsis_mask", "shrink_axis_mask")
    if any(b is None or b.size != 1 for b in bounds) or any(map(op.get_attr, masks)):
        return None
    begin, end, step = (int(b[0]) for b in bounds)
    whole = constant_value_as_shape(op.inputs[0])
    if whole.ndims is None:
        return None
    first = None if op.get_attr("begin_mask") else begin
    last = None if op.get_attr("end_mask") else end
    return whole[first:last:step]


def _known_size(value: Any) -> int | None:
    return None if value is None or value < 0 else int(value)


def is_tensor(x: object) -> bool:
    """True for tensors, sparse tensors, variables and the like."""
    return isinstance(x, _TensorLike) or is_dense_tensor_like(x)


is_tf_type = is_tensor
