# SPDX-License-Identifier: Apache-2.0
"""The cells of recurrent networks: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._rnn.rnn_cell_base import (
    LayerRNNCell,
    RNNCell,
    _zero_state_tensors,
    assert_like_rnncell,
)
from tensorwright.python.ops._rnn.rnn_cell_basic import BasicRNNCell, GRUCell
from tensorwright.python.ops._rnn.rnn_cell_lstm import (
    BasicLSTMCell,
    LSTMCell,
    LSTMStateTuple,
)
from tensorwright.python.ops._rnn.rnn_cell_wrappers import (
    DeviceWrapper,
    DropoutWrapper,
    MultiRNNCell,
    ResidualWrapper,
)
