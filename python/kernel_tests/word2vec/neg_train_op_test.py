# SPDX-License-Identifier: Apache-2.0
"""NegTrain: steps of gradient ascent against NumPy's."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_word2vec_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

WORDS = 6


def variables(size=20, seed=0):
    rng = np.random.RandomState(seed)
    starts = [rng.normal(size=[WORDS, size]).astype(np.float32) for _ in range(2)]
    return starts, [tf.Variable(s, use_resource=False) for s in starts]


def train(v_in, v_out, examples, labels, rate, counts, samples, times=1):
    """The vectors after so many steps."""
    step = gen_word2vec_ops.neg_train(
        v_in, v_out, np.int32(examples), np.int32(labels), np.float32(rate),
        vocab_count=counts, num_negative_samples=samples,
    )  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(times):
            session.run(step)
        return session.run([v_in, v_out])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def ascend(w_in, w_out, example, pairs, rate):
    """Raises the log likelihood of (word, is it the label) pairs, one after the other, in place."""
    change = np.zeros_like(w_in[example])
    for word, is_label in pairs:
        x = w_in[example] @ w_out[word]
        slope = rate * (sigmoid(-x) if is_label else -sigmoid(x))
        change += slope * w_out[word]
        w_out[word] += slope * w_in[example]
    w_in[example] += change


@pytest.mark.parametrize("size", [1, 16, 37])
def test_labels_alone(size):
    (w_in, w_out), (v_in, v_out) = variables(size)
    examples, labels = [0, 3, 3, 5], [1, 1, 3, 5]
    got = train(v_in, v_out, examples, labels, 0.3, [1] * WORDS, 0)
    want_in, want_out = w_in.astype(np.float64), w_out.astype(np.float64)
    for example, label in zip(examples, labels):
        ascend(want_in, want_out, example, [(label, True)], 0.3)
    np.testing.assert_allclose(got[0], want_in, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got[1], want_out, rtol=1e-5, atol=1e-5)


def test_negative_samples_that_can_be_one_word_only():
    (w_in, w_out), (v_in, v_out) = variables()
    counts = [0, 0, 7, 0, 0, 0]
    got = train(v_in, v_out, [0, 1], [3, 2], 0.2, counts, 4)
    want_in, want_out = w_in.astype(np.float64), w_out.astype(np.float64)
    ascend(want_in, want_out, 0, [(3, True)] + 4 * [(2, False)], 0.2)
    # The label itself is no negative sample.
    ascend(want_in, want_out, 1, [(2, True)], 0.2)
    np.testing.assert_allclose(got[0], want_in, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got[1], want_out, rtol=1e-5, atol=1e-5)


def test_words_are_drawn_by_their_frequency():
    """An input of 1 and outputs of 0: each sample takes half the rate off an output."""
    n, rate = 20000, 1e-6
    counts = [0, 1, 5, 100, 30, 3]
    v_in = tf.Variable(np.ones([WORDS, 1], np.float32), use_resource=False)
    v_out = tf.Variable(np.zeros([WORDS, 1], np.float32), use_resource=False)
    _, out = train(v_in, v_out, [0], [0], rate, counts, n)
    drawn = -out[1:, 0] / (rate / 2) / n
    p = np.array(counts, float) ** 0.75
    np.testing.assert_allclose(drawn, p[1:] / p.sum(), atol=0.02)


def test_runs_repeat_and_steps_differ():
    counts = [5, 4, 3, 2, 1, 1]
    results = []
    for times in (1, 1, 2):
        with tf.Graph().as_default():
            _, (v_in, v_out) = variables()
            results.append(train(v_in, v_out, [0, 1], [2, 3], 0.1, counts, 3, times))
    np.testing.assert_array_equal(results[0], results[1])
    assert np.abs(results[2][1] - results[0][1]).max() > 1e-3


def test_pairs_become_likely():
    (w_in, w_out), (v_in, v_out) = variables(seed=3)
    examples, labels = np.arange(WORDS), (np.arange(WORDS) + 1) % WORDS
    w_in, w_out = train(v_in, v_out, examples, labels, 0.2, [3] * WORDS, 3, 200)
    scores = w_in @ w_out.T
    assert (scores.argmax(1) == labels).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"examples": [0, WORDS]}, r"examples\[1\] = 6 is not in"),
        ({"examples": [-1, 0]}, r"examples\[0\] = -1 is not in"),
        ({"labels": [0, WORDS]}, r"labels\[1\] = 6 is not in"),
        ({"labels": [0]}, "imension"),
        ({"labels": [[0, 1]]}, "rank|Shapes"),
        ({"rate": [0.1]}, "rank"),
        ({"counts": [1] * (WORDS - 1)}, "vocab_size"),
        ({"counts": [-1] * WORDS}, "negative"),
        ({"samples": -1}, "num_negative_samples"),
    ],
)
def test_bad_input(change, words):
    arguments = {
        "examples": [0, 1], "labels": [1, 2], "rate": 0.1,
        "counts": [1] * WORDS, "samples": 2,
    }  # fmt: skip
    _, (v_in, v_out) = variables()
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        train(v_in, v_out, **{**arguments, **change})


def test_vectors_must_fit_and_have_values():
    _, (v_in, _) = variables()
    other = tf.Variable(np.zeros([WORDS, 3], np.float32), use_resource=False)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="imension"):
        train(v_in, other, [0], [1], 0.1, [1] * WORDS, 1)
    step = gen_word2vec_ops.neg_train(v_in, v_in, [0], [1], 0.1, [1] * WORDS, 1)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="ninitialized"):
            session.run(step)
