# SPDX-License-Identifier: Apache-2.0
"""An optimizer that sums gradients over the shards of a batch: here there is one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops
from tensorwright.python.ops.losses import losses
from tensorwright.python.training import optimizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = ["CrossShardOptimizer", "cross_replica_sum"]


def cross_replica_sum(
    x: TensorLike,
    group_assignment: Sequence[Sequence[int]] | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """The sum of `x` over the shards, of which there is one: `x`."""
    del group_assignment
    return array_ops.identity(ops.convert_to_tensor(x), name=name)


class CrossShardOptimizer(optimizer.Optimizer):
    """`opt`, whose gradients are summed over the shards of a batch.

    A model on a CPU has one shard, so gradients are those of `opt`.

    Args:
        opt: a `tf.train.Optimizer`.
        reduction: `tf.losses.Reduction.SUM` or MEAN.
        name: the name of the operations.
        group_assignment: which shards make a group.

    Raises:
        ValueError: another reduction.
    """

    def __init__(
        self,
        opt: optimizer.Optimizer,
        reduction: str = losses.Reduction.MEAN,
        name: str = "CrossShardOptimizer",
        group_assignment: Sequence[Sequence[int]] | None = None,
    ) -> None:
        if reduction not in (losses.Reduction.SUM, losses.Reduction.MEAN):
            raise ValueError(f"Unsupported reduction: {reduction}.")
        super().__init__(False, name)
        self._opt = opt
        self._reduction = reduction
        self._group_assignment = group_assignment

    def compute_gradients(
        self,
        loss: TensorLike,
        var_list: Iterable[Variable] | None = None,
        **kwargs: Any,
    ) -> list[tuple[Any, Any]]:
        """Returns the gradients of `opt`."""
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[TensorLike | None, Variable]],
        global_step: Variable | Tensor | None = None,
        name: str | None = None,
    ) -> ops.Operation:
        """As `opt` does, with gradients summed over the shards."""
        summed = []
        for grad, var in grads_and_vars:
            if isinstance(grad, ops.IndexedSlices):
                rows = cross_replica_sum(grad.values, self._group_assignment)
                grad = ops.IndexedSlices(rows, grad.indices, grad.dense_shape)
            elif grad is not None:
                grad = cross_replica_sum(grad, self._group_assignment)
            summed.append((grad, var))
        return self._opt.apply_gradients(summed, global_step, name)

    def get_slot(self, var: Variable, name: str) -> Any:
        """The slot that `opt` has for a variable."""
        return self._opt.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """Returns the names of the slots of `opt`."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Variable]:
        """The variables that `opt` keeps."""
        return self._opt.variables()
