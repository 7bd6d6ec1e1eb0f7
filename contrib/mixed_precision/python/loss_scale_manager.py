# SPDX-License-Identifier: Apache-2.0
"""Managers tell the scale of a loss, and change it after each step."""

from __future__ import annotations

import abc
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    state_ops,
    variable_scope,
)

__all__ = [
    "ExponentialUpdateLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
]


class LossScaleManager(abc.ABC):
    """A subclass tells the scale, and how it changes with finite and other gradients."""

    @abc.abstractmethod
    def get_loss_scale(self) -> ops.Tensor:
        """The scale: float32 []."""

    @abc.abstractmethod
    def update_loss_scale(self, finite_grads: TensorLike) -> ops.Operation:
        """An op that changes the scale; `finite_grads` is whether all gradients of the step are finite, bool []."""


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays.

    Raises:
        ValueError: a scale below 1.
    """

    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError(f"loss scale must be at least 1, got {loss_scale}")
        self._loss_scale = ops.convert_to_tensor(loss_scale, dtypes.float32)

    def get_loss_scale(self) -> ops.Tensor:
        return self._loss_scale

    def update_loss_scale(self, finite_grads: TensorLike) -> ops.Operation:
        del finite_grads
        return control_flow_ops.no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A scale that grows after many steps with finite gradients, and shrinks after some with others.

    Args:
        init_loss_scale: the first scale, at least 1.
        incr_every_n_steps: after so many steps in a row with finite gradients it is multiplied by `incr_ratio`, unless
            it were infinite then.
        decr_every_n_nan_or_inf: after so many steps with others, counted since it changed last, it is multiplied by
            `decr_ratio`, down to 1.
        incr_ratio: a factor above 1.
        decr_ratio: a factor below 1.
    """

    def __init__(
        self,
        init_loss_scale: float,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        self._incr_every = incr_every_n_steps
        self._decr_every = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        self._loss_scale = _variable("loss_scale", float(init_loss_scale))
        self._good_steps = _variable("good_steps", 0)
        self._bad_steps = _variable("bad_steps", 0)

    def get_loss_scale(self) -> ops.Tensor:
        return ops.convert_to_tensor(self._loss_scale)

    def update_loss_scale(self, finite_grads: TensorLike) -> ops.Operation:
        finite = ops.convert_to_tensor(finite_grads, dtypes.bool)
        scale = array_ops.identity(self._loss_scale)
        one, zero = array_ops.ones([], dtypes.int32), array_ops.zeros([], dtypes.int32)
        good = array_ops.where(finite, self._good_steps + one, zero)
        bad = array_ops.where(finite, array_ops.identity(self._bad_steps), self._bad_steps + one)  # fmt: skip
        grows = good >= self._incr_every
        shrinks = math_ops.logical_and(math_ops.logical_not(finite), bad >= self._decr_every)  # fmt: skip
        more = scale * self._incr_ratio
        more = array_ops.where(math_ops.is_finite(more), more, scale)
        less = math_ops.maximum(1.0, scale * self._decr_ratio)
        new_scale = array_ops.where(grows, more, array_ops.where(shrinks, less, scale))
        # Both counts begin again when the scale changes.
        changes = math_ops.logical_or(grows, shrinks)
        new = [
            new_scale,
            array_ops.where(changes, zero, good),
            array_ops.where(changes, zero, bad),
        ]
        # All are read before one is written.
        with ops.control_dependencies(new):
            variables = (self._loss_scale, self._good_steps, self._bad_steps)
            return control_flow_ops.group(
                *(state_ops.assign(v, n) for v, n in zip(variables, new, strict=True))
            )


def _variable(name: str, value: Any) -> Any:
    return variable_scope.variable(value, name=name, trainable=False)
