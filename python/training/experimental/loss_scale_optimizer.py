# SPDX-License-Identifier: Apache-2.0
"""An optimizer whose loss is scaled while gradients are computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import control_flow_ops, math_ops
from tensorwright.python.training import optimizer
from tensorwright.python.training.experimental import loss_scale as loss_scales

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.training.experimental.loss_scale import LossScale


class MixedPrecisionLossScaleOptimizer(optimizer.Optimizer):
    """`opt` with gradients of the loss times a scale, divided by it again.

    The scale keeps gradients that pass through float16 from being 0.  A step whose gradients are not finite is left out
    where the scale is dynamic.

    loss_scale: a LossScale, a number, or "dynamic".
    """

    def __init__(
        self, opt: optimizer.Optimizer, loss_scale: LossScale | float | str
    ) -> None:
        if not isinstance(opt, optimizer.Optimizer):
            raise ValueError(f"opt must be an Optimizer, got {type(opt).__name__}")
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer = opt
        self._loss_scale = loss_scales.get(loss_scale)

    def compute_gradients(
        self,
        loss: TensorLike,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = optimizer.Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """As Optimizer's: gradients of the loss itself, computed with the scale."""
        loss = ops.convert_to_tensor(loss)
        scale = self._loss_scale()
        pairs = self._optimizer.compute_gradients(
            loss * math_ops.cast(scale, loss.dtype),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        return [(_times(g, 1 / scale), v) for g, v in pairs]

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[TensorLike | None, Variable]],
        global_step: Variable | ops.Tensor | None = None,
        name: str | None = None,
    ) -> ops.Operation:
        """As Optimizer's, and updates the scale; gradients that are not finite change nothing else."""
        pairs = list(grads_and_vars)
        update, applies = self._loss_scale.update([g for g, _ in pairs])

        def apply() -> ops.Operation:
            return self._optimizer.apply_gradients(pairs, global_step, name)

        if applies is True:
            step = apply()
        else:
            step = control_flow_ops.cond(
                applies, lambda: control_flow_ops.group(apply()), control_flow_ops.no_op
            )
        return control_flow_ops.group(step, update, name=name or self.get_name())

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The slot that the optimizer inside has for a variable."""
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """The names of the inner optimizer's slots."""
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Variable]:
        """The inner optimizer's variables, and the scale's."""
        graph = ops.get_default_graph()
        scale = [v for v in self._loss_scale._weights if v.graph is graph]
        return self._optimizer.variables() + scale


def _times(grad: Any, factor: ops.Tensor) -> Any:
    """A gradient times a float32 scalar, in its own dtype; None stays None."""
    if grad is None:
        return None
    factor = math_ops.cast(factor, grad.dtype)
    if isinstance(grad, ops.IndexedSlices):
        return ops.IndexedSlices(grad.values * factor, grad.indices, grad.dense_shape)
    return grad * factor
