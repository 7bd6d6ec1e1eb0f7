# SPDX-License-Identifier: Apache-2.0
"""Gradients of neural-network ops: convolution, activations, losses.

The gradients of pools are in nn_grad_pool, those of normalisation in nn_grad_norm, that of Conv in nn_grad_conv.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gen_array_ops, gen_nn_ops, math_ops
from tensorwright.python.ops._nn import (  # noqa: F401 (the others register themselves)
    nn_grad_conv,
    nn_grad_norm,
    nn_grad_pool,
)

# ---- Convolution.


def _conv_attrs(op: Any) -> dict[str, Any]:
    names = ("strides", "use_cudnn_on_gpu", "padding")
    names += ("explicit_paddings", "data_format", "dilations")
    return {name: op.get_attr(name) for name in names}


@ops.RegisterGradient("Conv2D")
def _conv2d_grad(op: ops.Operation, grad: Any) -> Any:
    """Input: g spread by the filter; filter: correlation of input and g."""
    x, w = op.inputs
    attrs = _conv_attrs(op)
    shape_x, shape_w = array_ops.shape_n([x, w])
    return [
        gen_nn_ops.conv2d_backprop_input(shape_x, w, grad, **attrs),
        gen_nn_ops.conv2d_backprop_filter(x, shape_w, grad, **attrs),
    ]


@ops.RegisterGradient("Conv2DBackpropInput")
def _conv2d_backprop_input_grad(op: ops.Operation, grad: Any) -> Any:
    """It is linear in the filter and in out_backprop: both are convolutions with g."""
    attrs = _conv_attrs(op)
    w, dy = op.inputs[1:]
    return [
        None,
        gen_nn_ops.conv2d_backprop_filter(grad, array_ops.shape(w), dy, **attrs),
        gen_nn_ops.conv2d(grad, w, **attrs),
    ]


@ops.RegisterGradient("Conv2DBackpropFilter")
def _conv2d_backprop_filter_grad(op: ops.Operation, grad: Any) -> Any:
    """It is linear in the input and in out_backprop: both are convolutions with g."""
    attrs = _conv_attrs(op)
    x, _, dy = op.inputs
    return [
        gen_nn_ops.conv2d_backprop_input(array_ops.shape(x), grad, dy, **attrs),
        None,
        gen_nn_ops.conv2d(x, grad, **attrs),
    ]


@ops.RegisterGradient("Conv2DBackpropInputV2")
def _conv2d_backprop_input_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """As Conv2DBackpropInput's; the values of the input do not count."""
    return _conv2d_backprop_input_grad(op, grad)


@ops.RegisterGradient("Conv2DBackpropFilterV2")
def _conv2d_backprop_filter_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """As Conv2DBackpropFilter's; the values of the filter do not count."""
    return _conv2d_backprop_filter_grad(op, grad)


def _depthwise_attrs(op: Any) -> dict[str, Any]:
    names = ("strides", "padding", "explicit_paddings", "data_format", "dilations")
    return {name: op.get_attr(name) for name in names}


@ops.RegisterGradient("DepthwiseConv2dNative")
def _depthwise_conv2d_native_grad(op: ops.Operation, grad: Any) -> Any:
    """As for Conv2D, each channel on its own."""
    x, w = op.inputs
    attrs = _depthwise_attrs(op)
    shape_x, shape_w = array_ops.shape_n([x, w])
    return [
        gen_nn_ops.depthwise_conv2d_native_backprop_input(shape_x, w, grad, **attrs),
        gen_nn_ops.depthwise_conv2d_native_backprop_filter(x, shape_w, grad, **attrs),
    ]


@ops.RegisterGradient("DepthwiseConv2dNativeBackpropInput")
def _depthwise_conv2d_native_backprop_input_grad(op: ops.Operation, grad: Any) -> Any:
    """It is linear in the filter and in out_backprop."""
    attrs = _depthwise_attrs(op)
    w, dy = op.inputs[1:]
    shape_w = array_ops.shape(w)
    return [
        None,
        gen_nn_ops.depthwise_conv2d_native_backprop_filter(grad, shape_w, dy, **attrs),
        gen_nn_ops.depthwise_conv2d_native(grad, w, **attrs),
    ]


@ops.RegisterGradient("DepthwiseConv2dNativeBackpropFilter")
def _depthwise_conv2d_native_backprop_filter_grad(op: ops.Operation, grad: Any) -> Any:
    """It is linear in the input and in out_backprop."""
    attrs = _depthwise_attrs(op)
    x, _, dy = op.inputs
    shape_x = array_ops.shape(x)
    return [
        gen_nn_ops.depthwise_conv2d_native_backprop_input(shape_x, grad, dy, **attrs),
        None,
        gen_nn_ops.depthwise_conv2d_native(x, grad, **attrs),
    ]


def _conv3d_attrs(op: Any) -> dict[str, Any]:
    names = ("strides", "padding", "data_format", "dilations")
    return {name: op.get_attr(name) for name in names}


@ops.RegisterGradient("Conv3D")
def _conv3d_grad(op: ops.Operation, grad: Any) -> Any:
    """As for Conv2D."""
    x, w = op.inputs
    attrs = _conv3d_attrs(op)
    shape_x, shape_w = array_ops.shape_n([x, w])
    return [
        gen_nn_ops.conv3d_backprop_input_v2(shape_x, w, grad, **attrs),
        gen_nn_ops.conv3d_backprop_filter_v2(x, shape_w, grad, **attrs),
    ]


@ops.RegisterGradient("Conv3DBackpropInputV2")
def _conv3d_backprop_input_grad(op: ops.Operation, grad: Any) -> Any:
    """It is linear in the filter and in out_backprop."""
    attrs = _conv3d_attrs(op)
    w, dy = op.inputs[1:]
    return [
        None,
        gen_nn_ops.conv3d_backprop_filter_v2(grad, array_ops.shape(w), dy, **attrs),
        gen_nn_ops.conv3d(grad, w, **attrs),
    ]


@ops.RegisterGradient("Conv3DBackpropFilterV2")
def _conv3d_backprop_filter_grad(op: ops.Operation, grad: Any) -> Any:
    """It is linear in the input and in out_backprop."""
    attrs = _conv3d_attrs(op)
    x, _, dy = op.inputs
    return [
        gen_nn_ops.conv3d_backprop_input_v2(array_ops.shape(x), grad, dy, **attrs),
        None,
        gen_nn_ops.conv3d(x, grad, **attrs),
    ]


# ---- Bias.


@ops.RegisterGradient("BiasAdd")
def _bias_add_grad(op: ops.Operation, grad: Any) -> Any:
    """g, and its sum over all but the channels."""
    data_format = op.get_attr("data_format")
    return grad, gen_nn_ops.bias_add_grad(grad, data_format=data_format)


@ops.RegisterGradient("BiasAddV1")
def _bias_add_v1_grad(op: ops.Operation, grad: Any) -> Any:
    """g, and its sum over all but the last axis."""
    del op
    axes = math_ops.range(array_ops.rank(grad) - 1)
    return grad, math_ops.reduce_sum(grad, axes)


@ops.RegisterGradient("BiasAddGrad")
def _bias_add_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """g repeated over all but the channels."""
    data_format = op.get_attr("data_format")
    zeros = array_ops.zeros_like(op.inputs[0])
    return gen_nn_ops.bias_add(zeros, grad, data_format=data_format)


# ---- Activations.


@ops.RegisterGradient("Relu")
def _relu_grad(op: ops.Operation, grad: Any) -> Any:
    """g where y > 0."""
    return gen_nn_ops.relu_grad(grad, op.outputs[0])


@ops.RegisterGradient("ReluGrad")
def _relu_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """Linear in the gradient; constant in the features wherever differentiable."""
    x = op.inputs[1]
    return gen_nn_ops.relu_grad(grad, x), array_ops.zeros_like(x)


@ops.RegisterGradient("Relu6")
def _relu6_grad(op: ops.Operation, grad: Any) -> Any:
    """g where 0 < y < 6."""
    return gen_nn_ops.relu6_grad(grad, op.outputs[0])


@ops.RegisterGradient("Relu6Grad")
def _relu6_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """As for ReluGrad."""
    x = op.inputs[1]
    return gen_nn_ops.relu6_grad(grad, x), array_ops.zeros_like(x)


@ops.RegisterGradient("LeakyRelu")
def _leaky_relu_grad(op: ops.Operation, grad: Any) -> Any:
    """g where x > 0, else alpha g."""
    return gen_nn_ops.leaky_relu_grad(grad, op.inputs[0], alpha=op.get_attr("alpha"))


@ops.RegisterGradient("LeakyReluGrad")
def _leaky_relu_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """As for ReluGrad."""
    x = op.inputs[1]
    by_gradient = gen_nn_ops.leaky_relu_grad(grad, x, alpha=op.get_attr("alpha"))
    return by_gradient, array_ops.zeros_like(x)


@ops.RegisterGradient("Elu")
def _elu_grad(op: ops.Operation, grad: Any) -> Any:
    """g where y > 0, g (y + 1) elsewhere."""
    return gen_nn_ops.elu_grad(grad, op.outputs[0])


@ops.RegisterGradient("EluGrad")
def _elu_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """dy, y -> dy (1 or y + 1): linear in dy; by y, dy where y < 0."""
    dy, y = op.inputs
    negative = math_ops.less(y, 0)
    by_y = array_ops.where(negative, grad * dy, array_ops.zeros_like(y))
    return gen_nn_ops.elu_grad(grad, y), by_y


@ops.RegisterGradient("Selu")
def _selu_grad(op: ops.Operation, grad: Any) -> Any:
    """g scale where y >= 0, g (y + scale alpha) elsewhere."""
    return gen_nn_ops.selu_grad(grad, op.outputs[0])


@ops.RegisterGradient("SeluGrad")
def _selu_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """As for EluGrad."""
    dy, y = op.inputs
    negative = math_ops.less(y, 0)
    by_y = array_ops.where(negative, grad * dy, array_ops.zeros_like(y))
    return gen_nn_ops.selu_grad(grad, y), by_y


@ops.RegisterGradient("Softplus")
def _softplus_grad(op: ops.Operation, grad: Any) -> Any:
    """g sigmoid(x)."""
    return grad * math_ops.sigmoid(op.inputs[0])


@ops.RegisterGradient("SoftplusGrad")
def _softplus_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """dy, x -> dy s, s = sigmoid(x): by dy, s; by x, dy s (1 - s)."""
    dy, x = op.inputs
    with ops.control_dependencies([grad]):
        s = math_ops.sigmoid(x)
        return grad * s, grad * dy * s * (1 - s)


@ops.RegisterGradient("Softsign")
def _softsign_grad(op: ops.Operation, grad: Any) -> Any:
    """g / (1 + |x|)^2."""
    return gen_nn_ops.softsign_grad(grad, op.inputs[0])


# ---- Softmax and losses.


@ops.RegisterGradient("Softmax")
def _softmax_grad(op: ops.Operation, grad: Any) -> Any:
    """(g - sum(g y)) y, sums over the last axis."""
    y = op.outputs[0]
    return (grad - math_ops.reduce_sum(grad * y, [-1], keep_dims=True)) * y


@ops.RegisterGradient("LogSoftmax")
def _log_softmax_grad(op: ops.Operation, grad: Any) -> Any:
    """g - sum(g) exp(y), sums over the last axis."""
    total = math_ops.reduce_sum(grad, [-1], keep_dims=True)
    return grad - total * math_ops.exp(op.outputs[0])


def _column(v: Any) -> Any:
    return array_ops.expand_dims(v, -1)


@ops.RegisterGradient("SoftmaxCrossEntropyWithLogits")
def _softmax_cross_entropy_grad(
    op: ops.Operation, grad_loss: Any, grad_grad: Any
) -> Any:
    """Logits: g (softmax - labels), kept by the op as its second output.  Labels: -g log softmax.

    `grad_grad` is the gradient of that second output: second derivatives come through it.
    """
    logits = op.inputs[0]
    grad = _column(grad_loss) * op.outputs[1]
    if grad_grad is not None and not _is_zeros(grad_grad):
        softmax = gen_nn_ops.softmax(logits)
        dot = math_ops.reduce_sum(grad_grad * softmax, [-1], keep_dims=True)
        grad = grad + (grad_grad - dot) * softmax
    return grad, _column(grad_loss) * -gen_nn_ops.log_softmax(logits)


def _is_zeros(t: Any) -> bool:
    return t.op.type in ("ZerosLike", "Zeros")


@ops.RegisterGradient("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_softmax_cross_entropy_grad(
    op: ops.Operation, grad_loss: Any, grad_grad: Any
) -> Any:
    """Logits: g (softmax - one_hot(label)), kept by the op as its second output."""
    if grad_grad is None or _is_zeros(grad_grad):
        kept = array_ops.prevent_gradient(
            op.outputs[1],
            message="second derivatives of "
            "sparse_softmax_cross_entropy_with_logits are not defined",
        )
        return _column(grad_loss) * kept, None
    raise LookupError(
        "sparse_softmax_cross_entropy_with_logits has no second derivative: "
        "use softmax_cross_entropy_with_logits with one-hot labels"
    )


@ops.RegisterGradient("L2Loss")
def _l2_loss_grad(op: ops.Operation, grad: Any) -> Any:
    """g x."""
    return op.inputs[0] * grad


@ops.RegisterGradient("TopK")
@ops.RegisterGradient("TopKV2")
def _top_k_grad(op: ops.Operation, grad: Any, unused_grad: Any) -> Any:
    """g at the places of the k largest, zeros elsewhere."""
    x, indices = op.inputs[0], math_ops.cast(op.outputs[1], dtypes.int64)
    shape = array_ops.shape(x, out_type=dtypes.int64)
    columns, rows = shape[-1], math_ops.reduce_prod(shape[:-1])
    k = array_ops.shape(indices, out_type=dtypes.int64)[-1]
    flat = array_ops.reshape(indices, array_ops.stack([rows, k]))
    starts = math_ops.range(rows) * columns
    positions = array_ops.reshape(flat + array_ops.expand_dims(starts, -1), [-1])
    placed = gen_array_ops.scatter_nd(
        array_ops.expand_dims(positions, -1),
        array_ops.reshape(grad, [-1]),
        array_ops.reshape(math_ops.reduce_prod(shape), [1]),
    )
    dx = array_ops.reshape(placed, shape)
    return [dx] if op.type == "TopK" else [dx, None]


@ops.RegisterGradient("NthElement")
def _nth_element_grad(op: ops.Operation, grad: Any) -> Any:
    """g shared equally among the elements of the row that equal the result."""
    x, value = op.inputs[0], array_ops.expand_dims(op.outputs[0], -1)
    hit = math_ops.cast(math_ops.equal(value, x), grad.dtype)
    count = math_ops.reduce_sum(hit, -1, keepdims=True)
    return [hit / count * array_ops.expand_dims(grad, -1), None]


ops.NotDifferentiable("InTopK")
ops.NotDifferentiable("InTopKV2")
