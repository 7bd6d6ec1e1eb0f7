# SPDX-License-Identifier: Apache-2.0
"""How ProcessInputV4 draws and prunes candidates, and when a leaf is finished."""

import numpy as np
import pytest

from tensorwright.core.protobuf import decision_trees_pb2 as trees, tensor_forest_pb2
from tensorwright.python.kernel_tests.tensor_forest.growing_tree import (
    Tree,
    constant,
    gini,
    parameters,
    problem,
    split_of,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_thresholds_lie_between_two_examples():
    tree = Tree(parameters(splits=5, initialize_average_splits=True))
    data, labels = problem(30)
    tree.process(data, labels)
    slot = tree.slot()
    assert slot.candidates
    for candidate in slot.candidates:
        feature, threshold = split_of(candidate)
        column = data[:, feature]
        averages = np.float32(column[:-1] / 2) + np.float32(column[1:] / 2)
        assert threshold in averages


@pytest.mark.parametrize("kind", ["LESS_OR_EQUAL", "LESS_THAN"])
def test_candidates_are_of_the_kind_that_was_asked_for(kind):
    kind = trees.InequalityTest.Type.Value(kind)
    tree = Tree(parameters(inequality_test_type=kind))
    tree.process(*problem(20))
    kinds = {c.split.inequality_left_child_test.type for c in tree.slot().candidates}
    assert kinds == {kind}


def test_a_category_is_tested_for_equality():
    spec = "dense_features_size: 2 dense: [name: a original_type: 0 size: 1 name: b original_type: 1 size: 1] sparse: []"  # noqa: E501
    tree = Tree(parameters(splits=20, after=60), spec=spec, features=2)
    rng = np.random.RandomState(0)
    for _ in range(10):
        data = np.stack([rng.uniform(size=80), rng.randint(0, 3, 80)], 1)
        tree.train(data, np.array([0, 2, 0])[data[:, 1].astype(int)])
    root = tree.nodes()[0].binary_node
    assert root.WhichOneof("left_child_test") == "custom_left_child_test"
    test = trees.MatchingValuesTest.FromString(root.custom_left_child_test.value)
    assert test.feature_id.id.value == "1"
    found = tree.session.run(tree.predictions, {tree.data: [[0.5, 1], [0.5, 2]]})
    assert found.argmax(1).tolist() == [2, 0]


@pytest.mark.parametrize(
    "kind, left", [("HALF", 10), ("QUARTER", 15), ("10_PERCENT", 18)]
)
def test_the_worst_candidates_are_pruned(kind, left):
    kind = tensor_forest_pb2.SplitPruningStrategyType.Value(f"SPLIT_PRUNE_{kind}")
    pruning = {"type": kind, "prune_every_samples": constant(100)}
    kept = Tree(parameters(splits=20, after=500), name="kept")
    pruned = Tree(parameters(splits=20, after=500, pruning_type=pruning), name="less")
    data, labels = problem(125)
    for tree in (kept, pruned):
        tree.process(data, labels)
    every = np.array(kept.slot().post_init_leaf_stats.sums[1:])
    assert len(pruned.slot().candidates) == left

    # The example at which they were pruned was counted; what came later was too.
    def scores(tree):
        found = {}
        for candidate in tree.slot().candidates:
            sums = np.array(candidate.left_stats.sums[1:])
            found[split_of(candidate)] = gini(sums) + gini(every - sums)
        return found

    all_scores, some = scores(kept), scores(pruned)
    assert set(some) < set(all_scores)
    assert min(all_scores.values()) == min(some.values())


def test_hoeffdings_bound_prunes_what_is_surely_worse():
    pruning = {
        "type": tensor_forest_pb2.SPLIT_PRUNE_HOEFFDING,
        "prune_every_samples": constant(300),
    }
    tree = Tree(parameters(splits=40, after=5000, pruning_type=pruning))
    data, labels = problem(340)
    tree.process(data[:300], labels[:300])
    before = len(tree.slot().candidates)
    tree.process(data[300:], labels[300:])
    slot = tree.slot()
    assert 0 < len(slot.candidates) < before
    assert {split_of(c)[0] for c in slot.candidates} == {2}


@pytest.mark.parametrize("kind", ["HOEFFDING", "BOOTSTRAP"])
def test_a_leaf_is_finished_sooner_where_a_candidate_dominates(kind):
    kind = f"SPLIT_FINISH_DOMINATE_{kind}"
    kind = tensor_forest_pb2.SplitFinishStrategyType.Value(kind)
    finish = {"type": kind, "check_every_steps": constant(100)}
    params = parameters(splits=4, after=100000, outputs=2, finish_type=finish)
    data, _ = problem(3000)
    # The first three features are noise.
    data[:, :2] = np.round(data[:, :2])
    labels = (data[:, 2] > 0).astype(np.float32)
    seen = 0
    tree = Tree(params, seed=3)
    while seen < 3000 and not tree.process(*[v[seen : seen + 50] for v in (data, labels)]).size:  # fmt: skip # noqa: E501
        seen += 50
    assert 100 <= seen < 3000
    noise = Tree(params, seed=3, name="noise")
    labels = np.random.RandomState(0).randint(0, 2, 3000)
    assert noise.process(data[:400], labels[:400]).size == 0


def test_parameters_may_depend_on_the_depth():
    linear = {"linear": {"slope": 100, "y_intercept": 30, "max_val": 1000}}
    proto = tensor_forest_pb2.TensorForestParams.FromString(parameters(splits=4))
    proto.split_after_samples.CopyFrom(tensor_forest_pb2.DepthDependentParam(**linear))
    tree = Tree(proto.SerializeToString())
    tree.train(*problem(40))
    assert tree.session.run(tree.size) == 3
    tree.train(*problem(80, 1))
    assert tree.session.run(tree.size) == 3
    tree.train(*problem(400, 2))
    assert tree.session.run(tree.size) > 3
