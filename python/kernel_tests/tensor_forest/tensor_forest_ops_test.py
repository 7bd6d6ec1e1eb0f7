# SPDX-License-Identifier: Apache-2.0
"""Trees and what is kept of them: CreateTreeVariable, TreePredictionsV4, TraverseTreeV4, UpdateModelV4 and others.

Growth is in tensor_forest_ops_growth_test.py.
"""

import numpy as np
import pytest
from google.protobuf import wrappers_pb2

import tensorwright as tf
from tensorwright.core.protobuf import decision_trees_pb2 as trees, tensor_forest_pb2
from tensorwright.python.ops import gen_tensor_forest_ops as forest_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

LESS_OR_EQUAL, LESS, GREATER_OR_EQUAL, GREATER = range(4)
MATCHING = "type.googleapis.com/tensorflow.decision_trees.MatchingValuesTest"


def parameters(outputs=3, **others):
    """A TensorForestParams, serialized."""
    proto = tensor_forest_pb2.TensorForestParams(
        num_outputs=outputs, max_nodes=100, num_features=4, **others
    )
    if proto.is_regression:
        proto.leaf_type = tensor_forest_pb2.MODEL_REGRESSION
        proto.stats_type = tensor_forest_pb2.STATS_LEAST_SQUARES_REGRESSION
    return proto.SerializeToString()


REGRESSION = parameters(2, is_regression=True)


def leaf(model, *values):
    node = model.decision_tree.nodes.add()
    for value in values:
        node.leaf.vector.value.add(float_value=value)


def inner(model, left, right, feature, threshold, kind=LESS_OR_EQUAL):
    node = model.decision_tree.nodes.add().binary_node
    node.left_child_id.value = left
    node.right_child_id.value = right
    test = node.inequality_left_child_test
    test.feature_id.id.value = str(feature)
    test.threshold.float_value = threshold
    test.type = kind


def two_leaves(kind=LESS_OR_EQUAL):
    """Feature 1 against 0.5: classes 0 and 1 on the left, class 2 on the right."""
    model = trees.Model()
    inner(model, 1, 2, 1, 0.5, kind)
    leaf(model, 1, 3, 0)
    leaf(model, 0, 0, 5)
    return model


def tree_of(config="", params=None):
    """A handle, and the operation that makes its tree."""
    if not isinstance(config, (str, bytes)):
        config = config.SerializeToString()
    handle = forest_ops.decision_tree_resource_handle_op()
    return handle, forest_ops.create_tree_variable(
        handle, config, params=params or parameters()
    )


NO_INDICES = np.zeros([0], np.int64)


def walked(handle, data, params=None, sparse=None, op=None):
    """TreePredictionsV4, or `op`, of a matrix or a SparseTensorValue."""
    op = op or forest_ops.tree_predictions_v4
    parts = (NO_INDICES, [], NO_INDICES)
    if sparse is not None:
        parts = (sparse.indices, sparse.values, sparse.dense_shape)
    return op(handle, data, *parts, input_spec="", params=params or parameters())


def walk(model, row):
    """The number of the row's leaf, in plain Python."""
    at = 0
    while True:
        node = model.decision_tree.nodes[at]
        if node.HasField("leaf"):
            return at
        test = node.binary_node.inequality_left_child_test
        value, limit = row[int(test.feature_id.id.value)], test.threshold.float_value
        passes = [value <= limit, value < limit, value >= limit, value > limit]
        side = node.binary_node
        at = (side.left_child_id if passes[test.type] else side.right_child_id).value


def large_tree():
    """Seven inner nodes of all kinds, eight leaves."""
    model = trees.Model()
    for i in range(7):
        inner(model, 2 * i + 1, 2 * i + 2, i % 4, [0.0, 0.25, -0.25][i % 3], i % 4)
    for i in range(8):
        leaf(model, i, 1, 7 - i)
    return model


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


def cyclic():
    model = two_leaves()
    model.decision_tree.nodes[0].binary_node.left_child_id.value = 0
    return model


def far():
    model = two_leaves()
    model.decision_tree.nodes[0].binary_node.right_child_id.value = 9
    return model


def shared():
    model = two_leaves()
    model.decision_tree.nodes[0].binary_node.right_child_id.value = 1
    return model


def narrow():
    model = trees.Model()
    leaf(model, 1, 2)
    return model


def negative():
    model = trees.Model()
    leaf(model, 1, -2, 1)
    return model


def named():
    model = two_leaves()
    test = model.decision_tree.nodes[0].binary_node.inequality_left_child_test
    test.feature_id.id.value = "age"
    return model


def oblique():
    model = two_leaves()
    test = model.decision_tree.nodes[0].binary_node.inequality_left_child_test
    test.oblique.weights.append(1)
    return model


def thresholdless():
    model = two_leaves()
    test = model.decision_tree.nodes[0].binary_node.inequality_left_child_test
    test.threshold.Clear()
    return model


def untested():
    model = two_leaves()
    model.decision_tree.nodes[0].binary_node.Clear()
    model.decision_tree.nodes[0].binary_node.SetInParent()
    return model


def empty_node():
    model = two_leaves()
    model.decision_tree.nodes[1].Clear()
    return model


@pytest.mark.parametrize(
    "config, words",
    [
        (b"\xff", "tree_config is no serialized"),
        (trees.Model(), "must be a decision_tree with nodes"),
        (trees.Model(ensemble=trees.Ensemble()), "must be a decision_tree with nodes"),
        (cyclic(), "child 0 of a node"),
        (far(), "child 9 of a node"),
        (shared(), "child 1 of a node"),
        (narrow(), "must have 3 values, got 2"),
        (negative(), "not negative, got -2"),
        (named(), 'number of a column, got "age"'),
        (oblique(), "must be of one feature"),
        (thresholdless(), "a Value must be a number"),
        (untested(), "must have an InequalityTest"),
        (empty_node(), "must be a Leaf or a BinaryNode"),
    ],
)
def test_a_model_that_is_no_tree_is_refused(config, words):
    handle, made = tree_of()
    config = config if isinstance(config, bytes) else config.SerializeToString()
    read = forest_ops.tree_deserialize(handle, config, params=parameters())
    with tf.Session() as session:
        session.run(made)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(read)
        assert session.run(forest_ops.tree_size(handle)) == 1


def test_a_wrong_model_makes_no_tree():
    handle, made = tree_of(narrow())
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have 3 values"):
            session.run(made)
        assert not session.run(forest_ops.tree_is_initialized_op(handle))


@pytest.mark.parametrize(
    "params, words",
    [
        (b"\xff", "params is no serialized TensorForestParams"),
        (parameters(0), r"num_outputs must be in \[1"),
        (parameters(drop_final_class=True), "drop_final_class is not supported"),
        (parameters(graph_dir="x"), "without a graph_dir"),
        (
            parameters(stats_type=tensor_forest_pb2.STATS_LEAST_SQUARES_REGRESSION),
            "do not belong",
        ),
        (
            parameters(split_after_samples={"constant_value": 0}),
            "split_after_samples must be in",
        ),
        (
            parameters(num_splits_to_consider={"constant_value": float("nan")}),
            "num_splits_to_consider must be in",
        ),
        (
            parameters(finish_type={"type": "SPLIT_FINISH_DOMINATE_HOEFFDING"}),
            r"dominate_fraction must be in \(0, 1\), got 0",
        ),
        (
            parameters(
                is_regression=True,
                finish_type={"type": "SPLIT_FINISH_DOMINATE_BOOTSTRAP"},
            ),
            "SPLIT_FINISH_BASIC",
        ),
    ],
)
def test_parameters_out_of_range_are_refused(params, words):
    _, made = tree_of(params=params)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(made)


def test_parameters_of_another_problem_are_refused():
    handle, made = tree_of()
    data = np.zeros([1, 4], np.float32)
    with tf.Session() as session:
        session.run(made)
        with pytest.raises(tf.errors.InvalidArgumentError, match="made with 3 and 0"):
            session.run(walked(handle, data, REGRESSION)[0])


@pytest.mark.parametrize(
    "leaves, labels, weights, words",
    [
        ([0], [3.0], [], "must be classes 0 to 2, got 3"),
        ([0], [0.5], [], "must be classes 0 to 2, got 0.5"),
        ([0], [-1.0], [], "must be classes 0 to 2, got -1"),
        ([0], [np.nan], [], "input_labels must be finite, got nan"),
        ([0], [[1.0, 0.0]], [], "input_labels must have 1 columns"),
        ([0], [1.0], [-1.0], "input_weights must be finite and not negative, got -1"),
        ([3], [1.0], [], "leaf_ids: 3 is no node of the tree's 3"),
        ([-1], [1.0], [], "leaf_ids: -1 is no node of the tree's 3"),
    ],
)
def test_labels_that_are_none_are_refused(leaves, labels, weights, words):
    handle, made = tree_of(two_leaves())
    update = forest_ops.update_model_v4(
        handle, leaves, labels, weights, params=parameters()
    )
    with tf.Session() as session:
        session.run(made)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(update)


@pytest.mark.parametrize(
    "data, sparse, words",
    [
        ([], tf.SparseTensorValue([[0, 4]], [1.0], [1, 4]), "is not in shape"),
        ([], tf.SparseTensorValue([[-1, 0]], [1.0], [1, 4]), "is not in shape"),
        ([], tf.SparseTensorValue([[0, 0]], [1.0], [-1, 4]), "is out of range"),
        ([], tf.SparseTensorValue([[0, 0]], [1.0], []), "have no sparse_input_shape"),
        (
            np.zeros([2, 1], np.float32),
            tf.SparseTensorValue([[0, 0]], [1.0], [1, 4]),
            "input_data has 2 rows and sparse_input_shape 1",
        ),
    ],
)
def test_a_sparse_matrix_that_is_none_is_refused(data, sparse, words):
    handle, made = tree_of()
    sparse = tf.SparseTensorValue(
        sparse.indices, sparse.values, np.array(sparse.dense_shape, np.int64)
    )
    with tf.Session() as session:
        session.run(made)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(walked(handle, data, sparse=sparse)[0])


def test_input_of_another_rank_is_refused():
    handle, _ = tree_of()
    with pytest.raises(ValueError, match="rank 2"):
        walked(handle, np.zeros([1, 2, 3], np.float32))


@pytest.mark.parametrize(
    "spec", ["x", "dense_features_size: 1 dense: [original_type: a size: 1] sparse: []"]
)
def test_a_description_of_columns_that_is_none_is_refused(spec):
    handle, made = tree_of()
    stats = forest_ops.fertile_stats_resource_handle_op()
    params = parameters()
    begun = forest_ops.create_fertile_stats_variable(stats, "", params=params)
    data = np.zeros([1, 4], np.float32)
    process = forest_ops.process_input_v4(
        handle, stats, data, NO_INDICES, [], NO_INDICES, [0.0], [], [0],
        random_seed=1, input_spec=spec, params=params,
    )  # fmt: skip
    with tf.Session() as session:
        session.run([made, begun])
        with pytest.raises(tf.errors.InvalidArgumentError, match="input_spec is no"):
            session.run(process)


def test_a_tree_that_was_not_made_is_missed():
    handle, _ = tree_of()
    with tf.Session() as session:
        with pytest.raises(tf.errors.NotFoundError):
            session.run(forest_ops.tree_size(handle))
