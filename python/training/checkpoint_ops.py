# SPDX-License-Identifier: Apache-2.0
"""Matrices of checkpoints under another vocabulary, by TensorFlow's names: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.checkpoint_ops import (
    load_and_remap_matrix as _load_and_remap_matrix,
    load_and_remap_matrix_initializer as _load_and_remap_matrix_initializer,
    load_embedding_initializer as _load_embedding_initializer,
)
