# SPDX-License-Identifier: Apache-2.0
"""Conv2DTranspose and Conv3DTranspose: from where a convolution leads back to where it came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.layers import utils
from tensorwright.python.layers.convolutional_direct import Convolution
from tensorwright.python.layers.layer_function import layer_function
from tensorwright.python.ops import array_ops, init_ops, nn_ops


class _Transposed(Convolution):
    """A transposed convolution: strides make the outputs larger.

    Args:
        filters: number of channels of the outputs.
        kernel_size, strides: one number, or one for each spatial dimension.
        padding: "valid" or "same", what the convolution back would have.
        kernel_initializer: the initializer of `kernel` [*kernel_size, filters, channels]; by default the scope's.

    The others are as for `Conv2D`.
    """

    _transpose: Callable[..., ops.Tensor]

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Callable | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = init_ops.zeros_initializer(),
        kernel_regularizer: Callable | None = None,
        bias_regularizer: Callable | None = None,
        activity_regularizer: Callable | None = None,
        kernel_constraint: Callable | None = None,
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
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )

    def _kernel_shape(self, channels: int) -> tuple[int, ...]:
        return (*self.kernel_size, self.filters, channels)

    def call(self, inputs: Any) -> ops.Tensor:
        inputs = ops.convert_to_tensor(inputs)
        static = self.compute_output_shape(inputs.get_shape())
        sizes: list = static.as_list()
        if None in sizes:
            dynamic = array_ops.shape(inputs)
            for i, axis in enumerate([None, *self._spatial_axes]):
                if axis is None:
                    sizes[0] = dynamic[0] if sizes[0] is None else sizes[0]
                elif sizes[axis] is None:
                    sizes[axis] = self._grown(dynamic[axis], i - 1)
        outputs = type(self)._transpose(
            inputs,
            self.kernel,
            array_ops.stack(sizes) if None in static.as_list() else sizes,
            self.strides,
            padding=self.padding.upper(),
            data_format=self._op_format,
        )
        outputs.set_shape(static)
        return self._finish(outputs)

    def _grown(self, size: Any, i: int) -> Any:
        """Returns the output's size in spatial dimension `i`."""
        return utils.deconv_output_length(
            size, self.kernel_size[i], self.padding, self.strides[i]
        )

    def compute_output_shape(self, input_shape: Any) -> tensor_shape.TensorShape:
        sizes = tensor_shape.as_shape(input_shape).as_list()
        for i, axis in enumerate(self._spatial_axes):
            sizes[axis] = self._grown(sizes[axis], i)
        sizes[self._channel_axis] = self.filters
        return tensor_shape.TensorShape(sizes)


class Conv2DTranspose(_Transposed):
    __doc__ = _Transposed.__doc__
    rank, _transpose = 2, staticmethod(nn_ops.conv2d_transpose)


class Conv3DTranspose(_Transposed):
    __doc__ = _Transposed.__doc__
    rank, _transpose = 3, staticmethod(nn_ops.conv3d_transpose)


conv2d_transpose = layer_function(Conv2DTranspose, "conv2d_transpose")
conv3d_transpose = layer_function(Conv3DTranspose, "conv3d_transpose")
