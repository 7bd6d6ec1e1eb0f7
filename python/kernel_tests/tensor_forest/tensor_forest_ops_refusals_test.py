# SPDX-License-Identifier: Apache-2.0
"""Refusals of forests' ops: models, parameters, examples and labels that are none."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import decision_trees_pb2 as trees, tensor_forest_pb2
from tensorwright.python.kernel_tests.tensor_forest.hand_made_trees import (
    NO_INDICES,
    REGRESSION,
    leaf,
    parameters,
    tree_of,
    two_leaves,
    walked,
)
from tensorwright.python.ops import gen_tensor_forest_ops as forest_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


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
