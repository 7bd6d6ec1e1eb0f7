# SPDX-License-Identifier: Apache-2.0
"""Streaming metrics: re-exports, no code."""

# ruff: noqa: F403
from tensorwright.contrib.metrics.python.ops.metric_ops_means import *
from tensorwright.contrib.metrics.python.ops.metric_ops_moments import *
