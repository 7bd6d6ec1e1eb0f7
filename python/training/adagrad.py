# SPDX-License-Identifier: Apache-2.0
"""Adagrad (Duchi et al. 2011)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops
from tensorwright.python.training import optimizer


class AdagradOptimizer(optimizer.Optimizer):
    """accum += grad^2; var -= learning_rate * grad / sqrt(accum)."""

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                "initial_accumulator_value must be positive: "
                f"{initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            value = constant_op.constant(
                self._initial_accumulator_value, dtype=var.dtype.base_dtype
            )
            shape = var.get_shape()
            if shape.is_fully_defined():
                dims: Any = shape.as_list()
            else:
                dims = array_ops.shape(var.initialized_value())
            initial = array_ops.fill(dims, value)
            self._get_or_make_slot(var, initial, "accumulator", self._name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = ops.convert_to_tensor(rate, name="learning_rate")

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        rate = self._tensor(self._learning_rate_tensor, var)
        return self._step("apply_adagrad", var, ("accumulator",), rate, grad)

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        return self._step(
            "sparse_apply_adagrad",
            var,
            ("accumulator",),
            self._tensor(self._learning_rate_tensor, var),
            grad.values,
            grad.indices,
        )
