# SPDX-License-Identifier: Apache-2.0
"""Tests of contrib.nn."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

nn = tf.contrib.nn


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


def log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def test_flipped_losses():
    logits, labels = draw(3, 4), np.eye(4, dtype=np.float32)[[1, 0, 2]]
    got = run(
        [
            nn.deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels),
            nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
                logits, [1, 0, 2]
            ),
            nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, labels),
        ]
    )
    want = -(labels * log_softmax(logits)).sum(1)
    np.testing.assert_allclose(got[0], want, rtol=1e-5)
    np.testing.assert_allclose(got[1], want, rtol=1e-5)
    p = 1 / (1 + np.exp(-logits))
    want = -labels * np.log(p) - (1 - labels) * np.log(1 - p)
    np.testing.assert_allclose(got[2], want, rtol=1e-4)


def loss(sampled, kept, **changes):
    given = dict(
        weights=tf.constant(draw(10, 3)),
        biases=tf.constant(draw(10, seed=1)),
        labels=tf.constant([[9], [8]], tf.int64),
        inputs=tf.constant(draw(2, 3, seed=2)),
        num_sampled=6,
        num_resampled=kept,
        num_classes=10,
        num_true=1,
        sampled_values=sampled,
        resampling_temperature=2.0,
        remove_accidental_hits=False,
        partition_strategy="div",
    )
    return nn.rank_sampled_softmax_loss(**(given | changes))


def test_the_likeliest_samples_are_kept():
    ids = np.arange(6)
    ones = tf.ones([2, 1]), tf.ones([6])
    got = run(loss((tf.constant(ids), *ones), 2))
    w, b, x = draw(10, 3), draw(10, seed=1), draw(2, 3, seed=2)
    rank = np.log(np.exp((w[ids] @ x.T + b[ids, None]) / 2).sum(1))
    kept = np.argsort(-rank)[:2]
    for row, label in enumerate([9, 8]):
        logits = w[[label, *kept]] @ x[row] + b[[label, *kept]]
        np.testing.assert_allclose(got[row], -log_softmax(logits)[0], rtol=1e-4)


def test_samples_are_drawn():
    value = run(loss(None, 3))
    assert value.shape == (2,) and np.isfinite(value).all()
    with pytest.raises(ValueError, match="num_resampled"):
        loss(None, 7)
    with pytest.raises(ValueError, match="num_classes"):
        loss(None, 2, num_sampled=11)
