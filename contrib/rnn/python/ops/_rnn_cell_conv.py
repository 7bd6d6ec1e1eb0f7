# SPDX-License-Identifier: Apache-2.0
"""LSTM cells whose inputs and states are sequences, images or volumes (Shi et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    InitializerLike,
    ScopeLike,
    TensorTree,
)
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_ops,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import LSTMStateTuple, RNNCell


class ConvLSTMCell(RNNCell):
    """An LSTM whose gates are convolutions of inputs and state.

    Args:
        conv_ndims: the spatial dimensions: 1, 2 or 3.
        input_shape: [*spatial, channels] of the inputs.
        output_channels: channels of c and h.
        kernel_shape: the window's size in each spatial dimension.
        use_bias: whether the gates have a bias.
        skip_connection: whether the inputs are put behind the output's channels.
        forget_bias: added to the forget gate before its sigmoid.
        initializers: the initializers of the kernel; the scope's default if absent.
        name: the name of its scope.

    Raises:
        ValueError: an `input_shape` of another rank than conv_ndims + 1.
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Sequence[int],
        output_channels: int,
        kernel_shape: Sequence[int],
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: InitializerLike | None = None,
        name: str = "conv_lstm_cell",
    ):
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(
                f"Invalid input_shape {list(input_shape)} for conv_ndims={conv_ndims}."
            )
        if conv_ndims not in (1, 2, 3):
            raise ValueError(f"conv_ndims must be 1, 2 or 3, got {conv_ndims}")
        self._conv_ndims = conv_ndims
        self._input_shape = list(input_shape)
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._skip_connection = skip_connection
        self._forget_bias = forget_bias
        self._initializers = initializers

    def _with_channels(self, channels: int) -> tensor_shape.TensorShape:
        return tensor_shape.TensorShape([*self._input_shape[:-1], channels])

    @property
    def state_size(self) -> LSTMStateTuple:
        size = self._with_channels(self._output_channels)
        return LSTMStateTuple(size, size)

    @property
    def output_size(self) -> tensor_shape.TensorShape:
        more = self._input_shape[-1] if self._skip_connection else 0
        return self._with_channels(self._output_channels + more)

    def call(
        self, inputs: TensorTree, state: TensorTree, scope: ScopeLike | None = None
    ) -> tuple[ops.Tensor, LSTMStateTuple]:
        """(outputs [batch, *spatial, channels], next state)."""
        del scope
        c, h = state
        gates = self._convolved([inputs, h])
        i, j, f, o = array_ops.split(gates, 4, axis=self._conv_ndims + 1)
        new_c = math_ops.sigmoid(f + self._forget_bias) * c
        new_c += math_ops.sigmoid(i) * math_ops.tanh(j)
        new_h = math_ops.tanh(new_c) * math_ops.sigmoid(o)
        outputs = new_h
        if self._skip_connection:
            outputs = array_ops.concat([new_h, inputs], axis=-1)
        return outputs, LSTMStateTuple(new_c, new_h)

    def _convolved(self, parts: list[Any]) -> ops.Tensor:
        joined = array_ops.concat(parts, axis=self._conv_ndims + 1)
        channels = joined.get_shape()[-1].value
        features = 4 * self._output_channels
        kernel = vs.get_variable(
            "kernel",
            [*self._kernel_shape, channels, features],
            dtype=joined.dtype,
            initializer=self._initializers,
        )
        gates = nn_ops.convolution(joined, kernel, "SAME")
        if not self._use_bias:
            return gates
        bias = vs.get_variable(
            "biases",
            [features],
            dtype=joined.dtype,
            initializer=init_ops.zeros_initializer(),
        )
        return gates + bias


class Conv1DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell of sequences; arguments as for that, without `conv_ndims`."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any):
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell of images; arguments as for that, without `conv_ndims`."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any):
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell of volumes; arguments as for that, without `conv_ndims`."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any):
        super().__init__(conv_ndims=3, name=name, **kwargs)
