# SPDX-License-Identifier: Apache-2.0
"""Losses of embeddings against loops over pairs and triplets; training with them separates the classes."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

metric = tf.contrib.losses.metric_learning
RNG = np.random.RandomState(5)
LABELS = np.array([0, 0, 1, 1, 1, 2, 0, 3])
E = RNG.randn(8, 4).astype(np.float32)
UNIT = E / np.linalg.norm(E, axis=1, keepdims=True)
D = np.linalg.norm(UNIT[:, None] - UNIT[None], axis=2)


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def test_pairs():
    y = np.array([1, 0, 1, 0])
    distance = np.linalg.norm(E[:4] - E[4:], axis=1)
    want = np.where(y, distance**2, np.maximum(2.5 - distance, 0) ** 2).mean()
    found = metric.contrastive_loss(tf.constant(y), E[:4], E[4:], 2.5)
    np.testing.assert_allclose(run(found), want, rtol=1e-5)


@pytest.mark.parametrize("margin", [0.3, 1.0])
def test_semihard_triplets(margin):
    squares, losses = D**2, []
    for a in range(8):
        for p in range(8):
            if a == p or LABELS[a] != LABELS[p]:
                continue
            negatives = squares[a][LABELS != LABELS[a]]
            outside = negatives[negatives > squares[a, p]]
            chosen = outside.min() if len(outside) else negatives.max()
            losses.append(max(margin + squares[a, p] - chosen, 0))
    found = metric.triplet_semihard_loss(LABELS, tf.constant(UNIT), margin)
    np.testing.assert_allclose(run(found), np.mean(losses), rtol=1e-4)


def test_n_pairs(capfd):
    other = RNG.randn(8, 4).astype(np.float32)
    similarity = E @ other.T
    log_p = similarity - np.log(np.exp(similarity).sum(1, keepdims=True))
    same = LABELS[:, None] == LABELS[None]
    entropy = -(log_p * same / same.sum(1, keepdims=True)).sum(1).mean()
    penalty = 0.25 * 0.1 * ((E**2).sum(1).mean() + (other**2).sum(1).mean())
    found = metric.npairs_loss(LABELS, E, other, 0.1, print_losses=True)
    np.testing.assert_allclose(run(found), entropy + penalty, rtol=1e-5)
    assert "cross entropy" in capfd.readouterr().err


def test_lifted_structures():
    total, pairs = 0.0, 0
    for i in range(8):
        for j in range(i):
            if LABELS[i] != LABELS[j]:
                continue
            far = [np.exp(0.8 - D[k][LABELS != LABELS[k]]).sum() for k in (i, j)]
            total += max(np.log(sum(far)) + D[i, j], 0) ** 2
            pairs += 1
    found = metric.lifted_struct_loss(LABELS, UNIT, 0.8)
    np.testing.assert_allclose(run(found), total / (2 * pairs), rtol=1e-4)


@pytest.mark.parametrize("name", ["triplet_semihard_loss", "lifted_struct_loss"])
def test_embeddings_come_apart(name):
    v = tf.get_variable("v", initializer=E)
    unit = tf.nn.l2_normalize(v, 1)
    loss = getattr(metric, name)(LABELS, unit)
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(150):
            session.run(train)
        unit = session.run(unit)
    assert np.isfinite(unit).all()
    distance = np.linalg.norm(unit[:, None] - unit[None], axis=2)
    same = LABELS[:, None] == LABELS[None]
    assert distance[same].mean() < 0.5 * distance[~same].mean()


def test_equal_embeddings_have_finite_gradients():
    v = tf.get_variable("v", initializer=np.ones([4, 3], np.float32))
    labels = [0, 0, 1, 1]
    losses = [metric.triplet_semihard_loss(labels, v), metric.lifted_struct_loss(labels, v)]  # fmt: skip
    for gradient in run([tf.gradients(loss, v)[0] for loss in losses]):
        assert np.isfinite(gradient).all()
