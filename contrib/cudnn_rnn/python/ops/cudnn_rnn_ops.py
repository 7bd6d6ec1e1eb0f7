# SPDX-License-Identifier: Apache-2.0
"""Networks of TensorFlow 1.0 to 1.3's interface: a program keeps their parameters in a vector itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.contrib.cudnn_rnn.python.ops import cudnn_rnn_math as network
from tensorwright.contrib.cudnn_rnn.python.ops.cudnn_rnn_cells import (
    CudnnCompatibleGRUCell as CudnnCompatibleGRUCell,
    CudnnCompatibleLSTMCell as CudnnCompatibleLSTMCell,
)
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops

CUDNN_RNN_UNIDIRECTION = network.UNIDIRECTION
CUDNN_RNN_BIDIRECTION = network.BIDIRECTION
CUDNN_LSTM, CUDNN_GRU = network.LSTM, network.GRU
CUDNN_RNN_RELU, CUDNN_RNN_TANH = network.RELU, network.TANH
CUDNN_LSTM_PARAMS_PER_LAYER = 8
CUDNN_GRU_PARAMS_PER_LAYER = 6
CUDNN_RNN_RELU_PARAMS_PER_LAYER = CUDNN_RNN_TANH_PARAMS_PER_LAYER = 2
CUDNN_INPUT_LINEAR_MODE = "linear_input"
CUDNN_INPUT_SKIP_MODE = "skip_input"
CUDNN_INPUT_AUTO_MODE = "auto_select"


def checked(input_mode: str, direction: str, dropout: float) -> int:
    """The number of directions.

    Raises:
        ValueError: another input mode or direction, or a `dropout` outside of [0, 1).
    """
    if input_mode not in (CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_AUTO_MODE):
        raise ValueError(f"input_mode must be linear_input or auto_select, got {input_mode!r}")  # fmt: skip # noqa: E501
    if direction not in (CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION):
        raise ValueError(f"direction must be unidirectional or bidirectional, got {direction!r}")  # fmt: skip # noqa: E501
    if not 0 <= dropout < 1:
        raise ValueError(f"dropout must be in [0, 1), got {dropout}")
    return 1 if direction == CUDNN_RNN_UNIDIRECTION else 2


class _CudnnRNN:
    """A network of several layers.

    Args:
        num_layers, num_units: its layers, and the units of each.
        input_size: the size of the inputs.
        input_mode: "linear_input", or "auto_select", which means that.
        direction: "unidirectional" or "bidirectional".
        dropout: how many of a layer's outputs the next one gets as 0 in training.
        seed: the seed of the choice; 0 stands for the graph's.

    Raises:
        ValueError: see `checked`.

    Example:
        model = cudnn_rnn_ops.CudnnGRU(num_layers=1, num_units=100, input_size=50)
        params = tf.get_variable("params", initializer=tf.random_uniform([model.params_size()], -0.1, 0.1))
        outputs, last_h = model(x, h, params)
    """

    _mode = ""

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
        dropout: float = 0.0,
        seed: int = 0,
    ):
        dirs = checked(input_mode, direction, dropout)
        self._layout = network.Layout(
            self._mode, int(num_layers), int(num_units), int(input_size), dirs
        )
        self._input_mode, self._direction = input_mode, direction
        self._dropout, self._seed = dropout, seed

    @property
    def layout(self) -> network.Layout:
        """Its sizes."""
        return self._layout

    @property
    def num_layers(self) -> int:
        return self._layout.num_layers

    @property
    def num_units(self) -> int:
        return self._layout.num_units

    @property
    def input_size(self) -> int:
        return self._layout.input_size

    @property
    def input_mode(self) -> str:
        return self._input_mode

    @property
    def direction(self) -> str:
        return self._direction

    @property
    def rnn_mode(self) -> str:
        return self._mode

    def params_size(self) -> ops.Tensor:
        """How many parameters it has: int32 []."""
        return ops.convert_to_tensor(self._layout.size, dtypes.int32)

    def params_to_canonical(self, params: TensorLike) -> tuple[list, list]:
        """(matrices, biases) of the vector `params`, in the order of `cudnn_rnn_math`."""
        return self._layout.split(params)

    def canonical_to_params(
        self, weights: Sequence[TensorLike], biases: Sequence[TensorLike]
    ) -> ops.Tensor:
        """The vector of matrices and biases."""
        return network.join(weights, biases)

    def _run(self, x: Any, h: Any, c: Any, params: Any, is_training: bool) -> tuple:
        x = ops.convert_to_tensor(x)
        x.get_shape().with_rank(3)[2].assert_is_compatible_with(self.input_size)
        weights, biases = self._layout.split(params)
        dropout = self._dropout if is_training else 0.0
        seed = self._seed or None
        return network.run(self._layout, x, h, c, weights, biases, dropout, seed)


class CudnnLSTM(_CudnnRNN):
    __doc__ = (_CudnnRNN.__doc__ or "").replace("A network", "An LSTM", 1)
    _mode = CUDNN_LSTM

    def __call__(
        self,
        input_data: TensorLike,
        input_h: TensorLike,
        input_c: TensorLike,
        params: TensorLike,
        is_training: bool = True,
    ) -> tuple[ops.Tensor, ops.Tensor, ops.Tensor]:
        """(outputs [time, batch, units directions], last h, last c).

        Args:
            input_data: [time, batch, input_size].
            input_h, input_c: [layers directions, batch, units].
            params: the vector of parameters.
            is_training: whether there is dropout.
        """
        h, c = ops.convert_to_tensor(input_h), ops.convert_to_tensor(input_c)
        return self._run(input_data, h, c, params, is_training)


class _CudnnRNNNoInputC(_CudnnRNN):
    """A network whose state is h alone."""

    def __call__(
        self,
        input_data: TensorLike,
        input_h: TensorLike,
        params: TensorLike,
        is_training: bool = True,
    ) -> tuple[ops.Tensor, ops.Tensor]:
        """(outputs [time, batch, units directions], last h); arguments as in `CudnnLSTM`."""
        h = ops.convert_to_tensor(input_h)
        return self._run(input_data, h, None, params, is_training)[:2]


class CudnnGRU(_CudnnRNNNoInputC):
    __doc__ = (_CudnnRNN.__doc__ or "").replace("A network", "A GRU", 1)
    _mode = CUDNN_GRU


class CudnnRNNTanh(_CudnnRNNNoInputC):
    __doc__ = (_CudnnRNN.__doc__ or "").replace("network", "network with tanh", 1)
    _mode = CUDNN_RNN_TANH


class CudnnRNNRelu(_CudnnRNNNoInputC):
    __doc__ = (_CudnnRNN.__doc__ or "").replace("network", "network with relu", 1)
    _mode = CUDNN_RNN_RELU


def zero_state(
    layout: network.Layout, batch: TensorLike, dtype: DTypeLike
) -> ops.Tensor:
    """Zeros [layers directions, batch, units]."""
    size = layout.num_layers * layout.num_dirs
    return array_ops.zeros(array_ops.stack([size, batch, layout.num_units]), dtype)
