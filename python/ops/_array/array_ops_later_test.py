# SPDX-License-Identifier: Apache-2.0
"""Array functions of later TensorFlow versions against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    fed,
    gradient_error,
    run,
    values,
)


@pytest.mark.parametrize(
    ("shape", "repeats", "axis"),
    [
        ([3], 2, None),
        ([3], [1, 0, 2], 0),
        ([2, 3], [1, 2], 0),
        ([2, 3], [0, 2, 1], -1),
        ([2, 3], 3, None),
        ([2, 3], [2], 1),
        ([0], 2, 0),
    ],
)
def test_repeat(shape, repeats, axis):
    x = values(shape)
    got = run(lambda: tf.repeat(x, repeats, axis))
    np.testing.assert_array_equal(got, np.repeat(x, repeats, axis))


def test_batch_gather():
    x, indices = values([2, 3, 2]), np.array([[2, 0], [1, 1]], np.int32)
    got = fed(tf.batch_gather, x, indices, known=True)
    np.testing.assert_array_equal(got, [x[b][indices[b]] for b in range(2)])


def test_ensure_shape():
    x = values([2, 3])
    np.testing.assert_array_equal(fed(lambda x: tf.ensure_shape(x, [None, 3]), x), x)
    np.testing.assert_array_equal(fed(tf.guarantee_const, x), x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible|equal"):
        fed(lambda x: tf.ensure_shape(x, [2, 4]), x)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="equal"):
        tf.ensure_shape(x, [2, 4])


def test_sparse_placeholders_are_fed_whole():
    value = tf.SparseTensorValue([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
    for shape in (None, [2, 3], [None, 3]):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.sparse_placeholder(tf.float32, shape)
            values_ = sess.run(x.values * 2, {x: value})
            np.testing.assert_array_equal(values_, [2, 4])


def test_sparse_mask_drops_rows():
    with tf.Graph().as_default(), tf.Session() as sess:
        slices = tf.IndexedSlices(tf.constant(values([3, 2])), tf.constant([4, 7, 9]))
        kept = tf.sparse_mask(slices, [7, 1])
        indices, rows = sess.run([kept.indices, kept.values])
    np.testing.assert_array_equal(indices, [4, 9])
    np.testing.assert_array_equal(rows, values([3, 2])[[0, 2]])


def test_gradient_of_ensure_shape():
    assert gradient_error(lambda x: tf.ensure_shape(x, [3]), [3]) < 1e-9


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    "shapes",
    [
        ([2, 3], [2, 3], [2, 3]),
        ([2, 1], [3], [2, 3]),
        ([], [2, 1], [1, 3]),
        ([4, 2, 3], [], [3]),
        ([0, 1], [3], [1]),
    ],
)
def test_where_v2_broadcasts(known, shapes):
    condition = values(shapes[0], np.float32) > 0
    x, y = values(shapes[1], np.float32), -values(shapes[2], np.float32)
    got = fed(tf.where_v2, condition, x, y, known=known)
    np.testing.assert_array_equal(got, np.where(condition, x, y))


def test_where_v2_knows_the_shape_it_broadcasts_to():
    with tf.Graph().as_default():
        condition, x = tf.placeholder(tf.bool, [None, 1]), tf.zeros([3])
        assert tf.where_v2(condition, x, 0.0).shape.as_list() == [None, 3]
        assert tf.where_v2(tf.placeholder(tf.bool), x, x).shape.ndims is None
        with pytest.raises(ValueError, match="Incompatible shapes"):
            tf.where_v2([True, False], x, x)


def test_where_v2_gradient_adds_up_what_was_broadcast():
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([[4.0], [5.0]])
        z = tf.where_v2([[True, False, False], [True, True, False]], x, y)
        dx, dy = session.run(tf.gradients(z, [x, y]))
    np.testing.assert_array_equal(dx, [2, 1, 0])
    np.testing.assert_array_equal(dy, [[2], [1]])


def test_where_v2_of_a_condition_alone():
    np.testing.assert_array_equal(
        run(lambda: tf.where_v2([True, False, True])), [[0], [2]]
    )
    with pytest.raises(ValueError, match="both"):
        tf.where_v2([True], x=[1])
