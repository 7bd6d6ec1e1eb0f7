# SPDX-License-Identifier: Apache-2.0
"""tf.nn.rnn_cell: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.rnn_cell_impl import (
    BasicLSTMCell,
    BasicRNNCell,
    DeviceWrapper,
    DropoutWrapper,
    GRUCell,
    LSTMCell,
    LSTMStateTuple,
    MultiRNNCell,
    ResidualWrapper,
    RNNCell,
)
