# SPDX-License-Identifier: Apache-2.0
"""Normalisation of a batch's parts (Hoffer et al. 2017), and adjustments of the normalised values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.layers import utils
from tensorwright.python.ops import array_ops, math_ops, nn_impl


def check(
    virtual_batch_size: int | None, adjustment: Callable | None, axis: Any, renorm: bool
) -> None:  # fmt: skip
    """Raises ValueError for options that do not go together with parts of batches, or with a change."""
    if virtual_batch_size is None:
        return
    if virtual_batch_size < 1:
        raise ValueError(
            f"virtual_batch_size must be a positive integer, got {virtual_batch_size}"
        )
    if adjustment is not None or renorm:
        raise ValueError(
            "virtual_batch_size goes together with neither adjustment nor renorm"
        )
    if 0 in ([axis] if isinstance(axis, int) else axis):
        raise ValueError(
            "virtual_batch_size cuts the batch, which is axis 0: axis cannot include 0, "
            f"got {axis}"
        )


def normalise(
    inputs: ops.Tensor,
    size: int,
    reduced: list[int],
    broadcast: list[int],
    kept: tuple,
    scale_and_offset: tuple,
    epsilon: float,
    training: bool | TensorLike,
    dtype: DTypeLike,
) -> tuple:
    """Returns (outputs, mean, variance); the layer's averages move to this mean and variance, which are over all parts.

    Each part has `size` of the n examples, which are n / size apart.

    Args:
        inputs: [n, ...].
        size: the number of examples in a part.
        reduced: all axes but those of channels.
        broadcast: the shape, of the inputs' rank, in which parameters broadcast.
        kept: (mean, variance), used outside training.
        scale_and_offset: (gamma, beta), each a tensor or None.
        epsilon: added to the variance.
        training: a bool or a bool tensor.
        dtype: the dtype of mean and variance.
    """
    shape = array_ops.shape(inputs)
    parts = array_ops.reshape(inputs, array_ops.concat([[size, -1], shape[1:]], 0))
    parts.set_shape([size, None, *inputs.get_shape()[1:]])
    spread = [1, *broadcast]

    def beside(value: Any) -> Any:
        return None if value is None else array_ops.reshape(value, spread)

    mean, variance = (beside(k) for k in kept)
    new_mean, new_variance = kept
    if utils.constant_value(training) is not False:
        axes = [0, *(a + 1 for a in reduced if a)]
        seen = nn_impl.moments(parts, axes, keep_dims=True)
        seen_mean, seen_variance = (math_ops.cast(m, dtype) for m in seen)
        new_mean, new_variance = (
            array_ops.reshape(math_ops.reduce_mean(m, 1), k.get_shape())
            for m, k in zip((seen_mean, seen_variance), kept, strict=True)
        )
        mean, variance = utils.smart_cond(
            training, lambda: [seen_mean, seen_variance], lambda: [mean, variance]
        )
    scale, offset = scale_and_offset

    def as_inputs(value: Any) -> Any:
        return None if value is None else math_ops.cast(value, inputs.dtype)

    mean, variance, offset, scale = (
        as_inputs(v) for v in (mean, variance, beside(offset), beside(scale))
    )
    outputs = nn_impl.batch_normalization(parts, mean, variance, offset, scale, epsilon)
    return array_ops.reshape(outputs, shape), new_mean, new_variance


def adjusted(
    adjustment: Callable[[ops.Tensor], tuple],
    inputs: ops.Tensor,
    scale: TensorLike,
    offset: TensorLike,
    training: bool | TensorLike,
) -> tuple:
    """Returns (scale, offset) that also adjust the normalised values, in training alone, before scaling them.

    Args:
        adjustment: a function of the inputs' shape; it returns (scale, bias), tensors that broadcast to that shape.
        inputs: the layer's inputs.
        scale, offset: the layer's gamma and beta, in a shape that broadcasts to the inputs, or None.
        training: a bool or a bool tensor.
    """
    factor, bias = (
        math_ops.cast(ops.convert_to_tensor(v), inputs.dtype)
        for v in adjustment(array_ops.shape(inputs))
    )
    factor, bias = utils.smart_cond(
        training,
        lambda: [array_ops.identity(factor), array_ops.identity(bias)],
        lambda: [array_ops.ones_like(factor), array_ops.zeros_like(bias)],
    )
    if scale is not None:
        factor, bias = factor * scale, bias * scale
    return factor, bias if offset is None else bias + offset
