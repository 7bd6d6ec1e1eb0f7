# SPDX-License-Identifier: Apache-2.0
"""Gradients of the ops of forests: none, since a tree's predictions are constant between its thresholds."""

from __future__ import annotations

from tensorwright.python.framework import ops

for _name in (
    "CreateFertileStatsVariable",
    "CreateTreeVariable",
    "DecisionTreeResourceHandleOp",
    "FeatureUsageCounts",
    "FertileStatsDeserialize",
    "FertileStatsIsInitializedOp",
    "FertileStatsResourceHandleOp",
    "FertileStatsSerialize",
    "FinalizeTree",
    "GrowTreeV4",
    "ProcessInputV4",
    "ReinterpretStringToFloat",
    "TraverseTreeV4",
    "TreeAverageImpurity",
    "TreeDeserialize",
    "TreeIsInitializedOp",
    "TreePredictionsV4",
    "TreeSerialize",
    "TreeSize",
    "UpdateModelV4",
):
    ops.NotDifferentiable(_name)
