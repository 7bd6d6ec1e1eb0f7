# SPDX-License-Identifier: Apache-2.0
"""The test of a node for values of a category.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.core.protobuf.decision_trees_pb2 import MatchingValuesTest
