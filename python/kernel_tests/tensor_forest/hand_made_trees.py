# SPDX-License-Identifier: Apache-2.0
"""Trees that are written by hand, and walks down them, for the tests of this folder."""

import numpy as np

from tensorwright.core.protobuf import decision_trees_pb2 as trees, tensor_forest_pb2
from tensorwright.python.ops import gen_tensor_forest_ops as forest_ops

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
