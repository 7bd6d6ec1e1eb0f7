# SPDX-License-Identifier: Apache-2.0
"""Graphs of random forests.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.tensor_forest.python import tensor_forest
