# SPDX-License-Identifier: Apache-2.0
"""Substr, against Python's slices."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


def _part(text, pos, length):
    begin = pos if pos >= 0 else len(text) + pos
    return text[begin : begin + length]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("unit", ["BYTE", "UTF8_CHAR"])
def test_parts_are_those_of_slices(unit, dtype):
    texts = ["hello", "wörld é", "日本語日本語"]
    strings = np.array([t.encode() for t in texts], object)
    for pos in range(-5, 6):
        for length in (0, 1, 3, 99):
            got = _run(
                tf.substr(strings, dtype(pos), dtype(length), unit=unit)
            ).tolist()
            if unit == "BYTE":
                assert got == [_part(s, pos, length) for s in strings]
            else:
                assert got == [_part(t, pos, length).encode() for t in texts]


def test_positions_broadcast():
    strings = np.array([[b"abcd", b"efgh"], [b"ijkl", b"mnop"]], object)
    got = _run(tf.substr(strings, [0, 2], [2, 1]))
    np.testing.assert_array_equal(got, [[b"ab", b"g"], [b"ij", b"o"]])
    got = _run(tf.substr("abc", [[0], [1]], [[1], [2]]))
    np.testing.assert_array_equal(got, [[b"a"], [b"bc"]])
    shape = tf.substr(tf.placeholder(tf.string, [3, 1]), [1, 2], [1, 1]).shape
    assert shape.as_list() == [3, 2]


@pytest.mark.parametrize("unit", ["BYTE", "UTF8_CHAR"])
@pytest.mark.parametrize("pos", [4, -4, 2**31 - 1, -(2**31)])
def test_positions_that_are_not_there_are_refused(pos, unit):
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        _run(tf.substr(["abc"], [pos], [1], unit=unit))


def test_other_shapes_are_refused():
    with pytest.raises(ValueError):
        tf.substr(["abc"], [1, 1], [1])
    with pytest.raises(ValueError):
        tf.substr(["abc", "d"], [1, 1, 1], [1, 1, 1])
    fed = tf.placeholder(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        _run(tf.substr(["abc", "d"], fed, fed), {fed: [1, 1, 1]})
