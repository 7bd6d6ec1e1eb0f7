# SPDX-License-Identifier: Apache-2.0
"""SeparableConv1D and SeparableConv2D: each channel is filtered on its own, then the channels are mixed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.layers.convolutional_direct import Convolution
from tensorwright.python.layers.layer_function import layer_function
from tensorwright.python.ops import array_ops, init_ops, nn_impl


class _Separable(Convolution):
    """A depthwise convolution, then one with 1x1 filters.

    Args:
        filters: number of channels of the outputs.
        kernel_size, strides, dilation_rate: one number, or one for each spatial dimension; of the first step.
        depth_multiplier: how many filters each channel has in the first step.
        depthwise_initializer: the initializer of `depthwise_kernel` [*kernel_size, channels, depth_multiplier].
        pointwise_initializer: the initializer of `pointwise_kernel` [1, 1, channels * depth_multiplier, filters].

    The others are as for `Conv2D`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Callable | None = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = init_ops.zeros_initializer(),
        depthwise_regularizer: Callable | None = None,
        pointwise_regularizer: Callable | None = None,
        bias_regularizer: Callable | None = None,
        activity_regularizer: Callable | None = None,
        depthwise_constraint: Callable | None = None,
        pointwise_constraint: Callable | None = None,
        bias_constraint: Callable | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ):
        super().__init__(
            filters,
            kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_variable(
            "depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_variable(
            "pointwise_kernel",
            shape=(*(1,) * self.rank, channels * self.depth_multiplier, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self._add_bias()
        self.built = True

    def _convolve(self, inputs: Any, kernels: list, steps: tuple, rate: tuple) -> Any:
        first = self.data_format == "channels_first"
        return nn_impl.separable_conv2d(
            inputs,
            *kernels,
            strides=[1, 1, *steps] if first else [1, *steps, 1],
            padding=self.padding.upper(),
            rate=rate,
            data_format="NCHW" if first else "NHWC",
        )


class SeparableConv1D(_Separable):
    __doc__ = _Separable.__doc__
    rank = 1

    def call(self, inputs: TensorLike) -> ops.Tensor:
        # An image of one row, as high as a step of the filter.
        axis = self._spatial_axes[0]
        kernels = [
            array_ops.expand_dims(k, 0)
            for k in (self.depthwise_kernel, self.pointwise_kernel)
        ]
        outputs = self._convolve(
            array_ops.expand_dims(inputs, axis),
            kernels,
            self.strides * 2,
            self.dilation_rate * 2,
        )
        return self._finish(array_ops.squeeze(outputs, [axis]))


class SeparableConv2D(_Separable):
    __doc__ = _Separable.__doc__
    rank = 2

    def call(self, inputs: TensorLike) -> ops.Tensor:
        kernels = [self.depthwise_kernel, self.pointwise_kernel]
        return self._finish(
            self._convolve(inputs, kernels, self.strides, self.dilation_rate)
        )


separable_conv1d = layer_function(SeparableConv1D, "separable_conv1d")
separable_conv2d = layer_function(SeparableConv2D, "separable_conv2d")
