# SPDX-License-Identifier: Apache-2.0
"""Sums of exponentials along an axis, in logarithms: composed of other ops."""

from __future__ import annotations

import math
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.ops.custom_gradient import custom_gradient


def cumulative_logsumexp(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """y[i] = log of the sum of exp(x[j]) over j <= i, along `axis`: floating, of the shape of `x`.

    It neither overflows nor loses small terms, as log(cumsum(exp(x))) would.

    Args:
        axis: an int, or an int32 or int64 scalar; negative ones count from the end.
        exclusive: over j < i; the first is then -inf.
        reverse: over j >= i (j > i).

    Raises:
        TypeError: where `x` is not floating.
        ValueError: where `axis` is known to be out of range; in the run that is InvalidArgumentError.
    """
    with ops.name_scope(name, "CumulativeLogsumexp", [x]):
        x = ops.convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise TypeError(
                f"cumulative_logsumexp: x must be floating, got {x.dtype.name}"
            )
        shape, size = array_ops.shape(x), _checked_axis(x, axis)
        # [before, axis, after]
        sizes = array_ops.stack(
            [
                math_ops.reduce_prod(shape[:size]),
                shape[size],
                math_ops.reduce_prod(shape[size + 1 :]),
            ]
        )
        wide = dtypes.float64 if x.dtype == dtypes.float64 else dtypes.float32
        flat = math_ops.cast(array_ops.reshape(x, sizes), wide)
        y = _scan(flat, exclusive, reverse)
        y = array_ops.reshape(math_ops.cast(y, x.dtype), shape)
        y.set_shape(x.get_shape())
        return y


def _checked_axis(x: ops.Tensor, axis: Any) -> Any:
    """`axis` as an int >= 0 if it and the rank are known, else as a tensor."""
    axis = ops.convert_to_tensor(axis, name="axis")
    if axis.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(
            f"cumulative_logsumexp: axis must be an integer, got {axis.dtype.name}"
        )
    known, rank = tensor_util.constant_value(axis), x.get_shape().ndims
    words = "cumulative_logsumexp: axis must be in [-rank, rank)"
    if known is not None and rank is not None:
        if not -rank <= known < rank:
            raise ValueError(f"{words}, got {known} and {rank}")
        return int(known) % rank
    axis, rank = math_ops.cast(axis, dtypes.int32), array_ops.rank(x)
    fits = math_ops.logical_and(axis >= -rank, axis < rank)
    with ops.control_dependencies([control_flow_ops.Assert(fits, [words, axis, rank])]):
        return array_ops.where(axis < 0, axis + rank, axis)


def _scan(x: ops.Tensor, exclusive: bool, reverse: bool) -> ops.Tensor:
    """cumulative_logsumexp along the middle of [before, axis, after]."""

    @custom_gradient
    def scan(x: ops.Tensor) -> Any:
        y = _prefixes(x, exclusive, reverse)

        def grad(upstream: ops.Tensor) -> ops.Tensor:
            # dx[i] = sum over j of g[j] exp(x[i] - y[j]): the same sums the other way, by the sign of g.
            # The gradient is built of `scan` again, so that the second derivative is right too.
            result = scan(x)
            zeros = array_ops.zeros_like(upstream)
            parts = []
            for g in (upstream, -upstream):
                positive = g > 0
                safe = array_ops.where(positive, g, array_ops.ones_like(g))
                log = math_ops.log(safe) - result
                log = array_ops.where(positive, log, zeros - math.inf)
                total = _scan(log, exclusive, not reverse) + x
                parts.append(math_ops.exp(total))
            return array_ops.where(math_ops.is_finite(x), parts[0] - parts[1], zeros)

        return y, grad

    return scan(x)


def _prefixes(x: ops.Tensor, exclusive: bool, reverse: bool) -> ops.Tensor:
    """Computes prefixes: each pass adds the value 1, 2, 4, ... places before, in log2(axis) passes."""
    if reverse:
        x = array_ops.reverse(x, [1])
    n = array_ops.shape(x)[1]
    if exclusive:
        nothing = array_ops.zeros_like(x[:, :1]) - math.inf
        x = array_ops.concat([nothing, x[:, :-1]], 1)

    def double(places: ops.Tensor, y: ops.Tensor) -> tuple:
        added = _logaddexp(y[:, places:], y[:, :-places])
        result = array_ops.concat([y[:, :places], added], 1)
        result.set_shape(y.get_shape())
        return 2 * places, result

    # An empty axis is left alone.
    _, y = control_flow_ops.while_loop(
        lambda places, y: places < n, double, [1, x], back_prop=False
    )
    return array_ops.reverse(y, [1]) if reverse else y


def _logaddexp(a: ops.Tensor, b: ops.Tensor) -> ops.Tensor:
    larger = math_ops.maximum(a, b)
    apart = math_ops.minimum(a, b) - larger
    # The difference of two equal infinities is NaN; their sum is that infinity.
    return array_ops.where(
        math_ops.is_inf(larger), larger, larger + math_ops.log1p(math_ops.exp(apart))
    )
