# SPDX-License-Identifier: Apache-2.0
"""Losses of embeddings: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.contrib.losses.python.metric_learning.metric_loss_ops import (
    contrastive_loss,
    lifted_struct_loss,
    npairs_loss,
    triplet_semihard_loss,
)
