# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks over lists of steps: re-exports, no code."""

from tensorwright.python.ops.rnn import (
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
    static_state_saving_rnn as static_state_saving_rnn,
)
