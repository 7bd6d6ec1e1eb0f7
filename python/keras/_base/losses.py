# SPDX-License-Identifier: Apache-2.0
"""Keras's cross entropies, of probabilities or of logits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.keras._base import config
from tensorwright.python.ops import array_ops, clip_ops, math_ops, nn

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import TensorLike


def _axis_of(output: ops.Tensor, axis: int, name: str) -> int:
    """The axis of the classes, counted from the first.

    Raises:
        ValueError: `output` has no such axis.
    """
    rank = output.get_shape().rank
    if rank is None:
        return axis
    if not -rank <= axis < rank:
        raise ValueError(
            f"{name}: axis must be one of output's {rank} axes, got {axis}, output {output.get_shape()}"
        )
    return axis % rank


def _inside(p: ops.Tensor) -> ops.Tensor:
    """Probabilities kept so far from 0 and 1 that their logarithms are finite."""
    return clip_ops.clip_by_value(p, config.epsilon(), 1.0 - config.epsilon())


def _logits(output: ops.Tensor, kind: str) -> ops.Tensor | None:
    """The logits that `output` was made of, where its own operation is the activation `kind`.

    A loss of logits is exact where that of probabilities must clip them.
    """
    while output.op.type == "Identity":
        output = output.op.inputs[0]
    return output.op.inputs[0] if output.op.type == kind else None


def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> ops.Tensor:
    """-sum(target * log(output)) over the classes.

    Args:
        target: the wanted distribution, of `output`'s shape.
        output: probabilities, scaled to the sum 1, or logits if `from_logits`.
        axis: the axis of the classes.
    """
    output = ops.convert_to_tensor(output)
    target = math_ops.cast(target, output.dtype)
    axis = _axis_of(output, axis, "categorical_crossentropy")
    if not from_logits:
        logits = _logits(output, "Softmax")
        if logits is None or axis != output.get_shape().rank - 1:
            output = output / math_ops.reduce_sum(output, axis, keepdims=True)
            return -math_ops.reduce_sum(target * math_ops.log(_inside(output)), axis)
        output = logits
    return nn.softmax_cross_entropy_with_logits_v2(
        labels=target, logits=output, axis=axis
    )


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> ops.Tensor:
    """-log(output[target]) for integer classes.

    Args:
        target: integers, of `output`'s shape without its axis of classes, or with one of size 1.
        output: probabilities, or logits if `from_logits`.
        axis: the axis of the classes.
    """
    output = ops.convert_to_tensor(output)
    axis = _axis_of(output, axis, "sparse_categorical_crossentropy")
    rank = output.get_shape().rank
    if not from_logits:
        logits = _logits(output, "Softmax")
        exact = logits is not None and axis == rank - 1
        output = logits if exact else math_ops.log(_inside(output))
    if rank is not None and axis != rank - 1:
        order = [*range(axis), *range(axis + 1, rank), axis]
        output = array_ops.transpose(output, order)
    shape = array_ops.shape(output)
    classes = output.get_shape()[-1]
    flat = array_ops.reshape(
        output, [-1, shape[-1] if classes.value is None else classes]
    )
    labels = array_ops.reshape(math_ops.cast(target, dtypes.int64), [-1])
    loss = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=flat)
    if rank is not None and rank >= 3:
        return array_ops.reshape(loss, shape[:-1])
    return loss


def binary_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False
) -> ops.Tensor:
    """-target log(output) - (1 - target) log(1 - output), elementwise."""
    output = ops.convert_to_tensor(output)
    target = math_ops.cast(target, output.dtype)
    if not from_logits:
        logits = _logits(output, "Sigmoid")
        if logits is None:
            output, small = _inside(output), config.epsilon()
            return -(
                target * math_ops.log(output + small)
                + (1 - target) * math_ops.log(1 - output + small)
            )
        output = logits
    return nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)


def hard_sigmoid(x: TensorLike) -> ops.Tensor:
    """0.2 x + 0.5, kept within 0 and 1."""
    return clip_ops.clip_by_value(0.2 * ops.convert_to_tensor(x) + 0.5, 0.0, 1.0)
