# SPDX-License-Identifier: Apache-2.0
"""Summaries of tensors, and of whole collections of them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import math_ops
from tensorwright.python.summary import summary

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor

__all__ = [
    "summarize_activation",
    "summarize_activations",
    "summarize_biases",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "summarize_weights",
]

Summarizer = Callable[..., Any]


def _name(tensor: Any, tag: str | None) -> str:
    return tag or f"{tensor.op.name}_summary"


def _scalar(tensor: Any, tag: str | None = None) -> ops.Tensor:
    return summary.scalar(_name(tensor, tag), tensor)


def _histogram(tensor: Any, tag: str | None = None) -> ops.Tensor:
    return summary.histogram(_name(tensor, tag), tensor)


def summarize_activation(op: ops.Tensor) -> ops.Tensor:
    """A histogram of an activation, besides the share of zeros of a ReLU and of sixes of a ReLU6."""
    kind, name = op.op.type, op.op.name
    if kind in ("Relu", "Softplus", "Relu6"):
        share = math_ops.reduce_mean(
            math_ops.cast(math_ops.equal(op, 0), dtypes.float32)
        )
        _scalar(share, f"{name}/zeros")
    if kind == "Relu6":
        share = math_ops.reduce_mean(
            math_ops.cast(math_ops.equal(op, 6), dtypes.float32)
        )
        _scalar(share, f"{name}/sixes")
    return _histogram(op, f"{name}/activation")


def summarize_tensor(tensor: Tensor, tag: str | None = None) -> ops.Tensor:
    """A scalar summary of a scalar, or else a histogram.

    Args:
        tensor: a tensor or variable.
        tag: the summary's name; None: the tensor's, and _summary.
    """
    if tensor.get_shape().ndims == 0:
        return _scalar(tensor, tag)
    return _histogram(tensor, tag)


def summarize_tensors(
    tensors: Iterable[TensorLike], summarizer: Summarizer = summarize_tensor
) -> list[ops.Tensor]:
    """A summary of each tensor."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str,
    name_filter: str | None = None,
    summarizer: Summarizer = summarize_tensor,
) -> list[ops.Tensor]:
    """A summary of each tensor of a collection; of those whose op's name has `name_filter`, a pattern, in it."""
    tensors = []
    for op in ops.get_collection(collection):
        if name_filter is None or re.search(name_filter, op.op.name):
            tensors.append(op)
    return summarize_tensors(tensors, summarizer)


summarize_weights = functools.partial(summarize_collection, ops.GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, ops.GraphKeys.BIASES)


def summarize_activations(
    name_filter: str | None = None, summarizer: Summarizer = summarize_activation
) -> list[ops.Tensor]:
    """A summary of each tensor of the ACTIVATIONS collection; see `summarize_collection`."""
    return summarize_collection(ops.GraphKeys.ACTIVATIONS, name_filter, summarizer)
