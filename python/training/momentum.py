# SPDX-License-Identifier: Apache-2.0
"""Momentum (Polyak 1964) and Nesterov's accelerated gradient (Sutskever et al. 2013)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.training import optimizer


class MomentumOptimizer(optimizer.Optimizer):
    """accum = momentum * accum + grad; var -= learning_rate * accum.

    With `use_nesterov`: var -= learning_rate * (grad + momentum * accum).
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        momentum: TensorLike | Callable[[], TensorLike],
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        momentum = self._call_if_callable(self._momentum)
        self._learning_rate_tensor = ops.convert_to_tensor(rate, name="learning_rate")
        self._momentum_tensor = ops.convert_to_tensor(momentum, name="momentum")

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        return self._step(
            "apply_momentum",
            var,
            ("momentum",),
            self._tensor(self._learning_rate_tensor, var),
            grad,
            self._tensor(self._momentum_tensor, var),
            use_nesterov=self._use_nesterov,
        )

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        return self._step(
            "sparse_apply_momentum",
            var,
            ("momentum",),
            self._tensor(self._learning_rate_tensor, var),
            grad.values,
            grad.indices,
            self._tensor(self._momentum_tensor, var),
            use_nesterov=self._use_nesterov,
        )
