# SPDX-License-Identifier: Apache-2.0
"""ReduceJoin, against loops over the elements."""

import itertools

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


def _strings(*shape):
    flat = [f"{i}".encode() for i in range(int(np.prod(shape)))]
    return np.array(flat, object).reshape(shape)


def _joined(x, axes, separator, keep_dims):
    """The dimensions `axes` in front, the first last of them, flattened and joined."""
    axes = [a % x.ndim for a in axes]
    rest = [d for d in range(x.ndim) if d not in axes]
    rows = x.transpose(rest + axes[::-1]).reshape([x.shape[d] for d in rest] + [-1])
    out = np.empty(rows.shape[:-1], object)
    for place in np.ndindex(out.shape):
        out[place] = separator.join(rows[place])
    if keep_dims:
        return out.reshape([1 if d in axes else n for d, n in enumerate(x.shape)])
    return out


@pytest.mark.parametrize("keep_dims", [False, True])
def test_dimensions_are_joined_in_their_order(keep_dims):
    x = _strings(2, 3, 4)
    for n in range(4):
        for axes in itertools.permutations(range(3), n):
            got = _run(tf.reduce_join(x, axes, keep_dims, separator="-"))
            np.testing.assert_array_equal(got, _joined(x, axes, b"-", keep_dims))


def test_all_is_joined_where_no_axis_is_given():
    x = _strings(2, 3)
    assert _run(tf.reduce_join(x)) == b"012345"
    fed = tf.placeholder(tf.string)
    assert _run(tf.reduce_join(fed, separator=","), {fed: x}) == b"0,1,2,3,4,5"
    np.testing.assert_array_equal(_run(tf.reduce_join(x, -1)), [b"012", b"345"])
    np.testing.assert_array_equal(
        _run(tf.reduce_join(x, reduction_indices=0)), [b"03", b"14", b"25"]
    )
    assert _run(tf.reduce_join(np.array(b"one", object))) == b"one"


def test_nothing_joined_is_empty():
    got = _run(tf.reduce_join(tf.zeros([2, 0], tf.string), 1, separator="x"))
    np.testing.assert_array_equal(got, [b"", b""])


def test_wrong_axes_are_refused():
    fed = tf.placeholder(tf.int32)
    joined = tf.reduce_join(_strings(2, 2), fed)
    for axes in ([2], [-3], [0, 0], [0, -2]):
        with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError)):
            _run(joined, {fed: axes})
    with pytest.raises(ValueError):
        tf.reduce_join(_strings(2, 2), [2])
