# SPDX-License-Identifier: Apache-2.0
"""Slice against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)

CASES = [
    ([], [], []),
    ([0], [0], [0]),
    ([1], [0], [1]),
    ([7], [2], [3]),
    ([7], [7], [0]),
    ([7], [2], [-1]),
    ([3, 5], [1, 0], [2, 5]),
    ([3, 5], [0, 1], [-1, 3]),
    ([2, 0, 3], [0, 0, 1], [2, 0, -1]),
    ([4, 3, 2, 5], [1, 0, 1, 2], [2, 3, 1, 3]),
    ([70, 65], [3, 1], [64, 63]),
    ([1001], [1], [999]),
]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [*DTYPES, np.uint16, object])
@pytest.mark.parametrize(("shape", "begin", "size"), CASES)
def test_slice(known, dtype, shape, begin, size):
    x = values(shape, dtype)
    part = tuple(
        slice(b, None if s == -1 else b + s) for b, s in zip(begin, size, strict=True)
    )
    for index in (np.int32, np.int64):
        arrays = x, np.array(begin, index), np.array(size, index)
        np.testing.assert_array_equal(fed(tf.slice, *arrays, known=known), x[part])


@pytest.mark.parametrize(
    ("begin", "size", "words"),
    [
        ([3, 0], [1, 1], "begin|size|slice"),
        ([-1, 0], [1, 1], "begin|slice"),
        ([0, 2], [1, 2], "size|slice"),
        ([0, 0], [-2, 1], "size|slice"),
        ([0], [1], "begin|size|rank|shape"),
        ([[0, 0]], [[1, 1]], "begin|rank|1"),
    ],
)
def test_refuses_what_is_not_inside(begin, size, words):
    arrays = np.array(begin, np.int32), np.array(size, np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(tf.slice, values([2, 3]), *arrays)
    error = tf.errors.InvalidArgumentError
    if np.ndim(begin) != 1 or len(begin) != 2 or min(size) < -1:
        error = ValueError  # No node can be right: refused while it is built.
    with pytest.raises(error, match=words):
        fed(lambda x: tf.slice(x, *arrays), values([2, 3]), known=True)


def test_a_box_out_of_range_is_built_and_refused_in_a_run():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([1, 2, 3])
        far = tf.slice(x, [2], [5])
        assert far.shape.as_list() == [5]
        assert tf.slice(x, [-1], [1]).shape.as_list() == [1]
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Expected size\[0\] in \[0, 1\], but got 5",
        ):
            sess.run(far)
        taken = tf.cond(tf.size(x) > 6, lambda: tf.slice(x, [2], [5]), lambda: x)
        np.testing.assert_array_equal(sess.run(taken), [1, 2, 3])
        with pytest.raises(ValueError, match="begin"):
            tf.slice(x, [4], [-1])


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda x: tf.slice(x, [1, 0], [1, 2]), [2, 3]),
        (lambda x: tf.slice(x, [2], [-1]), [5]),
    ],
)
def test_gradient(build, shape):
    assert gradient_error(build, shape) < 1e-9
