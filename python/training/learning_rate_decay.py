# SPDX-License-Identifier: Apache-2.0
"""Learning rates that fall as the global step grows.  Each function returns a scalar tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops, random_ops

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


def _steps(
    learning_rate: Any, global_step: Any, decay_steps: Any
) -> tuple[Any, Any, Any]:
    """The three as tensors of the learning rate's dtype."""
    if global_step is None:
        raise ValueError("global_step is required")
    rate = ops.convert_to_tensor(learning_rate, name="learning_rate")
    step = math_ops.cast(global_step, rate.dtype)
    return rate, step, math_ops.cast(decay_steps, rate.dtype)


def exponential_decay(
    learning_rate: TensorLike,
    global_step: Variable | ops.Tensor | None,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """learning_rate * decay_rate ^ (global_step / decay_steps), in whole steps if `staircase`."""
    with ops.name_scope(name, "ExponentialDecay") as scope:
        rate, step, steps = _steps(learning_rate, global_step, decay_steps)
        p = step / steps
        p = math_ops.floor(p) if staircase else p
        decay = math_ops.pow(math_ops.cast(decay_rate, rate.dtype), p)
        return math_ops.multiply(rate, decay, name=scope)


def piecewise_constant(
    x: TensorLike,
    boundaries: Sequence[TensorLike],
    values: Sequence[TensorLike],
    name: str | None = None,
) -> ops.Tensor:
    """values[i] while boundaries[i-1] < x <= boundaries[i]; values[-1] beyond.

    Boundaries have the dtype of `x` (those of int32 may stand for int64), values all one.  Raises ValueError where
    they do not, and unless there is one value more than boundaries.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            "The length of boundaries should be 1 less than the length of values: "
            f"piecewise_constant got {len(boundaries)} boundaries, {len(values)} values"
        )
    with ops.name_scope(name, "PiecewiseConstant", [x, boundaries, values]) as scope:
        x = ops.convert_to_tensor(x)
        limits = [_boundary(b, x) for b in ops.convert_n_to_tensor(boundaries)]
        results = ops.convert_n_to_tensor(values)
        first = results[0].dtype.base_dtype
        for value in results[1:]:
            if value.dtype.base_dtype != first:
                raise ValueError(
                    "Values must have elements all with the same dtype "
                    f"({first} vs {value.dtype.base_dtype})."
                )
        result = results[-1]
        pairs = zip(reversed(limits), reversed(results[:-1]), strict=True)
        for boundary, value in pairs:
            result = array_ops.where(x <= boundary, value, result)
        return array_ops.identity(result, name=scope)


def _boundary(boundary: ops.Tensor, x: ops.Tensor) -> ops.Tensor:
    """A boundary in the dtype of `x`; a conversion that may change it is refused."""
    have, want = boundary.dtype.base_dtype, x.dtype.base_dtype
    if have != want and (have, want) != (dtypes.int32, dtypes.int64):
        raise ValueError(f"Boundaries ({have}) must have the same dtype as x ({want}).")
    return math_ops.cast(boundary, want)


piecewise_constant_decay = piecewise_constant


def polynomial_decay(
    learning_rate: TensorLike,
    global_step: Variable | ops.Tensor | None,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """(learning_rate - end) * (1 - step / decay_steps) ^ power + end.

    Beyond `decay_steps` the rate stays at `end_learning_rate`, or starts over with a
    period that is a multiple of `decay_steps` if `cycle`.
    """
    with ops.name_scope(name, "PolynomialDecay") as scope:
        rate, step, steps = _steps(learning_rate, global_step, decay_steps)
        end = math_ops.cast(end_learning_rate, rate.dtype)
        if cycle:
            one = math_ops.cast(1, rate.dtype)
            steps = steps * math_ops.maximum(one, math_ops.ceil(step / steps))
        else:
            step = math_ops.minimum(step, steps)
        left = math_ops.pow(1 - step / steps, math_ops.cast(power, rate.dtype))
        return math_ops.add((rate - end) * left, end, name=scope)


def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: Variable | ops.Tensor | None,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """learning_rate * exp(-decay_rate * global_step / decay_steps)."""
    with ops.name_scope(name, "NaturalExpDecay") as scope:
        rate, step, steps = _steps(learning_rate, global_step, decay_steps)
        p = step / steps
        p = math_ops.floor(p) if staircase else p
        decay = math_ops.exp(-math_ops.cast(decay_rate, rate.dtype) * p)
        return math_ops.multiply(rate, decay, name=scope)


def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: Variable | ops.Tensor | None,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """learning_rate / (1 + decay_rate * global_step / decay_steps)."""
    with ops.name_scope(name, "InverseTimeDecay") as scope:
        rate, step, steps = _steps(learning_rate, global_step, decay_steps)
        p = step / steps
        p = math_ops.floor(p) if staircase else p
        return math_ops.div(
            rate, 1 + math_ops.cast(decay_rate, rate.dtype) * p, name=scope
        )


def _cosine(fraction: Any) -> Any:
    return 0.5 * (1.0 + math_ops.cos(fraction * math.pi))


def cosine_decay(
    learning_rate: TensorLike,
    global_step: Variable | ops.Tensor | None,
    decay_steps: TensorLike,
    alpha: float = 0.0,
    name: str | None = None,
) -> ops.Tensor:
    """Half a cosine from learning_rate to alpha * learning_rate (Loshchilov and Hutter 2016)."""
    with ops.name_scope(name, "CosineDecay") as scope:
        rate, step, steps = _steps(learning_rate, global_step, decay_steps)
        decayed = (1 - alpha) * _cosine(math_ops.minimum(step, steps) / steps) + alpha
        return math_ops.multiply(rate, decayed, name=scope)


def cosine_decay_restarts(
    learning_rate: TensorLike,
    global_step: Variable | ops.Tensor | None,
    first_decay_steps: TensorLike,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> ops.Tensor:
    """cosine_decay that starts over: periods grow by `t_mul`, peaks shrink by `m_mul`."""
    with ops.name_scope(name, "SGDRDecay") as scope:
        rate, step, steps = _steps(learning_rate, global_step, first_decay_steps)
        done = step / steps
        if t_mul == 1.0:
            restart = math_ops.floor(done)
            fraction = done - restart
        else:
            growth = constant_op.constant(t_mul, dtype=rate.dtype)
            restart = math_ops.floor(
                math_ops.log(1.0 - done * (1.0 - growth)) / math_ops.log(growth)
            )
            power = math_ops.pow(growth, restart)
            fraction = (done - (1.0 - power) / (1.0 - growth)) / power
        peak = math_ops.pow(constant_op.constant(m_mul, dtype=rate.dtype), restart)
        decayed = (1 - alpha) * peak * _cosine(fraction) + alpha
        return math_ops.multiply(rate, decayed, name=scope)


def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: Variable | ops.Tensor | None,
    decay_steps: TensorLike,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> ops.Tensor:
    """A cosine of `num_periods` under a falling line (Bello et al. 2017)."""
    with ops.name_scope(name, "LinearCosineDecay") as scope:
        rate, step, steps = _steps(learning_rate, global_step, decay_steps)
        fraction = math_ops.minimum(step, steps) / steps
        decayed = (alpha + 1 - fraction) * _cosine(2.0 * num_periods * fraction) + beta
        return math_ops.multiply(rate, decayed, name=scope)


def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: Variable | ops.Tensor | None,
    decay_steps: TensorLike,
    initial_variance: float = 1.0,
    variance_decay: float = 0.55,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> ops.Tensor:
    """linear_cosine_decay plus normal noise of variance initial / (1 + step) ^ variance_decay."""
    with ops.name_scope(name, "NoisyLinearCosineDecay") as scope:
        if global_step is None:
            raise ValueError("global_step is required")
        # The draw's seed follows from the operations before it: these are TensorFlow's, in its order.
        rate = ops.convert_to_tensor(learning_rate, name="initial_learning_rate")
        given = (
            decay_steps,
            initial_variance,
            variance_decay,
            num_periods,
            alpha,
            beta,
        )
        numbers: Any = [math_ops.cast(value, rate.dtype) for value in given]
        steps, variance, decay, periods, alpha, beta = numbers
        step = math_ops.minimum(math_ops.cast(global_step, rate.dtype), steps)
        line = (steps - step) / steps
        deviation = math_ops.sqrt(variance / math_ops.pow(1.0 + step, decay))
        line += random_ops.random_normal(
            line.get_shape(), stddev=deviation, dtype=rate.dtype.base_dtype
        )
        decayed = (alpha + line) * _cosine(2.0 * periods * (step / steps)) + beta
        return math_ops.multiply(rate, decayed, name=scope)
