# SPDX-License-Identifier: Apache-2.0
"""Layers that make model variables and respect `arg_scope`: re-exports, and layers with an activation set."""

# ruff: noqa: F401
import functools as _functools

from tensorwright.contrib.layers.python.layers.layers_basic import (
    avg_pool2d,
    avg_pool3d,
    dropout,
    flatten,
    fully_connected,
    max_pool2d,
    max_pool3d,
    one_hot_encoding,
    repeat,
    scale_gradient,
    softmax,
    stack,
)
from tensorwright.contrib.layers.python.layers.layers_conv import (
    DATA_FORMAT_NCDHW,
    DATA_FORMAT_NCHW,
    DATA_FORMAT_NDHWC,
    DATA_FORMAT_NHWC,
    conv1d,
    conv2d,
    conv2d_in_plane,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    convolution,
    convolution1d,
    convolution2d,
    convolution2d_in_plane,
    convolution2d_transpose,
    convolution3d,
    convolution3d_transpose,
    separable_conv2d,
    separable_convolution2d,
)
from tensorwright.contrib.layers.python.layers.layers_group_norm import (
    bias_add,
    group_norm,
    instance_norm,
)
from tensorwright.contrib.layers.python.layers.layers_norm import (
    batch_norm,
    layer_norm,
    unit_norm,
)
from tensorwright.contrib.layers.python.layers.layers_shape import (
    dense_to_sparse,
    images_to_sequence,
    maxout,
    poincare_normalize,
    sequence_to_images,
    spatial_softmax,
)
from tensorwright.python.ops import nn_ops as _nn_ops
from tensorwright.python.ops.recompute_grad import recompute_grad

# A dense layer with an activation, or none.
elu = _functools.partial(fully_connected, activation_fn=_nn_ops.elu)
relu = _functools.partial(fully_connected, activation_fn=_nn_ops.relu)
relu6 = _functools.partial(fully_connected, activation_fn=_nn_ops.relu6)
legacy_fully_connected = fully_connected
linear = _functools.partial(fully_connected, activation_fn=None)
legacy_linear, legacy_relu = linear, relu

__all__ = [
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bias_add",
    "conv1d",
    "conv2d",
    "conv2d_in_plane",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "convolution",
    "convolution1d",
    "convolution2d",
    "convolution2d_in_plane",
    "convolution2d_transpose",
    "convolution3d",
    "convolution3d_transpose",
    "dense_to_sparse",
    "dropout",
    "elu",
    "flatten",
    "fully_connected",
    "group_norm",
    "images_to_sequence",
    "instance_norm",
    "layer_norm",
    "legacy_fully_connected",
    "legacy_linear",
    "legacy_relu",
    "linear",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "one_hot_encoding",
    "poincare_normalize",
    "recompute_grad",
    "relu",
    "relu6",
    "repeat",
    "scale_gradient",
    "separable_conv2d",
    "separable_convolution2d",
    "sequence_to_images",
    "softmax",
    "spatial_softmax",
    "stack",
    "unit_norm",
]
