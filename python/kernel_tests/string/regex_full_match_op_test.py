# SPDX-License-Identifier: Apache-2.0
"""RegexFullMatch and StaticRegexFullMatch: which strings a pattern matches."""

import re

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_string_ops, string_ops

_WORDS = np.array([[b"", b"a", b"aa"], [b"ab", b"\xc3\xb6", b"abcabc"]], object)


@pytest.mark.parametrize("pattern", ["a*", "[ab]+", ".*", "", "(abc)+", "a|ab"])
def test_all_of_each_string_is_matched(pattern):
    found = np.vectorize(
        lambda w: re.fullmatch(pattern, w.decode()) is not None, [bool]
    )
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.placeholder(tf.string)
        compiled = string_ops.regex_full_match(words, pattern)
        assert compiled.op.type == "StaticRegexFullMatch"
        fed = string_ops.regex_full_match(words, tf.constant(pattern))
        assert fed.op.type == "RegexFullMatch"
        for got in session.run([compiled, fed], {words: _WORDS}):
            np.testing.assert_array_equal(got, found(_WORDS))
        assert session.run(compiled, {words: np.zeros([0, 2], object)}).shape == (0, 2)


def test_patterns_that_are_none_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        for match in (
            string_ops.regex_full_match(["a"], "(a"),
            string_ops.regex_full_match(["a"], tf.constant("(a")),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
                session.run(match)
        with pytest.raises(ValueError):
            gen_string_ops.regex_full_match(["a"], ["a", "b"])
