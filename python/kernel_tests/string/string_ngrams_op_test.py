# SPDX-License-Identifier: Apache-2.0
"""StringNGrams, against slices of Python's lists."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_string_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

_DATA = [b"a", b"b", b"c", b"d", b"e", b"f"]
_SPLITS = [0, 4, 4, 5, 6]


def _of_row(row, widths, pad_width, keep_short):
    found = []
    for width in widths:
        pad = width - 1 if pad_width < 0 else min(pad_width, width - 1)
        padded = [b"L"] * pad + row + [b"R"] * pad
        found += [padded[i : i + width] for i in range(len(padded) - width + 1)]
    if keep_short and not found and row:
        pad = max(pad_width, 0)
        found = [[b"L"] * pad + row + [b"R"] * pad]
    return [b"|".join(f) for f in found]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("keep_short", [False, True])
@pytest.mark.parametrize("pad_width", [-1, 0, 1, 5])
@pytest.mark.parametrize("widths", [[1], [2], [3], [7], [2, 3], [3, 1], []])
def test_neighbours_are_joined(widths, pad_width, keep_short, dtype):
    ngrams, splits = gen_string_ops.string_n_grams(
        _DATA, np.array(_SPLITS, dtype), "|", widths, "L", "R", pad_width, keep_short
    )
    with tf.Session() as session:
        got, got_splits = session.run([ngrams, splits])
    rows = [
        _of_row(_DATA[a:b], widths, pad_width, keep_short)
        for a, b in zip(_SPLITS, _SPLITS[1:])
    ]
    assert got.tolist() == sum(rows, [])
    assert got_splits.dtype == dtype
    assert got_splits.tolist() == np.cumsum([0] + [len(r) for r in rows]).tolist()


def test_where_there_is_no_string_none_is_padded():
    ngrams, splits = gen_string_ops.string_n_grams(
        tf.constant([], tf.string), np.int64([0, 0, 0]), "|", [2], "L", "R", -1, False
    )
    with tf.Session() as session:
        got, got_splits = session.run([ngrams, splits])
    assert got.tolist() == [] and got_splits.tolist() == [0, 0, 0]


def test_the_last_dimension_has_the_runs():
    with tf.Session() as session:
        x = tf.placeholder(tf.string, [2, None])
        ngrams = tf.strings.ngrams(x, 2)
        assert ngrams.shape.as_list() == [2, None]
        got = session.run(ngrams, {x: [[b"a", b"b", b"c"], [b"d", b"e", b"f"]]})
        assert got.tolist() == [[b"a b", b"b c"], [b"d e", b"e f"]]
        got = session.run(tf.strings.ngrams(["a", "b"], [1, 2], pad_values="#"))
        assert got.tolist() == [b"a", b"b", b"# a", b"a b", b"b #"]
        got = session.run(tf.strings.ngrams(["a"], 3, preserve_short_sequences=True))
        assert got.tolist() == [b"a"]


@pytest.mark.parametrize(
    ("splits", "text"),
    [
        ([1, 6], "First"),
        ([0, 7], "Invalid"),
        ([0, 3, 2, 6], "Invalid"),
        ([0, 5], "Last"),
    ],
)
def test_wrong_splits_are_refused(splits, text):
    ngrams, _ = gen_string_ops.string_n_grams(
        _DATA, np.array(splits, np.int64), "|", [2], "", "", 0, False
    )
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.run(ngrams)


def test_wrong_widths_are_refused():
    with pytest.raises(ValueError, match="greater than 0"):
        tf.strings.ngrams(["a"], 0)
    with pytest.raises(ValueError, match="pad_values"):
        tf.strings.ngrams(["a"], 2, padding_width=1)
    for widths in ([0], [1 << 40], [1 << 20]):
        ngrams, _ = gen_string_ops.string_n_grams(
            _DATA, np.array([0, 6]), "|", widths, "L", "R", -1, False
        )
        with tf.Session() as session:
            with pytest.raises(tf.errors.InvalidArgumentError, match="StringNGrams"):
                session.run(ngrams)
