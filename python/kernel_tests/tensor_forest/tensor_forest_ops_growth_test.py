# SPDX-License-Identifier: Apache-2.0
"""Statistics of leaves and growth by them: ProcessInputV4, GrowTreeV4, FinalizeTree, FertileStatsSerialize and others."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import decision_trees_pb2 as trees, tensor_forest_pb2
from tensorwright.python.ops import gen_tensor_forest_ops as forest_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

NO_INDICES = np.zeros([0], np.int64)


def constant(value):
    return tensor_forest_pb2.DepthDependentParam(constant_value=value)


def parameters(splits=5, after=50, outputs=3, **others):
    """A TensorForestParams, serialized."""
    proto = tensor_forest_pb2.TensorForestParams(
        num_outputs=outputs,
        num_features=4,
        checkpoint_stats=True,
        num_splits_to_consider=constant(splits),
        split_after_samples=constant(after),
        dominate_fraction=constant(0.9),
    )
    proto.max_nodes = 100
    for name, value in others.items():
        if isinstance(value, dict):
            getattr(proto, name).MergeFrom(type(getattr(proto, name))(**value))
        else:
            setattr(proto, name, value)
    if proto.is_regression:
        proto.leaf_type = tensor_forest_pb2.MODEL_REGRESSION
        proto.stats_type = tensor_forest_pb2.STATS_LEAST_SQUARES_REGRESSION
    return proto.SerializeToString()


class Tree:
    """A tree with its statistics in a session, fed with batches."""

    def __init__(self, params, seed=7, spec="", name="t", features=4):
        self.params = params
        common = {"params": params}
        self.tree = forest_ops.decision_tree_resource_handle_op(shared_name=name)
        self.stats = forest_ops.fertile_stats_resource_handle_op(
            shared_name=f"{name}_stats"
        )
        self.data = tf.placeholder(tf.float32, [None, features])
        self.labels = tf.placeholder(tf.float32)
        self.weights = tf.placeholder_with_default(np.zeros([0], np.float32), [None])
        examples = (self.data, NO_INDICES, [], NO_INDICES)
        self.leaves = forest_ops.traverse_tree_v4(
            self.tree, *examples, input_spec=spec, **common
        )
        self.finished = forest_ops.process_input_v4(
            self.tree, self.stats, *examples, self.labels, self.weights, self.leaves,
            random_seed=seed, input_spec=spec, **common,
        )  # fmt: skip
        self.grow = forest_ops.grow_tree_v4(
            self.tree, self.stats, self.finished, **common
        )
        self.predictions, _ = forest_ops.tree_predictions_v4(
            self.tree, *examples, input_spec=spec, **common
        )
        self.size = forest_ops.tree_size(self.tree)
        self.saved = [
            forest_ops.tree_serialize(self.tree),
            forest_ops.fertile_stats_serialize(self.stats, **common),
        ]
        begun = forest_ops.create_fertile_stats_variable(self.stats, "", **common)
        made = forest_ops.create_tree_variable(self.tree, "", **common)
        self.session = tf.Session()
        self.session.run([made, begun])

    def feed(self, data, labels, weights=None):
        fed = {self.data: data, self.labels: labels}
        if weights is not None:
            fed[self.weights] = weights
        return fed

    def process(self, data, labels, weights=None):
        """Adds a batch; returns the leaves that are finished."""
        return self.session.run(self.finished, self.feed(data, labels, weights))

    def train(self, data, labels, weights=None):
        """Adds a batch, and splits the leaves that are finished."""
        self.session.run(self.grow, self.feed(data, labels, weights))

    def nodes(self):
        model = trees.Model.FromString(self.session.run(self.saved[0]))
        return model.decision_tree.nodes

    def slot(self):
        """The statistics of the only leaf that has some."""
        (slot,) = self.slots()
        return slot

    def slots(self):
        saved = self.session.run(self.saved[1])
        return tensor_forest_pb2.FertileStats.FromString(saved).slots


def problem(n, seed=0):
    """Three classes that feature 2 tells apart at -0.3 and 0.4, and noise."""
    rng = np.random.RandomState(seed)
    data = rng.uniform(-1, 1, [n, 4]).astype(np.float32)
    labels = np.digitize(data[:, 2], [-0.3, 0.4]).astype(np.float32)
    return data, labels


def split_of(candidate):
    test = candidate.split.inequality_left_child_test
    return int(test.feature_id.id.value), np.float32(test.threshold.float_value)


def weights_of_classes(labels, weights, where):
    return [weights[where & (labels == c)].sum() for c in range(3)]


def gini(counts):
    counts = np.asarray(counts)
    return 0 if counts.sum() == 0 else counts.sum() - (counts**2).sum() / counts.sum()


def test_statistics_are_the_weights_of_classes_on_the_left():
    tree = Tree(parameters(splits=6))
    data, labels = problem(40)
    weights = np.random.RandomState(3).randint(1, 5, 40) / 2.0
    tree.process(data, labels, weights)
    slot = tree.slot()
    drawn = slot.proposals
    everything = np.ones(40, bool)
    classes = weights_of_classes(labels, weights, everything)
    np.testing.assert_allclose(slot.leaf_stats.sums, [weights.sum(), *classes])
    counted = np.arange(40) >= drawn
    classes = weights_of_classes(labels, weights, counted)
    expected = [weights[counted].sum(), *classes]
    np.testing.assert_allclose(slot.post_init_leaf_stats.sums, expected)
    assert len(slot.candidates) == 6
    for candidate in slot.candidates:
        feature, threshold = split_of(candidate)
        assert threshold in data[:drawn, feature]
        left = counted & (data[:, feature] <= threshold)
        classes = weights_of_classes(labels, weights, left)
        expected = [weights[left].sum(), *classes]
        np.testing.assert_allclose(candidate.left_stats.sums, expected)


def test_statistics_of_a_regression_are_sums_and_sums_of_squares():
    tree = Tree(parameters(outputs=2, is_regression=True, splits=3, after=100))
    data, _ = problem(30)
    labels = np.stack([data[:, 0], 3 * data[:, 1] + 1], 1)
    tree.process(data, labels)
    slot = tree.slot()

    def sums(where):
        rows = labels[where].astype(np.float64)
        parts = [[rows[:, i].sum(), (rows[:, i] ** 2).sum()] for i in range(2)]
        return [len(rows), *np.ravel(parts)]

    np.testing.assert_allclose(slot.leaf_stats.sums, sums(np.ones(30, bool)))
    counted = np.arange(30) >= slot.proposals
    for candidate in slot.candidates:
        feature, threshold = split_of(candidate)
        left = counted & (data[:, feature] <= threshold)
        np.testing.assert_allclose(candidate.left_stats.sums, sums(left))


def test_examples_of_weight_0_change_nothing():
    tree = Tree(parameters())
    data, labels = problem(20)
    tree.process(data, labels, np.zeros(20, np.float32))
    assert tree.slot().leaf_stats.sums[0] == 0
    assert tree.slot().proposals == 0


def test_a_leaf_is_finished_after_so_many_samples():
    tree = Tree(parameters(after=50))
    data, labels = problem(60)
    assert tree.process(data[:49], labels[:49]).size == 0
    assert tree.process(data[49:], labels[49:]).tolist() == [0]


def test_weights_count_as_samples():
    tree = Tree(parameters(after=50))
    data, labels = problem(60)
    assert tree.process(data[:20], labels[:20], np.full(20, 3.0)).tolist() == [0]


def test_a_leaf_of_one_class_is_not_finished():
    tree = Tree(parameters(after=20))
    data, labels = problem(200)
    assert tree.process(data, np.ones(200)).size == 0
    assert tree.process(data, labels).tolist() == [0]


def test_a_leaf_of_one_number_is_not_finished():
    tree = Tree(parameters(after=20, outputs=1, is_regression=True))
    data, _ = problem(100)
    assert tree.process(data, np.full(100, 0.1)).size == 0


def test_the_candidate_of_least_impurity_splits_the_leaf():
    tree = Tree(parameters(splits=8, after=80))
    data, labels = problem(120)
    assert tree.process(data, labels).tolist() == [0]
    slot = tree.slot()
    every = np.array(slot.post_init_leaf_stats.sums[1:])
    scores = []
    for candidate in slot.candidates:
        left = np.array(candidate.left_stats.sums[1:])
        scores.append(gini(left) + gini(every - left))
    best = slot.candidates[int(np.argmin(scores))]
    more = problem(1, seed=1)
    tree.train(*more)
    root, left, right = tree.nodes()
    test = root.binary_node.inequality_left_child_test
    assert (test.feature_id.id.value, np.float32(test.threshold.float_value)) == (
        str(split_of(best)[0]),
        split_of(best)[1],
    )
    found = [np.array([v.float_value for v in n.leaf.vector.value]) for n in (left, right)]  # fmt: skip # noqa: E501
    total = sum(found)
    one = np.eye(3)[int(more[1][0])]
    np.testing.assert_allclose(total, every + one)
    assert [n.depth.value for n in (root, left, right)] == [0, 1, 1]
    assert not tree.slots()


def test_a_tree_has_no_more_nodes_than_it_may():
    tree = Tree(parameters(splits=4, after=20, max_nodes=8))
    for seed in range(30):
        tree.train(*problem(100, seed))
    assert tree.session.run(tree.size) == 7
    # Leaves that cannot be split keep no candidates.
    assert all(not slot.candidates for slot in tree.slots())


def test_a_tree_learns_classes():
    tree = Tree(parameters(splits=10, after=50))
    for seed in range(40):
        tree.train(*problem(100, seed))
    data, labels = problem(500, 99)
    found = tree.session.run(tree.predictions, {tree.data: data})
    assert np.mean(found.argmax(1) == labels) > 0.93


def test_equal_seeds_grow_equal_trees_and_others_others():
    grown = [
        Tree(parameters(), seed=seed, name=f"t{i}") for i, seed in enumerate([5, 5, 6])
    ]
    for seed in range(10):
        for tree in grown:
            tree.train(*problem(100, seed))
    first, again, other = [t.session.run(t.saved[0]) for t in grown]
    assert first == again
    assert first != other


def test_a_seed_of_0_is_another_one_for_each_kernel():
    grown = [Tree(parameters(), seed=0, name=f"t{i}") for i in range(2)]
    for seed in range(10):
        for tree in grown:
            tree.train(*problem(100, seed))
    one, other = [t.session.run(t.saved[0]) for t in grown]
    assert one != other


def test_saved_statistics_go_on_as_those_that_were_saved():
    params = parameters(initialize_average_splits=True)
    tree, other = Tree(params, name="a"), Tree(params, name="b")
    for seed in range(7):
        tree.train(*problem(43, seed))
    model, stats = tree.session.run(tree.saved)
    other.session.run(
        [
            forest_ops.tree_deserialize(other.tree, model, params=params),
            forest_ops.fertile_stats_deserialize(other.stats, stats, params=params),
        ]
    )
    for seed in range(7, 14):
        tree.train(*problem(43, seed))
        other.train(*problem(43, seed))
    assert tree.session.run(tree.saved) == other.session.run(other.saved)
    assert tree.session.run(tree.size) > len(trees.Model.FromString(model).decision_tree.nodes)  # fmt: skip # noqa: E501


def test_statistics_are_saved_only_where_they_shall_be():
    tree = Tree(parameters(checkpoint_stats=False))
    tree.train(*problem(20))
    assert tree.session.run(tree.saved[1]) == b""


def test_statistics_are_there_once_they_were_made():
    stats = forest_ops.fertile_stats_resource_handle_op()
    is_there = forest_ops.fertile_stats_is_initialized_op(stats)
    made = forest_ops.create_fertile_stats_variable(stats, "", params=parameters())
    with tf.Session() as session:
        assert not session.run(is_there)
        session.run(made)
        assert session.run(is_there)


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


def test_final_leaves_say_what_their_statistics_do():
    params = parameters(after=60)
    tree = Tree(params)
    tree.train(*problem(80))
    assert tree.session.run(tree.size) == 3
    data, labels = problem(30, 1)
    leaves = tree.session.run(tree.leaves, {tree.data: data})
    tree.process(data, labels)
    tree.session.run(forest_ops.finalize_tree(tree.tree, tree.stats, params=params))
    for node in (1, 2):
        values = [v.float_value for v in tree.nodes()[node].leaf.vector.value]
        expected = np.bincount(labels[leaves == node].astype(int), minlength=3)
        np.testing.assert_array_equal(values, expected)


def test_a_candidate_of_a_leaf_that_divides_nothing_is_given_up():
    tree = Tree(parameters(splits=1, after=10))
    data = np.zeros([50, 4], np.float32)
    tree.train(data, np.arange(50) % 3)
    assert tree.session.run(tree.size) == 1
    slot = tree.slot()
    assert slot.generation == 1
    assert not slot.candidates


def test_statistics_that_are_none_are_refused():
    tree = Tree(parameters())
    stats = tensor_forest_pb2.FertileStats()
    stats.slots.add().leaf_stats.sums.extend([1, 2])
    for config, words in [
        (b"\xff", "stats_config is no serialized FertileStats"),
        (stats.SerializeToString(), "must have 4 sums, got 2"),
    ]:
        read = forest_ops.fertile_stats_deserialize(
            tree.stats, config, params=tree.params
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            tree.session.run(read)


def test_statistics_of_another_problem_are_refused():
    tree = Tree(parameters())
    tree.process(*problem(5))
    params = parameters(outputs=2)
    other = forest_ops.decision_tree_resource_handle_op(shared_name="other")
    made = forest_ops.create_tree_variable(other, "", params=params)
    tree.session.run(made)
    final = forest_ops.finalize_tree(other, tree.stats, params=params)
    with pytest.raises(tf.errors.InvalidArgumentError, match="other num_outputs"):
        tree.session.run(final)


def test_another_number_of_leaves_than_of_examples_is_refused():
    params = parameters()
    tree = Tree(params)
    sparse = ([[0, 1]], [1.0], [2, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="leaf_ids has 1 elements for 2"):  # fmt: skip # noqa: E501
        tree.session.run(
            forest_ops.process_input_v4(
                tree.tree,
                tree.stats,
                [],
                *sparse,
                [1.0],
                [],
                [0],
                random_seed=1,
                input_spec="",
                params=params,
            )  # fmt: skip
        )


def test_sparse_examples_draw_features_that_they_have():
    params = parameters(splits=4, after=20)
    tree = Tree(params)
    indices = [[i, 3 * (i % 2)] for i in range(30)]
    values = [1.0 + i for i in range(30)]
    finished = forest_ops.process_input_v4(
        tree.tree, tree.stats, [], indices, values, [30, 4],
        np.arange(30) % 2 * 1.0, [], np.zeros(30, np.int32),
        random_seed=1, input_spec="", params=params,
    )  # fmt: skip
    assert tree.session.run(finished).tolist() == [0]
    assert {split_of(c)[0] for c in tree.slot().candidates} <= {0, 3}
