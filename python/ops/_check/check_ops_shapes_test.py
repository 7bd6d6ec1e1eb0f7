# SPDX-License-Identifier: Apache-2.0
"""assert_shapes."""

import numpy as np
import pytest

import tensorwright as tf

assert_shapes = tf.debugging.assert_shapes


def fed(shape, static=None):
    """Returns a placeholder and its feed."""
    return tf.placeholder(tf.float32, static), np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        ([2, 3], ("N", "Q")),
        ([2, 3], (2, 3)),
        ([2, 3], (None, ".")),
        ([2, 2], "NN"),
        ([], ()),
        ([4], 4),
        ([4, 2, 3], (..., "Q")),
        ([4, 2, 3], ("*", 2, "Q")),
        ([3], ("...", 3)),
    ],
)
def test_right_shapes_pass(shape, sizes):
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(assert_shapes([(tf.zeros(shape), sizes)]))
        x, value = fed(shape)
        session.run(assert_shapes([(x, sizes)]), {x: value})


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        ([2, 3], ("N", "N")),
        ([2, 3], (2, 4)),
        ([2, 3], (2,)),
        ([2, 3], ()),
        ([3], (..., 2, 3)),
        ([4, 2, 3], (..., 3, "Q")),
    ],
)
def test_wrong_shapes_fail(shape, sizes):
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(ValueError, match="so it is. assert_shapes: "):
            assert_shapes([(tf.zeros(shape), sizes)], message="so it is.")
        x, value = fed(shape)
        check = assert_shapes([(x, sizes)], message="so it is.")
        with pytest.raises(tf.errors.InvalidArgumentError, match="so it is. "):
            session.run(check, {x: value})


def test_names_hold_across_tensors():
    with tf.Graph().as_default(), tf.Session() as session:
        x, two = fed([2, 3], [None, None])
        y = tf.zeros([4, 3])
        session.run(assert_shapes({x: ("N", "Q"), y: ("M", "Q")}), {x: two})
        check = assert_shapes([(x, ("N", "Q")), (y, ("N", "Q"))])
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be as"):
            session.run(check, {x: two})
        with pytest.raises(ValueError, match="must be as dimension -2"):
            assert_shapes([(x, "NQ"), (y, "NQ"), (tf.zeros([5, 3]), "NQ")])


def test_any_rank_comes_first():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be the first"):
        assert_shapes([(tf.zeros([2, 3]), ("N", ...))])
