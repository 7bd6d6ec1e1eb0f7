# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.cudnn_rnn`: recurrent networks with cuDNN's arithmetic, computed by other operations.

Checkpoints of them are those of `MultiRNNCell`s of compatible cells.  Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.cudnn_rnn.python.layers.cudnn_rnn import (
    CudnnGRU,
    CudnnLSTM,
    CudnnRNNRelu,
    CudnnRNNTanh,
)
from tensorwright.contrib.cudnn_rnn.python.ops.cudnn_rnn_cells import (
    CudnnCompatibleGRUCell,
    CudnnCompatibleLSTMCell,
)
from tensorwright.contrib.cudnn_rnn.python.ops.cudnn_rnn_ops import (
    CUDNN_RNN_BIDIRECTION,
    CUDNN_RNN_UNIDIRECTION,
)
from tensorwright.contrib.cudnn_rnn.python.ops.cudnn_rnn_saveable import (
    RNNParamsSaveable,
)
