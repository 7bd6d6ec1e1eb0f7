# SPDX-License-Identifier: Apache-2.0
"""tf.manip: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.array_ops import (
    batch_to_space_nd as batch_to_space_nd,
    gather_nd as gather_nd,
    reshape as reshape,
    reverse as reverse,
    roll as roll,
    scatter_nd as scatter_nd,
    space_to_batch_nd as space_to_batch_nd,
    tile as tile,
)
