# SPDX-License-Identifier: Apache-2.0
"""Sums of exponentials along an axis, in logarithms."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_math_ops


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
    with ops.name_scope(name, "CumulativeLogsumexp", [x]) as n:
        x = ops.convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise TypeError(
                f"cumulative_logsumexp: x must be floating, got {x.dtype.name}"
            )
        axis = _checked_axis(x, axis)
        return gen_math_ops.cumulative_logsumexp(x, axis, exclusive, reverse, name=n)


def _checked_axis(x: ops.Tensor, axis: Any) -> ops.Tensor:
    """`axis` as a tensor, within the rank if both are known."""
    axis = ops.convert_to_tensor(axis, name="axis")
    if axis.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(
            f"cumulative_logsumexp: axis must be an integer, got {axis.dtype.name}"
        )
    known, rank = tensor_util.constant_value(axis), x.get_shape().ndims
    if known is not None and rank is not None and not -rank <= known < rank:
        raise ValueError(
            f"cumulative_logsumexp: axis must be in [-rank, rank), got {known} and {rank}"
        )
    return axis
