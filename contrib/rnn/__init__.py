# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.rnn`: cells of recurrent networks, and functions that run them over sequences."""

from tensorwright.contrib.rnn.python.ops.core_rnn import (
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
)
from tensorwright.contrib.rnn.python.ops.core_rnn_cell import (
    BasicLSTMCell,
    BasicRNNCell,
    DeviceWrapper,
    DropoutWrapper,
    EmbeddingWrapper,
    GRUCell,
    InputProjectionWrapper,
    LSTMCell,
    LSTMStateTuple,
    MultiRNNCell,
    OutputProjectionWrapper,
    ResidualWrapper,
    RNNCell,
)
from tensorwright.contrib.rnn.python.ops.fused_rnn_cell import (
    FusedRNNCell,
    FusedRNNCellAdaptor,
    TimeReversedFusedRNN,
)
from tensorwright.contrib.rnn.python.ops.gru_ops import GRUBlockCell, GRUBlockCellV2
from tensorwright.contrib.rnn.python.ops.lstm_ops import (
    LSTMBlockCell,
    LSTMBlockFusedCell,
    LSTMBlockWrapper,
)
from tensorwright.contrib.rnn.python.ops.rnn import (
    stack_bidirectional_dynamic_rnn,
    stack_bidirectional_rnn,
)
from tensorwright.contrib.rnn.python.ops.rnn_cell import (
    AttentionCellWrapper,
    BidirectionalGridLSTMCell,
    CompiledWrapper,
    Conv1DLSTMCell,
    Conv2DLSTMCell,
    Conv3DLSTMCell,
    ConvLSTMCell,
    CoupledInputForgetGateLSTMCell,
    GLSTMCell,
    GridLSTMCell,
    HighwayWrapper,
    IndRNNCell,
    IndyGRUCell,
    IndyLSTMCell,
    IntersectionRNNCell,
    LayerNormBasicLSTMCell,
    MinimalRNNCell,
    NASCell,
    PhasedLSTMCell,
    SRUCell,
    TimeFreqLSTMCell,
    UGRNNCell,
)
from tensorwright.python.ops.rnn_cell_impl import LayerRNNCell
