# SPDX-License-Identifier: Apache-2.0
"""StringSplit and StringSplitV2: the parts of strings as sparse matrices."""

import re

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_TEXTS = [b"a b", b"", b" a  b ", b"a,b;c", b"x", b"\xc3\xb6,", b",,"]


def _run(sparse):
    with tf.Session() as session:
        return session.run(sparse)


def _expect(value, rows):
    want = [
        (r, i, part) for r, parts in enumerate(rows) for i, part in enumerate(parts)
    ]
    np.testing.assert_array_equal(
        value.indices, np.array([w[:2] for w in want], np.int64).reshape(-1, 2)
    )
    assert value.values.tolist() == [w[2] for w in want]
    longest = max((len(r) for r in rows), default=0)
    assert value.dense_shape.tolist() == [len(rows), longest]


@pytest.mark.parametrize("skip_empty", [True, False])
@pytest.mark.parametrize("delimiter", [" ", ",", ",;"])
def test_each_character_is_a_delimiter(delimiter, skip_empty):
    rows = []
    for text in _TEXTS:
        parts = re.split(f"[{delimiter}]".encode(), text) if text else []
        rows.append([p for p in parts if p or not skip_empty])
    _expect(_run(tf.string_split(_TEXTS, delimiter, skip_empty)), rows)


def test_bytes_are_the_parts_where_there_is_no_delimiter():
    rows = [[bytes([c]) for c in text] for text in _TEXTS]
    _expect(_run(tf.string_split(_TEXTS, "")), rows)
    _expect(_run(tf.strings.bytes_split(_TEXTS)), rows)
    assert _run(tf.strings.bytes_split("abc")).tolist() == [b"a", b"b", b"c"]


def test_white_space_separates_as_in_python():
    _expect(_run(tf.strings.split(_TEXTS)), [t.split() for t in _TEXTS])
    got = _run(tf.strings.split([b"a b  c ", b" a", b""], maxsplit=1))
    _expect(got, [[b"a", b"b  c "], [b"a", b""], []])


@pytest.mark.parametrize("maxsplit", [-1, 0, 1, 2])
@pytest.mark.parametrize("sep", [",", "a", " a", "no"])
def test_separators_separate_as_in_python(sep, maxsplit):
    rows = [t.split(sep.encode(), maxsplit) for t in _TEXTS]
    _expect(_run(tf.strings.split(_TEXTS, sep, maxsplit)), rows)


def test_nothing_has_no_parts():
    _expect(_run(tf.strings.split(tf.zeros([0], tf.string))), [])
    _expect(_run(tf.string_split(tf.zeros([0], tf.string))), [])


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError):
        tf.string_split([["a"]])
    with pytest.raises(ValueError, match="result_type"):
        tf.strings.split(["a"], result_type="RaggedTensor")
    with pytest.raises(ValueError, match="both"):
        tf.string_split(["a"], sep=" ", delimiter=",")
