# SPDX-License-Identifier: Apache-2.0
"""Estimators of random forests, and metrics for them.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.tensor_forest.client import eval_metrics, random_forest
