# SPDX-License-Identifier: Apache-2.0
"""Gradients of pools and of greyscale morphology."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gen_nn_ops


def _pool_attrs(op: Any) -> dict[str, Any]:
    names = ("ksize", "strides", "padding", "data_format")
    return {name: op.get_attr(name) for name in names}


# ---- Two dimensions.


@ops.RegisterGradient("MaxPool")
def _max_pool_grad(op: ops.Operation, grad: Any) -> Any:
    """g to the first largest element of each window."""
    return gen_nn_ops.max_pool_grad(
        op.inputs[0],
        op.outputs[0],
        grad,
        explicit_paddings=op.get_attr("explicit_paddings"),
        **_pool_attrs(op),
    )


@ops.RegisterGradient("MaxPoolGrad")
def _max_pool_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """Linear in its gradient: g at the first largest elements."""
    x, y = op.inputs[:2]
    picked = gen_nn_ops.max_pool_grad_grad(x, y, grad, **_pool_attrs(op))
    return array_ops.zeros_like(x), array_ops.zeros_like(y), picked


@ops.RegisterGradient("MaxPoolGradGrad")
def _max_pool_grad_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """Linear in its gradient: g to the first largest elements."""
    x, y = op.inputs[:2]
    placed = gen_nn_ops.max_pool_grad(x, y, grad, **_pool_attrs(op))
    return array_ops.zeros_like(x), array_ops.zeros_like(y), placed


def _format_attrs(op: Any) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in ("padding", "data_format")}


@ops.RegisterGradient("MaxPoolV2")
def _max_pool_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """As of MaxPool: g to the first largest element of each window."""
    x, ksize, strides = op.inputs
    placed = gen_nn_ops.max_pool_grad_v2(
        x, op.outputs[0], grad, ksize, strides, **_format_attrs(op)
    )
    return placed, None, None


@ops.RegisterGradient("MaxPoolGradV2")
def _max_pool_grad_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """Linear in its gradient: g at the first largest elements."""
    x, y, _, ksize, strides = op.inputs
    picked = gen_nn_ops.max_pool_grad_grad_v2(
        x, y, grad, ksize, strides, **_format_attrs(op)
    )
    return array_ops.zeros_like(x), array_ops.zeros_like(y), picked, None, None


@ops.RegisterGradient("MaxPoolGradGradV2")
def _max_pool_grad_grad_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """Linear in its gradient: g to the first largest elements."""
    x, y, _, ksize, strides = op.inputs
    placed = gen_nn_ops.max_pool_grad_v2(
        x, y, grad, ksize, strides, **_format_attrs(op)
    )
    return array_ops.zeros_like(x), array_ops.zeros_like(y), placed, None, None


def _argmax_attrs(op: Any) -> dict[str, Any]:
    names = ("ksize", "strides", "padding", "include_batch_in_index")
    return {name: op.get_attr(name) for name in names}


@ops.RegisterGradient("MaxPoolWithArgmax")
def _max_pool_with_argmax_grad(
    op: ops.Operation, grad: Any, unused_argmax_grad: Any
) -> Any:
    """g to the place that argmax says."""
    return gen_nn_ops.max_pool_grad_with_argmax(
        op.inputs[0], grad, op.outputs[1], **_argmax_attrs(op)
    )


@ops.RegisterGradient("MaxPoolGradWithArgmax")
def _max_pool_grad_with_argmax_grad(op: ops.Operation, grad: Any) -> Any:
    """Linear in its gradient: g at the places that argmax says."""
    x, _, argmax = op.inputs
    picked = gen_nn_ops.max_pool_grad_grad_with_argmax(
        x, grad, argmax, **_argmax_attrs(op)
    )
    return array_ops.zeros_like(x), picked, None


@ops.RegisterGradient("AvgPool")
def _avg_pool_grad(op: ops.Operation, grad: Any) -> Any:
    """g shared equally by each window's elements."""
    shape = array_ops.shape(op.inputs[0])
    return gen_nn_ops.avg_pool_grad(shape, grad, **_pool_attrs(op))


@ops.RegisterGradient("AvgPoolGrad")
def _avg_pool_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """The average of g."""
    return None, gen_nn_ops.avg_pool(grad, **_pool_attrs(op))


# ---- Three dimensions.


@ops.RegisterGradient("MaxPool3D")
def _max_pool3d_grad(op: ops.Operation, grad: Any) -> Any:
    """g to the first largest element of each window."""
    return gen_nn_ops.max_pool3d_grad(
        op.inputs[0], op.outputs[0], grad, **_pool_attrs(op)
    )


@ops.RegisterGradient("MaxPool3DGrad")
def _max_pool3d_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """As for MaxPoolGrad."""
    x, y = op.inputs[:2]
    picked = gen_nn_ops.max_pool3d_grad_grad(x, y, grad, **_pool_attrs(op))
    return array_ops.zeros_like(x), array_ops.zeros_like(y), picked


@ops.RegisterGradient("MaxPool3DGradGrad")
def _max_pool3d_grad_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """As for MaxPoolGradGrad."""
    x, y = op.inputs[:2]
    placed = gen_nn_ops.max_pool3d_grad(x, y, grad, **_pool_attrs(op))
    return array_ops.zeros_like(x), array_ops.zeros_like(y), placed


@ops.RegisterGradient("AvgPool3D")
def _avg_pool3d_grad(op: ops.Operation, grad: Any) -> Any:
    """g shared equally by each window's elements."""
    shape = array_ops.shape(op.inputs[0])
    return gen_nn_ops.avg_pool3d_grad(shape, grad, **_pool_attrs(op))


@ops.RegisterGradient("AvgPool3DGrad")
def _avg_pool3d_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """The average of g."""
    return None, gen_nn_ops.avg_pool3d(grad, **_pool_attrs(op))


# ---- Fractional pools; the gradients of the sequences are of no use.


@ops.RegisterGradient("FractionalMaxPool")
def _fractional_max_pool_grad(op: ops.Operation, grad: Any, *unused_grads: Any) -> Any:
    """g to the first largest element of each window."""
    return gen_nn_ops.fractional_max_pool_grad(
        op.inputs[0],
        op.outputs[0],
        grad,
        op.outputs[1],
        op.outputs[2],
        overlapping=op.get_attr("overlapping"),
    )


@ops.RegisterGradient("FractionalAvgPool")
def _fractional_avg_pool_grad(op: ops.Operation, grad: Any, *unused_grads: Any) -> Any:
    """g shared equally by each window's elements."""
    return gen_nn_ops.fractional_avg_pool_grad(
        array_ops.shape(op.inputs[0], out_type=dtypes.int64),
        grad,
        op.outputs[1],
        op.outputs[2],
        overlapping=op.get_attr("overlapping"),
    )


# ---- Morphology.


@ops.RegisterGradient("Dilation2D")
def _dilation2d_grad(op: ops.Operation, grad: Any) -> Any:
    """g goes to the element and to the tap whose sum was the maximum."""
    x, w = op.inputs
    attrs = {name: op.get_attr(name) for name in ("strides", "rates", "padding")}
    return [
        gen_nn_ops.dilation2d_backprop_input(x, w, grad, **attrs),
        gen_nn_ops.dilation2d_backprop_filter(x, w, grad, **attrs),
    ]
