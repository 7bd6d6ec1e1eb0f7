# SPDX-License-Identifier: Apache-2.0
"""An optimizer whose loss is multiplied by a manager's scale while gradients are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.mixed_precision.python.loss_scale_manager import (
    LossScaleManager,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.training import optimizer
from tensorwright.python.training.experimental import (
    loss_scale as loss_scales,
    loss_scale_optimizer as core,
)

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = ["LossScaleOptimizer"]


class _ManagedLossScale(loss_scales.LossScale):
    """The scale of a manager, as the core optimizer takes it."""

    def __init__(self, manager: LossScaleManager) -> None:
        super().__init__()
        self._manager = manager

    def __call__(self) -> ops.Tensor:
        return self._manager.get_loss_scale()

    def update(self, grads: Sequence[TensorLike | None]) -> tuple[ops.Operation, Any]:
        finite = loss_scales._all_finite(grads)
        return self._manager.update_loss_scale(finite), finite

    def get_config(self) -> dict[str, Any]:
        return {"manager": self._manager}


class LossScaleOptimizer(core.MixedPrecisionLossScaleOptimizer):
    """`opt` with gradients of the loss times a scale, divided by it again; a step with others than finite ones is left out.

    Args:
        opt: a `tf.train.Optimizer`.
        loss_scale_manager: tells the scale.

    Raises:
        ValueError: `opt` is no Optimizer.

    Example:
        manager = tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager(2**15, 1000)
        train = tf.contrib.mixed_precision.LossScaleOptimizer(opt, manager).minimize(loss)
    """

    def __init__(
        self, opt: optimizer.Optimizer, loss_scale_manager: LossScaleManager
    ) -> None:
        super().__init__(opt, _ManagedLossScale(loss_scale_manager))

    def compute_gradients(
        self,
        loss: TensorLike | Callable[[], TensorLike],
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = optimizer.Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """As Optimizer's, of the loss itself; `loss` may be a function that gives it."""
        return super().compute_gradients(
            loss() if callable(loss) else loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
