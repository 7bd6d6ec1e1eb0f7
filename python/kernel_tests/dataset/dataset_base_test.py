# SPDX-License-Identifier: Apache-2.0
"""Datasets as tensors."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)
from tensorwright.python.ops import gen_dataset_ops
from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph


def test_a_dataset_that_is_not_there():
    nothing = tf.placeholder(tf.variant, [])
    repeated = gen_dataset_ops.repeat_dataset(
        nothing, 1, output_types=[tf.int64], output_shapes=[[]]
    )
    made = Dataset._from_variant(repeated, tf.TensorSpec([], tf.int64))
    iterator = made.make_initializable_iterator()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(iterator.initializer)


def test_what_a_dataset_is_said_to_hold_must_fit():
    wrong = Dataset._from_variant(
        Dataset.range(2)._variant_tensor, tf.TensorSpec([], tf.string)
    )
    refuses("output types", lambda: wrong)
    wrong = Dataset._from_variant(
        Dataset.range(2)._variant_tensor, tf.TensorSpec([3], tf.int64)
    )
    refuses("Incompatible shapes", lambda: wrong)


def test_scalars_that_are_none_are_refused():
    with pytest.raises(ValueError, match="rank 0"):
        Dataset.range([1, 2])
    vector = tf.py_func(lambda: np.zeros(2, np.int64), [], tf.int64)
    refuses("rank 0|scalar", lambda: Dataset.range(vector))
    assert elements(Dataset.range(scalar(2))) == [0, 1]
