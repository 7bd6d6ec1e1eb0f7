# SPDX-License-Identifier: Apache-2.0
"""The helpers of metrics that other packages use."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import metrics_impl

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_the_functions_are_those_of_tf_metrics():
    assert metrics_impl.auc is tf.metrics.auc
    assert metrics_impl.precision_at_top_k is tf.metrics.precision_at_top_k


def test_counts_at_thresholds_are_summed_over_batches():
    labels = tf.constant([True, True, False, False])
    predictions = tf.constant([0.9, 0.3, 0.6, 0.1])
    weights = tf.constant([1.0, 2.0, 3.0, 4.0])
    values, updates = metrics_impl._confusion_matrix_at_thresholds(
        labels, predictions, [0.2, 0.5], weights, includes=("tp", "fp", "fn")
    )
    expected = {"tp": [3.0, 1.0], "fp": [3.0, 3.0], "fn": [0.0, 2.0]}
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        first = sess.run(updates)
        sess.run(updates)
        twice = sess.run(values)
    assert {name: list(x) for name, x in first.items()} == expected
    assert all(np.array_equal(twice[n], 2 * np.array(expected[n])) for n in expected)
    with pytest.raises(ValueError, match="Invalid key: xx"):
        metrics_impl._confusion_matrix_at_thresholds([1], [1.0], [0.5], includes=["xx"])


def test_a_last_dimension_of_1_is_taken_away():
    predictions, labels, weights = metrics_impl._remove_squeezable_dimensions(
        tf.zeros([3, 1]), tf.zeros([3]), tf.zeros([3, 1])
    )
    assert predictions.shape == labels.shape == weights.shape == [3]
    found = metrics_impl._remove_squeezable_dimensions(
        tf.zeros([2]), tf.ones([2]), None
    )
    assert found[2] is None


def test_weights_follow_predictions_without_labels():
    predictions, labels, weights = metrics_impl._remove_squeezable_dimensions(
        [1.0, 2.0, 3.0], None, tf.zeros([3, 1])
    )
    assert labels is None
    assert predictions.shape == weights.shape == [3]
    assert metrics_impl._remove_squeezable_dimensions([1.0], None, None)[1:] == (
        None,
        None,
    )


def test_the_value_of_a_variable_is_a_tensor_in_the_collections():
    variable = metrics_impl.metric_variable([], tf.float32, name="count")
    value = metrics_impl._aggregate_variable(variable, ["one", "two"])
    assert isinstance(value, tf.Tensor)
    assert tf.get_collection("one") == tf.get_collection("two") == [value]
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        sess.run(variable.assign_add(2.0))
        assert sess.run(value) == 2.0


def test_a_quotient_by_nothing_is_0():
    with tf.Session() as sess:
        found = [
            sess.run(metrics_impl._safe_scalar_div(3.0, tf.constant(d), "quotient"))
            for d in (2.0, 0.0)
        ]
    assert found == [1.5, 0.0]


def test_a_confusion_matrix_is_summed_over_batches():
    labels = tf.constant([[0, 1], [2, 2]])
    predictions = tf.constant([[0, 2], [2, 1]])
    weights = tf.constant([[1.0], [0.5]])
    total, update = metrics_impl._streaming_confusion_matrix(
        labels, predictions, 3, weights
    )
    once = [[1, 0, 0], [0, 0, 1], [0, 0.5, 0.5]]
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        assert sess.run(update).tolist() == once
        sess.run(update)
        np.testing.assert_array_equal(sess.run(total), 2 * np.array(once))
