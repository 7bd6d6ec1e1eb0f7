# SPDX-License-Identifier: Apache-2.0
"""Gradients of batch normalisation and local response normalisation."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gen_nn_ops, math_ops


@ops.RegisterGradient("FusedBatchNorm")
def _fused_batch_norm_grad(op: ops.Operation, grad: Any, *unused_grads: Any) -> Any:
    """The gradients of x, scale and offset; those of the statistics are not defined."""
    return _of_x_scale_and_offset(op, grad, gen_nn_ops.fused_batch_norm_grad)


@ops.RegisterGradient("FusedBatchNormV2")
def _fused_batch_norm_v2_grad(op: ops.Operation, grad: Any, *unused_grads: Any) -> Any:
    """As for FusedBatchNorm."""
    return _of_x_scale_and_offset(op, grad, gen_nn_ops.fused_batch_norm_grad_v2)


@ops.RegisterGradient("FusedBatchNormV3")
def _fused_batch_norm_v3_grad(op: ops.Operation, grad: Any, *unused_grads: Any) -> Any:
    """As for FusedBatchNorm."""
    return _of_x_scale_and_offset(
        op, grad, gen_nn_ops.fused_batch_norm_grad_v3, op.outputs[5]
    )


def _of_x_scale_and_offset(
    op: ops.Operation, grad: Any, grad_op: Any, *reserved: Any
) -> Any:
    is_training = op.get_attr("is_training")
    # In training, the op returns the statistics that it used.
    mean, variance = op.outputs[3:5] if is_training else op.inputs[3:5]
    dx, dscale, doffset, _, _ = grad_op(
        grad,
        op.inputs[0],
        op.inputs[1],
        mean,
        variance,
        *reserved,
        epsilon=op.get_attr("epsilon"),
        data_format=op.get_attr("data_format"),
        is_training=is_training,
    )
    return dx, dscale, doffset, None, None


@ops.RegisterGradient("FusedBatchNormGrad")
@ops.RegisterGradient("FusedBatchNormGradV2")
@ops.RegisterGradient("FusedBatchNormGradV3")
def _fused_batch_norm_grad_grad(
    op: ops.Operation, u: Any, a: Any, b: Any, *unused_grads: Any
) -> Any:
    """The gradients of dy, x and scale s, for gradients u of dx, a of dscale, b of doffset.

    With r = 1 / sqrt(variance + epsilon), h = (x - mean) r, sums over a channel's n elements and
    P(z) = z - sum(z) / n - h sum(z h) / n (in training; else P(z) = z):
      dx = s r P(dy), dscale = sum(dy h), doffset = sum(dy).
    P is symmetric, and the derivative of sum(w h) by x is r P(w), so
      by dy: s r P(u) + a h + b
      by s:  r sum(u P(dy))
      by x:  a r P(dy) - s r^2 / n (h sum(u P(dy)) + P(u) sum(dy h) + P(dy) sum(u h))
    where the last term is training's alone.
    """
    dtype, none = op.inputs[0].dtype, [None] * (len(op.inputs) - 3)
    # Images of half types, with the statistics in floats.
    u, dy, x = (math_ops.cast(t, dtypes.float32) for t in (u, *op.inputs[:2]))
    scale, mean, variance = op.inputs[2:5]
    image = _Channels(op.get_attr("data_format").decode(), x)
    r = image.spread(math_ops.rsqrt(variance + op.get_attr("epsilon")))
    h = (x - image.spread(mean)) * r
    s, a, b = image.spread(scale), image.spread(a), image.spread(b)
    if not op.get_attr("is_training"):
        by_dy = s * r * u + a * h + b
        by_x, by_scale = a * r * dy, image.sum(r * u * dy)
        return [*_rounded(dtype, by_dy, by_x), by_scale, *none]
    p_dy, p_u = image.project(dy, h), image.project(u, h)
    total = image.kept_sum(u * p_dy)
    slope = (
        h * total + p_u * image.kept_sum(dy * h) + p_dy * image.kept_sum(u * h)
    ) / image.count
    by_dy, by_x = s * r * p_u + a * h + b, a * r * p_dy - s * r * r * slope
    return [*_rounded(dtype, by_dy, by_x), image.sum(r * u * p_dy), *none]


def _rounded(dtype: dtypes.DType, *images: ops.Tensor) -> list[ops.Tensor]:
    return [math_ops.cast(image, dtype) for image in images]


class _Channels:
    """Sums over the elements of each channel of images like `x`."""

    def __init__(self, data_format: str, x: ops.Tensor) -> None:
        rank = len(data_format)
        channel = 1 if data_format.startswith("NC") else rank - 1
        self._axes = [i for i in range(rank) if i != channel]
        self._shape = [-1 if i == channel else 1 for i in range(rank)]
        sizes = array_ops.gather(array_ops.shape(x), self._axes)
        self.count = math_ops.cast(math_ops.reduce_prod(sizes), x.dtype)

    def spread(self, v: ops.Tensor) -> ops.Tensor:
        """[channels] in a shape that broadcasts to x."""
        return array_ops.reshape(v, self._shape)

    def sum(self, z: ops.Tensor) -> ops.Tensor:
        return math_ops.reduce_sum(z, self._axes)

    def kept_sum(self, z: ops.Tensor) -> ops.Tensor:
        return math_ops.reduce_sum(z, self._axes, keep_dims=True)

    def project(self, z: ops.Tensor, h: ops.Tensor) -> ops.Tensor:
        return z - (self.kept_sum(z) + h * self.kept_sum(z * h)) / self.count


@ops.RegisterGradient("BatchNormWithGlobalNormalization")
def _batch_norm_with_global_normalization_grad(op: ops.Operation, grad: Any) -> Any:
    """The gradients of t, m, v, beta and gamma."""
    t, m, v, _, gamma = op.inputs
    return list(
        gen_nn_ops.batch_norm_with_global_normalization_grad(
            t,
            m,
            v,
            gamma,
            grad,
            variance_epsilon=op.get_attr("variance_epsilon"),
            scale_after_normalization=op.get_attr("scale_after_normalization"),
        )
    )


@ops.RegisterGradient("LRN")
def _lrn_grad(op: ops.Operation, grad: Any) -> Any:
    """g n^-beta - 2 alpha beta x (window sums of g y / n), n = bias + alpha (window sums of x^2)."""
    names = ("depth_radius", "bias", "alpha", "beta")
    attrs = {name: op.get_attr(name) for name in names}
    return gen_nn_ops.lrn_grad(grad, op.inputs[0], op.outputs[0], **attrs)
