# SPDX-License-Identifier: Apache-2.0
"""tf.manip: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.array_ops import (
    batch_to_space_nd,
    gather_nd,
    reshape,
    reverse,
    roll,
    scatter_nd,
    space_to_batch_nd,
    tile,
)
