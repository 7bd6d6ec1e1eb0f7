# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops import rnn_cell_impl
from tensorwright.python.ops._rnn.rnn_cell_base import _like_rnncell
from tensorwright.python.ops._rnn.rnn_dynamic import (
    _dynamic_rnn_loop,
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
    dynamic_rnn as dynamic_rnn,
)
from tensorwright.python.ops._rnn.rnn_raw import raw_rnn as raw_rnn
from tensorwright.python.ops._rnn.rnn_static import (
    _reverse_seq,
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
    static_state_saving_rnn as static_state_saving_rnn,
)
from tensorwright.python.ops._rnn.rnn_steps import (
    _best_effort_input_batch_size,
    _infer_state_dtype,
    _transpose_batch_time,
)
