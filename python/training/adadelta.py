# SPDX-License-Identifier: Apache-2.0
"""Adadelta (Zeiler 2012)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_training_ops,
    math_ops,
    state_ops,
)
from tensorwright.python.training import optimizer


class AdadeltaOptimizer(optimizer.Optimizer):
    """Steps scaled by moving averages of squared gradients and of squared updates.

    accum = rho * accum + (1 - rho) * grad^2;
    update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad;
    accum_update = rho * accum_update + (1 - rho) * update^2; var -= learning_rate * update.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.001,
        rho: TensorLike | Callable[[], TensorLike] = 0.95,
        epsilon: TensorLike | Callable[[], TensorLike] = 1e-08,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)

    def _prepare(self) -> None:
        call = self._call_if_callable
        self._lr_t = ops.convert_to_tensor(call(self._lr), name="lr")
        self._rho_t = ops.convert_to_tensor(call(self._rho), name="rho")
        self._epsilon_t = ops.convert_to_tensor(call(self._epsilon), name="epsilon")

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        return gen_training_ops.apply_adadelta(
            var._ref(),
            self.get_slot(var, "accum")._ref(),
            self.get_slot(var, "accum_update")._ref(),
            self._tensor(self._lr_t, var),
            self._tensor(self._rho_t, var),
            self._tensor(self._epsilon_t, var),
            grad,
            use_locking=self._use_locking,
        ).op

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        rho, epsilon = (
            self._tensor(self._rho_t, var),
            self._tensor(self._epsilon_t, var),
        )
        rows, g = grad.indices, grad.values
        accum, accum_update = (
            self.get_slot(var, name) for name in ("accum", "accum_update")
        )
        new_accum = rho * array_ops.gather(accum, rows) + (1 - rho) * g * g
        old_update = array_ops.gather(accum_update, rows)
        update = math_ops.sqrt((old_update + epsilon) / (new_accum + epsilon)) * g
        new_update = rho * old_update + (1 - rho) * update * update
        with ops.control_dependencies([new_accum, new_update]):
            step = self._tensor(self._lr_t, var) * update
            return control_flow_ops.group(
                state_ops.scatter_update(accum, rows, new_accum),
                state_ops.scatter_update(accum_update, rows, new_update),
                state_ops.scatter_sub(var, rows, step, use_locking=self._use_locking),
            )
