# SPDX-License-Identifier: Apache-2.0
"""Graphs around ops of forests: each run begins with the same tree and statistics, and reads them after the op."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.core.protobuf import decision_trees_pb2, tensor_forest_pb2
from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.scenarios import scenario

CLASSES = 3
FEATURES = 4


def _params() -> tensor_forest_pb2.TensorForestParams:
    constant = tensor_forest_pb2.DepthDependentParam
    return tensor_forest_pb2.TensorForestParams(
        num_outputs=CLASSES,
        num_features=FEATURES,
        max_nodes=50,
        checkpoint_stats=True,
        num_splits_to_consider=constant(constant_value=2),
        split_after_samples=constant(constant_value=3),
    )


def _split(node: decision_trees_pb2.BinaryNode, feature: int) -> None:
    node.left_child_id.value = 1
    node.right_child_id.value = 2
    test = node.inequality_left_child_test
    test.feature_id.id.value = str(feature)
    test.threshold.float_value = 0.25


def _tree() -> decision_trees_pb2.Model:
    """One test and two leaves."""
    model = decision_trees_pb2.Model()
    nodes = [model.decision_tree.nodes.add() for _ in range(3)]
    _split(nodes[0].binary_node, 1)
    for node, weights in zip(nodes[1:], [(4, 1, 0), (0, 2, 3)]):
        for weight in weights:
            node.leaf.vector.value.add(float_value=weight)
    return model


def _stats() -> tensor_forest_pb2.FertileStats:
    """Leaf 1 may be split by a candidate."""
    stats = tensor_forest_pb2.FertileStats()
    slot = stats.slots.add(node_id=1, depth=1, proposals=2)
    slot.leaf_stats.sums.extend([8, 4, 2, 2])
    slot.post_init_leaf_stats.sums.extend([6, 3, 1, 2])
    candidate = slot.candidates.add()
    _split(candidate.split, 2)
    candidate.left_stats.sums.extend([3, 3, 0, 0])
    return stats


PARAMS = _params().SerializeToString()
TREE = _tree().SerializeToString()
STATS = _stats().SerializeToString()

# The resource behind each handle.
_KINDS = {
    "tree": ("DecisionTreeResourceHandleOp", "CreateTreeVariable", "TreeDeserialize"),
    "stats": (
        "FertileStatsResourceHandleOp",
        "CreateFertileStatsVariable",
        "FertileStatsDeserialize",
    ),
}


def _begin(b: Any, kind: str, config: bytes) -> str:
    """Makes the resource, and puts into it what each run begins with."""
    _, create, read = _KINDS[kind]
    b.constant(f"{kind}_config", np.array(config, object), sig.STRING)
    inputs = [kind, f"{kind}_config"]
    b.node(create, f"{kind}_made", inputs).attr["params"].s = PARAMS
    node = b.node(read, f"{kind}_begun", [*inputs, f"^{kind}_made"])
    node.attr["params"].s = PARAMS
    return f"^{kind}_begun"


def _end(b: Any) -> list[str]:
    """Reads both resources."""
    b.node("TreeSerialize", "tree_after", ["tree", "^op"])
    after = b.node("FertileStatsSerialize", "stats_after", ["stats", "^op"])
    after.attr["params"].s = PARAMS
    return ["tree_after:0", "stats_after:0"]


@scenario(
    "FeatureUsageCounts",
    "FertileStatsDeserialize",
    "FertileStatsIsInitializedOp",
    "FertileStatsSerialize",
    "FinalizeTree",
    "GrowTreeV4",
    "ProcessInputV4",
    "TraverseTreeV4",
    "TreeAverageImpurity",
    "TreeDeserialize",
    "TreeIsInitializedOp",
    "TreePredictionsV4",
    "TreeSerialize",
    "TreeSize",
    "UpdateModelV4",
)
def _forest(b: Any, inputs: list[str]) -> list[str]:
    begun = []
    for kind, (handle, _, _) in _KINDS.items():
        b.node(handle, kind, []).attr["shared_name"].s = kind.encode()
        begun.append(_begin(b, kind, TREE if kind == "tree" else STATS))
    handles = [
        "stats" if "stats" in arg.name else "tree"
        for arg in b.sig.inputs
        if arg.type == sig.RESOURCE
    ]
    b.op([*handles, *inputs[len(handles) :], *begun])
    outputs = [f"op:{i}" for i in range(len(b.sig.outputs))]
    return [*outputs, *_end(b)]


@scenario("CreateTreeVariable", "CreateFertileStatsVariable")
def _create(b: Any, inputs: list[str]) -> list[str]:
    """Makes the resource in the first run; the other one is there."""
    ours = "stats" if "Stats" in b.sig.name else "tree"
    for kind, (handle, _, _) in _KINDS.items():
        b.node(handle, kind, []).attr["shared_name"].s = kind.encode()
    if ours == "stats":
        begun = _begin(b, "tree", TREE)
    else:
        begun = _begin(b, "stats", STATS)
    b.op([ours, *inputs[1:], begun])
    return _end(b)


@scenario("DecisionTreeResourceHandleOp", "FertileStatsResourceHandleOp")
def _maker(b: Any, inputs: list[str]) -> list[str]:
    b.op(inputs)
    b.constant("made", np.int32(0), sig.INT32, ["^op"])
    return ["made:0"]
