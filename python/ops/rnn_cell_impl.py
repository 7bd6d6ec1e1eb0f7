# SPDX-License-Identifier: Apache-2.0
"""The cells of recurrent networks: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._rnn.rnn_cell_base import (
    LayerRNNCell as LayerRNNCell,
    LayerRNNCell as _LayerRNNCell,
    RNNCell as RNNCell,
    _concat,
    _like_rnncell,
    _zero_state_tensors,
    assert_like_rnncell as assert_like_rnncell,
)
from tensorwright.python.ops._rnn.rnn_cell_basic import (
    BasicRNNCell as BasicRNNCell,
    GRUCell as GRUCell,
)
from tensorwright.python.ops._rnn.rnn_cell_linear import (
    BIAS as _BIAS_VARIABLE_NAME,
    KERNEL as _WEIGHTS_VARIABLE_NAME,
    Linear as _Linear,
    linear as _linear,
)
from tensorwright.python.ops._rnn.rnn_cell_lstm import (
    BasicLSTMCell as BasicLSTMCell,
    LSTMCell as LSTMCell,
    LSTMStateTuple as LSTMStateTuple,
)
from tensorwright.python.ops._rnn.rnn_cell_wrappers import (
    DeviceWrapper as DeviceWrapper,
    DropoutWrapper as DropoutWrapper,
    MultiRNNCell as MultiRNNCell,
    ResidualWrapper as ResidualWrapper,
)
