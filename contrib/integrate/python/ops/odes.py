# SPDX-License-Identifier: Apache-2.0
"""Ordinary differential equations dy/dt = f(y, t), solved in the graph; solutions have gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    functional_ops,
    math_ops,
    tensor_array_ops,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor


__all__ = ["odeint", "odeint_fixed"]

_Function = Callable[[Any, Any], Any]

# Dormand and Prince 1980: at which parts of a step f is called, by which weights of the calls before.
_PLACES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_WEIGHTS = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
# The fifth order less the fourth.
_ERROR = (
    35 / 384 - 5179 / 57600,
    0,
    500 / 1113 - 7571 / 16695,
    125 / 192 - 393 / 640,
    -2187 / 6784 + 92097 / 339200,
    11 / 84 - 187 / 2100,
    -1 / 40,
)


def _sum(weights: tuple[float, ...], values: list[Any]) -> Any:
    return math_ops.add_n([w * v for w, v in zip(weights, values) if w])


def _step(func: _Function, y: Any, t: Any, dt: Any, slope: Any) -> tuple[Any, Any, Any]:
    """(y after a step of the fifth order, its error, the slope there)."""
    size = math_ops.cast(dt, y.dtype)
    slopes, after = [slope], y
    for place, weights in zip(_PLACES, _WEIGHTS):
        after = y + size * _sum(weights, slopes)
        slopes.append(ops.convert_to_tensor(func(after, t + place * dt)))
    return after, size * _sum(_ERROR, slopes), slopes[-1]


def _inputs(y0: Any, t: Any) -> tuple[ops.Tensor, ops.Tensor]:
    y0 = ops.convert_to_tensor(y0, name="y0")
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise TypeError(f"y0 must have a floating point or complex dtype, got {y0.dtype}")  # fmt: skip
    t = ops.convert_to_tensor(t, preferred_dtype=dtypes.float64, name="t")
    if not t.dtype.is_floating:
        raise TypeError(f"t must have a floating point dtype, got {t.dtype}")
    if t.get_shape().ndims not in (None, 1):
        raise ValueError(f"t must be a 1D tensor, got shape {t.get_shape()}")
    return y0, t


def odeint(
    func: _Function,
    y0: TensorLike,
    t: TensorLike,
    rtol: float = 1e-6,
    atol: float = 1e-12,
    method: str | None = None,
    options: Mapping[str, object] | None = None,
    full_output: bool = False,
    name: str | None = None,
) -> Any:
    """Computes the solution at times `t`, by steps whose size follows their error (Dormand and Prince 1980).

    Args:
        func: `f(y, t)`, the derivative, of y's shape.
        y0: y at the first time: floats or complex numbers of any shape.
        t: [n], increasing.
        rtol, atol: bounds of the error of a step: `atol + rtol |y|`.
        method: "dopri5", or None for it.
        options: "first_step" (0.01 of the first interval), "max_num_steps" of an interval (1000), "safety" (0.9),
            "ifactor" and "dfactor", by which a step grows and shrinks at most (10 and 0.2).
        full_output: whether a dict comes with it: "num_func_evals" and "num_steps".
        name: the name of the operations.

    Returns:
        [n, ...] of y's dtype; with `full_output` (that, the dict).

    Raises:
        ValueError: another method or option.  TypeError: `y0` or `t` is not floating.
        InvalidArgumentError, in a run: an interval needs more steps than `max_num_steps`.
    """
    if method not in (None, "dopri5"):
        raise ValueError(f"method must be 'dopri5', got {method!r}")
    chosen = {"first_step": None, "max_num_steps": 1000, "safety": 0.9, "ifactor": 10.0, "dfactor": 0.2}  # fmt: skip # noqa: E501
    unknown = sorted(set(options or {}) - set(chosen))
    if unknown:
        raise ValueError(f"options has no {unknown}; there are {sorted(chosen)}")
    chosen.update(options or {})
    with ops.name_scope(name, "odeint", [y0, t]):
        y0, t = _inputs(y0, t)
        found, steps = _adaptive(func, y0, t, rtol, atol, chosen)
        if not full_output:
            return found
        return found, {"num_func_evals": 6 * steps + 1, "num_steps": steps}


def _adaptive(
    func: _Function, y0: Any, t: Any, rtol: float, atol: float, options: dict[str, Any]
) -> tuple[Any, Any]:
    count = array_ops.shape(t)[0]
    first = options["first_step"]
    dt = 0.01 * (t[1] - t[0]) if first is None else math_ops.cast(first, t.dtype)
    real = y0.dtype.real_dtype
    power = np.float64(-0.2)

    def to(end: Any, y: Any, now: Any, dt: Any, slope: Any, steps: Any) -> Any:
        limit = steps + options["max_num_steps"]

        def body(y: Any, now: Any, dt: Any, slope: Any, steps: Any) -> Any:
            within = check_ops.assert_less(steps, limit, message="odeint: max_num_steps exceeded")  # fmt: skip # noqa: E501
            with ops.control_dependencies([within]):
                last = now + dt >= end
            size = array_ops.where(last, end - now, dt)
            after, error, new_slope = _step(func, y, now, size, slope)
            scale = atol + rtol * math_ops.maximum(math_ops.abs(y), math_ops.abs(after))
            squares = math_ops.square(math_ops.cast(math_ops.abs(error), real) / scale)
            ratio = math_ops.cast(math_ops.sqrt(math_ops.reduce_mean(squares)), t.dtype)
            good = ratio <= 1
            factor = options["safety"] * math_ops.pow(math_ops.maximum(ratio, 1e-10), math_ops.cast(power, t.dtype))  # fmt: skip # noqa: E501
            factor = math_ops.minimum(math_ops.maximum(factor, options["dfactor"]), options["ifactor"])  # fmt: skip # noqa: E501
            # The last step of an interval may have been short: the next one need not be.
            next_dt = array_ops.where(good & last, math_ops.maximum(dt, size * factor), size * factor)  # fmt: skip # noqa: E501
            y, new_slope = control_flow_ops.cond(
                good, lambda: (after, new_slope), lambda: (y, slope)
            )
            reached = array_ops.where(last, end, now + size)
            return y, array_ops.where(good, reached, now), next_dt, new_slope, steps + 1

        return control_flow_ops.while_loop(
            lambda y, now, *_: now < end, body, [y, now, dt, slope, steps]
        )

    out = tensor_array_ops.TensorArray(y0.dtype, count).write(0, y0)
    start = [y0, t[0], dt, ops.convert_to_tensor(func(y0, t[0])), 0]

    def interval(i: Any, state: Any, out: Any) -> Any:
        state = to(t[i], *state)
        return i + 1, list(state), out.write(i, state[0])

    _, state, out = control_flow_ops.while_loop(
        lambda i, *_: i < count, interval, [1, start, out]
    )
    found = out.stack()
    found.set_shape(t.get_shape().concatenate(y0.get_shape()))
    return found, state[4]


def _euler(func: _Function, y: Any, t: Any, dt: Any) -> Any:
    return y + math_ops.cast(dt, y.dtype) * func(y, t)


def _midpoint(func: _Function, y: Any, t: Any, dt: Any) -> Any:
    size = math_ops.cast(dt, y.dtype)
    return y + size * func(y + size / 2 * func(y, t), t + dt / 2)


def _rk4(func: _Function, y: Any, t: Any, dt: Any) -> Any:
    size = math_ops.cast(dt, y.dtype)
    a = func(y, t)
    b = func(y + size / 2 * a, t + dt / 2)
    c = func(y + size / 2 * b, t + dt / 2)
    d = func(y + size * c, t + dt)
    return y + size / 6 * (a + 2 * b + 2 * c + d)


_FIXED = {"euler": _euler, "midpoint": _midpoint, "rk4": _rk4}


def odeint_fixed(
    func: _Function,
    y0: TensorLike,
    t: TensorLike,
    method: str = "rk4",
    name: str | None = None,
) -> Tensor:
    """Computes the solution at times `t`, by one step from each to the next.

    Args:
        func, y0, t, name: as in `odeint`.
        method: "rk4" (Runge and Kutta, of the fourth order), "midpoint" or "euler".

    Raises:
        ValueError: another method.  TypeError: `y0` or `t` is not floating.
    """
    if method not in _FIXED:
        raise ValueError(f"method not supported: {method}; there are {sorted(_FIXED)}")
    with ops.name_scope(name, "odeint_fixed", [y0, t]):
        y0, t = _inputs(y0, t)
        rest = functional_ops.scan(
            lambda y, now: _FIXED[method](func, y, now[0], now[1] - now[0]),
            array_ops.stack([t[:-1], t[1:]], axis=1),
            initializer=y0,
        )
        return array_ops.concat([array_ops.expand_dims(y0, 0), rest], 0)
