# SPDX-License-Identifier: Apache-2.0
"""One loss for a graph with samples, whose gradient is that of the losses' expectation (Schulman et al. 2015)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.bayesflow.python.ops import stochastic_tensor
from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.platform import tf_logging as logging

if TYPE_CHECKING:
    from tensorwright.contrib.bayesflow.python.ops.stochastic_tensor import (
        StochasticTensor,
    )


__all__ = ["surrogate_loss"]


def _reaches(loss: ops.Tensor, values: dict[Any, Any]) -> list[Any]:
    """The StochasticTensors, by the operations of their values, that a loss depends on."""
    found, seen, waiting = [], set(), [loss.op]
    while waiting:
        op = waiting.pop()
        if op in seen:
            continue
        seen.add(op)
        if op in values:
            found.append(values[op])
        waiting += [t.op for t in op.inputs]
    return found


def surrogate_loss(
    sample_losses: Sequence[ops.Tensor],
    stochastic_tensors: Iterable[StochasticTensor] | None = None,
    name: str = "SurrogateLoss",
) -> ops.Tensor:
    """The sum of losses, and for each sample without a gradient a term with the gradient of its distribution.

    Args:
        sample_losses: tensors of rank 0 or 1.
        stochastic_tensors: StochasticTensors; None: all of the graph.
        name: the name of the operations.

    Raises:
        TypeError: `sample_losses` is no list or tuple of tensors.
        ValueError: no loss, or one of another rank.
    """
    with ops.name_scope(name):
        if not isinstance(sample_losses, (list, tuple)):
            raise TypeError("sample_losses must be a list or tuple")
        if not sample_losses:
            raise ValueError("sample_losses must not be empty")
        for loss in sample_losses:
            if not isinstance(loss, ops.Tensor):
                raise TypeError(f"loss is not a Tensor: {loss}")
            ndims = loss.get_shape().ndims
            if ndims is None or ndims > 1:
                raise ValueError(f"loss must be a scalar or batch-length vector loss: {loss}")  # fmt: skip # noqa: E501
        if stochastic_tensors is None:
            stochastic_tensors = ops.get_collection(
                stochastic_tensor.STOCHASTIC_TENSOR_COLLECTION
            )
        values = {t.value().op: t for t in stochastic_tensors}
        if not values:
            logging.warn("No collection of Stochastic Tensors found for current graph.")
        influenced: dict[Any, list[ops.Tensor]] = {}
        for loss in sample_losses:
            for node in _reaches(loss, values):
                influenced.setdefault(node, []).append(array_ops.stop_gradient(loss))
        terms = list(sample_losses)
        for node, losses in influenced.items():
            term = node.loss(_sum(losses))
            if term is not None:
                terms.append(term)
        return _sum(terms)


def _sum(tensors: list[ops.Tensor]) -> ops.Tensor:
    """The sum of tensors that broadcast."""
    total = tensors[0]
    for tensor in tensors[1:]:
        total = math_ops.add(total, tensor)
    return total
