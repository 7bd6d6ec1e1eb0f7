# SPDX-License-Identifier: Apache-2.0
"""StringUpper, against Python's str.upper."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_TEXTS = [
    "",
    "aBc 1é",
    "ÀÉÎ ÿ ж Ж",
    "Ǆ ա Ա",
    "日本 \U00010400\U00010428",
    "x" * 40 + "Y" * 40,
]


def _run(texts, **arguments):
    strings = np.array([t.encode() for t in texts], object)
    with tf.Session() as session:
        return [t.decode() for t in session.run(tf.strings.upper(strings, **arguments))]


def test_letters_of_all_alphabets_change_in_utf8():
    assert _run(_TEXTS, encoding="utf-8") == [t.upper() for t in _TEXTS]


def test_ascii_letters_alone_change_without_an_encoding():
    want = [t.encode().upper().decode() for t in _TEXTS]
    assert _run(_TEXTS) == want


def test_one_letter_may_become_several():
    assert _run(["straße ŉ ﬃ"], encoding="utf-8") == ["STRASSE ʼN FFI"]


def test_bytes_that_are_no_character_are_replaced():
    with tf.Session() as session:
        got = session.run(
            tf.strings.upper([b"\xff\xc3", b"\xed\xa0\x80"], encoding="utf-8")
        )
    assert got.tolist() == [b"\xef\xbf\xbd" * 2, b"\xef\xbf\xbd" * 3]


def test_other_encodings_are_refused():
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="utf-8"):
            session.run(tf.strings.upper("a", encoding="latin1"))
