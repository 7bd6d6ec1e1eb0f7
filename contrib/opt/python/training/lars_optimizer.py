# SPDX-License-Identifier: Apache-2.0
"""Momentum with a learning rate for each variable, of its norm and its gradient's (You et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, linalg_ops
from tensorwright.python.training import momentum as momentum_opt

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = ["LARSOptimizer"]


class LARSOptimizer(momentum_opt.MomentumOptimizer):
    """Momentum, where learning_rate is multiplied by eeta |var| / (|grad| + weight_decay |var| + epsilon).

    The factor is 1 where a norm is 0.  The gradient is grad + weight_decay var.  A sparse gradient is applied as by
    `tf.train.MomentumOptimizer`.

    Args:
        learning_rate: a float, a tensor [], or a function that gives one.
        momentum: likewise.
        weight_decay: a float.
        eeta: the factor of the ratio of norms.
        epsilon: added to the gradient's norm.
        name: the name of the operations.
        skip_list: parts of names; a variable with one is trained by momentum alone, without decay.
        use_nesterov: see `tf.train.MomentumOptimizer`.

    Raises:
        ValueError: a negative `momentum`.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        momentum: TensorLike | Callable[[], TensorLike] = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        if isinstance(momentum, (int, float)) and momentum < 0:
            raise ValueError(f"momentum should be positive: {momentum}")
        super().__init__(learning_rate, momentum, name=name, use_nesterov=use_nesterov)
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = list(skip_list or ())

    def compute_lr(
        self, grad: ops.Tensor, var: Variable
    ) -> tuple[ops.Tensor, ops.Tensor]:
        """(the rate for a variable, [], its gradient with the weight decay)."""
        rate = self._tensor(self._learning_rate_tensor, var)
        if any(part in var.name for part in self._skip_list):
            return rate, grad
        # Read once: the update of the same variable must not come between.
        value = array_ops.identity(var)
        of_var = linalg_ops.norm(value, ord=2)
        of_grad = linalg_ops.norm(grad, ord=2)
        bottom = of_grad + self._weight_decay * of_var + self._epsilon
        one = array_ops.ones_like(of_var)
        known = (of_var > 0) & (of_grad > 0)
        ratio = array_ops.where(known, self._eeta * of_var / bottom, one)
        return rate * ratio, grad + self._weight_decay * value

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> ops.Operation:
        rate, grad = self.compute_lr(grad, var)
        return self._step(
            "apply_momentum",
            var,
            ("momentum",),
            rate,
            grad,
            self._tensor(self._momentum_tensor, var),
            use_nesterov=self._use_nesterov,
        )
