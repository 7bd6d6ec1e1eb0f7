# SPDX-License-Identifier: Apache-2.0
"""Trees and what is kept of them: CreateTreeVariable, TreePredictionsV4, TraverseTreeV4, UpdateModelV4 and others.

Refusals are in tensor_forest_ops_refusals_test.py, growth in tensor_forest_ops_growth_test.py.
"""

import numpy as np
import pytest
from google.protobuf import wrappers_pb2

import tensorwright as tf
from tensorwright.core.protobuf import decision_trees_pb2 as trees, tensor_forest_pb2
from tensorwright.python.kernel_tests.tensor_forest.hand_made_trees import (
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    MATCHING,
    REGRESSION,
    large_tree,
    parameters,
    tree_of,
    two_leaves,
    walk,
    walked,
)
from tensorwright.python.ops import gen_tensor_forest_ops as forest_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_a_tree_is_there_once_it_was_made():
    handle, made = tree_of()
    is_there = forest_ops.tree_is_initialized_op(handle)
    with tf.Session() as session:
        assert not session.run(is_there)
        session.run(made)
        assert session.run(is_there)


def test_a_tree_begins_as_a_leaf_that_knows_nothing():
    handle, made = tree_of()
    predictions, paths = walked(handle, np.zeros([2, 4], np.float32))
    with tf.Session() as session:
        session.run(made)
        assert session.run(forest_ops.tree_size(handle)) == 1
        np.testing.assert_allclose(session.run(predictions), np.full([2, 3], 1 / 3))
        assert session.run(paths).tolist() == [b"", b""]


def test_a_second_making_changes_nothing():
    handle, made = tree_of(two_leaves())
    again = forest_ops.create_tree_variable(handle, "", params=parameters())
    with tf.Session() as session:
        session.run(made)
        session.run(again)
        assert session.run(forest_ops.tree_size(handle)) == 3


def test_predictions_and_leaves_are_those_of_a_walk(rng=np.random.RandomState(0)):
    model = large_tree()
    handle, made = tree_of(model)
    data = np.round(rng.uniform(-0.5, 0.5, [500, 4]) * 8).astype(np.float32) / 8
    leaves = np.array([walk(model, row) for row in data])
    counts = np.array([[i, 1, 7 - i] for i in range(8)], np.float32)[leaves - 7]
    with tf.Session() as session:
        session.run(made)
        predictions, _ = session.run(walked(handle, data))
        np.testing.assert_allclose(predictions, counts / 8)
        found = walked(handle, data, op=forest_ops.traverse_tree_v4)
        np.testing.assert_array_equal(session.run(found), leaves)
    assert len(set(leaves)) > 5


def test_a_sparse_matrix_has_zeros_elsewhere(rng=np.random.RandomState(1)):
    model = large_tree()
    handle, made = tree_of(model)
    data = rng.uniform(-0.5, 0.5, [60, 4]) * (rng.uniform(size=[60, 4]) < 0.4)
    data = data.astype(np.float32)
    indices = np.argwhere(data)[::-1]  # In any order.
    sparse = tf.SparseTensorValue(indices, data[tuple(indices.T)], [60, 4])
    found = walked(handle, [], sparse=sparse, op=forest_ops.traverse_tree_v4)
    with tf.Session() as session:
        session.run(made)
        leaves = session.run(found)
    np.testing.assert_array_equal(leaves, [walk(model, row) for row in data])


def test_columns_of_a_sparse_matrix_come_after_those_of_the_other_one():
    handle, made = tree_of(two_leaves())
    sparse = tf.SparseTensorValue([[1, 0]], [0.75], [2, 1])
    data = np.zeros([2, 1], np.float32)
    found = walked(handle, data, sparse=sparse, op=forest_ops.traverse_tree_v4)
    with tf.Session() as session:
        session.run(made)
        assert session.run(found).tolist() == [1, 2]


@pytest.mark.parametrize("inverse", [False, True])
def test_a_test_of_a_category_is_one_for_equality(inverse):
    model = two_leaves()
    test = trees.MatchingValuesTest(inverse=inverse)
    test.feature_id.id.value = "2"
    test.value.add(int64_value=7)
    custom = model.decision_tree.nodes[0].binary_node.custom_left_child_test
    custom.type_url, custom.value = MATCHING, test.SerializeToString()
    handle, made = tree_of(model)
    data = np.array([[0, 0, 7, 0], [0, 0, 6, 0], [0, 0, np.nan, 0]], np.float32)
    found = walked(handle, data, op=forest_ops.traverse_tree_v4)
    saved = forest_ops.tree_serialize(handle)
    with tf.Session() as session:
        session.run(made)
        expected = [2, 1, 1] if inverse else [1, 2, 2]
        assert session.run(found).tolist() == expected
        again = trees.Model.FromString(session.run(saved))
    kept = again.decision_tree.nodes[0].binary_node.custom_left_child_test
    assert kept.type_url == MATCHING
    assert trees.MatchingValuesTest.FromString(kept.value).inverse == inverse


@pytest.mark.parametrize("kind", [LESS_OR_EQUAL, LESS, GREATER_OR_EQUAL, GREATER])
def test_a_missing_number_goes_right(kind):
    handle, made = tree_of(two_leaves(kind))
    data = np.full([1, 4], np.nan, np.float32)
    with tf.Session() as session:
        session.run(made)
        found = walked(handle, data, op=forest_ops.traverse_tree_v4)
        assert session.run(found).tolist() == [2]


def test_a_path_has_the_nodes_that_were_visited():
    model = large_tree()
    params = parameters(inference_tree_paths=True)
    handle, made = tree_of(model)
    _, paths = walked(handle, [[0.1, 0.1, 0.3, 0.1]], params)
    with tf.Session() as session:
        session.run(made)
        path = tensor_forest_pb2.TreePath.FromString(session.run(paths)[0])
    nodes = [node.node_id.value for node in path.nodes_visited]
    assert nodes[0] == 0
    assert nodes[-1] == walk(model, [0.1, 0.1, 0.3, 0.1])
    assert [node.depth.value for node in path.nodes_visited] == [0, 1, 2, 3]
    assert path.nodes_visited[-1].HasField("leaf")


def test_updates_add_the_weights_of_classes():
    handle, made = tree_of(two_leaves())
    labels = [2.0, 2.0, 0.0, 1.0]
    plain = forest_ops.update_model_v4(
        handle, [1, 1, 2, 0], labels, [], params=parameters()
    )
    weighted = forest_ops.update_model_v4(
        handle, [1, 1, 2, 2], [[c] for c in labels], [0.5, 0, 2, 3], params=parameters()
    )
    saved = forest_ops.tree_serialize(handle)
    with tf.Session() as session:
        session.run(made)
        session.run(plain)
        session.run(weighted)
        nodes = trees.Model.FromString(session.run(saved)).decision_tree.nodes
    values = [[v.float_value for v in n.leaf.vector.value] for n in nodes[1:]]
    # The root is no leaf, and stays as it was.
    assert values == [[1, 3, 2.5], [3, 3, 5]]


def test_updates_move_the_means_of_a_regression():
    handle, made = tree_of(params=REGRESSION)
    labels = np.array([[1, -2], [4, 0], [7, 8]], np.float32)
    weights = np.array([1, 2, 3], np.float32)
    update = forest_ops.update_model_v4(
        handle, [0, 0, 0], labels, weights, params=REGRESSION
    )
    predictions, _ = walked(handle, np.zeros([1, 4], np.float32), REGRESSION)
    with tf.Session() as session:
        session.run(made)
        assert session.run(predictions).tolist() == [[0, 0]]
        for _ in range(2):
            session.run(update)
        means = np.average(labels, 0, weights)
        np.testing.assert_allclose(session.run(predictions), [means], rtol=1e-6)


@pytest.mark.parametrize("kind", range(2))
def test_a_saved_tree_is_read_again(kind):
    sparse = tensor_forest_pb2.MODEL_SPARSE_CLASSIFICATION
    params = parameters(leaf_type=[0, sparse][kind])
    handle, made = tree_of(large_tree(), params)
    other = forest_ops.decision_tree_resource_handle_op(shared_name="other")
    empty = forest_ops.create_tree_variable(other, "", params=params)
    saved = forest_ops.tree_serialize(handle)
    read = forest_ops.tree_deserialize(other, saved, params=params)
    data = np.random.RandomState(2).uniform(-1, 1, [50, 4]).astype(np.float32)
    with tf.Session() as session:
        session.run([made, empty])
        session.run(read)
        ours, theirs = session.run([walked(handle, data)[0], walked(other, data)[0]])
        np.testing.assert_array_equal(ours, theirs)
        assert session.run(saved) == session.run(forest_ops.tree_serialize(other))
        model = trees.Model.FromString(session.run(saved))
    kept = model.decision_tree.nodes[7].leaf
    assert kept.HasField("sparse_vector") == bool(kind)


def test_a_saved_regression_keeps_the_weights_of_its_means():
    handle, made = tree_of(params=REGRESSION)
    update = forest_ops.update_model_v4(
        handle, [0], [[3.0, 6.0]], [2.5], params=REGRESSION
    )
    with tf.Session() as session:
        session.run(made)
        session.run(update)
        saved = session.run(forest_ops.tree_serialize(handle))
        more = trees.Model.FromString(saved).decision_tree.nodes[0].leaf.additional_data
        assert wrappers_pb2.FloatValue.FromString(more[0].value).value == 2.5
        session.run(forest_ops.tree_deserialize(handle, saved, params=REGRESSION))
        session.run(
            forest_ops.update_model_v4(
                handle, [0], [[0.0, 0.0]], [2.5], params=REGRESSION
            )
        )
        predictions, _ = walked(handle, np.zeros([1, 4], np.float32), REGRESSION)
        np.testing.assert_allclose(session.run(predictions), [[1.5, 3]])


def test_counts_are_those_of_the_tests_of_each_feature():
    handle, made = tree_of(large_tree())
    counts = forest_ops.feature_usage_counts(handle, params=parameters())
    with tf.Session() as session:
        session.run(made)
        assert session.run(counts).tolist() == [2, 2, 2, 1]


def test_the_average_impurity_is_that_of_the_leaves():
    handle, made = tree_of(two_leaves())
    with tf.Session() as session:
        session.run(made)
        # 4 (1 - 1/16 - 9/16) in one leaf, 0 in the other.
        impurity = session.run(forest_ops.tree_average_impurity(handle))
    np.testing.assert_allclose(impurity, 1.5 / 2)


def test_a_regression_has_no_impurity():
    handle, made = tree_of(params=REGRESSION)
    with tf.Session() as session:
        session.run(made)
        with pytest.raises(tf.errors.InvalidArgumentError, match="no impurity"):
            session.run(forest_ops.tree_average_impurity(handle))


def test_equal_strings_are_equal_numbers():
    words = np.array([[b"a", b"b"], [b"a", b""]], object)
    made = forest_ops.reinterpret_string_to_float(words)
    many = forest_ops.reinterpret_string_to_float([str(i) for i in range(5000)])
    with tf.Session() as session:
        (a, b), (again, empty) = session.run(made)
        others = session.run(many)
    assert a == again
    assert len({a, b, empty}) == 3
    assert np.isfinite(others).all()
    assert len(set(others)) == 5000
