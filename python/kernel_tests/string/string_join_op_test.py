# SPDX-License-Identifier: Apache-2.0
"""StringJoin: strings behind one another."""

import numpy as np
import pytest

import tensorwright as tf


def _joined(*parts, **arguments):
    with tf.Graph().as_default(), tf.Session() as session:
        feeds = [tf.placeholder(tf.string) for _ in parts]
        values = [np.array(p, object) for p in parts]
        return session.run(
            tf.string_join(feeds, **arguments), dict(zip(feeds, values, strict=True))
        )


def test_scalars_and_elements_are_joined():
    assert _joined(b"a", b"", b"c") == b"ac"
    assert _joined(b"a", b"", b"c", separator="-") == b"a--c"
    assert _joined(b"only", separator="-") == b"only"
    grid = np.array([[b"x", b"\x00"], [b"\xff", b""]], object)
    got = _joined(b"<", grid, grid, b">", separator=".")
    want = [[b"<.x.x.>", b"<.\x00.\x00.>"], [b"<.\xff.\xff.>", b"<...>"]]
    np.testing.assert_array_equal(got, np.array(want, object))
    assert _joined(np.zeros([0, 2], object), b"x").shape == (0, 2)


def test_other_shapes_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError):
        _joined([b"a", b"b"], [b"a", b"b", b"c"])
    with tf.Graph().as_default(), pytest.raises(ValueError):
        tf.string_join([tf.zeros([2], tf.string), tf.zeros([3], tf.string)])


def test_the_shape_is_known_where_the_inputs_are():
    with tf.Graph().as_default():
        known = tf.placeholder(tf.string, [2, None])
        scalar = tf.placeholder(tf.string, [])
        assert tf.string_join([scalar, known]).shape.as_list() == [2, None]
        assert tf.string_join([scalar, scalar]).shape.as_list() == []
        anything = tf.placeholder(tf.string)
        assert tf.string_join([scalar, anything]).shape.ndims is None
