# SPDX-License-Identifier: Apache-2.0
"""A recurrent network's first layer, made by the names of tf.contrib.feature_column."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

columns = tf.contrib.feature_column


def test_sequences_of_words_and_numbers():
    words = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["b", "a", "z"], [2, 2])
    numbers = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    word = columns.sequence_categorical_column_with_vocabulary_list("w", ["a", "b"], num_oov_buckets=1)  # fmt: skip
    inputs, lengths = columns.sequence_input_layer(
        {"w": words, "n": numbers},
        [
            tf.feature_column.indicator_column(word),
            columns.sequence_numeric_column("n"),
        ],
    )
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        inputs, lengths = session.run([inputs, lengths])
    assert lengths.tolist() == [2, 1]
    want = [[[1, 0, 1, 0], [2, 1, 0, 0]], [[3, 0, 0, 1], [0, 0, 0, 0]]]
    np.testing.assert_array_equal(inputs, want)


def test_sequences_of_ids():
    ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 0, 1], [2, 2])
    column = columns.sequence_categorical_column_with_identity("i", 3)
    inputs, lengths = columns.sequence_input_layer({"i": ids}, [tf.feature_column.indicator_column(column)])  # fmt: skip
    with tf.Session() as session:
        inputs, lengths = session.run([inputs, lengths])
    np.testing.assert_array_equal(inputs.argmax(2) * inputs.max(2), [[2, 0], [0, 1]])
    assert lengths.tolist() == [1, 2]
