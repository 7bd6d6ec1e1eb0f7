# SPDX-License-Identifier: Apache-2.0
"""Weight decay as a step of its own, apart from the gradient (Loshchilov and Hutter 2017)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops
from tensorwright.python.training import adam, momentum as momentum_opt, optimizer

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = [
    "AdamWOptimizer",
    "DecoupledWeightDecayExtension",
    "MomentumWOptimizer",
    "extend_with_decoupled_weight_decay",
]


class DecoupledWeightDecayExtension:
    """A base that lets an optimizer multiply variables by 1 - weight_decay before each of its steps.

    It stands in front of the optimizer that it extends:

        class AdamW(DecoupledWeightDecayExtension, tf.train.AdamOptimizer):
            def __init__(self, weight_decay, *args, **kwargs):
                super().__init__(weight_decay, *args, **kwargs)

    The decay is not multiplied by the learning rate: a schedule of one is to be a schedule of the other too.  A sparse
    gradient decays its own rows.

    Args:
        weight_decay: a float, a tensor [], or a function without arguments that gives one.
        args, kwargs: for the optimizer.
    """

    def __init__(
        self,
        weight_decay: TensorLike | Callable[[], TensorLike],
        *args: object,
        **kwargs: object,
    ) -> None:
        self._weight_decay = weight_decay
        # None stands for all variables.
        self._decay_var_list: list[Any] | None = None
        super().__init__(*args, **kwargs)

    def minimize(
        self,
        loss: TensorLike,
        global_step: Variable | Tensor | None = None,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = optimizer.Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
        decay_var_list: Iterable[Variable] | None = None,
    ) -> ops.Operation:
        """As `Optimizer.minimize`; only variables of `decay_var_list` decay, all if it is None."""
        self._decay_var_list = None if decay_var_list is None else list(decay_var_list)
        return super().minimize(  # type: ignore[misc]
            loss,
            global_step=global_step,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            name=name,
            grad_loss=grad_loss,
        )

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[TensorLike | None, Variable]],
        global_step: Variable | Tensor | None = None,
        name: str | None = None,
        decay_var_list: Iterable[Variable] | None = None,
    ) -> ops.Operation:
        """As `Optimizer.apply_gradients`; only variables of `decay_var_list` decay.

        None stands for those that `minimize` was given, and for all if that was not called.
        """
        if decay_var_list is not None:
            self._decay_var_list = list(decay_var_list)
        return super().apply_gradients(  # type: ignore[misc]
            grads_and_vars, global_step=global_step, name=name
        )

    def _prepare(self) -> None:
        weight_decay = self._weight_decay
        if callable(weight_decay):
            weight_decay = weight_decay()
        self._weight_decay_tensor = ops.convert_to_tensor(weight_decay, name="weight_decay")  # fmt: skip
        super()._prepare()  # type: ignore[misc]

    def _decays(self, var: Any) -> bool:
        return self._decay_var_list is None or any(
            v is var for v in self._decay_var_list
        )

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> Any:
        if not self._decays(var):
            return super()._apply_dense(grad, var)  # type: ignore[misc]
        # The gradient is that of the value before the decay.
        with ops.control_dependencies([grad]):
            rate = self._tensor(self._weight_decay_tensor, var)  # type: ignore[attr-defined]
            value = array_ops.identity(var)
            decay = var.assign_sub(rate * value, use_locking=self._use_locking)  # type: ignore[attr-defined]
        with ops.control_dependencies([decay]):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> Any:
        if not self._decays(var):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]
        with ops.control_dependencies([grad.values, grad.indices]):
            rows = array_ops.gather(var, grad.indices)
            gone = ops.IndexedSlices(
                rows * self._tensor(self._weight_decay_tensor, var),  # type: ignore[attr-defined]
                grad.indices,
            )
            decay = var.scatter_sub(gone, use_locking=self._use_locking)  # type: ignore[attr-defined]
        with ops.control_dependencies([decay]):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(
    base_optimizer: type[optimizer.Optimizer],
) -> type[optimizer.Optimizer]:
    """A subclass of `base_optimizer` with weight decay, whose first argument is `weight_decay`.

    Example:
        AdamW = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.AdamOptimizer)
        train = AdamW(weight_decay=1e-4, learning_rate=1e-3).minimize(loss)
    """

    class OptimizerWithDecoupledWeightDecay(
        DecoupledWeightDecayExtension,
        base_optimizer,  # type: ignore[misc, valid-type]
    ):
        """The optimizer, whose variables decay before each step."""

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, momentum_opt.MomentumOptimizer):
    """`tf.train.MomentumOptimizer` with weight decay of its own.

    Args:
        weight_decay: the part of each variable that a step takes away first.
        learning_rate, momentum, use_locking, name, use_nesterov: as in `tf.train.MomentumOptimizer`.
    """

    def __init__(
        self,
        weight_decay: TensorLike | Callable[[], TensorLike],
        learning_rate: TensorLike | Callable[[], TensorLike],
        momentum: TensorLike | Callable[[], TensorLike],
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, adam.AdamOptimizer):
    """`tf.train.AdamOptimizer` with weight decay of its own.

    Args:
        weight_decay: the part of each variable that a step takes away first.
        learning_rate, beta1, beta2, epsilon, use_locking, name: as in `tf.train.AdamOptimizer`.
    """

    def __init__(
        self,
        weight_decay: TensorLike | Callable[[], TensorLike],
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.001,
        beta1: TensorLike | Callable[[], TensorLike] = 0.9,
        beta2: TensorLike | Callable[[], TensorLike] = 0.999,
        epsilon: TensorLike | Callable[[], TensorLike] = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )
