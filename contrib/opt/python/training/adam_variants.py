# SPDX-License-Identifier: Apache-2.0
"""Adam that leaves rows without a gradient alone, with Nesterov's momentum, and with the greatest gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops, state_ops
from tensorwright.python.training import adam


class _RowsAdam(adam.AdamOptimizer):
    """The base of both variants: it converts the hyperparameters to the variable's dtype."""

    def _rate(self, var: Any) -> ops.Tensor:
        beta1_power, beta2_power = self._get_beta_accumulators()
        correction = math_ops.sqrt(1 - self._tensor(beta2_power, var)) / (
            1 - self._tensor(beta1_power, var)
        )
        return self._tensor(self._lr_t, var) * correction

    def _subtract_rows(self, var: Any, rows: ops.Tensor, indices: ops.Tensor) -> Any:
        slices = ops.IndexedSlices(rows, indices)
        return var.scatter_sub(slices, use_locking=self._use_locking)


class LazyAdamOptimizer(_RowsAdam):
    """Adam, where a sparse gradient touches moments and values of its own rows only.

    That is much less work for large embeddings, and not the same: moments of other rows do not decay.  Arguments as
    for `tf.train.AdamOptimizer`.
    """

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        beta1, beta2 = self._tensor(self._beta1_t, var), self._tensor(self._beta2_t, var)  # fmt: skip
        epsilon = self._tensor(self._epsilon_t, var)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        rows = grad.values
        new_m = beta1 * array_ops.gather(m, grad.indices) + (1 - beta1) * rows
        new_v = beta2 * array_ops.gather(v, grad.indices) + (1 - beta2) * rows * rows
        step = self._rate(var) * new_m / (math_ops.sqrt(new_v) + epsilon)
        locking = {"use_locking": self._use_locking}
        with ops.control_dependencies([step]):
            updates = [
                state_ops.scatter_update(m, grad.indices, new_m, **locking),
                state_ops.scatter_update(v, grad.indices, new_v, **locking),
                self._subtract_rows(var, step, grad.indices),
            ]
        return control_flow_ops.group(*updates)


class NadamOptimizer(_RowsAdam):
    """Adam with Nesterov's momentum (Dozat 2015); arguments as for `tf.train.AdamOptimizer`."""

    _STEP_ATTRS = {"use_nesterov": True}

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        """Moments decay everywhere; only rows with a gradient change."""
        beta1, beta2 = self._tensor(self._beta1_t, var), self._tensor(self._beta2_t, var)  # fmt: skip
        epsilon = self._tensor(self._epsilon_t, var)
        rows, indices = grad.values, grad.indices
        m = self._decayed(self.get_slot(var, "m"), beta1, rows, indices)
        v = self._decayed(self.get_slot(var, "v"), beta2, rows * rows, indices)
        ahead = (1 - beta1) * rows + beta1 * array_ops.gather(m, indices)
        step = self._rate(var) * ahead / (math_ops.sqrt(array_ops.gather(v, indices)) + epsilon)  # fmt: skip
        return control_flow_ops.group(self._subtract_rows(var, step, indices), m, v)


class AdaMaxOptimizer(adam.AdamOptimizer):
    """Adam with the greatest gradient in the place of the second moment (Kingma and Ba 2014, section 7.1).

    m = beta1 m + (1 - beta1) g; v = max(beta2 v, |g|); var -= learning_rate / (1 - beta1^t) m / (v + epsilon).

    A sparse gradient touches its own rows.  Arguments as for `tf.train.AdamOptimizer`.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.001,
        beta1: TensorLike | Callable[[], TensorLike] = 0.9,
        beta2: TensorLike | Callable[[], TensorLike] = 0.999,
        epsilon: TensorLike | Callable[[], TensorLike] = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _create_slots(self, var_list: list[Any]) -> None:
        first = min(var_list, key=lambda v: v.name)
        beta1 = self._call_if_callable(self._beta1)
        self._create_non_slot_variable(beta1, "beta1_power", first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _beta1_power(self) -> Any:
        return self._get_non_slot_variable("beta1_power", ops.get_default_graph())

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        values = (
            self._beta1_power(),
            self._lr_t,
            self._beta1_t,
            self._beta2_t,
            self._epsilon_t,
        )
        return self._step(
            "apply_ada_max",
            var,
            ("m", "v"),
            *(self._tensor(value, var) for value in values),
            grad,
        )

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        beta1, beta2 = self._tensor(self._beta1_t, var), self._tensor(self._beta2_t, var)  # fmt: skip
        rate = self._tensor(self._lr_t, var) / (1 - self._tensor(self._beta1_power(), var))  # fmt: skip
        rows, indices = grad.values, grad.indices
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = beta1 * array_ops.gather(m, indices) + (1 - beta1) * rows
        new_v = math_ops.maximum(beta2 * array_ops.gather(v, indices), math_ops.abs(rows))  # fmt: skip
        step = rate * new_m / (new_v + self._tensor(self._epsilon_t, var))
        locking = {"use_locking": self._use_locking}
        with ops.control_dependencies([step]):
            return control_flow_ops.group(
                state_ops.scatter_update(m, indices, new_m, **locking),
                state_ops.scatter_update(v, indices, new_v, **locking),
                var.scatter_sub(ops.IndexedSlices(step, indices), **locking),
            )

    def _finish(self, update_ops: list[Any], name_scope: str) -> ops.Operation:
        """Multiplies the power by beta1 once all variables are updated."""
        power = self._beta1_power()
        with ops.control_dependencies(update_ops), ops.colocate_with(power):
            new = power * self._tensor(self._beta1_t, power)
            after = state_ops.assign(power, new, use_locking=self._use_locking)
        return control_flow_ops.group(*update_ops, after, name=name_scope)
