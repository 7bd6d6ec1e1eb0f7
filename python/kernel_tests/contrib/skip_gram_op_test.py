# SPDX-License-Identifier: Apache-2.0
"""Tests of SkipGramGenerateCandidates."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_contrib_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def run(tokens, low, high, start=0, limit=-1, with_self=False, seed=1):
    pairs = gen_contrib_ops.skip_gram_generate_candidates(
        tokens, low, high, start, limit, with_self, seed=seed, seed2=2
    )
    with tf.Session() as session:
        return list(zip(*session.run(list(pairs))))


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, bytes])
def test_pairs_of_a_fixed_distance(dtype):
    words = np.arange(5).astype(dtype) if dtype is not bytes else list("abcde")
    if dtype is bytes:
        words = [w.encode() for w in words]
    got = run(words, 1, 1)
    want = [
        (words[i], words[j]) for i in range(5) for j in (i - 1, i + 1) if 0 <= j < 5
    ]
    assert got == want
    assert run(words, 0, 0, with_self=True) == [(w, w) for w in words]
    assert run(words, 1, 1, 3, 1) == []
    assert run(words, 5, 5, 3, 100) == [(words[3], words[4]), (words[4], words[3])]


def test_distances_are_drawn_for_each_token():
    n = 3000
    pairs = np.array(run(np.arange(n), 1, 3))
    reach = np.zeros(n, int)
    np.maximum.at(reach, pairs[:, 0], np.abs(pairs[:, 0] - pairs[:, 1]))
    # All places up to the one that is drawn, on both sides.
    inner = slice(3, n - 3)
    counts = np.bincount(pairs[:, 0], minlength=n)
    np.testing.assert_array_equal(counts[inner], 2 * reach[inner])
    shares = np.bincount(reach[inner], minlength=4)[1:] / (n - 6)
    np.testing.assert_allclose(shares, 1 / 3, atol=0.04)
    again = np.array(run(np.arange(n), 1, 3))
    np.testing.assert_array_equal(pairs, again)
    assert len(run(np.arange(n), 1, 3, seed=7)) != len(pairs)


@pytest.mark.parametrize(
    "arguments,words",
    [
        ((-1, 2), "min_skips must be >= 0"),
        ((3, 2), "min_skips must be <= max_skips"),
        ((1, 2, -1), "start must be in"),
        ((1, 2, 5), "start must be in"),
    ],
)
def test_bad_values(arguments, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(np.arange(5), *arguments)


def test_tokens_must_be_a_vector():
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        run(np.zeros([2, 3], int), 1, 2)
