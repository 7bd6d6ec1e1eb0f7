# SPDX-License-Identifier: Apache-2.0
"""Tests of conditional random fields against sums over all tags."""

import itertools

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

crf = tf.contrib.crf
B, T, N = 3, 4, 3
LENGTHS = [4, 1, 3]


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def score(x, tags, transitions):
    unary = sum(x[t, k] for t, k in enumerate(tags))
    return unary, sum(transitions[a, b] for a, b in zip(tags, tags[1:]))


def everything(x, transitions):
    return {
        tags: sum(score(x, tags, transitions))
        for tags in itertools.product(range(N), repeat=len(x))
    }


def test_scores_and_norms():
    x, transitions = draw(B, T, N), draw(N, N, seed=1)
    tags = np.random.RandomState(2).randint(0, N, [B, T]).astype(np.int32)
    likelihood, given = crf.crf_log_likelihood(x, tags, LENGTHS, transitions)
    assert given is transitions
    fetched = [
        crf.crf_unary_score(tags, LENGTHS, x),
        crf.crf_binary_score(tags, LENGTHS, transitions),
        crf.crf_sequence_score(x, tags, LENGTHS, transitions),
        crf.crf_log_norm(x, LENGTHS, transitions),
        likelihood,
    ]
    with tf.Session() as session:
        unary, binary, both, norm, likelihood = session.run(fetched)
    for b, n in enumerate(LENGTHS):
        want = score(x[b, :n], list(tags[b, :n]), transitions)
        np.testing.assert_allclose([unary[b], binary[b]], want, rtol=1e-5, atol=1e-6)
        total = np.log(sum(np.exp(list(everything(x[b, :n], transitions).values()))))
        np.testing.assert_allclose(norm[b], total, rtol=1e-5)
        np.testing.assert_allclose(both[b], sum(want), rtol=1e-5)
        np.testing.assert_allclose(likelihood[b], sum(want) - total, rtol=1e-4)


def test_viterbi_finds_the_best():
    x, transitions = draw(T, N), draw(N, N, seed=1)
    tags, best = crf.viterbi_decode(x, transitions)
    scores = everything(x, transitions)
    assert tuple(tags) == max(scores, key=scores.get)
    np.testing.assert_allclose(best, max(scores.values()), rtol=1e-5)


def test_transitions_are_learned():
    # Tags alternate, which inputs of zeros do not say.
    tags = np.array([[0, 1, 0, 1], [1, 0, 1, 0]], np.int32)
    likelihood, transitions = crf.crf_log_likelihood(tf.zeros([2, 4, 2]), tags, [4, 4])
    train = tf.train.GradientDescentOptimizer(0.5).minimize(-tf.reduce_mean(likelihood))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(60):
            session.run(train)
        learned = session.run(transitions)
    assert crf.viterbi_decode(np.array([[1.0, 0], [0, 0], [0, 0]]), learned)[0] == [
        0,
        1,
        0,
    ]
    assert learned[0, 1] > learned[0, 0] and learned[1, 0] > learned[1, 1]


def test_bad_shapes():
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        with tf.Session() as session:
            session.run(crf.crf_unary_score([[0, 5]], [2], np.zeros([1, 2, 3])))
