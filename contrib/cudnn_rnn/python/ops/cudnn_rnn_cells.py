# SPDX-License-Identifier: Apache-2.0
"""Cells with cuDNN's arithmetic, whose checkpoints the layers of this package read and write."""

from __future__ import annotations

from tensorwright.contrib.rnn.python.ops.lstm_ops import LSTMBlockCell
from tensorwright.python.framework.type_aliases import (
    InitializerLike,
    ScopeLike,
    ShapeLike,
    TensorTree,
)
from tensorwright.python.layers import base
from tensorwright.python.ops import array_ops, init_ops, math_ops
from tensorwright.python.ops._rnn.rnn_cell_base import LayerRNNCell
from tensorwright.python.ops._rnn.rnn_cell_basic import affine, input_size

__all__ = ["CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell"]


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """An LSTM cell without an added forget bias, peepholes or clipping.

    Args:
        num_units: size of c and h.
        reuse: has no effect; the variable scope decides.
    """

    def __init__(self, num_units: int, reuse: bool | None = None):
        del reuse
        super().__init__(num_units, forget_bias=0.0, clip_cell=False)

    def __call__(self, x: TensorTree, states_prev: TensorTree, scope: ScopeLike | None = None) -> tuple:  # fmt: skip # noqa: E501
        """(h, next state); `scope` is "cudnn_compatible_lstm_cell" if absent."""
        return super().__call__(x, states_prev, scope or "cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(LayerRNNCell):
    """A GRU cell whose reset gate multiplies the product of state and matrix: c = tanh(W x + bW + r (R h + bR)).

    Args:
        num_units: the size of output and state.
        reuse: whether to find the variables, not make them.
        kernel_initializer: the initializer of all kernels; by default the scope's.
    """

    def __init__(
        self,
        num_units: int,
        reuse: bool | None = None,
        kernel_initializer: InitializerLike | None = None,
    ):
        super().__init__(_reuse=reuse)
        self.input_spec = base.InputSpec(ndim=2)
        self._num_units = num_units
        self._kernel_initializer = kernel_initializer

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def _pair(self, name: str, rows: int, columns: int, bias: float) -> tuple:
        kernel = self.add_variable(
            f"{name}/kernel",
            shape=[rows, columns],
            initializer=self._kernel_initializer,
        )
        start = init_ops.constant_initializer(bias, dtype=self.dtype)
        return kernel, self.add_variable(f"{name}/bias", shape=[columns], initializer=start)  # fmt: skip # noqa: E501

    def build(self, inputs_shape: ShapeLike) -> None:
        n, size = self._num_units, input_size(inputs_shape)
        self._gates = self._pair("gates", size + n, 2 * n, 1.0)
        self._of_input = self._pair("candidate/input_projection", size, n, 0.0)
        self._of_state = self._pair("candidate/hidden_projection", n, n, 0.0)
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(next state, next state)."""
        gates = math_ops.sigmoid(affine([inputs, state], *self._gates))
        r, u = array_ops.split(gates, 2, 1)
        reset = r * affine([state], *self._of_state)
        candidate = math_ops.tanh(affine([inputs], *self._of_input) + reset)
        new = u * state + (1 - u) * candidate
        return new, new
