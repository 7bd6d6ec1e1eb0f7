# SPDX-License-Identifier: Apache-2.0
"""Proximal gradient descent (Duchi and Singer 2009)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.training import optimizer


class ProximalGradientDescentOptimizer(optimizer.Optimizer):
    """Gradient descent, then a step towards 0.

    moved = var - learning_rate * grad;
    var = sign(moved) * max(|moved| - learning_rate * l1, 0) / (1 + learning_rate * l2).
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        values = (rate, self._l1, self._l2)
        names = ("learning_rate", "l1", "l2")
        self._hyper = [
            ops.convert_to_tensor(v, name=n) for v, n in zip(values, names, strict=True)
        ]

    def _scalars(self, var: Any) -> list[ops.Tensor]:
        return [self._tensor(h, var) for h in self._hyper]

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        step = "apply_proximal_gradient_descent"
        return self._step(step, var, (), *self._scalars(var), grad)

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        step = "sparse_apply_proximal_gradient_descent"
        scalars = self._scalars(var)
        return self._step(step, var, (), *scalars, grad.values, grad.indices)
