# SPDX-License-Identifier: Apache-2.0
"""StringLower, against Python's str.lower."""

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
        return [t.decode() for t in session.run(tf.strings.lower(strings, **arguments))]


def test_letters_of_all_alphabets_change_in_utf8():
    assert _run(_TEXTS, encoding="utf-8") == [t.lower() for t in _TEXTS]


def test_ascii_letters_alone_change_without_an_encoding():
    want = [t.encode().lower().decode() for t in _TEXTS]
    assert _run(_TEXTS) == want


def test_a_sigma_at_the_end_of_a_word_is_the_final_one():
    assert _run(["ΑΣ ΣΑΣ."], encoding="utf-8") == ["ας σας."]
    assert _run(["İ"], encoding="utf-8") == ["i\u0307"]


def test_bytes_that_are_no_character_are_replaced():
    with tf.Session() as session:
        got = session.run(
            tf.strings.lower([b"\xff\xc3", b"\xed\xa0\x80"], encoding="utf-8")
        )
    assert got.tolist() == [b"\xef\xbf\xbd" * 2, b"\xef\xbf\xbd" * 3]


def test_other_encodings_are_refused():
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="utf-8"):
            session.run(tf.strings.lower("a", encoding="latin1"))
