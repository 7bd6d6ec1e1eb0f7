# SPDX-License-Identifier: Apache-2.0
"""Losses: re-exports, no code."""

# ruff: noqa: F401, F403
from tensorwright.contrib.losses.python import metric_learning
from tensorwright.contrib.losses.python.losses.loss_ops import *
