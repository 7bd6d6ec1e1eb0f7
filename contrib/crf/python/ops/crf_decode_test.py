# SPDX-License-Identifier: Apache-2.0
"""Best tags and sums over allowed tags, against all sequences one by one."""

import itertools

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

crf = tf.contrib.crf
B, T, N = 4, 5, 3
LENGTHS = [5, 1, 3, 2]


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def scores(x, transitions):
    return {
        tags: sum(x[t, k] for t, k in enumerate(tags))
        + sum(transitions[a, b] for a, b in zip(tags, tags[1:]))
        for tags in itertools.product(range(N), repeat=len(x))
    }


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize("lengths", [np.int32, np.int64])
def test_best_tags(fed, lengths):
    x, transitions = draw(B, T, N), draw(N, N, seed=1)
    given = tf.placeholder(tf.float32, [None, None, N]) if fed else tf.constant(x)
    tags, best = crf.crf_decode(given, transitions, np.array(LENGTHS, lengths))
    assert tags.dtype == tf.int32
    with tf.Session() as session:
        tags, best = session.run([tags, best], {given: x} if fed else None)
    assert tags.shape == (B, T)
    for b, n in enumerate(LENGTHS):
        every = scores(x[b, :n], transitions)
        want = max(every, key=every.get)
        assert tuple(tags[b]) == want + (0,) * (T - n)
        np.testing.assert_allclose(best[b], every[want], rtol=1e-5)
        alone, score = crf.viterbi_decode(x[b, :n], transitions)
        assert tuple(alone) == want and np.isclose(score, best[b])


def test_sequences_of_one_step():
    x = draw(B, 1, N)
    tags, best = crf.crf_decode(x, draw(N, N), [1] * B)
    with tf.Session() as session:
        tags, best = session.run([tags, best])
    np.testing.assert_array_equal(tags, x.argmax(2))
    np.testing.assert_allclose(best, x.max((1, 2)))


def test_sums_over_allowed_tags():
    x, transitions = draw(B, T, N), draw(N, N, seed=1)
    allowed = np.random.RandomState(3).rand(B, T, N) > 0.4
    allowed[..., 1] = True
    value = tf.constant(x)
    total = crf.crf_multitag_sequence_score(value, allowed, LENGTHS, transitions)
    (grad,) = tf.gradients(total, value)
    with tf.Session() as session:
        total, grad = session.run([total, grad])
    for b, n in enumerate(LENGTHS):
        kept = [
            s
            for tags, s in scores(x[b, :n], transitions).items()
            if all(allowed[b, t, k] for t, k in enumerate(tags))
        ]
        np.testing.assert_allclose(total[b], np.log(np.exp(kept).sum()), rtol=1e-5)
    # Each step's probabilities add up to 1, those of tags that are not allowed are 0.
    np.testing.assert_allclose(grad.sum(2), [[t < n for t in range(T)] for n in LENGTHS], atol=1e-5)  # fmt: skip
    assert not grad[~allowed].any()


def test_cells_take_one_step():
    transitions = np.array([[0.0, 2.0], [1.0, 0.0]], np.float32)
    back, best = crf.CrfDecodeForwardRnnCell(transitions)(tf.constant([[1.0, 1.0]]), tf.constant([[3.0, 4.0]]))  # fmt: skip
    before, same = crf.CrfDecodeBackwardRnnCell(2)(back, tf.constant([[1]]))
    with tf.Session() as session:
        found = session.run([back, best, before, same])
    assert [f.tolist() for f in found] == [[[1, 0]], [[6, 6]], [[0]], [[0]]]
    with pytest.raises(ValueError, match="number of tags"):
        crf.crf_decode(tf.placeholder(tf.float32, [1, 2, None]), transitions, [1])
