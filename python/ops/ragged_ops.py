# SPDX-License-Identifier: Apache-2.0
"""Ragged tensors as their parts: splits of each ragged dimension, and values.

Row i of a ragged dimension holds what is at splits[i] to splits[i + 1] of the next one, or of the values.
"""

from __future__ import annotations

from tensorwright.python.ops.gen_ragged_ops import (
    ragged_gather as ragged_gather,
    ragged_range as ragged_range,
    ragged_tensor_to_sparse as ragged_tensor_to_sparse,
)

__all__ = ["ragged_gather", "ragged_range", "ragged_tensor_to_sparse"]
