# SPDX-License-Identifier: Apache-2.0
"""UnsortedSegmentJoin: strings of one id behind one another."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_slices_of_one_id_are_joined(dtype):
    inputs = np.array([[b"a", b"b"], [b"c", b""], [b"e", b"f"], [b"g", b"h"]], object)
    ids = np.array([2, 0, 2, 3], dtype)
    got = _run(tf.strings.unsorted_segment_join(inputs, ids, dtype(4), ":"))
    want = [[b"c", b""], [b"", b""], [b"a:e", b"b:f"], [b"g", b"h"]]
    np.testing.assert_array_equal(got, np.array(want, object))


def test_an_empty_beginning_is_not_divided_from_the_rest():
    texts = ["", "", "a", "", "b"]
    got = _run(tf.strings.unsorted_segment_join(texts, [0] * 5, 1, "-"))
    assert got.tolist() == [b"a--b"]


def test_ids_may_have_several_dimensions():
    got = _run(
        tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], 2)
    )
    np.testing.assert_array_equal(got, [b"ad", b"bc"])
    shape = tf.strings.unsorted_segment_join(
        tf.placeholder(tf.string, [5, 3]), tf.placeholder(tf.int32, [5]), 7
    ).shape
    assert shape.as_list() == [7, 3]


def test_wrong_ids_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        _run(tf.strings.unsorted_segment_join(["a"], [2], 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        _run(tf.strings.unsorted_segment_join(["a"], [-1], 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0"):
        _run(tf.strings.unsorted_segment_join("a", 0, 2))
    with pytest.raises(ValueError):
        tf.strings.unsorted_segment_join(["a"], [0, 1], 2)
    fed = tf.placeholder(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        _run(tf.strings.unsorted_segment_join(["a"], [0], fed), {fed: -1})
