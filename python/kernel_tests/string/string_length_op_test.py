# SPDX-License-Identifier: Apache-2.0
"""StringLength: bytes and characters."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_TEXTS = ["", "a", "öä", "日本語", "x" * 70_000, "a\U0001f600b"]


def test_bytes_and_characters_are_counted():
    strings = np.array([t.encode() for t in _TEXTS], object).reshape(3, 2)
    with tf.Session() as session:
        got = session.run(tf.strings.length(strings))
        assert got.dtype == np.int32
        np.testing.assert_array_equal(got.ravel(), [len(t.encode()) for t in _TEXTS])
        got = session.run(tf.strings.length(strings, unit="UTF8_CHAR"))
        np.testing.assert_array_equal(got.ravel(), [len(t) for t in _TEXTS])
        # Bytes that go on with a character begin none.
        assert session.run(tf.strings.length(b"\x80\x80a", unit="UTF8_CHAR")) == 1


def test_other_units_are_refused():
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="unit"):
        tf.strings.length("a", unit="WORD")
