# SPDX-License-Identifier: Apache-2.0
"""Tasks that take turns: the optimizer's slots of a variable stay while its gradient is zero."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import (
    array_ops,
    clip_ops,
    control_flow_ops,
    math_ops,
)
from tensorwright.python.training import optimizer

if TYPE_CHECKING:
    from tensorwright.python.framework.indexed_slices import IndexedSlices
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = ["MultitaskOptimizerWrapper", "clip_gradients_by_global_norm"]


def _all_zeros(grad: Any) -> ops.Tensor:
    """Whether a gradient has no element but 0: bool []."""
    values = grad.values if isinstance(grad, ops.IndexedSlices) else grad
    return math_ops.reduce_all(math_ops.equal(values, 0))


class MultitaskOptimizerWrapper:
    """`opt`, whose slots and variables stay as they are where a gradient is all zeros.

    An optimizer with momentum goes on moving variables that a task does not train; this one does not.  All other
    members are those of `opt`.

    Args:
        opt: a `tf.train.Optimizer`.

    Raises:
        TypeError: `opt` is no Optimizer.

    Example:
        optimizer = tf.contrib.opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(0.1, 0.9))
        pairs = tf.contrib.opt.clip_gradients_by_global_norm(optimizer.compute_gradients(loss))
        train = optimizer.apply_gradients(pairs)
    """

    _METHODS = (
        "_apply_dense",
        "_resource_apply_dense",
        "_apply_sparse_duplicate_indices",
        "_resource_apply_sparse_duplicate_indices",
    )

    def __init__(self, opt: optimizer.Optimizer) -> None:
        if not isinstance(opt, optimizer.Optimizer):
            raise TypeError(
                "Supplied optimizer must be an instance of tf.train.Optimizer, got "
                f"{type(opt).__name__}"
            )
        self._opt = opt
        for name in self._METHODS:
            # Set on the instance: `opt.apply_gradients` finds them there.
            setattr(opt, name, self._guarded(getattr(opt, name)))

    @staticmethod
    def _guarded(method: Any) -> Any:
        def apply(grad: Any, *args: Any) -> ops.Operation:
            # Nothing of the branch runs before the gradient is there.
            return control_flow_ops.cond(
                _all_zeros(grad),
                control_flow_ops.no_op,
                lambda: control_flow_ops.group(method(grad, *args)),
            )

        return apply

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_opt"], name)


def clip_gradients_by_global_norm(
    gradients_variables: Iterable[tuple[Tensor | IndexedSlices | None, Variable]],
    clip_norm: float = 20.0,
) -> list[tuple[Tensor | IndexedSlices | None, Variable]]:
    """(gradient, variable) pairs whose gradients together have at most the norm `clip_norm`.

    Gradients that are all zeros stay that: those are of variables that other tasks train.  None stays None.
    """
    pairs: Sequence[tuple[Any, Any]] = list(gradients_variables)
    grads = [g for g, _ in pairs]
    clipped, _ = clip_ops.clip_by_global_norm(grads, clip_norm)
    for i, (old, new) in enumerate(zip(grads, clipped, strict=True)):
        if old is None or isinstance(old, ops.IndexedSlices):
            continue
        # A norm that is infinite makes NaN of the others, not of zeros.
        clipped[i] = control_flow_ops.cond(
            _all_zeros(old), lambda old=old: array_ops.zeros_like(old), lambda new=new: array_ops.identity(new)
        )  # fmt: skip
    return list(zip(clipped, (v for _, v in pairs), strict=True))
