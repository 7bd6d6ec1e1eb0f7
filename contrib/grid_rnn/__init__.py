# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.grid_rnn`: recurrent cells along several dimensions."""

from tensorwright.contrib.grid_rnn.python.ops.grid_rnn_cell import (
    Grid1BasicLSTMCell,
    Grid1BasicRNNCell,
    Grid1LSTMCell,
    Grid2BasicLSTMCell,
    Grid2BasicRNNCell,
    Grid2GRUCell,
    Grid2LSTMCell,
    Grid3LSTMCell,
    GridRNNCell,
)
