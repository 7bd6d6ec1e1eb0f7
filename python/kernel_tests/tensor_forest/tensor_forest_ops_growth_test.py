# SPDX-License-Identifier: Apache-2.0
"""Statistics of leaves and growth by them: ProcessInputV4, GrowTreeV4, FinalizeTree, FertileStatsSerialize and others."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import decision_trees_pb2 as trees, tensor_forest_pb2
from tensorwright.python.kernel_tests.tensor_forest.growing_tree import (
    Tree,
    gini,
    parameters,
    problem,
    split_of,
)
from tensorwright.python.ops import gen_tensor_forest_ops as forest_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def weights_of_classes(labels, weights, where):
    return [weights[where & (labels == c)].sum() for c in range(3)]


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
