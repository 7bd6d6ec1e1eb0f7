# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.softmax against SciPy."""

import numpy as np
import pytest
import scipy.special

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn

pytestmark = pytest.mark.usefixtures("fresh_graph")

_TOLERANCE = {np.float16: 2e-3, np.float32: 2e-6, np.float64: 1e-13}


@pytest.mark.parametrize("dtype", _TOLERANCE)
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 40), (0, 3), (300, 200)])
def test_rows_are_scipys(shape, dtype):
    rows, _, sizes = drawn.draw(shape)
    values = np.random.RandomState(1).normal(size=len(rows)).astype(dtype) * 3
    got = drawn.run(tf.sparse.softmax, (rows, values, sizes))
    logits = np.full(shape, -np.inf)
    logits[tuple(rows.T)] = values.astype(np.float64)
    with np.errstate(invalid="ignore"):
        want = scipy.special.softmax(logits, -1)[tuple(rows.T)] if len(rows) else values
    np.testing.assert_array_equal(got.indices, rows)
    np.testing.assert_allclose(got.values, want, _TOLERANCE[dtype], _TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", _TOLERANCE)
def test_results_of_unsorted_indices_are_sorted(dtype):
    rows = np.array([[1, 1], [0, 2], [1, 0], [0, 0]])
    values = np.array([5, 2, 3, 1], dtype)
    got = drawn.run(tf.sparse.softmax, (rows, values, np.array([2, 3])))
    want = np.r_[scipy.special.softmax([1.0, 2.0]), scipy.special.softmax([3.0, 5.0])]
    np.testing.assert_allclose(got.values, want, _TOLERANCE[dtype], _TOLERANCE[dtype])


def test_gradient():
    rows, values, _ = drawn.draw((3, 4), np.float64)

    def build(x):
        return tf.sparse.softmax(tf.SparseTensor(rows, x, [3, 4])).values

    drawn.check_gradient(build, values / 50)


def test_gradient_of_halves_is_that_of_their_numbers_rounded_once():
    # One element has almost all of its row, so that the upstream gradient less its mean is almost 0.
    x = np.array([[-1.765, 6.547], [3.0, -4.0]], np.float16)
    upstream = np.array([[1.5, 0.5], [-0.75, 2.0]], np.float16)
    rows = np.argwhere(np.ones_like(x))
    with tf.Session() as sess:
        values = tf.constant(x.reshape(-1))
        y = tf.sparse.softmax(tf.SparseTensor(rows, values, [2, 2])).values
        (got,) = tf.gradients(y, values, tf.constant(upstream.reshape(-1)))
        got = sess.run(got)
    share, g = scipy.special.softmax(x.astype(np.float64), -1), upstream.astype("d")
    want = (g - (g * share).sum(-1, keepdims=True)) * share
    assert got.dtype == np.float16
    np.testing.assert_allclose(got, want.reshape(-1), 1e-3)


def test_rank_1_and_negative_sizes_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank >= 2"):
        drawn.run(tf.sparse.softmax, drawn.draw((5,)))
    rows, values, _ = drawn.draw((2, 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative"):
        drawn.run(tf.sparse.softmax, (rows, values, np.array([-2, 2])))
