# SPDX-License-Identifier: Apache-2.0
"""Rows of tensors, and batches of them."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_empty_rows():
    dataset = Dataset.from_tensor_slices(np.zeros((3, 0)))
    assert elements(dataset.batch(2)) == [[[], []], [[]]]
    assert elements(Dataset.from_tensor_slices(np.zeros((2, 0, 3))).batch(2)) == [
        [[], []]
    ]


def test_batches_that_grow():
    words = Dataset.range(5000).map(tf.as_string).batch(6000)
    assert elements(words) == [[b"%d" % i for i in range(5000)]]
    rows = Dataset.range(9000).map(lambda x: tf.stack([x, -x])).batch(10_000)
    assert elements(rows) == [[[i, -i] for i in range(9000)]]


def test_a_failed_batch_leaves_the_next_one():
    ragged = Dataset.from_tensor_slices([1, 2, 3, 3]).map(lambda n: tf.fill([n], n))
    iterator = ragged.batch(2).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="different shapes"):
            session.run(element)
        assert session.run(element).tolist() == [[3] * 3] * 2
