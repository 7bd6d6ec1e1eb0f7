# SPDX-License-Identifier: Apache-2.0
"""StringStrip, against Python's bytes.strip."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_white_space_at_the_ends_goes():
    strings = [b"", b" ", b" a b\t", b"\n\v\f\r x\0 ", b"none", b"\xc2\xa0x", b" " * 99]
    grid = np.array([*strings, b"y "], object).reshape(2, 4)
    with tf.Session() as session:
        fed = tf.placeholder(tf.string, [2, None])
        stripped = tf.string_strip(fed)
        assert stripped.shape.as_list() == [2, None]
        got = session.run(stripped, {fed: grid})
        want = np.array([s.strip() for s in grid.flat], object).reshape(2, 4)
        np.testing.assert_array_equal(got, want)
        assert session.run(tf.strings.strip(tf.zeros([0], tf.string))).shape == (0,)
