# SPDX-License-Identifier: Apache-2.0
"""RegexReplace and StaticRegexReplace, against Python's re."""

import re

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_string_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

_WORDS = np.array([[b"", b"a", b"aa"], [b"ab", b"cab", b"abcabc"]], object)


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize(
    ("pattern", "rewrite"),
    [("a", "x"), ("a+", r"<\0>"), ("(a)(b)", r"\2\1"), ("^a", ""), ("c", "\\\\")],
)
def test_matches_are_replaced(pattern, rewrite, once):
    theirs = rewrite.replace(r"\0", r"\g<0>")
    want = np.array(
        [
            re.sub(pattern, theirs, w.decode(), count=int(once)).encode()
            for w in _WORDS.flat
        ],
        object,
    ).reshape(_WORDS.shape)
    words = tf.placeholder(tf.string)
    compiled = tf.regex_replace(words, pattern, rewrite, not once)
    assert compiled.op.type == "StaticRegexReplace"
    fed = tf.regex_replace(words, tf.constant(pattern), rewrite, not once)
    assert fed.op.type == "RegexReplace"
    with tf.Session() as session:
        for got in session.run([compiled, fed], {words: _WORDS}):
            np.testing.assert_array_equal(got, want)


def test_what_was_fed_stays_as_it_was():
    words = np.array([b"aaa", b"b" * 100], object)
    with tf.Session() as session:
        fed = tf.placeholder(tf.string)
        session.run(tf.regex_replace(fed, "a|b", "x"), {fed: words})
    np.testing.assert_array_equal(words, [b"aaa", b"b" * 100])


@pytest.mark.parametrize(
    ("pattern", "rewrite", "text"),
    [("(a", "x", "Invalid pattern"), ("(a)", r"\2", "Invalid rewrite")],
)
def test_wrong_patterns_are_refused(pattern, rewrite, text):
    with tf.Session() as session:
        for make in (
            lambda: tf.regex_replace(["a"], pattern, rewrite),
            lambda: tf.regex_replace(["a"], tf.constant(pattern), rewrite),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(make())
    with pytest.raises(ValueError):
        gen_string_ops.regex_replace(["a"], ["a", "b"], "x")
