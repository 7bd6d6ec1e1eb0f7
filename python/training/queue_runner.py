# SPDX-License-Identifier: Apache-2.0
"""tf.train.queue_runner: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.training.queue_runner_impl import (
    QueueRunner as QueueRunner,
    add_queue_runner as add_queue_runner,
    start_queue_runners as start_queue_runners,
)
