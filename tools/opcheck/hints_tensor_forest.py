# SPDX-License-Identifier: Apache-2.0
"""Valid calls of forests' ops; see draws.hint.  Graphs around them are in scenarios_tensor_forest.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.core.protobuf import decision_trees_pb2, tensor_forest_pb2
from tensorwright.tools.opcheck import (
    allowed,
    scenarios_tensor_forest as scenarios,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Drawer, hint
from tensorwright.tools.opcheck.scenarios import _plain


def _handle(d: Drawer, i: int = 0) -> np.ndarray:
    """Stands for a handle, which the graph around the op makes."""
    return _plain([], d.types_of(i))


def _bytes(value: bytes) -> np.ndarray:
    return np.array(value, object)


def _attrs(d: Drawer) -> None:
    params = tensor_forest_pb2.TensorForestParams.FromString(scenarios.PARAMS)
    params.inference_tree_paths = bool(d.int(0, 1))
    params.initialize_average_splits = bool(d.int(0, 1))
    if "params" in d.attrs:
        d.attrs["params"] = params.SerializeToString()
    if "input_spec" in d.attrs:
        d.attrs["input_spec"] = b""
    if "random_seed" in d.attrs:
        d.attrs["random_seed"] = d.int(1, 99)


def _examples(d: Drawer) -> list[np.ndarray]:
    """A matrix, or a sparse one."""
    rows = 30_000 if d.large else d.dim()
    if d.large or d.int(0, 1):
        none = np.zeros([0], np.int64)
        data = d.values(sig.FLOAT, [rows, scenarios.FEATURES])
        return [data, none, np.zeros([0], np.float32), none]
    places = np.argwhere(d.rng.uniform(size=[rows, scenarios.FEATURES]) < 0.5)
    return [
        np.zeros([0], np.float32),
        places.astype(np.int64),
        d.values(sig.FLOAT, [len(places)]),
        np.array([rows, scenarios.FEATURES], np.int64),
    ]


def _rows(examples: list[np.ndarray]) -> int:
    data, _, _, shape = examples
    return int(shape[0]) if len(shape) else len(data)


def _labels(d: Drawer, rows: int) -> list[np.ndarray]:
    weights = d.values(sig.FLOAT, [rows if d.int(0, 1) else 0], "unit")
    classes = d.ints(sig.INT32, [rows], 0, scenarios.CLASSES - 1)
    return [classes.astype(np.float32), np.abs(weights)]


def _leaves(d: Drawer, rows: int) -> np.ndarray:
    return d.ints(sig.INT32, [rows], 1, 2)


@hint("DecisionTreeResourceHandleOp", "FertileStatsResourceHandleOp")
def _no_input(d: Drawer) -> list[np.ndarray]:
    del d
    return []


@hint(
    "FertileStatsIsInitializedOp",
    "FertileStatsSerialize",
    "FeatureUsageCounts",
    "TreeAverageImpurity",
    "TreeIsInitializedOp",
    "TreeSerialize",
    "TreeSize",
)
def _of_handle(d: Drawer) -> list[np.ndarray]:
    _attrs(d)
    return [_handle(d)]


@hint("CreateTreeVariable", "TreeDeserialize")
def _tree(d: Drawer) -> list[np.ndarray]:
    _attrs(d)
    model = decision_trees_pb2.Model.FromString(scenarios.TREE)
    value = model.decision_tree.nodes[1].leaf.vector.value[0]
    value.float_value = d.int(0, 99)
    return [_handle(d), _bytes(model.SerializeToString())]


@hint("CreateFertileStatsVariable", "FertileStatsDeserialize")
def _stats(d: Drawer) -> list[np.ndarray]:
    _attrs(d)
    return [_handle(d), _bytes(d.pick([b"", scenarios.STATS]))]


@hint("TreePredictionsV4", "TraverseTreeV4")
def _walk(d: Drawer) -> list[np.ndarray]:
    _attrs(d)
    return [_handle(d), *_examples(d)]


@hint("UpdateModelV4")
def _update(d: Drawer) -> list[np.ndarray]:
    _attrs(d)
    rows = 30_000 if d.large else d.dim()
    return [_handle(d), _leaves(d, rows), *_labels(d, rows)]


@hint("ProcessInputV4")
def _process(d: Drawer) -> list[np.ndarray]:
    _attrs(d)
    examples: list[Any] = _examples(d)
    rows = _rows(examples)
    labels = _labels(d, rows)
    return [_handle(d), _handle(d, 1), *examples, *labels, _leaves(d, rows)]


@hint("GrowTreeV4")
def _grow(d: Drawer) -> list[np.ndarray]:
    _attrs(d)
    leaves = 30_000 if d.large else d.dim()
    return [_handle(d), _handle(d, 1), _leaves(d, leaves)]


@hint("FinalizeTree")
def _finalize(d: Drawer) -> list[np.ndarray]:
    _attrs(d)
    return [_handle(d), _handle(d, 1)]


allowed.allow(
    allowed.THREADS,
    [
        "CreateFertileStatsVariable",
        "CreateTreeVariable",
        "DecisionTreeResourceHandleOp",
        "FeatureUsageCounts",
        "FertileStatsDeserialize",
        "FertileStatsIsInitializedOp",
        "FertileStatsResourceHandleOp",
        "FertileStatsSerialize",
        "FinalizeTree",
        "TreeAverageImpurity",
        "TreeDeserialize",
        "TreeIsInitializedOp",
        "TreeSerialize",
        "TreeSize",
    ],
    "a handle, a serialized tree or one number: one thread's work",
)
