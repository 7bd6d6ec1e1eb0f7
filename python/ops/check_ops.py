# SPDX-License-Identifier: Apache-2.0
"""Assertions on tensors: checked at once where the values are known, else in the run.

Each assert_* returns an op to depend on; the run fails with InvalidArgumentError when it does not hold.
Where static values decide, a violation is raised while the graph is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import dtypes, errors, ops, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor


def _binary(
    symbol: str,
    name: str,
    compare: Callable[..., Any],
    static: Callable[..., Any],
    x: Any,
    y: Any,
    data: Any,
    summarize: int | None,
    message: str | None,
    op_name: str | None,
) -> ops.Operation:
    with ops.name_scope(op_name, name, [x, y, data]):
        x = ops.convert_to_tensor(x, name="x")
        y = ops.convert_to_tensor(y, name="y")
        text = (
            f"{message or ''} Condition x {symbol} y did not hold element-wise:".strip()
        )
        known = tensor_util.constant_value(x), tensor_util.constant_value(y)
        if known[0] is not None and known[1] is not None:
            if np.all(static(*known)):
                return control_flow_ops.no_op("static_checks_determined_all_ok")
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{text} x ({x.name}) = {known[0]}, y ({y.name}) = {known[1]}",
            )
        if data is None:
            data = [text, f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
        condition = math_ops.reduce_all(compare(x, y))
        return control_flow_ops.Assert(condition, data, summarize=summarize)


def assert_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x == y in every element, after broadcasting."""
    args = (x, y, data, summarize, message, name)
    return _binary("==", "assert_equal", math_ops.equal, np.equal, *args)


def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x != y in every element, after broadcasting."""
    args = (x, y, data, summarize, message, name)
    return _binary("!=", "assert_none_equal", math_ops.not_equal, np.not_equal, *args)


def assert_less(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x < y in every element, after broadcasting."""
    args = (x, y, data, summarize, message, name)
    return _binary("<", "assert_less", math_ops.less, np.less, *args)


def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x <= y in every element, after broadcasting."""
    args = (x, y, data, summarize, message, name)
    return _binary("<=", "assert_less_equal", math_ops.less_equal, np.less_equal, *args)


def assert_greater(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x > y in every element, after broadcasting."""
    args = (x, y, data, summarize, message, name)
    return _binary(">", "assert_greater", math_ops.greater, np.greater, *args)


def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x >= y in every element, after broadcasting."""
    args = (x, y, data, summarize, message, name)
    compare = math_ops.greater_equal
    return _binary(">=", "assert_greater_equal", compare, np.greater_equal, *args)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """|x - y| <= atol + rtol * |y| in every element; both are ten epsilons if not given."""
    with ops.name_scope(name, "assert_near", [x, y, rtol, atol, data]):
        x = ops.convert_to_tensor(x, name="x")
        y = ops.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
        real = x.dtype.base_dtype.real_dtype
        # bfloat16's, which NumPy does not know, is 2^-7.
        epsilon = (
            2.0**-7
            if real == dtypes.bfloat16
            else float(np.finfo(real.as_numpy_dtype).eps)
        )
        rtol, atol = (
            ops.convert_to_tensor(10 * epsilon if t is None else t, dtype=real)
            for t in (rtol, atol)
        )
        text = (
            f"{message or ''} x and y differ by more than rtol = {rtol} and "
            f"atol = {atol} allow".strip()
        )
        if data is None:
            data = [text, f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
        near = math_ops.abs(x - y) <= atol + rtol * math_ops.abs(y)
        return control_flow_ops.Assert(
            math_ops.reduce_all(near), data, summarize=summarize
        )


def _zero(x: Any) -> Any:
    x = ops.convert_to_tensor(x, name="x")
    return ops.convert_to_tensor(0, dtype=x.dtype.base_dtype)


def assert_negative(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x < 0 in every element."""
    with ops.name_scope(name, "assert_negative", [x, data]):
        return assert_less(x, _zero(x), data, summarize, message)


def assert_positive(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x > 0 in every element."""
    with ops.name_scope(name, "assert_positive", [x, data]):
        return assert_less(_zero(x), x, data, summarize, message)


def assert_non_negative(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x >= 0 in every element."""
    with ops.name_scope(name, "assert_non_negative", [x, data]):
        return assert_less_equal(_zero(x), x, data, summarize, message)


def assert_non_positive(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x <= 0 in every element."""
    with ops.name_scope(name, "assert_non_positive", [x, data]):
        return assert_less_equal(x, _zero(x), data, summarize, message)


def _rank_check(
    name: str,
    rule: str,
    x: Any,
    holds: Callable[[int], bool],
    dynamic: Callable[[Any], Any],
    data: Any,
    summarize: int | None,
    message: str | None,
    op_name: str | None,
) -> ops.Operation:
    with ops.name_scope(op_name, name, [x]):
        x = ops.convert_to_tensor(x, name="x")
        rank = x.get_shape().ndims
        text = f"{message or ''} {x.name}: Tensor must have rank {rule}.".strip()
        if rank is not None:
            if holds(rank):
                return control_flow_ops.no_op("static_checks_determined_all_ok")
            raise ValueError(f"{text} Received rank {rank}, shape {x.get_shape()}")
        if data is None:
            data = [text, "Received shape: ", array_ops.shape(x)]
        return control_flow_ops.Assert(
            dynamic(array_ops.rank(x)), data, summarize=summarize
        )


def assert_rank(
    x: TensorLike | SparseTensor,
    rank: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """`x` has rank `rank`; ValueError if it is known not to."""
    want = _static_rank(rank)
    return _rank_check(
        "assert_rank",
        str(want),
        x,
        lambda r: r == want,
        lambda r: math_ops.equal(r, want),
        data,
        summarize,
        message,
        name,
    )


def assert_rank_at_least(
    x: TensorLike | SparseTensor,
    rank: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """`x` has rank `rank` or more; ValueError if it is known not to."""
    want = _static_rank(rank)
    return _rank_check(
        "assert_rank_at_least",
        f">= {want}",
        x,
        lambda r: r >= want,
        lambda r: math_ops.greater_equal(r, want),
        data,
        summarize,
        message,
        name,
    )


def assert_rank_in(
    x: TensorLike | SparseTensor,
    ranks: Iterable[Any],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """`x` has one of `ranks`; ValueError if it is known not to."""
    want = sorted(_static_rank(r) for r in ranks)
    return _rank_check(
        "assert_rank_in",
        f"in {want}",
        x,
        lambda r: r in want,
        lambda r: math_ops.reduce_any(math_ops.equal(r, want)),
        data,
        summarize,
        message,
        name,
    )


def _static_rank(rank: Any) -> int:
    value = tensor_util.constant_value(ops.convert_to_tensor(rank, name="rank"))
    if value is None or value.ndim or not np.issubdtype(value.dtype, np.integer):
        raise ValueError(f"rank must be a known integer scalar, got {rank}")
    return int(value)


def assert_integer(
    x: TensorLike | SparseTensor, message: str | None = None, name: str | None = None
) -> ops.Operation:
    """`x` is of an integer dtype; TypeError if not."""
    with ops.name_scope(name, "assert_integer", [x]):
        x = ops.convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(
                f'{message or ""} Expected "x" to be integer type. Found: {x.dtype}'.strip()
            )
        return control_flow_ops.no_op("statically_determined_was_integer")


def assert_type(
    tensor: TensorLike | SparseTensor,
    tf_type: DTypeLike,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """`tensor` is of dtype `tf_type`; TypeError if not."""
    with ops.name_scope(name, "assert_type", [tensor]):
        tensor = ops.convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != tf_type:
            raise TypeError(f"{message or ''} {tensor.name} must be of type {tf_type}")
        return control_flow_ops.no_op("statically_determined_correct_type")


def assert_scalar(
    tensor: TensorLike | SparseTensor,
    name: str | None = None,
    message: str | None = None,
) -> ops.Tensor:
    """`tensor`, whose static rank must be 0; ValueError if not."""
    with ops.name_scope(name, "assert_scalar", [tensor]) as scope:
        tensor = ops.convert_to_tensor(tensor, name=scope)
        shape = tensor.get_shape()
        if shape.ndims != 0:
            raise ValueError(
                f"{message or ''} Expected scalar shape, saw: {shape}".strip()
            )
        return tensor


def assert_same_float_dtype(
    tensors: Iterable[Any] | None = None, dtype: DTypeLike | None = None
) -> Any:
    """The one floating dtype of `tensors`, float32 if there is nothing to go by.

    Raises ValueError if they differ or are not floating.
    """
    for tensor in tensors or []:
        if tensor is None:
            continue
        found = tensor.dtype.base_dtype
        if dtype is not None and found != dtypes.as_dtype(dtype):
            raise ValueError(f"Tensor {tensor} must be of type {dtype}, got {found}")
        dtype = found
    dtype = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


def assert_proper_iterable(values: object) -> None:
    """TypeError unless `values` is an iterable that is no tensor, array or string."""
    wrong = (ops.Tensor, ops.IndexedSlices, np.ndarray, bytes, str)
    if isinstance(values, wrong) or not hasattr(values, "__iter__"):
        raise TypeError(f"Expected argument 'values' to be a list, got {type(values)}")


def is_numeric_tensor(tensor: TensorLike | SparseTensor) -> bool:
    """Whether the argument is a tensor of numbers."""
    return isinstance(tensor, ops.Tensor) and (
        tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_complex
    )


def is_non_decreasing(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """Whether each element is >= the one before, in row-major order: a bool scalar."""
    with ops.name_scope(name, "is_non_decreasing", [x]):
        return math_ops.reduce_all(_differences(x) >= 0)


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """Whether each element is > the one before, in row-major order: a bool scalar."""
    with ops.name_scope(name, "is_strictly_increasing", [x]):
        return math_ops.reduce_all(_differences(x) > 0)


def _differences(x: Any) -> ops.Tensor:
    x = array_ops.reshape(ops.convert_to_tensor(x, name="x"), [-1])
    return x[1:] - x[:-1]
