# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.summary`: summaries that ops write by themselves.

Re-exports, no code: `python/ops/summary_ops_v2.py` explains them.
"""

# ruff: noqa: F403
from tensorwright.contrib.summary.summary import *
