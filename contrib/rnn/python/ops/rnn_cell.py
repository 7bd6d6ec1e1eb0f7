# SPDX-License-Identifier: Apache-2.0
"""Contrib's cells: re-exports, no code."""

from tensorwright.contrib.rnn.python.ops._rnn_cell_conv import (
    Conv1DLSTMCell as Conv1DLSTMCell,
    Conv2DLSTMCell as Conv2DLSTMCell,
    Conv3DLSTMCell as Conv3DLSTMCell,
    ConvLSTMCell as ConvLSTMCell,
)
from tensorwright.contrib.rnn.python.ops._rnn_cell_gated import (
    IntersectionRNNCell as IntersectionRNNCell,
    UGRNNCell as UGRNNCell,
)
from tensorwright.contrib.rnn.python.ops._rnn_cell_grid import (
    BidirectionalGridLSTMCell as BidirectionalGridLSTMCell,
    GridLSTMCell as GridLSTMCell,
    TimeFreqLSTMCell as TimeFreqLSTMCell,
)
from tensorwright.contrib.rnn.python.ops._rnn_cell_light import (
    IndRNNCell as IndRNNCell,
    IndyGRUCell as IndyGRUCell,
    IndyLSTMCell as IndyLSTMCell,
    MinimalRNNCell as MinimalRNNCell,
    SRUCell as SRUCell,
)
from tensorwright.contrib.rnn.python.ops._rnn_cell_lstm import (
    CoupledInputForgetGateLSTMCell as CoupledInputForgetGateLSTMCell,
    GLSTMCell as GLSTMCell,
    LayerNormBasicLSTMCell as LayerNormBasicLSTMCell,
)
from tensorwright.contrib.rnn.python.ops._rnn_cell_search import (
    NASCell as NASCell,
    PhasedLSTMCell as PhasedLSTMCell,
)
from tensorwright.contrib.rnn.python.ops._rnn_cell_wrappers import (
    AttentionCellWrapper as AttentionCellWrapper,
    CompiledWrapper as CompiledWrapper,
    HighwayWrapper as HighwayWrapper,
)
