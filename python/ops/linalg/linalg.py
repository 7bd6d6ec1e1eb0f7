# SPDX-License-Identifier: Apache-2.0
"""tf.linalg by its module's name: re-exports, no code."""

# ruff: noqa: F403
from tensorwright.python.ops._namespaces.linalg_ns import *
