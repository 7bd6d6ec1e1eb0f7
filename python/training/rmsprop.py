# SPDX-License-Identifier: Apache-2.0
"""RMSProp (Tieleman and Hinton 2012), plain and centered (Graves 2013)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import init_ops
from tensorwright.python.training import optimizer


class RMSPropOptimizer(optimizer.Optimizer):
    """Divides the gradient by a moving average of its size.

    ms = decay * ms + (1 - decay) * grad^2; centered: mg likewise of grad, and mg^2 is
    subtracted from ms below.
    mom = momentum * mom + learning_rate * grad / sqrt(ms + epsilon); var -= mom.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        decay: TensorLike | Callable[[], TensorLike] = 0.9,
        momentum: TensorLike | Callable[[], TensorLike] = 0.0,
        epsilon: TensorLike | Callable[[], TensorLike] = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            # The average starts at one, so that first steps are not huge.
            ones = init_ops.ones_initializer(dtype=var.dtype.base_dtype)(
                var.get_shape().as_list()
            )
            self._get_or_make_slot(var, ones, "rms", self._name)
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        call = self._call_if_callable
        self._lr_t = ops.convert_to_tensor(
            call(self._learning_rate), name="learning_rate"
        )
        self._decay_t = ops.convert_to_tensor(call(self._decay), name="decay")
        self._momentum_t = ops.convert_to_tensor(call(self._momentum), name="momentum")
        self._epsilon_t = ops.convert_to_tensor(call(self._epsilon), name="epsilon")

    def _hyperparameters(self, var: Any) -> list[ops.Tensor]:
        values = (self._lr_t, self._decay_t, self._momentum_t, self._epsilon_t)
        return [self._tensor(v, var) for v in values]

    def _kernel(self) -> tuple[str, tuple[str, ...]]:
        """The step, and the slots that it takes."""
        if self._centered:
            return "apply_centered_rms_prop", ("mg", "rms", "momentum")
        return "apply_rms_prop", ("rms", "momentum")

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        step, slots = self._kernel()
        return self._step(step, var, slots, *self._hyperparameters(var), grad)

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> ops.Operation:
        step, slots = self._kernel()
        return self._step(
            f"sparse_{step}",
            var,
            slots,
            *self._hyperparameters(var),
            grad.values,
            grad.indices,
        )
