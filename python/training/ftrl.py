# SPDX-License-Identifier: Apache-2.0
"""FTRL-Proximal (McMahan et al. 2013)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_training_ops,
    math_ops,
    state_ops,
)
from tensorwright.python.training import optimizer


class FtrlOptimizer(optimizer.Optimizer):
    """Follow the regularized leader, with L1 and L2 regularization.

    new = accum + grad^2; linear += grad - (new^-p - accum^-p) / learning_rate * var, where p is
    learning_rate_power; var = (sign(linear) l1 - linear) / (new^-p / learning_rate + 2 l2)
    where |linear| > l1, else 0; accum = new.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        for label, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{label} {value} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power} needs to be negative or zero"
            )
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength
        self._accum_name = accum_name
        self._linear_name = linear_name

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            value = constant_op.constant(
                self._initial_accumulator_value,
                dtype=var.dtype.base_dtype,
                shape=var.get_shape(),
            )
            self._get_or_make_slot(var, value, "accum", self._accum_name or self._name)
            self._zeros_slot(var, "linear", self._linear_name or self._name)

    def _prepare(self) -> None:
        values = (
            self._call_if_callable(self._learning_rate),
            self._l1,
            self._l2,
            self._learning_rate_power,
        )
        names = ("learning_rate", "l1", "l2", "lr_power")
        self._hyper = [
            ops.convert_to_tensor(v, name=n) for v, n in zip(values, names, strict=True)
        ]

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        return gen_training_ops.apply_ftrl(
            var._ref(),
            self.get_slot(var, "accum")._ref(),
            self.get_slot(var, "linear")._ref(),
            grad,
            *(self._tensor(h, var) for h in self._hyper),
            use_locking=self._use_locking,
        ).op

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        lr, l1, l2, power = (self._tensor(h, var) for h in self._hyper)
        rows, g = grad.indices, grad.values
        accum, linear = self.get_slot(var, "accum"), self.get_slot(var, "linear")
        old = array_ops.gather(accum, rows)
        new = old + g * g
        new_power = math_ops.pow(new, -power)
        sigma = (new_power - math_ops.pow(old, -power)) / lr
        weights = array_ops.gather(var, rows)
        z = array_ops.gather(linear, rows) + g - sigma * weights
        value = (math_ops.sign(z) * l1 - z) / (new_power / lr + 2.0 * l2)
        value = array_ops.where(
            math_ops.abs(z) > l1, value, array_ops.zeros_like(value)
        )
        with ops.control_dependencies([new, z, value]):
            return control_flow_ops.group(
                state_ops.scatter_update(accum, rows, new),
                state_ops.scatter_update(linear, rows, z),
                state_ops.scatter_update(
                    var, rows, value, use_locking=self._use_locking
                ),
            )
