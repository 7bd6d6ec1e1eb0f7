# SPDX-License-Identifier: Apache-2.0
"""F1, Cohen's kappa and counts of two batches, against NumPy."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

metrics = tf.contrib.metrics
RNG = np.random.RandomState(2)
P, L = RNG.rand(2, 40).astype(np.float32), RNG.rand(2, 40) > 0.6
W = RNG.rand(2, 40).astype(np.float32)
A, B = RNG.randint(0, 3, [2, 30]), RNG.randint(0, 3, [2, 30])


def streamed(metric, **feeds):
    holders = {k: tf.placeholder(tf.as_dtype(v.dtype), v.shape[1:]) for k, v in feeds.items()}  # fmt: skip
    value, update = metric(**holders, metrics_collections="m", updates_collections="u")
    assert tf.get_collection("m") == [value] and tf.get_collection("u") == [update]
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for i in range(2):
            last = session.run(update, {holders[k]: v[i] for k, v in feeds.items()})
        assert np.allclose(session.run(value), last)
        return last


@pytest.mark.parametrize("weights", [None, W])
def test_the_best_f1(weights):
    w = np.ones_like(P) if weights is None else weights
    best = 0.0
    for t in np.linspace(0, 1, 50):
        tp, fp, fn = ((w * m).sum() for m in (L & (P > t), ~L & (P > t), L & (P <= t)))
        best = max(best, 2 * tp / (2 * tp + fp + fn))
    given = {} if weights is None else {"weights": weights}
    got = streamed(lambda **k: metrics.f1_score(num_thresholds=50, **k), labels=L, predictions=P, **given)  # fmt: skip
    np.testing.assert_allclose(got, best, rtol=1e-4)


@pytest.mark.parametrize("weights", [None, W[:, :30]])
def test_kappa(weights):
    w = np.ones(A.shape) if weights is None else weights
    counts = np.zeros([3, 3])
    np.add.at(counts, (A, B), w)
    total = counts.sum()
    chance = (counts.sum(0) * counts.sum(1)).sum() / total**2
    want = (np.trace(counts) / total - chance) / (1 - chance)
    given = {} if weights is None else {"weights": weights}
    got = streamed(lambda **k: metrics.cohen_kappa(num_classes=3, **k), labels=A, predictions_idx=B, **given)  # fmt: skip
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_kappa_of_equal_and_of_no_values():
    value, update = metrics.cohen_kappa([0, 1, 1], [0, 1, 1], 2)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(value) == 0
        assert session.run(update) == 1
    with pytest.raises(ValueError, match="num_classes"):
        metrics.cohen_kappa([0], [0], 1)


def test_counts():
    assert streamed(metrics.count, values=P) == 80


def test_counts_with_weights():
    got = streamed(metrics.count, values=P, weights=W)
    np.testing.assert_allclose(got, W.sum(), rtol=1e-5)
