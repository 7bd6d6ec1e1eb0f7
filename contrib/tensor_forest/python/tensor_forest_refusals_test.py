# SPDX-License-Identifier: Apache-2.0
"""Forests refuse what they cannot be made of, with a word about it."""

import pytest

import tensorwright as tf
from tensorwright.contrib.tensor_forest.python import tensor_forest

pytestmark = pytest.mark.usefixtures("fresh_graph")


def hparams(**others):
    """The parameters of a small forest over five features."""
    given = {"num_classes": 3, "num_features": 5, "num_trees": 2, "max_nodes": 50}
    return tensor_forest.ForestHParams(**{**given, **others}).fill()


def test_labels_must_be_given_to_train():
    forest = tensor_forest.RandomForestGraphs(hparams())
    with pytest.raises(ValueError, match="must be given to train"):
        forest.training_graph(tf.zeros([1, 5]), None)


@pytest.mark.parametrize(
    "params, words",
    [
        ({"bagging_fraction": 0.5}, "Bagging is not supported with sparse"),
        ({"feature_bagging_fraction": 0.5}, "Feature bagging is not supported with sp"),
    ],
)
def test_bags_of_sparse_features_are_refused(params, words):
    x = tf.SparseTensor([[0, 0]], [1.0], [1, 5])
    forest = tensor_forest.RandomForestGraphs(hparams(**params))
    with pytest.raises(NotImplementedError, match=words):
        forest.training_graph(x, [0])


def test_bags_of_categories_are_refused():
    forest = tensor_forest.RandomForestGraphs(hparams(feature_bagging_fraction=0.5))
    with pytest.raises(NotImplementedError, match="not supported with categories"):
        forest.inference_graph({"a": tf.zeros([2, 5], tf.int32)})
