# SPDX-License-Identifier: Apache-2.0
"""RandomShuffle: the rows in another order."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    values,
)


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(
    "shape", [[], [0], [1], [2], [7], [5, 3], [0, 3], [1001], [40, 2, 2]]
)
def test_the_rows_are_the_same_in_some_order(dtype, shape):
    x = values(shape, dtype)
    got = fed(lambda x: tf.random_shuffle(x, seed=3), x)
    assert np.shape(got) == x.shape
    if not shape:
        np.testing.assert_array_equal(got, x)
        return
    assert sorted(map(str, got.tolist())) == sorted(map(str, x.tolist()))


def test_every_order_comes_about_as_often():
    counts = {}
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        shuffled = tf.random_shuffle(tf.range(3))
        for _ in range(1200):
            order = tuple(session.run(shuffled).tolist())
            counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    # Six orders, 200 each; the standard deviation is 13.
    assert max(abs(n - 200) for n in counts.values()) < 65


def test_a_seed_decides_the_order():
    def drawn(seed):
        with tf.Graph().as_default(), tf.Session() as session:
            shuffled = tf.random_shuffle(tf.range(50), seed=seed)
            return [session.run(shuffled).tolist() for _ in range(2)]

    assert drawn(5) == drawn(5)
    assert drawn(5) != drawn(6)
    first, second = drawn(5)
    assert first != second


def test_has_no_gradient():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3])
        assert tf.gradients(tf.random_shuffle(x), x) == [None]
