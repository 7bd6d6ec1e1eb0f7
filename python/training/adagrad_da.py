# SPDX-License-Identifier: Apache-2.0
"""Adagrad with dual averaging (Duchi et al. 2011)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import math_ops, variables
from tensorwright.python.training import optimizer


class AdagradDAOptimizer(optimizer.Optimizer):
    """Computes the variable from the sums of all gradients and of their squares; l1 makes it sparse.

    sum += grad; squares += grad^2; with t = global_step + 1:
    var = -learning_rate * sign(sum) * max(|sum| - l1 * t, 0) /
    (l2 * t * learning_rate + sqrt(squares)).
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        global_step: variables.Variable | ops.Tensor,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._global_step = global_step
        self._initial_squares = initial_gradient_squared_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            squares = constant_op.constant(
                self._initial_squares,
                dtype=var.dtype.base_dtype,
                shape=var.get_shape(),
            )
            self._zeros_slot(var, "gradient_accumulator", self._name)
            self._get_or_make_slot(
                var, squares, "gradient_squared_accumulator", self._name
            )

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        values = (rate, self._l1, self._l2)
        names = ("learning_rate", "l1", "l2")
        self._hyper = [
            ops.convert_to_tensor(v, name=n) for v, n in zip(values, names, strict=True)
        ]

    def _scalars(self, var: Any) -> list[ops.Tensor]:
        return [self._tensor(h, var) for h in self._hyper]

    def _apply(self, step: str, var: Any, *grad: Any) -> ops.Operation:
        slots = ("gradient_accumulator", "gradient_squared_accumulator")
        # The first step has the number 1.
        with ops.device(var.device):
            number = math_ops.cast(self._global_step, dtypes.int64) + 1
        return self._step(step, var, slots, *grad, *self._scalars(var), number)

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        return self._apply("apply_adagrad_da", var, grad)

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        step = "sparse_apply_adagrad_da"
        return self._apply(step, var, grad.values, grad.indices)
