# SPDX-License-Identifier: Apache-2.0
"""Graphs of forests: training, predictions, bags, checkpoints."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.decision_trees.proto import generic_tree_model_pb2
from tensorwright.contrib.tensor_forest.proto import tensor_forest_params_pb2
from tensorwright.contrib.tensor_forest.python import tensor_forest
from tensorwright.python.ops import resources

pytestmark = pytest.mark.usefixtures("fresh_graph")


def classes(n, seed):
    """Three classes in rings around a point, of two features of five."""
    rng = np.random.RandomState(seed)
    data = rng.uniform(-1, 1, [n, 5]).astype(np.float32)
    labels = np.digitize(np.hypot(data[:, 1], data[:, 3]), [0.5, 0.9])
    return data, labels.astype(np.int32)


def hparams(**others):
    given = {
        "num_classes": 3,
        "num_features": 5,
        "num_trees": 5,
        "max_nodes": 200,
        "split_after_samples": 50,
        "base_random_seed": 3,
        **others,
    }
    return tensor_forest.ForestHParams(**given).fill()


class Forest:
    """A forest in a graph and session of its own."""

    def __init__(self, params, kind=tensor_forest.RandomForestGraphs, label_shape=(None,), **training):  # fmt: skip # noqa: E501
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, params.num_features])
            self.y = tf.placeholder(tf.float32, label_shape)
            self.forest = kind(params)
            self.loss = self.forest.training_loss(self.x, self.y)
            self.train_op = self.forest.training_graph(self.x, self.y, **training)
            self.outputs = self.forest.inference_graph(self.x)
            self.sizes = [tree.size() for tree in self.forest.trees]
            self.saver = tf.train.Saver()
            init = tf.group(
                tf.global_variables_initializer(),
                resources.initialize_resources(resources.shared_resources()),
            )
            self.session = tf.Session()
            self.session.run(init)

    def train(self, batches, n=200, problem=classes):
        for seed in batches:
            x, y = problem(n, seed)
            self.session.run(self.train_op, {self.x: x, self.y: y})
        return self

    def predict(self, x):
        return self.session.run(self.outputs[0], {self.x: x})

    def accuracy(self):
        x, y = classes(1000, 999)
        return np.mean(self.predict(x).argmax(1) == y)

    def models(self):
        handles = [v.tree for v in self.forest.variables.variables]
        with self.graph.as_default():
            saved = [tf.raw_ops.TreeSerialize(tree_handle=h) for h in handles]
        read = generic_tree_model_pb2.Model.FromString
        return [read(config) for config in self.session.run(saved)]


def exact_tree(x, y, depth):
    """A tree of exact best splits, grown in NumPy: a function of rows."""
    counts = np.bincount(y, minlength=3)
    best = (len(y) - (counts**2).sum() / len(y), None, None)
    for feature in range(x.shape[1] if depth else 0):
        for threshold in np.quantile(x[:, feature], np.linspace(0.05, 0.95, 19)):
            left = x[:, feature] <= threshold
            if 0 < left.sum() < len(y):
                sides = [np.bincount(y[s], minlength=3) for s in (left, ~left)]
                score = sum(c.sum() - (c**2).sum() / c.sum() for c in sides)
                best = min(best, (score, feature, threshold), key=lambda b: b[0])
    _, feature, threshold = best
    if feature is None:
        return lambda rows: np.full(len(rows), counts.argmax())
    left = x[:, feature] <= threshold
    below = exact_tree(x[left], y[left], depth - 1)
    above = exact_tree(x[~left], y[~left], depth - 1)

    def classify(rows):
        goes = rows[:, feature] <= threshold
        return np.where(goes, below(rows), above(rows))

    return classify


def test_a_forest_is_as_good_as_a_tree_of_exact_splits():
    forest = Forest(hparams(num_trees=10)).train(range(40))
    batches = [classes(200, seed) for seed in range(40)]
    x, y = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    exact = exact_tree(x, y, 7)
    rows, known = classes(1000, 999)
    reference = np.mean(exact(rows) == known)
    assert reference > 0.8
    assert forest.accuracy() > reference - 0.05
    # The larger class alone would reach less than half.
    assert np.bincount(known).max() < 500


def test_a_forest_fits_a_step():
    def step(n, seed):
        x = np.random.RandomState(seed).uniform(-1, 1, [n, 2]).astype(np.float32)
        return x, np.stack([np.where(x[:, 0] > 0.2, 3, -1), x[:, 1]], 1)

    params = hparams(
        num_classes=2, num_features=2, regression=True, num_splits_to_consider=20
    )
    forest = Forest(params, label_shape=(None, 2)).train(range(60), problem=step)
    x, y = step(500, 99)
    far = np.abs(x[:, 0] - 0.2) > 0.1
    error = forest.predict(x)[far] - y[far]
    assert np.abs(error[:, 0]).mean() < 0.1
    assert np.abs(error[:, 1]).mean() < 0.15
    variance = forest.session.run(forest.outputs[2], {forest.x: x})
    assert variance.shape == (500, 2)
    # The trees disagree near the step.
    assert variance[~far, 0].mean() > variance[far, 0].mean()


def test_a_forest_predicts_the_mean_of_its_trees():
    forest = Forest(hparams()).train(range(10))
    x, _ = classes(20, 50)
    with forest.graph.as_default():
        parts = [
            tree.inference_graph(
                forest.x, tensor_forest.data_ops.TensorForestDataSpec()
            )[0]  # fmt: skip # noqa: E501
            for tree in forest.forest.trees
        ]
    each = np.stack(forest.session.run(parts, {forest.x: x}))
    mean, paths, variance = forest.session.run(forest.outputs, {forest.x: x})
    np.testing.assert_allclose(mean, each.mean(0), rtol=1e-6)
    np.testing.assert_allclose(variance, each.var(0), atol=1e-6)
    np.testing.assert_allclose(mean.sum(1), 1, rtol=1e-6)
    assert paths.shape == (20, 5)


def test_paths_lead_to_leaves():
    forest = Forest(hparams(inference_tree_paths=True)).train(range(10))
    x, _ = classes(4, 50)
    paths = forest.session.run(forest.outputs[1], {forest.x: x})
    for text in paths.ravel():
        path = tensor_forest_params_pb2.TreePath.FromString(text)
        assert path.nodes_visited[0].node_id.value == 0
        assert path.nodes_visited[-1].HasField("leaf")


def test_the_loss_is_the_negative_of_the_average_size():
    forest = Forest(hparams()).train(range(5))
    x, y = classes(10, 0)
    loss = forest.session.run(forest.loss, {forest.x: x, forest.y: y})
    sizes = forest.session.run(forest.sizes)
    assert min(sizes) > 1
    np.testing.assert_allclose(loss, -np.mean(sizes))


def test_trees_have_no_more_nodes_than_they_may():
    forest = Forest(hparams(max_nodes=9)).train(range(30))
    assert forest.session.run(forest.sizes) == [9] * 5


def test_equal_seeds_make_equal_forests_and_trees_differ():
    params = [hparams(bagging_fraction=0.7) for _ in range(2)]
    one, other = [Forest(p).train(range(10)) for p in params]
    models = one.models()
    assert models == other.models()
    assert all(models[0] != model for model in models[1:])
    another = Forest(hparams(bagging_fraction=0.7, base_random_seed=4))
    assert another.train(range(10)).models() != models


def test_a_bag_is_a_part_of_the_batch():
    forest = Forest(hparams(bagging_fraction=0.25, split_after_samples=100000))
    forest.train(range(20))
    weights = [
        sum(v.float_value for v in m.decision_tree.nodes[0].leaf.vector.value)
        for m in forest.models()
    ]
    assert len(set(weights)) > 1
    np.testing.assert_allclose(np.mean(weights), 1000, rtol=0.08)


def test_names_are_found_from_tf_contrib():
    package = tf.contrib.tensor_forest
    assert package.python.tensor_forest is package.tensor_forest is tensor_forest
    assert package.client.random_forest is package.random_forest
    assert issubclass(
        package.client.random_forest.TensorForestEstimator, tf.contrib.learn.Estimator
    )


def test_an_epoch_is_that_of_the_input():
    assert tensor_forest.get_epoch_variable() == [0]
    limited = tf.train.limit_epochs(tf.constant([3.0]), num_epochs=2)
    epoch = tensor_forest.get_epoch_variable()
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(limited)
        assert session.run(epoch).tolist() == [1]


def test_weights_of_a_bag_are_those_of_its_examples():
    x, y = classes(200, 0)
    weights = np.where(y == 1, 0, 4).astype(np.float32)
    params = hparams(split_after_samples=1e6, bagging_fraction=0.5)
    forest = Forest(params, input_weights=weights).train(range(1))
    for model in forest.models():
        first, second, third = (
            v.float_value for v in model.decision_tree.nodes[0].leaf.vector.value
        )
        assert second == 0
        assert first > 0 and third > 0
        assert first % 4 == third % 4 == 0


def test_weights_of_examples_count():
    weights = np.full(200, 0.5, np.float32)
    forest = Forest(hparams(split_after_samples=1e6), input_weights=weights)
    forest.train(range(1))
    _, y = classes(200, 0)
    for model in forest.models():
        values = model.decision_tree.nodes[0].leaf.vector.value
        assert [v.float_value for v in values] == (np.bincount(y) / 2).tolist()


def test_bagged_features_are_the_only_ones_that_a_tree_tests():
    params = hparams(feature_bagging_fraction=0.4)
    assert [len(bag) for bag in params.bagged_features] == [2] * 5
    forest = Forest(params).train(range(20))
    tested = []
    for model in forest.models():
        found = {
            int(n.binary_node.inequality_left_child_test.feature_id.id.value)
            for n in model.decision_tree.nodes
            if n.HasField("binary_node")
        }
        assert found <= {0, 1}
        tested.append(found)
    with forest.graph.as_default():
        importances = forest.session.run(forest.forest.feature_importances())
    seen = {bag[i] for bag, of in zip(params.bagged_features, tested, strict=True) for i in of}  # fmt: skip # noqa: E501
    assert set(np.flatnonzero(importances)) == seen
    np.testing.assert_allclose(importances.sum(), 1, rtol=1e-6)


def test_features_that_matter_are_important():
    forest = Forest(hparams()).train(range(30))
    with forest.graph.as_default():
        importances = forest.session.run(forest.forest.feature_importances())
    assert importances[[1, 3]].sum() > 0.7


def test_the_impurity_of_a_forest_is_the_mean_of_its_trees():
    forest = Forest(hparams(split_after_samples=1e6)).train(range(1))
    _, y = classes(200, 0)
    counts = np.bincount(y)
    with forest.graph.as_default():
        impurity = forest.session.run(forest.forest.average_impurity())
    np.testing.assert_allclose(impurity, 200 - (counts**2).sum() / 200, rtol=1e-5)


@pytest.mark.parametrize("checkpoint_stats", [True, False])
def test_a_restored_forest_predicts_the_same_and_grows(tmp_path, checkpoint_stats):
    params = hparams(checkpoint_stats=checkpoint_stats)
    forest = Forest(params).train(range(10), 73)
    path = forest.saver.save(forest.session, str(tmp_path / "forest"))
    other = Forest(params).train(range(70, 75))
    other.saver.restore(other.session, path)
    x, _ = classes(100, 50)
    np.testing.assert_array_equal(forest.predict(x), other.predict(x))
    sizes = other.session.run(other.sizes)
    for each in (forest, other):
        each.train(range(10, 30), 73)
    assert min(np.subtract(other.session.run(other.sizes), sizes)) > 0
    assert (forest.models() == other.models()) == checkpoint_stats


def test_trees_may_begin_with_saved_models():
    models = Forest(hparams()).train(range(10)).models()
    with tf.Graph().as_default(), tf.Session() as session:
        forest = tensor_forest.RandomForestGraphs(
            hparams(),
            tree_configs=[m.SerializeToString() for m in models],
            training=False,
        )
        session.run(resources.initialize_resources(resources.shared_resources()))
        sizes = session.run([tree.size() for tree in forest.trees])
        assert sizes == [len(m.decision_tree.nodes) for m in models]
        assert len(forest.get_all_resource_handles()) == 5
        with pytest.raises(ValueError, match="training=False and cannot grow"):
            forest.training_graph(np.zeros([1, 5], np.float32), [0])
    with pytest.raises(ValueError, match="tree_configs must have num_trees = 5"):
        tensor_forest.RandomForestGraphs(hparams(), tree_configs=[""])


def test_trainers_share_the_trees():
    parts = []
    for trainer in range(2):
        forest = Forest(hparams(num_trees=4), num_trainers=2, trainer_id=trainer)
        parts.append(np.array(forest.train(range(5)).session.run(forest.sizes)) > 1)
    assert parts[0].tolist() == [True, True, False, False]
    assert parts[1].tolist() == [False, False, True, True]


def test_the_loss_of_a_training_loss_forest_sinks():
    forest = Forest(hparams(), tensor_forest.TrainingLossForest)
    x, y = classes(500, 99)
    fed = {forest.x: x, forest.y: y}
    before = forest.session.run(forest.loss, fed)
    # Equal probabilities; log_loss is the mean over classes too.
    expected = -(np.log(1 / 3) + 2 * np.log(2 / 3)) / 3
    np.testing.assert_allclose(before, expected, rtol=1e-5)
    forest.train(range(30))
    after = forest.session.run(forest.loss, fed)
    probabilities = forest.predict(x)
    rows = np.eye(3)[y]
    logs = rows * np.log(probabilities + 1e-7) + (1 - rows) * np.log(1 - probabilities + 1e-7)  # fmt: skip # noqa: E501
    np.testing.assert_allclose(after, -logs.mean(), rtol=1e-4)
    assert after < before / 2


def test_a_training_loss_forest_of_numbers_has_squared_errors():
    def line(n, seed):
        x = np.random.RandomState(seed).uniform(size=[n, 5]).astype(np.float32)
        return x, x[:, 0]

    params = hparams(num_classes=1, regression=True)
    forest = Forest(params, tensor_forest.TrainingLossForest).train(
        range(20), problem=line
    )
    x, y = line(100, 99)
    loss = forest.session.run(forest.loss, {forest.x: x, forest.y: y})
    np.testing.assert_allclose(loss, np.mean((forest.predict(x)[:, 0] - y) ** 2), rtol=1e-4)  # fmt: skip # noqa: E501


def test_a_forest_learns_from_a_sparse_tensor():
    rng = np.random.RandomState(0)
    x = tf.sparse_placeholder(tf.float32, [None, 6])
    y = tf.placeholder(tf.int32, [None])
    forest = tensor_forest.RandomForestGraphs(hparams(num_classes=2, num_features=6))
    train_op = forest.training_graph(x, y)
    probabilities, _, _ = forest.inference_graph(x)

    def batch(n):
        dense = rng.uniform(0.1, 1, [n, 6]) * (rng.uniform(size=[n, 6]) < 0.5)
        indices = np.argwhere(dense)
        value = tf.SparseTensorValue(indices, dense[tuple(indices.T)], [n, 6])
        return value, (dense[:, 2] > 0.3).astype(np.int32)

    with tf.Session() as session:
        session.run(resources.initialize_resources(resources.shared_resources()))
        for _ in range(40):
            value, labels = batch(150)
            session.run(train_op, {x: value, y: labels})
        value, labels = batch(500)
        found = session.run(probabilities, {x: value})
    assert np.mean(found.argmax(1) == labels) > 0.9


@pytest.mark.parametrize("name", ["all_dense", "all_sparse", "sparse_then_dense"])
def test_leaves_are_saved_as_the_model_says(name):
    forest = Forest(hparams(model_name=name)).train(range(10))
    node = forest.models()[0].decision_tree.nodes[-1]
    assert node.leaf.HasField("sparse_vector") == (name == "all_sparse")
    assert forest.accuracy() > 0.6
