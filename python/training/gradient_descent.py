# SPDX-License-Identifier: Apache-2.0
"""Gradient descent: var -= learning_rate * grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.training import optimizer


class GradientDescentOptimizer(optimizer.Optimizer):
    """var -= learning_rate * grad."""

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        use_locking: bool = False,
        name: str = "GradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = ops.convert_to_tensor(rate, name="learning_rate")

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        rate = self._tensor(self._learning_rate_tensor, var)
        return self._step("apply_gradient_descent", var, (), rate, grad)

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        rate = self._tensor(self._learning_rate_tensor, var)
        return self._scatter_sub(var, grad, rate)
