# SPDX-License-Identifier: Apache-2.0
"""The messages of a forest's parameters, and of paths down its trees.

Re-exports, no code.
"""

# ruff: noqa: F401, F403
from tensorwright.core.protobuf.tensor_forest_pb2 import *
