# SPDX-License-Identifier: Apache-2.0
"""Assertions on the elements of tensors: that they are equal, near, ordered, of a sign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, errors, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import control_flow_ops, math_ops

# An assertion looks through these ops for a constant that violates it.  Programs build some
# that fail and never run them, behind other ops.
_FOLLOWED = ("Identity", "StopGradient", "Cast", "Concat", "ConcatV2", "Pack", "Range")
_KNOWN = ("Const", "Shape", "Size", "Rank")


def _known_value(x: ops.Tensor) -> np.ndarray | None:
    """Returns the value of a constant, also if other ops have renamed or cast it since."""
    sources = [x]
    while sources:
        op = sources.pop().op
        if op.type in _FOLLOWED:
            sources.extend(op.inputs)
        elif op.type not in _KNOWN:
            return None
    return tensor_util.constant_value(x)


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
    sign: str | None = None,
) -> ops.Operation:
    """Asserts `compare` of x and y; `sign`, as "x > 0", is what the failure says instead where one of them is zero."""
    with ops.name_scope(op_name, name, [x, y, data]):
        x = ops.convert_to_tensor(x, name="x")
        y = ops.convert_to_tensor(y, name="y")
        rule = sign or f"x {symbol} y"
        text = f"{message or ''} Condition {rule} did not hold element-wise:".strip()
        named = {"x": x, "y": y}
        if sign is not None:
            # The zero is x where the sign says that the other side is greater.
            named = {"x": y if ">" in sign else x}
        known = _known_value(x), _known_value(y)
        if known[0] is not None and known[1] is not None:
            if np.all(static(*known)):
                return control_flow_ops.no_op("static_checks_determined_all_ok")
            values = [
                f"{side} ({t.name}) = {known[0 if t is x else 1]}"
                for side, t in named.items()
            ]
            raise errors.InvalidArgumentError(None, None, f"{text} {', '.join(values)}")
        if data is None:
            data = [text]
            for side, t in named.items():
                data += [f"{side} ({t.name}) = ", t]
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
            f"{message or ''} x and y not equal to tolerance rtol = {rtol}, "
            f"atol = {atol}".strip()
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


def _less(
    x: Any, y: Any, data: Any, summarize: int | None, message: str | None, sign: str
) -> ops.Operation:
    args = (x, y, data, summarize, message, None, sign)
    return _binary("<", "assert_less", math_ops.less, np.less, *args)


def _less_equal(
    x: Any, y: Any, data: Any, summarize: int | None, message: str | None, sign: str
) -> ops.Operation:
    args = (x, y, data, summarize, message, None, sign)
    return _binary("<=", "assert_less_equal", math_ops.less_equal, np.less_equal, *args)


def assert_negative(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x < 0 in every element."""
    with ops.name_scope(name, "assert_negative", [x, data]):
        return _less(x, _zero(x), data, summarize, message, "x < 0")


def assert_positive(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x > 0 in every element."""
    with ops.name_scope(name, "assert_positive", [x, data]):
        return _less(_zero(x), x, data, summarize, message, "x > 0")


def assert_non_negative(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x >= 0 in every element."""
    with ops.name_scope(name, "assert_non_negative", [x, data]):
        return _less_equal(_zero(x), x, data, summarize, message, "x >= 0")


def assert_non_positive(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """x <= 0 in every element."""
    with ops.name_scope(name, "assert_non_positive", [x, data]):
        return _less_equal(x, _zero(x), data, summarize, message, "x <= 0")
