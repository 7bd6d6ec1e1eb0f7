# SPDX-License-Identifier: Apache-2.0
"""Networks as layers, which make and save their parameters themselves."""

from __future__ import annotations

from typing import Any

from tensorwright.contrib.cudnn_rnn.python.ops import (
    cudnn_rnn_math as network,
    cudnn_rnn_ops,
    cudnn_rnn_saveable,
)
from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import InitializerLike, ShapeLike
from tensorwright.python.layers import base
from tensorwright.python.ops import array_ops, init_ops
from tensorwright.python.util import compat

__all__ = ["CudnnGRU", "CudnnLSTM", "CudnnRNNRelu", "CudnnRNNTanh"]


class _CudnnRNN(base.Layer):
    """A network of several layers, with inputs [time, batch, input_size].

    A call gives (outputs [time, batch, units directions], a tuple of the last states [layers directions, batch, units]).

    With an int `input_size` the class makes a network of TensorFlow 1.0 to 1.3's interface, see `cudnn_rnn_ops`.

    Args:
        num_layers, num_units: its layers, and the units of each.
        input_size: the size of the inputs, for the older interface; a layer knows it from its first inputs.
        input_mode: "linear_input", or "auto_select", which means that.
        direction: "unidirectional" or "bidirectional".
        dropout: how many of a layer's outputs the next one gets as 0 in training.
        seed: the seed of that.
        dtype: float16, float32 or float64.
        kernel_initializer: the initializer of each matrix; Glorot's uniform one if absent.
        bias_initializer: the initializer of each bias; 0 if absent.
        name: the name of its scope.

    Raises:
        ValueError: another input mode or direction, or a `dropout` outside of [0, 1).

    Example:
        lstm = tf.contrib.cudnn_rnn.CudnnLSTM(num_layers=2, num_units=128, dropout=0.1)
        outputs, (h, c) = lstm(inputs, training=True)
    """

    _mode = ""
    _older: Any = None

    def __new__(
        cls, num_layers: int, num_units: int, input_size: Any = None, *args: Any, **kwargs: Any
    ) -> Any:  # fmt: skip
        if isinstance(input_size, compat.integral_types):
            return cls._older(num_layers, num_units, input_size, *args, **kwargs)
        return super().__new__(cls)

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int | str | None = None,
        input_mode: str = cudnn_rnn_ops.CUDNN_INPUT_LINEAR_MODE,
        direction: str = network.UNIDIRECTION,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
    ):
        super().__init__(dtype=dtypes.as_dtype(dtype), name=name)
        if isinstance(input_size, str):
            # TensorFlow 1.4 and later have no `input_size`: the next arguments by place are one place further.
            if input_mode in (network.UNIDIRECTION, network.BIDIRECTION):
                direction = input_mode
            input_mode = input_size
        dirs = cudnn_rnn_ops.checked(input_mode, direction, dropout)
        self._layout = network.Layout(
            self._mode, int(num_layers), int(num_units), 0, dirs
        )
        self._input_mode, self._direction = input_mode, direction
        self._dropout, self._seed = dropout, seed
        self._kernel_initializer: Any = kernel_initializer or init_ops.glorot_uniform_initializer()  # fmt: skip # noqa: E501
        self._bias_initializer: Any = bias_initializer or init_ops.zeros_initializer()
        self.input_spec = base.InputSpec(ndim=3)

    @property
    def layout(self) -> network.Layout:
        """Its sizes; `input_size` is 0 before the first call."""
        return self._layout

    @property
    def num_layers(self) -> int:
        return self._layout.num_layers

    @property
    def num_units(self) -> int:
        return self._layout.num_units

    @property
    def num_dirs(self) -> int:
        """How many directions it has."""
        return self._layout.num_dirs

    @property
    def input_size(self) -> int:
        """The size of the inputs.

        Raises:
            ValueError: before the first call.
        """
        if not self._layout.input_size:
            raise ValueError("'input_size' is unknown since layer has not been built.")
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

    @property
    def canonical_weight_shapes(self) -> list[list[int]]:
        """The shapes of its matrices."""
        return self._layout._replace(input_size=self.input_size).weight_shapes

    @property
    def canonical_bias_shapes(self) -> list[list[int]]:
        """The shapes of its biases."""
        return self._layout._replace(input_size=self.input_size).bias_shapes

    def build(self, input_shape: ShapeLike) -> None:
        shape = tensor_shape.as_shape(input_shape)
        size = shape.with_rank(3)[2].value
        if size is None:
            raise ValueError("The last dimension of the inputs to `CudnnRNN` should be defined. Found `None`.")  # fmt: skip # noqa: E501
        self._layout = self._layout._replace(input_size=size)
        self.kernel = self.add_variable(
            "opaque_kernel", shape=[self._layout.size], initializer=self._initial
        )
        scope = self._scope.name
        if self._scope.reuse is not True:
            self.saveable = cudnn_rnn_saveable.RNNParamsSaveable(
                self,
                self._layout.split,
                network.join,
                self.kernel,
                base_variable_scope=scope,
                name=f"{self.kernel.op.name}_saveable",
            )
            ops.add_to_collection(ops.GraphKeys.SAVEABLE_OBJECTS, self.saveable)
        self.built = True

    def _initial(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        """Joins the initial values of all matrices and biases to one vector."""
        del shape, partition_info
        layout = self._layout
        return network.join(
            [self._kernel_initializer(s, dtype=dtype) for s in layout.weight_shapes],
            [self._bias_initializer(s, dtype=dtype) for s in layout.bias_shapes],
        )

    def call(
        self, inputs: Any, initial_state: Any = None, training: bool = True
    ) -> tuple[ops.Tensor, tuple]:
        """(outputs, last states).

        Args:
            inputs: [time, batch, input_size].
            initial_state: (h, c) of an LSTM, (h,) of others, each [layers directions, batch, units]; zeros if absent.
            training: whether there is dropout.
        """
        inputs = ops.convert_to_tensor(inputs, self.dtype)
        count = 2 if self._mode == network.LSTM else 1
        if initial_state is None:
            zeros = cudnn_rnn_ops.zero_state(
                self._layout, array_ops.shape(inputs)[1], inputs.dtype
            )
            initial_state = (zeros,) * count
        if not isinstance(initial_state, (tuple, list)) or len(initial_state) != count:
            raise ValueError(f"initial_state must be a tuple of {count} tensors, got {initial_state!r}")  # fmt: skip # noqa: E501
        h, c = (*initial_state, None)[:2]
        outputs, last_h, last_c = network.run(
            self._layout, inputs, h, c, *self._layout.split(self.kernel),
            self._dropout if training else 0.0, self._seed,
        )  # fmt: skip
        return outputs, (last_h,) if last_c is None else (last_h, last_c)

    def state_shape(self, batch_size: int) -> tuple[list[int], ...]:
        """The shapes of states of batches of that size."""
        layout = self._layout
        shape = [layout.num_layers * layout.num_dirs, batch_size, layout.num_units]
        return (shape, shape) if self._mode == network.LSTM else (shape,)


class CudnnLSTM(_CudnnRNN):
    __doc__ = (_CudnnRNN.__doc__ or "").replace("A network", "An LSTM", 1)
    _mode, _older = network.LSTM, cudnn_rnn_ops.CudnnLSTM


class CudnnGRU(_CudnnRNN):
    __doc__ = (_CudnnRNN.__doc__ or "").replace("A network", "A GRU", 1)
    _mode, _older = network.GRU, cudnn_rnn_ops.CudnnGRU


class CudnnRNNTanh(_CudnnRNN):
    __doc__ = (_CudnnRNN.__doc__ or "").replace("network", "network with tanh", 1)
    _mode, _older = network.TANH, cudnn_rnn_ops.CudnnRNNTanh


class CudnnRNNRelu(_CudnnRNN):
    __doc__ = (_CudnnRNN.__doc__ or "").replace("network", "network with relu", 1)
    _mode, _older = network.RELU, cudnn_rnn_ops.CudnnRNNRelu
