# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation, and the mean and variance that it rests on."""

from __future__ import annotations

from typing import Any, cast

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import Ints, TensorLike
from tensorwright.python.ops import array_ops, gen_nn_ops, math_ops
from tensorwright.python.util.renamed_arguments import (
    deprecated_argument_lookup,
    required_argument,
)


def _keep(keep_dims: bool | None, keepdims: bool | None) -> bool:
    return bool(
        deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    )


def moments(
    x: TensorLike,
    axes: Ints,
    shift: TensorLike | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """Mean and variance over `axes`; half precision is computed in float."""
    del shift  # The mean is subtracted first, so no shift is needed.
    keep = _keep(keep_dims, keepdims)
    with ops.name_scope(name, "moments", [x]):
        x = ops.convert_to_tensor(x, name="x")
        small = x.dtype.base_dtype in (dtypes.float16, dtypes.bfloat16)
        y = math_ops.cast(x, dtypes.float32) if small else x
        mean = math_ops.reduce_mean(y, axes, keep_dims=True, name="mean")
        difference = math_ops.squared_difference(y, array_ops.stop_gradient(mean))
        variance = math_ops.reduce_mean(
            difference, axes, keep_dims=True, name="variance"
        )
        if not keep:
            mean = array_ops.squeeze(mean, axes)
            variance = array_ops.squeeze(variance, axes)
        if small:
            dtype = x.dtype.base_dtype
            return math_ops.cast(mean, dtype), math_ops.cast(variance, dtype)
        return mean, variance


def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: float,
    name: str | None = None,
) -> ops.Tensor:
    """scale (x - mean) / sqrt(variance + epsilon) + offset (Ioffe and Szegedy 2015).

    Statistics, `offset` and `scale` broadcast to `x`; the latter two may be None.
    """
    with ops.name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        # They may be tensors, variables, arrays or numbers, with operators of their own.
        values, average = cast(Any, x), cast(Any, mean)
        spread, addend = cast(Any, variance), cast(Any, offset)
        factor = math_ops.rsqrt(spread + variance_epsilon)
        factor = factor if scale is None else factor * scale
        shift = -average * factor if offset is None else addend - average * factor
        dtype = values.dtype
        return values * math_ops.cast(factor, dtype) + math_ops.cast(shift, dtype)


def sufficient_statistics(
    x: TensorLike,
    axes: Ints,
    shift: TensorLike | None = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[ops.Tensor, ops.Tensor, ops.Tensor, ops.Tensor | None]:
    """Sums from which normalize_moments computes mean and variance over `axes`.

    Args:
      x: a floating tensor.
      axes: a list of ints.
      shift: near the mean, so that squares lose no digits; or None.
      keep_dims: keeps reduced axes with size 1.
      name: the name of the scope.
      keepdims: another name of `keep_dims`.

    Returns:
      The number of elements (a scalar of the dtype of x), the sum of x - shift, the sum of its
      squares, and `shift` as a tensor or None.
    """
    axes = sorted(set(cast(Any, axes)))
    keep = _keep(keep_dims, keepdims)
    with ops.name_scope(name, "sufficient_statistics", [x, shift]):
        x = ops.convert_to_tensor(x, name="x")
        static = x.get_shape()
        sizes = (
            [static.as_list()[a] for a in axes] if static.ndims is not None else [None]
        )
        if None in sizes:
            dynamic = array_ops.gather(array_ops.shape(x), axes)
            counts = math_ops.cast(math_ops.reduce_prod(dynamic), x.dtype, name="count")
        else:
            total = 1
            for size in sizes:
                total *= cast(int, size)
            counts = constant_op.constant(total, dtype=x.dtype.base_dtype, name="count")
        if shift is None:
            sums, squares = x, math_ops.square(x)
        else:
            shift = ops.convert_to_tensor(shift, name="shift")
            sums = math_ops.subtract(x, shift)
            squares = math_ops.squared_difference(x, shift)
        mean_ss = math_ops.reduce_sum(sums, axes, keep_dims=keep, name="mean_ss")
        var_ss = math_ops.reduce_sum(squares, axes, keep_dims=keep, name="var_ss")
        return counts, mean_ss, var_ss, shift


def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike,
    name: str | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """Computes mean and variance from the result of sufficient_statistics; `shift` may be None."""
    with ops.name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = math_ops.reciprocal(counts, name="divisor")
        shifted_mean = math_ops.multiply(mean_ss, divisor, name="shifted_mean")
        mean = shifted_mean
        if shift is not None:
            mean = math_ops.add(shifted_mean, shift, name="mean")
        variance = math_ops.subtract(
            math_ops.multiply(variance_ss, divisor),
            math_ops.square(shifted_mean),
            name="variance",
        )
        return mean, variance


def weighted_moments(
    x: TensorLike,
    axes: Ints,
    frequency_weights: TensorLike,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """Mean and variance over `axes` in which each element counts as often as its weight says; 0 where none counts.

    Args:
      x: a floating tensor; half precision is computed in float.
      axes: a list of ints.
      frequency_weights: >= 0, broadcast to x.
      name: the name of the scope.
      keep_dims: keeps reduced axes with size 1.
      keepdims: another name of `keep_dims`.
    """
    keep = _keep(keep_dims, keepdims)
    with ops.name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = ops.convert_to_tensor(x, name="x")
        small = x.dtype.base_dtype in (dtypes.float16, dtypes.bfloat16)
        y = math_ops.cast(x, dtypes.float32) if small else x
        weights = ops.convert_to_tensor(frequency_weights, name="frequency_weights")
        weights = math_ops.cast(weights, y.dtype.base_dtype)
        counted = weights + array_ops.zeros_like(y)
        total = math_ops.reduce_sum(counted, axes, keep_dims=True)
        mean = math_ops.div_no_nan(
            math_ops.reduce_sum(weights * y, axes, keep_dims=True), total
        )
        distance = math_ops.squared_difference(y, mean)
        variance = math_ops.div_no_nan(
            math_ops.reduce_sum(weights * distance, axes, keep_dims=True), total
        )
        if not keep:
            mean = array_ops.squeeze(mean, axes)
            variance = array_ops.squeeze(variance, axes)
        if small:
            dtype = x.dtype.base_dtype
            return math_ops.cast(mean, dtype), math_ops.cast(variance, dtype)
        return mean, variance


def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[ops.Tensor, ops.Tensor, ops.Tensor]:
    """scale (x - mean) / sqrt(variance + epsilon) + offset for each channel, in one op.

    Args:
      x: [batch, height, width, channels] for "NHWC"; float, or half or bfloat16, which is
        computed in float.
      scale: [channels] float.
      offset: [channels] float.
      mean: [channels] float; the population's if not `is_training`, the running one if
        `exponential_avg_factor` is not 1, else not needed.
      variance: as `mean`.
      epsilon: added to the variance; at least 1.001e-5.
      data_format: "NHWC" or "NCHW".
      is_training: whether the statistics are those of x.
      name: the op's name.
      exponential_avg_factor: the share of x in the running statistics.

    Returns:
      The normalised x, and the running mean and variance (the latter divided by the number of
      elements less one).
    """
    needs_statistics = not is_training or exponential_avg_factor != 1.0
    if needs_statistics and (mean is None or variance is None):
        raise ValueError(
            "fused_batch_norm: mean and variance must be a 1D tensor each unless "
            "is_training=True with exponential_avg_factor=1.0, got "
            f"{mean!r} and {variance!r}"
        )
    x = ops.convert_to_tensor(x, name="input")
    dtype = x.dtype.base_dtype
    small = dtype in (dtypes.float16, dtypes.bfloat16)
    empty = constant_op.constant([], dtype=dtypes.float32)
    y, running_mean, running_variance, _, _ = gen_nn_ops.fused_batch_norm(
        math_ops.cast(x, dtypes.float32) if small else x,
        ops.convert_to_tensor(scale, name="scale"),
        ops.convert_to_tensor(offset, name="offset"),
        empty if mean is None else mean,
        empty if variance is None else variance,
        epsilon=max(epsilon, 1.001e-5),
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return math_ops.cast(y, dtype) if small else y, running_mean, running_variance


def batch_norm_with_global_normalization(
    t: TensorLike | None = None,
    m: TensorLike | None = None,
    v: TensorLike | None = None,
    beta: TensorLike | None = None,
    gamma: TensorLike | None = None,
    variance_epsilon: float | None = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
) -> ops.Tensor:
    """batch_normalization of t [n, h, w, c] by m, v, beta, gamma [c]; gamma counts only if asked for."""
    t = required_argument("t", t, "input", input)
    m = required_argument("m", m, "mean", mean)
    v = required_argument("v", v, "variance", variance)
    return batch_normalization(
        t,
        m,
        v,
        beta,
        gamma if scale_after_normalization else None,
        cast(Any, variance_epsilon),
        name,
    )
