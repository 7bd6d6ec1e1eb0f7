# SPDX-License-Identifier: Apache-2.0
"""Steps that are larger where a gradient and its moving average agree (Bello et al. 2017), and their schedules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    state_ops,
)
from tensorwright.python.training import optimizer

__all__ = [
    "AddSignOptimizer",
    "PowerSignOptimizer",
    "get_cosine_decay_fn",
    "get_linear_decay_fn",
    "get_restart_decay_fn",
]

Decay = Callable[[Any], ops.Tensor]


class _SignOptimizer(optimizer.Optimizer):
    """An average m of gradients with factor beta, and a number that the sign decay multiplies."""

    def __init__(
        self,
        learning_rate: Any,
        strength: float,
        beta: float,
        sign_decay_fn: Decay | None,
        use_locking: bool,
        name: str,
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._strength = strength
        self._beta = beta
        self._sign_decay_fn = sign_decay_fn

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
    ) -> ops.Operation:
        """As `Optimizer.apply_gradients`; `sign_decay_fn` gets `global_step`."""
        decay = 1.0 if self._sign_decay_fn is None else self._sign_decay_fn(global_step)
        self._sign_decay_t = ops.convert_to_tensor(decay, name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._lr)
        self._lr_t = ops.convert_to_tensor(rate, name="learning_rate")
        self._beta_t = ops.convert_to_tensor(self._beta, name="beta")
        self._strength_t = ops.convert_to_tensor(self._strength, name="strength")

    def _factor(self, agreement: ops.Tensor, var: Any) -> ops.Tensor:
        """A gradient's factor, of how its sign agrees with m's: sign_decay * (1, 0 or -1)."""
        raise NotImplementedError

    def _dense(self, step: str, grad: ops.Tensor, var: Any) -> Any:
        values = (self._lr_t, self._strength_t, self._sign_decay_t, self._beta_t)
        return self._step(step, var, ("m",), *(self._tensor(v, var) for v in values), grad)  # fmt: skip

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        """m decays everywhere; rows with a gradient change."""
        beta, m = self._tensor(self._beta_t, var), self.get_slot(var, "m")
        locking = {"use_locking": self._use_locking}
        decayed = state_ops.assign(m, m * beta, **locking)
        with ops.control_dependencies([decayed]):
            added = state_ops.scatter_add(m, grad.indices, grad.values * (1 - beta), **locking)  # fmt: skip
        with ops.control_dependencies([added]):
            rows = array_ops.gather(m, grad.indices)
        agreement = math_ops.sign(grad.values) * math_ops.sign(rows)
        agreement *= self._tensor(self._sign_decay_t, var)
        step = self._tensor(self._lr_t, var) * self._factor(agreement, var) * grad.values  # fmt: skip
        moved = var.scatter_sub(ops.IndexedSlices(step, grad.indices), **locking)
        return control_flow_ops.group(moved, added)


class PowerSignOptimizer(_SignOptimizer):
    """m = beta m + (1 - beta) g; var -= learning_rate base^(sign_decay sign(g) sign(m)) g.

    Args:
        learning_rate: a float, a tensor [], or a function that gives one.
        base: the base of the power.
        beta: the decay of the moving average m.
        sign_decay_fn: from the global step to the sign decay; None: that is 1.
        use_locking: whether updates of a variable exclude each other.
        name: the name of the operations.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.1,
        base: float = math.e,
        beta: float = 0.9,
        sign_decay_fn: Decay | None = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        super().__init__(
            learning_rate, math.log(base), beta, sign_decay_fn, use_locking, name
        )

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> Any:
        return self._dense("apply_power_sign", grad, var)

    def _factor(self, agreement: ops.Tensor, var: Any) -> ops.Tensor:
        return math_ops.exp(self._tensor(self._strength_t, var) * agreement)


class AddSignOptimizer(_SignOptimizer):
    """m = beta m + (1 - beta) g; var -= learning_rate (alpha + sign_decay sign(g) sign(m)) g.

    Args:
        learning_rate: a float, a tensor [], or a function that gives one.
        alpha: the factor of a gradient before its agreement with m is added.
        beta: the decay of the moving average m.
        sign_decay_fn: from the global step to the sign decay; None: that is 1.
        use_locking: whether updates of a variable exclude each other.
        name: the name of the operations.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.1,
        alpha: float = 1.0,
        beta: float = 0.9,
        sign_decay_fn: Decay | None = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, alpha, beta, sign_decay_fn, use_locking, name)

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> Any:
        return self._dense("apply_add_sign", grad, var)

    def _factor(self, agreement: ops.Tensor, var: Any) -> ops.Tensor:
        return self._tensor(self._strength_t, var) + agreement


def _step_of(global_step: Any) -> ops.Tensor:
    if global_step is None:
        raise ValueError("global_step is required for a sign decay.")
    return math_ops.cast(global_step, dtypes.float32)


def _checked(zero_after: float | None) -> None:
    if zero_after is not None and zero_after <= 0:
        raise ValueError(f"zero_after must be > 0 or None, got {zero_after}")


def get_linear_decay_fn(decay_steps: int) -> Decay:
    """A function of the global step: max(0, 1 - step / decay_steps), float32 []."""

    def decay(global_step: Any) -> ops.Tensor:
        return math_ops.maximum(0.0, 1.0 - _step_of(global_step) / decay_steps)

    return decay


def get_cosine_decay_fn(
    decay_steps: int, num_periods: float = 0.5, zero_after: float | None = None
) -> Decay:
    """A function of the global step: (1 + cos(2 pi num_periods step / decay_steps)) / 2, float32 [].

    Args:
        decay_steps: how many steps make `num_periods` periods.
        num_periods: periods of the cosine.
        zero_after: the number of periods after which it is 0; None: none.

    Raises:
        ValueError: `zero_after` is not positive.
    """
    _checked(zero_after)

    def decay(global_step: Any) -> ops.Tensor:
        periods = num_periods * _step_of(global_step) / decay_steps
        value = 0.5 * (1.0 + math_ops.cos(2.0 * math.pi * periods))
        if zero_after is None:
            return value
        return array_ops.where(periods >= zero_after, array_ops.zeros_like(value), value)  # fmt: skip

    return decay


def get_restart_decay_fn(
    decay_steps: int, num_periods: float = 1, zero_after: float | None = None
) -> Decay:
    """A function of the global step that falls from 1 to 0 in each period as half a cosine, float32 [].

    Args:
        decay_steps: how many steps make `num_periods` periods.
        num_periods: periods.
        zero_after: the number of periods after which it is 0; None: none.

    Raises:
        ValueError: `zero_after` is not positive.
    """
    _checked(zero_after)

    def decay(global_step: Any) -> ops.Tensor:
        periods = num_periods * _step_of(global_step) / decay_steps
        value = 0.5 * (1.0 + math_ops.cos(math.pi * math_ops.mod(periods, 1.0)))
        if zero_after is None:
            return value
        return array_ops.where(periods >= zero_after, array_ops.zeros_like(value), value)  # fmt: skip

    return decay
