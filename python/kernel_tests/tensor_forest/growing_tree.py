# SPDX-License-Identifier: Apache-2.0
"""A tree with its statistics in a session, which the tests of this folder feed with batches."""

import numpy as np

import tensorwright as tf
from tensorwright.core.protobuf import decision_trees_pb2 as trees, tensor_forest_pb2
from tensorwright.python.ops import gen_tensor_forest_ops as forest_ops

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


def gini(counts):
    counts = np.asarray(counts)
    return 0 if counts.sum() == 0 else counts.sum() - (counts**2).sum() / counts.sum()
