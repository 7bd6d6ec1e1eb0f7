# SPDX-License-Identifier: Apache-2.0
"""tf.losses against NumPy: values, reductions, weights, collections, and what they refuse."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RANDOM = np.random.RandomState(7)
_P = _RANDOM.uniform(0.05, 0.95, size=[4, 3]).astype(np.float32)
_L = _RANDOM.uniform(0.05, 0.95, size=[4, 3]).astype(np.float32)
_BITS = _RANDOM.randint(0, 2, size=[4, 3])
_WEIGHTS = np.array([[1.0], [0.0], [2.5], [0.5]], np.float32)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def _huber(labels, predictions, delta=0.2):
    e = np.abs(labels - predictions)
    return np.where(e <= delta, e * e / 2, delta * e - delta * delta / 2)


# Name -> (labels, our call, the losses in NumPy).
_LOSSES = {
    "absolute_difference": (_L, {}, lambda y, p: np.abs(p - y)),
    "mean_squared_error": (_L, {}, lambda y, p: (p - y) ** 2),
    "hinge_loss": (_BITS, {}, lambda y, p: np.maximum(0, 1 - (2 * y - 1) * p)),
    "huber_loss": (_L, {"delta": 0.2}, _huber),
    "log_loss": (
        _L,
        {"epsilon": 1e-3},
        lambda y, p: -y * np.log(p + 1e-3) - (1 - y) * np.log(1 - p + 1e-3),
    ),
    "cosine_distance": (
        _L,
        {"axis": 1},
        lambda y, p: 1 - (y * p).sum(1, keepdims=True),
    ),
    "sigmoid_cross_entropy": (
        _BITS,
        {"label_smoothing": 0.2},
        lambda y, p: (
            -(y * 0.8 + 0.1) * np.log(_sigmoid(p))
            - (1 - y * 0.8 - 0.1) * np.log(1 - _sigmoid(p))
        ),
    ),
}


@pytest.mark.parametrize("name", _LOSSES)
def test_a_loss_is_numpys_under_every_reduction(name):
    labels, extra, expected = _LOSSES[name]
    losses = expected(labels.astype(np.float64), _P.astype(np.float64))
    weighted = losses * _WEIGHTS
    present = (np.broadcast_to(_WEIGHTS, losses.shape) != 0).sum()
    reduced = {
        tf.losses.Reduction.NONE: weighted,
        tf.losses.Reduction.SUM: weighted.sum(),
        tf.losses.Reduction.MEAN: weighted.sum()
        / np.broadcast_to(_WEIGHTS, losses.shape).sum(),
        tf.losses.Reduction.SUM_OVER_BATCH_SIZE: weighted.mean(),
        tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS: weighted.sum() / present,
    }
    function = getattr(tf.losses, name)
    for reduction, value in reduced.items():
        loss = function(labels, _P, weights=_WEIGHTS, reduction=reduction, **extra)
        assert loss.dtype == tf.float32
        np.testing.assert_allclose(evaluate(loss), value, rtol=1e-4, atol=1e-6)
    plain = function(labels, _P, **extra)
    np.testing.assert_allclose(evaluate(plain), losses.mean(), rtol=1e-4)
    assert tf.losses.get_losses()[-1] is plain
    assert len(tf.losses.get_losses()) == len(reduced) + 1
    function(labels, _P, loss_collection=None, **extra)
    assert len(tf.losses.get_losses()) == len(reduced) + 1


def test_softmax_losses_agree_on_dense_and_sparse_labels():
    logits = _RANDOM.normal(size=[5, 4])
    classes = np.array([0, 3, 1, 1, 2])
    picked = -_log_softmax(logits)[np.arange(5), classes]
    weights = np.array([1.0, 2.0, 0.0, 1.0, 1.0])
    expected = (picked * weights).sum() / 4
    dense = tf.losses.softmax_cross_entropy(np.eye(4)[classes], logits, weights)
    column = tf.losses.sparse_softmax_cross_entropy(
        classes[:, None], logits, weights[:, None]
    )
    vector = tf.losses.sparse_softmax_cross_entropy(classes, logits, weights)
    assert dense.dtype == column.dtype == tf.float64
    np.testing.assert_allclose(
        evaluate([dense, column, vector]), [expected] * 3, rtol=1e-9
    )
    smooth = tf.losses.softmax_cross_entropy(
        np.eye(4)[classes], logits, label_smoothing=0.4
    )
    labels = np.eye(4)[classes] * 0.6 + 0.1
    np.testing.assert_allclose(
        evaluate(smooth), -(labels * _log_softmax(logits)).sum(-1).mean(), rtol=1e-9
    )


def test_no_gradient_reaches_the_labels_of_softmax():
    labels, logits = tf.constant(np.eye(3)), tf.constant(np.ones([3, 3]))
    loss = tf.losses.softmax_cross_entropy(labels, logits)
    by_labels, by_logits = tf.gradients(loss, [labels, logits])
    assert by_labels is None
    np.testing.assert_allclose(evaluate(by_logits), (1 / 3 - np.eye(3)) / 3, atol=1e-9)


@pytest.mark.parametrize("weights", [1.0, 0.5, np.array([[1.0], [0.0], [2.0], [3.0]])])
def test_pairwise_error_is_of_all_pairs(weights):
    e = (_P - _L).astype(np.float64)
    of_entry = [
        np.mean([(a - b) ** 2 for i, a in enumerate(r) for b in np.delete(r, i)])
        for r in e
    ]
    expected = (np.array(of_entry)[:, None] * weights).sum()
    loss = tf.losses.mean_pairwise_squared_error(_L, _P, weights)
    np.testing.assert_allclose(evaluate(loss), expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [[1], [4], [4, 2], [4, 1, 1]])
def test_pairwise_error_refuses_weights_of_another_shape(shape):
    with pytest.raises(ValueError, match="can not be broadcast"):
        tf.losses.mean_pairwise_squared_error(_L, _P, np.ones(shape))


def test_losses_without_weight_are_zero():
    for loss in (
        tf.losses.mean_squared_error(_L, _P, weights=0.0),
        tf.losses.mean_pairwise_squared_error(_L, _P, weights=0.0),
        tf.losses.compute_weighted_loss(
            _L, np.zeros_like(_L), reduction=tf.losses.Reduction.MEAN
        ),
    ):
        assert evaluate(loss) == 0.0


def test_the_total_has_the_regularization_losses():
    with pytest.raises(ValueError):
        tf.losses.get_total_loss()
    assert evaluate(tf.losses.get_regularization_loss()) == 0.0
    tf.losses.add_loss(tf.constant(2.0, name="mine/a"))
    tf.losses.add_loss(tf.constant(8.0, name="other"), None)
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(1.0))
    tf.losses.absolute_difference([1.0], [5.0], scope="yours")
    assert evaluate(tf.losses.get_total_loss()) == 7.0
    assert evaluate(tf.losses.get_total_loss(add_regularization_losses=False)) == 6.0
    assert evaluate(tf.losses.get_regularization_loss()) == 1.0
    assert len(tf.losses.get_regularization_losses()) == 1
    assert [v.op.name for v in tf.losses.get_losses("mine")] == ["mine/a"]


def test_shapes_known_only_in_the_run_are_checked_there():
    losses = tf.placeholder(tf.float32)
    weights = tf.placeholder(tf.float32)
    loss = tf.losses.compute_weighted_loss(losses, weights)
    ones = np.ones([4, 3], np.float32)
    assert evaluate(loss, {losses: ones, weights: 2.0}) == 2.0
    assert evaluate(loss, {losses: ones, weights: _WEIGHTS}) == pytest.approx(4 / 3)
    for bad in ([1.0, 2.0, 3.0], [[1.0, 2.0]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="broadcast"):
            evaluate(loss, {losses: ones, weights: bad})


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: tf.losses.mean_squared_error(None, _P), "labels"),
        (lambda: tf.losses.hinge_loss(_L, None), "logits"),
        (lambda: tf.losses.mean_squared_error(_L, _P[:2]), "incompatible"),
        (lambda: tf.losses.mean_squared_error(_L, _P, [1.0, 2.0, 3.0]), "broadcast"),
        (
            lambda: tf.losses.mean_squared_error(_L, _P, reduction="x"),
            "reduction must be",
        ),
        (lambda: tf.losses.cosine_distance(_L, _P), "axis"),
        (lambda: tf.losses.cosine_distance(_L, _P, 1, dim=1), "both 'dim' and 'axis'"),
        (lambda: tf.losses.Reduction.validate("sum"), "reduction must be"),
    ],
)
def test_mistakes_are_value_errors(build, words):
    with pytest.raises(ValueError, match=words):
        build()
