# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.losses: values, weights of examples, collections, refusals."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib import losses

pytestmark = pytest.mark.usefixtures("fresh_graph")

RNG = np.random.RandomState(2)
P = RNG.uniform(0.1, 0.9, [3, 4]).astype(np.float32)
L = (RNG.rand(3, 4) > 0.5).astype(np.float32)
W = np.array([1.0, 0.0, 2.0], np.float32)


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


def sigmoid_loss(x, y):
    return np.log1p(np.exp(x)) - x * y


@pytest.mark.parametrize(
    ("loss", "each"),
    [
        (losses.absolute_difference, abs(P - L)),
        (losses.mean_squared_error, (P - L) ** 2),
        (losses.hinge_loss, np.maximum(0, 1 - (2 * L - 1) * P)),
        (losses.log_loss, -L * np.log(P + 1e-7) - (1 - L) * np.log(1 - P + 1e-7)),
        (losses.sigmoid_cross_entropy, sigmoid_loss(P, L)),
    ],
)
def test_weights_may_be_those_of_examples(loss, each):
    got = run([loss(P, L), loss(P, L, weights=W), loss(P, L, 2.0), loss(P, L, L)])
    want = [each.mean(), (each * W[:, None]).sum() / 8, 2 * each.mean(), (each * L).sum() / L.sum()]  # fmt: skip
    np.testing.assert_allclose(got, want, rtol=1e-5)
    assert len(losses.get_losses()) == 4
    np.testing.assert_allclose(run(losses.get_total_loss()), sum(want), rtol=1e-5)


def test_sparse_softmax_cross_entropy_takes_class_numbers():
    logits = P * 5
    classes = np.array([1, 3, 0])
    e = np.exp(logits)
    each = -np.log((e / e.sum(1, keepdims=True))[range(3), classes])
    got = run(
        [
            losses.sparse_softmax_cross_entropy(logits, classes[:, None]),
            losses.sparse_softmax_cross_entropy(logits, classes, W[:, None]),
            losses.softmax_cross_entropy(logits, np.eye(4, dtype=np.float32)[classes]),
        ]
    )
    np.testing.assert_allclose(got, [each.mean(), each @ W / 2, each.mean()], rtol=1e-5)


def test_distances_and_pairs():
    a = P / np.linalg.norm(P, axis=1, keepdims=True)
    b = (L + 1) / np.linalg.norm(L + 1, axis=1, keepdims=True)
    got = run(losses.cosine_distance(a, b, 1))
    np.testing.assert_allclose(got, (1 - (a * b).sum(1)).mean(), rtol=1e-5)
    d = P - L
    pairs = np.array([np.mean([(x - y) ** 2 for x in r for y in r]) for r in d])  # fmt: skip
    pairwise = run(
        [losses.mean_pairwise_squared_error(P, L), losses.mean_pairwise_squared_error(P, L, W)]
    )  # fmt: skip
    np.testing.assert_allclose(pairwise, [pairs.sum(), pairs @ W], rtol=1e-4)


def test_a_loss_of_ones_own():
    total = losses.compute_weighted_loss(P, W)
    np.testing.assert_allclose(run(total), (P * W[:, None]).sum() / 8, rtol=1e-5)
    losses.add_loss(tf.constant(1.0))
    assert len(losses.get_losses()) == 2
    assert losses.get_regularization_losses() == []


@pytest.mark.parametrize(
    "build",
    [
        lambda: losses.absolute_difference(P, None),
        lambda: losses.absolute_difference(P, L, weights=None),
        lambda: losses.absolute_difference(P, L[:2]),
        lambda: losses.mean_squared_error(P, L, weights=np.ones(5, np.float32)),
        lambda: losses.cosine_distance(P, L),
    ],
)
def test_bad_arguments(build):
    with pytest.raises(ValueError):
        build()
