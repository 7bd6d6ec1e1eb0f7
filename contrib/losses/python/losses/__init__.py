# SPDX-License-Identifier: Apache-2.0
"""Losses: re-exports, no code."""

# ruff: noqa: F403
from tensorwright.contrib.losses.python.losses.loss_ops import *
