# SPDX-License-Identifier: Apache-2.0
"""Loss scales: factors of a loss that keep float16 gradients from becoming 0 or infinite."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    state_ops,
    variables,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor


class LossScale(abc.ABC):
    """Keeps a scale: a subclass returns it in `__call__`, and changes it in `update`."""

    def __init__(self) -> None:
        self._weights: list[variables.Variable] = []

    @abc.abstractmethod
    def __call__(self) -> ops.Tensor:
        """The scale: float32 []."""

    @abc.abstractmethod
    def update(
        self, grads: Sequence[TensorLike | None]
    ) -> tuple[ops.Operation, Tensor]:
        """Returns (an operation that changes the scale, whether to apply `grads`: a bool or a bool tensor []).

        grads: tensors, IndexedSlices or None: gradients of the scaled loss, divided by the scale.
        """

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """The arguments of its constructor."""

    @classmethod
    def from_config(cls, config: Mapping[str, object]) -> LossScale:
        """One of the arguments that `get_config` gave."""
        return cls(**config)

    def _add_weight(
        self, name: str, initial_value: Any, dtype: Any = None
    ) -> variables.Variable:
        """A variable of the scale's, not to be trained."""
        variable = variables.Variable(
            initial_value, trainable=False, dtype=dtype, name=name
        )
        self._weights.append(variable)
        return variable


class FixedLossScale(LossScale):
    """One number, at least 1, which stays."""

    def __init__(self, loss_scale_value: float) -> None:
        # A NaN is not at least 1 either.
        fits = isinstance(loss_scale_value, (int, float)) and loss_scale_value >= 1
        if not fits:
            raise ValueError(
                "FixedLossScale: loss_scale_value must be an int or a float and at least "
                f"1, got {loss_scale_value!r}"
            )
        super().__init__()
        self._value = float(loss_scale_value)

    def __call__(self) -> ops.Tensor:
        return ops.convert_to_tensor(self._value, dtypes.float32)

    def update(self, grads: Sequence[TensorLike | None]) -> tuple[ops.Operation, bool]:
        """(no_op, True)."""
        del grads
        return control_flow_ops.no_op(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._value})"

    def get_config(self) -> dict[str, float]:
        return {"loss_scale_value": self._value}


class DynamicLossScale(LossScale):
    """Keeps the scale large: it shrinks after gradients that are not finite, and grows after many that are.

    It is divided by `multiplier`, but not below 1, or multiplied by it after `increment_period` updates in a row with
    finite gradients, unless it were infinite then.
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = self._add_weight(
            "current_loss_scale", self._initial_loss_scale, dtypes.float32
        )
        self._good_steps = self._add_weight("good_steps", 0, dtypes.int64)

    @property
    def initial_loss_scale(self) -> float:
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        return self._increment_period

    @property
    def multiplier(self) -> float:
        return self._multiplier

    def __call__(self) -> ops.Tensor:
        return ops.convert_to_tensor(self._current_loss_scale)

    def update(
        self, grads: Sequence[TensorLike | None]
    ) -> tuple[ops.Operation, ops.Tensor]:
        finite = _all_finite(grads)
        scale = self._current_loss_scale.read_value()
        steps = self._good_steps.read_value() + 1
        more, less = scale * self._multiplier, scale / self._multiplier
        period_ends = steps >= self._increment_period
        grows = math_ops.logical_and(period_ends, math_ops.is_finite(more))
        new_scale = array_ops.where(
            finite,
            array_ops.where(grows, more, scale),
            math_ops.maximum(less, 1.0),
        )
        counts = math_ops.logical_and(finite, math_ops.logical_not(period_ends))
        new_steps = array_ops.where(counts, steps, array_ops.zeros_like(steps))
        # Both are read before either is written.
        with ops.control_dependencies([new_scale, new_steps]):
            update = control_flow_ops.group(
                state_ops.assign(self._current_loss_scale, new_scale),
                state_ops.assign(self._good_steps, new_steps),
            )
        return update, finite

    def __repr__(self) -> str:
        return (
            f"DynamicLossScale(initial_loss_scale={self._initial_loss_scale}, "
            f"increment_period={self._increment_period}, "
            f"multiplier={self._multiplier})"
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self._increment_period,
            "multiplier": self._multiplier,
        }


def _all_finite(grads: Iterable[Any]) -> ops.Tensor:
    """Whether all elements of all are finite: bool []."""
    parts = [
        math_ops.reduce_all(
            math_ops.is_finite(g.values if isinstance(g, ops.IndexedSlices) else g)
        )
        for g in grads
        if g is not None
    ]
    return math_ops.reduce_all(array_ops.stack([True, *parts]))


def get(identifier: LossScale | float | str | None) -> LossScale:
    """Returns a LossScale, for one, for a number, or for "dynamic".  ValueError for anything else."""
    if isinstance(identifier, LossScale):
        return identifier
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    raise ValueError(
        f"loss_scale must be a LossScale, a number or 'dynamic', got {identifier!r}"
    )
