# SPDX-License-Identifier: Apache-2.0
"""The messages of trees: a Model, its DecisionTree, its TreeNodes.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.core.protobuf.decision_trees_pb2 import (
    Averaging,
    BinaryNode,
    DecisionTree,
    Ensemble,
    FeatureId,
    InequalityTest,
    Leaf,
    Model,
    ModelAndFeatures,
    ObliqueFeatures,
    SparseVector,
    Summation,
    TreeNode,
    Value,
    Vector,
)
