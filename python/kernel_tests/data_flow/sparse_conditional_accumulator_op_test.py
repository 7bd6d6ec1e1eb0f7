# SPDX-License-Identifier: Apache-2.0
"""Accumulators of gradients that are rows."""

import numpy as np
import pytest

import tensorwright as tf


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_the_mean_of_each_row_is_over_those_who_have_it(dtype):
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.SparseConditionalAccumulator(dtype, shape=[5, 1])
        session.run(acc.apply_grad([0, 2], [[1.0], [2.0]], [5, 1]))
        session.run(acc.apply_grad([3, 2], [[8.0], [4.0]]))
        slices = tf.IndexedSlices(
            tf.constant([[9.0]], dtype), tf.constant([0], tf.int64), [5, 1]
        )
        session.run(acc.apply_indexed_slices_grad(slices))
        assert session.run(acc.num_accumulated()) == 3
        indices, values, shape = session.run(acc.take_grad(3))
        assert indices.tolist() == [0, 2, 3]
        assert values.tolist() == [[5], [3], [8]] and shape.tolist() == [5, 1]
        session.run(acc.apply_grad([1], [[1.0]], local_step=1))
        again = session.run(acc.take_indexed_slices_grad(1))
        assert again.indices.tolist() == [1] and again.values.tolist() == [[1]]


def test_sums_and_rows_that_come_twice():
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.SparseConditionalAccumulator(tf.float32, reduction_type="SUM")
        rows = np.arange(6, dtype=np.float32).reshape(3, 2)
        session.run(acc.apply_grad([1, 0, 1], rows))
        session.run(acc.apply_grad([0], rows[:1] + 10))
        indices, values, shape = session.run(acc.take_grad(1))
        assert indices.tolist() == [0, 1] and shape.tolist() == [-1, 2]
        np.testing.assert_array_equal(values, [[12, 14], [4, 6]])


def test_wrong_gradients_are_refused():
    invalid = tf.errors.InvalidArgumentError
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
        indices = tf.placeholder(tf.int64)
        values = tf.placeholder(tf.float32)
        for i, v, words in (
            ([[0]], [[1, 2]], "rank|vector"),
            ([0], 1.0, "rank|0-dim"),
            ([0, 1], [[1, 2]], "first dimension|equal|2 and 1|Dimension"),
            ([0], [[1, 2, 3]], "Shape mismatch: expected values dim 1 to be 2, got 3"),
            ([0, 4], [[1, 2]] * 2, "index of slice 1 exceeded.*index is 4 exceeded 4"),
            ([-1], [[1, 2]], "Index -1 is negative"),
        ):
            with pytest.raises(invalid, match=words):
                session.run(acc.apply_grad(indices, values), {indices: i, values: v})
        for shape, words in (
            ([5, 2], "expected shape dim 0 to be 4, got 5"),
            ([4], "expected shape rank at least 2, got 1"),
        ):
            with pytest.raises(invalid, match=f"Shape mismatch: {words}"):
                session.run(acc.apply_grad([0], [[1.0, 2.0]], shape))
        assert session.run(acc.num_accumulated()) == 0


@pytest.mark.parametrize("shape", [[], [None], [4], [4, 2], None])
def test_the_shape_is_that_of_the_first_dimensions(shape):
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.SparseConditionalAccumulator(tf.float32, shape)
        rows = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
        session.run(acc.apply_grad([0, 3], rows, [4, 2, 3]))
        session.run(acc.apply_grad([3], rows[:1]))
        indices, values, whole = session.run(acc.take_grad(2))
        assert indices.tolist() == [0, 3]
        np.testing.assert_array_equal(values, [rows[0], (rows[0] + rows[1]) / 2])
        first = 4 if shape and shape[0] else -1
        assert whole.tolist() == [first, 2, 3]


def test_a_gradient_without_a_dimension_of_the_shape_is_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.SparseConditionalAccumulator(tf.float32, [4, 2, 3])
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match="Shape mismatch: expected values rank at least 3, got 2",
        ):
            session.run(acc.apply_grad([0], [[1.0, 2.0]]))


def test_the_first_gradient_says_the_shape_of_the_rows_until_they_are_taken():
    wide, narrow = np.ones([1, 2, 3], np.float32), np.ones([1, 2, 2], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.SparseConditionalAccumulator(tf.float32, [2, 2])
        session.run(acc.apply_grad([0], wide))
        for values, words in (
            (narrow, "expected values dim 2 to be 3, got 2"),
            (narrow[0, :1], "expected values rank 3, got 2"),
        ):
            with pytest.raises(
                tf.errors.InvalidArgumentError, match=f"Shape mismatch: {words}"
            ):
                session.run(acc.apply_grad([1], values))
        session.run(acc.take_grad(1))
        session.run(acc.apply_grad([1], narrow, local_step=1))
        np.testing.assert_array_equal(session.run(acc.take_grad(1)).values, narrow)
