# SPDX-License-Identifier: Apache-2.0
"""Proximal Adagrad (Duchi and Singer 2009, Duchi et al. 2011)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.training import optimizer


class ProximalAdagradOptimizer(optimizer.Optimizer):
    """Adagrad, then a step towards 0.

    accum += grad^2; rate = learning_rate / sqrt(accum); moved = var - rate * grad;
    var = sign(moved) * max(|moved| - rate * l1, 0) / (1 + rate * l2).
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                "initial_accumulator_value must be positive: "
                f"{initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            value = constant_op.constant(
                self._initial_accumulator_value,
                dtype=var.dtype.base_dtype,
                shape=var.get_shape(),
            )
            self._get_or_make_slot(var, value, "accumulator", self._name)

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
        step = "apply_proximal_adagrad"
        return self._step(step, var, ("accumulator",), *self._scalars(var), grad)

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        return self._step(
            "sparse_apply_proximal_adagrad",
            var,
            ("accumulator",),
            *self._scalars(var),
            grad.values,
            grad.indices,
        )
