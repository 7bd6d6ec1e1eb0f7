# SPDX-License-Identifier: Apache-2.0
"""Conv1D, Conv2D and Conv3D: layers that slide filters over their inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    InitializerLike,
    Ints,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.layers import base, utils
from tensorwright.python.layers.layer_function import layer_function
from tensorwright.python.ops import init_ops, nn_ops


class Convolution(base.Layer):
    """Slides filters over inputs with `rank` spatial dimensions.

    Args:
        filters: number of channels of the outputs.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        strides: steps between windows, likewise.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: distances between taps; not together with strides other than 1.
        activation: None for none.
        use_bias: whether a bias [filters] is added.
        kernel_initializer: the initializer of `kernel` [*kernel_size, channels, filters]; by default the scope's.
        bias_initializer: the initializer of the bias.
        kernel_regularizer, bias_regularizer, activity_regularizer: make losses.
        kernel_constraint, bias_constraint: project the variables after an update.
        trainable: whether the variables are trained.
        name: the name of its scope.
    """

    rank: int

    def __init__(
        self,
        filters: int,
        kernel_size: Ints,
        strides: Ints = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Ints = 1,
        activation: Callable | None = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = init_ops.zeros_initializer(),
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
            trainable=trainable,
            name=name,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        rank = self.rank
        self.filters = filters
        self.kernel_size = utils.normalize_tuple(kernel_size, rank, "kernel_size")
        if 0 in self.kernel_size:
            raise ValueError(
                f"{type(self).__name__}: kernel_size must not have a 0, got "
                f"{self.kernel_size}"
            )
        self.strides = utils.normalize_tuple(strides, rank, "strides")
        self.padding = utils.normalize_padding(padding)
        self.data_format = utils.normalize_data_format(data_format)
        self.dilation_rate = utils.normalize_tuple(dilation_rate, rank, "dilation_rate")
        self.activation = activation
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.bias: Any = None
        self.input_spec = base.InputSpec(ndim=rank + 2)

    @property
    def _channel_axis(self) -> int:
        return 1 if self.data_format == "channels_first" else self.rank + 1

    @property
    def _spatial_axes(self) -> list[int]:
        first = 2 if self.data_format == "channels_first" else 1
        return list(range(first, first + self.rank))

    @property
    def _op_format(self) -> str:
        return utils.convert_data_format(self.data_format, self.rank + 2)

    def _channels(self, input_shape: Any) -> int:
        """Returns the number of channels of the inputs, which all later inputs must have."""
        shape = tensor_shape.as_shape(input_shape)
        channels = shape[self._channel_axis].value
        if channels is None:
            raise ValueError(
                f"{self.name}: the number of channels must be known, got shape {shape}"
            )
        self.input_spec = base.InputSpec(
            ndim=self.rank + 2, axes={self._channel_axis: channels}
        )
        return channels

    def _kernel_shape(self, channels: int) -> tuple[int, ...]:
        return (*self.kernel_size, channels, self.filters)

    def build(self, input_shape: ShapeLike) -> None:
        self.kernel = self.add_variable(
            "kernel",
            shape=self._kernel_shape(self._channels(input_shape)),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._add_bias()
        self.built = True

    def _add_bias(self) -> None:
        if self.use_bias:
            self.bias = self.add_variable(
                "bias",
                shape=(self.filters,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs: TensorLike) -> ops.Tensor:
        return self._finish(
            nn_ops.convolution(
                inputs,
                self.kernel,
                self.padding.upper(),
                strides=self.strides,
                dilation_rate=self.dilation_rate,
                data_format=self._op_format,
            )
        )

    def _finish(self, outputs: ops.Tensor) -> ops.Tensor:
        """Bias and activation."""
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias, self._op_format)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> tensor_shape.TensorShape:
        sizes = tensor_shape.as_shape(input_shape).as_list()
        for i, axis in enumerate(self._spatial_axes):
            sizes[axis] = utils.conv_output_length(
                sizes[axis],
                self.kernel_size[i],
                self.padding,
                self.strides[i],
                self.dilation_rate[i],
            )
        sizes[self._channel_axis] = self.filters
        return tensor_shape.TensorShape(sizes)


class Conv1D(Convolution):
    __doc__ = Convolution.__doc__
    rank = 1


class Conv2D(Convolution):
    __doc__ = Convolution.__doc__
    rank = 2


class Conv3D(Convolution):
    __doc__ = Convolution.__doc__
    rank = 3


conv1d = layer_function(Conv1D, "conv1d")
conv2d = layer_function(Conv2D, "conv2d")
conv3d = layer_function(Conv3D, "conv3d")
