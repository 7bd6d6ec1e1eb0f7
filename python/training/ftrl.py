# SPDX-License-Identifier: Apache-2.0
"""FTRL-Proximal (McMahan et al. 2013)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.training import optimizer


class FtrlOptimizer(optimizer.Optimizer):
    """Follow the regularized leader, with L1 and L2 regularization.

    new = accum + grad^2; linear += grad - (new^-p - accum^-p) / learning_rate * var, where p is
    learning_rate_power; var = (sign(linear) l1 - linear) / (new^-p / learning_rate + 2 l2)
    where |linear| > l1, else 0; accum = new.  With l2 shrinkage, linear gets
    2 * l2_shrinkage * var besides grad.
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
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        """Makes an optimizer.

        Args:
            l2_regularization_strength: stabilizes: it is part of the update alone.
            l2_shrinkage_regularization_strength: a penalty of the loss, on var^2.
            beta: makes all learning rates smaller at first: adds
                beta / (2 * learning_rate) to l2_regularization_strength.
        """
        super().__init__(use_locking, name)
        for label, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            (
                "l2_shrinkage_regularization_strength",
                l2_shrinkage_regularization_strength,
            ),
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
        self._l2_shrinkage = l2_shrinkage_regularization_strength
        self._beta = beta or 0.0
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
        rate = self._call_if_callable(self._learning_rate)
        self._rate = ops.convert_to_tensor(rate, name="learning_rate")
        values = (self._l1, self._l2, self._l2_shrinkage, self._learning_rate_power)
        names = ("l1", "l2", "l2_shrinkage", "lr_power")
        self._hyper = [
            ops.convert_to_tensor(v, name=n) for v, n in zip(values, names, strict=True)
        ]

    def _kernel(self, var: Any) -> tuple[str, list[ops.Tensor]]:
        """The step without or with shrinkage, and its scalars."""
        rate = self._tensor(self._rate, var)
        l1, l2, shrinkage, power = (self._tensor(h, var) for h in self._hyper)
        if self._beta:
            # The learning rate of McMahan et al. is alpha / (beta + sqrt(sum)).
            l2 = l2 + self._beta / (2.0 * rate)
        if self._l2_shrinkage > 0:
            return "apply_ftrl_v2", [rate, l1, l2, shrinkage, power]
        return "apply_ftrl", [rate, l1, l2, power]

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        step, scalars = self._kernel(var)
        return self._step(step, var, ("accum", "linear"), grad, *scalars)

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        step, scalars = self._kernel(var)
        return self._step(
            f"sparse_{step}",
            var,
            ("accum", "linear"),
            grad.values,
            grad.indices,
            *scalars,
        )
