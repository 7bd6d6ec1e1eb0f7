# SPDX-License-Identifier: Apache-2.0
"""Roundings to a range that variables keep: the last one seen, or a moving average."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    state_ops,
    variable_scope,
)
from tensorwright.python.training import moving_averages

__all__ = ["last_value_quantize", "moving_avg_quantize"]


def _range_variables(low: float, high: float) -> tuple[Any, Any]:
    """(min, max), float32 [] variables of the current scope."""
    return tuple(  # type: ignore[return-value]
        variable_scope.get_variable(
            name,
            shape=[],
            initializer=init_ops.constant_initializer(value),
            trainable=False,
        )
        for name, value in (("min", low), ("max", high))
    )


def _seen(inputs: ops.Tensor) -> tuple[ops.Tensor, ops.Tensor]:
    """The range of a batch, which has 0."""
    low = math_ops.minimum(math_ops.reduce_min(inputs), 0.0)
    high = math_ops.maximum(math_ops.reduce_max(inputs), 0.0)
    return low, high


def last_value_quantize(
    inputs: ops.Tensor,
    is_training: bool,
    num_bits: int = 8,
    narrow_range: bool = False,
    init_min: float = -6.0,
    init_max: float = 6.0,
) -> ops.Tensor:
    """`inputs` rounded to their own range; out of training, to the last one that training saw.

    Args:
        inputs: float32, of any shape.
        is_training: whether the range is that of `inputs`, and is kept.
        num_bits: how many bits a value has.
        narrow_range: whether the least value is not used, so that 0 is in the middle.
        init_min, init_max: the range before training.
    """
    low, high = _range_variables(init_min, init_max)
    if is_training:
        batch_low, batch_high = _seen(inputs)
        low, high = state_ops.assign(low, batch_low), state_ops.assign(high, batch_high)
    return array_ops.fake_quant_with_min_max_vars(
        inputs, low, high, num_bits=num_bits, narrow_range=narrow_range
    )


def moving_avg_quantize(
    inputs: ops.Tensor,
    is_training: bool,
    num_bits: int = 8,
    narrow_range: bool = False,
    init_min: float = -6.0,
    init_max: float = 6.0,
    ema_decay: float = 0.999,
) -> ops.Tensor:
    """`inputs` rounded to the moving average of ranges, which moves in training; arguments as in `last_value_quantize`.

    ema_decay: the decay of the average.
    """
    low, high = _range_variables(init_min, init_max)
    if is_training:
        low, high = (
            moving_averages.assign_moving_average(v, seen, ema_decay, zero_debias=False)
            for v, seen in zip((low, high), _seen(inputs), strict=True)
        )
    return array_ops.fake_quant_with_min_max_vars(
        inputs, low, high, num_bits=num_bits, narrow_range=narrow_range
    )
