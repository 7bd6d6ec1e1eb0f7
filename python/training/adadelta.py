# SPDX-License-Identifier: Apache-2.0
"""Adadelta (Zeiler 2012)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
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

    def _hyperparameters(self, var: Any) -> list[ops.Tensor]:
        values = (self._lr_t, self._rho_t, self._epsilon_t)
        return [self._tensor(v, var) for v in values]

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        slots = ("accum", "accum_update")
        return self._step(
            "apply_adadelta", var, slots, *self._hyperparameters(var), grad
        )

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        return self._step(
            "sparse_apply_adadelta",
            var,
            ("accum", "accum_update"),
            *self._hyperparameters(var),
            grad.values,
            grad.indices,
        )
