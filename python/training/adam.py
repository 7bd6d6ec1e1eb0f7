# SPDX-License-Identifier: Apache-2.0
"""Adam (Kingma and Ba 2014)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    control_flow_ops,
    math_ops,
    state_ops,
)
from tensorwright.python.training import optimizer


class AdamOptimizer(optimizer.Optimizer):
    """m and v are moving averages of grad and grad^2, corrected for their start at zero.

    lr_t = learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t);
    var -= lr_t * m / (sqrt(v) + epsilon).
    """

    # Attrs of the op that makes the dense step.
    _STEP_ATTRS: Mapping[str, bool] = {}

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.001,
        beta1: TensorLike | Callable[[], TensorLike] = 0.9,
        beta2: TensorLike | Callable[[], TensorLike] = 0.999,
        epsilon: TensorLike | Callable[[], TensorLike] = 1e-08,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        graph = ops.get_default_graph()
        return (
            self._get_non_slot_variable("beta1_power", graph),
            self._get_non_slot_variable("beta2_power", graph),
        )

    def _create_slots(self, var_list: list[Any]) -> None:
        # One variable holds the powers for all: put them beside the first by name.
        first = min(var_list, key=lambda v: v.name)
        beta1 = self._call_if_callable(self._beta1)
        beta2 = self._call_if_callable(self._beta2)
        self._create_non_slot_variable(beta1, "beta1_power", first)
        self._create_non_slot_variable(beta2, "beta2_power", first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        call = self._call_if_callable
        self._lr_t = ops.convert_to_tensor(call(self._lr), name="learning_rate")
        self._beta1_t = ops.convert_to_tensor(call(self._beta1), name="beta1")
        self._beta2_t = ops.convert_to_tensor(call(self._beta2), name="beta2")
        self._epsilon_t = ops.convert_to_tensor(call(self._epsilon), name="epsilon")

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        beta1_power, beta2_power = self._get_beta_accumulators()
        return self._step(
            "apply_adam",
            var,
            ("m", "v"),
            self._tensor(beta1_power, var),
            self._tensor(beta2_power, var),
            self._tensor(self._lr_t, var),
            self._tensor(self._beta1_t, var),
            self._tensor(self._beta2_t, var),
            self._tensor(self._epsilon_t, var),
            grad,
            **self._STEP_ATTRS,
        )

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        """m and v decay everywhere, as in the dense form; only given rows get a gradient."""
        beta1_power, beta2_power = self._get_beta_accumulators()
        beta1, beta2 = (
            self._tensor(self._beta1_t, var),
            self._tensor(self._beta2_t, var),
        )
        correction = math_ops.sqrt(1 - self._tensor(beta2_power, var)) / (
            1 - self._tensor(beta1_power, var)
        )
        rate = self._tensor(self._lr_t, var) * correction
        m = self._decayed(self.get_slot(var, "m"), beta1, grad.values, grad.indices)
        squared = grad.values * grad.values
        v = self._decayed(self.get_slot(var, "v"), beta2, squared, grad.indices)
        epsilon = self._tensor(self._epsilon_t, var)
        update = state_ops.assign_sub(
            var, rate * m / (math_ops.sqrt(v) + epsilon), use_locking=self._use_locking
        )
        return control_flow_ops.group(update.op, m.op, v.op)

    def _decayed(self, slot: Any, beta: Any, rows: Any, indices: Any) -> Any:
        """slot = beta * slot + (1 - beta) * rows, the latter at `indices`."""
        locking = self._use_locking
        decayed = state_ops.assign(slot, slot * beta, use_locking=locking)
        with ops.control_dependencies([decayed.op]):
            scaled = rows * (1 - beta)
            return state_ops.scatter_add(slot, indices, scaled, use_locking=locking)

    def _finish(self, update_ops: list[Any], name_scope: str) -> ops.Operation:
        """Multiplies the powers by their betas once all variables are updated."""
        with ops.control_dependencies(update_ops):
            powers = zip(
                self._get_beta_accumulators(),
                (self._beta1_t, self._beta2_t),
                strict=True,
            )
            after = []
            for power, beta in powers:
                with ops.colocate_with(power):
                    after.append(
                        state_ops.assign(
                            power, power * beta, use_locking=self._use_locking
                        ).op
                    )
        return control_flow_ops.group(*update_ops, *after, name=name_scope)
