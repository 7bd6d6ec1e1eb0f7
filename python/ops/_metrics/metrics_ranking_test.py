# SPDX-License-Identifier: Apache-2.0
"""tf.metrics of rankings against sets in Python: dense and sparse labels, one class, weights, bad input."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RANDOM = np.random.RandomState(11)
_BATCHES, _ROWS, _LABELS, _CLASSES = 3, 5, 4, 7
# Some are no class, some are there twice.
_Y = _RANDOM.randint(-1, _CLASSES + 1, [_BATCHES, _ROWS, _LABELS])
_P = _RANDOM.rand(_BATCHES, _ROWS, _CLASSES).astype(np.float32)
_WEIGHTS = _RANDOM.randint(0, 4, [_BATCHES, _ROWS]).astype(np.float32)
# The labels that a sparse tensor has; every row has one.
_HAS = _RANDOM.rand(*_Y.shape) < 0.6
_HAS[..., 0] = True


def _run(build, feeds):
    """The value after an update with each of `feeds`; `build` gives (value, update) and the placeholders."""
    value, update, placeholders = build()
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for feed in feeds:
            session.run(update, dict(zip(placeholders, feed, strict=True)))
        return session.run(value)


def _streamed(metric, sparse=False, weighted=False, predictions=_P, **kwargs):
    def build():
        p = tf.placeholder(predictions.dtype, [None, *predictions.shape[2:]])
        y = tf.sparse_placeholder(tf.int64) if sparse else tf.placeholder(tf.int32)
        w = tf.placeholder(tf.float32)
        value, update = metric(y, p, weights=w if weighted else None, **kwargs)
        return value, update, (y, p, w)

    def labels(i):
        if not sparse:
            return _Y[i]
        # The rows are as long as there are classes, as parsed examples' often are.
        where = np.argwhere(_HAS[i]).astype(np.int64)
        return tf.SparseTensorValue(where, _Y[i][_HAS[i]], [_ROWS, _CLASSES])

    feeds = [(labels(i), predictions[i], _WEIGHTS[i]) for i in range(_BATCHES)]
    return _run(build, feeds)


def _rows(sparse, weighted, class_id=None):
    """(set of labels, classes in the order of their prediction, weight) of each row."""
    for i in np.ndindex(_BATCHES, _ROWS):
        labels = set(_Y[i][_HAS[i]] if sparse else _Y[i])
        if class_id is not None:
            labels &= {class_id}
        yield labels, list(np.argsort(-_P[i])), float(_WEIGHTS[i]) if weighted else 1.0


_CASES = pytest.mark.parametrize(
    ("sparse", "weighted"), [(False, False), (True, False), (False, True), (True, True)]
)


@_CASES
@pytest.mark.parametrize("class_id", [None, 2])
@pytest.mark.parametrize("k", [1, 3, _CLASSES])
@pytest.mark.parametrize("what", ["precision", "recall"])
def test_shares_of_hits_are_those_of_sets(what, k, class_id, sparse, weighted):
    hits = misses = 0.0
    for labels, order, weight in _rows(sparse, weighted, class_id):
        predicted = set(order[:k]) & ({class_id} if class_id else set(order))
        hits += weight * len(labels & predicted)
        whole = predicted if what == "precision" else labels
        misses += weight * len(whole - (labels & predicted))
    expected = hits / (hits + misses)

    metric = getattr(tf.metrics, f"{what}_at_k")
    result = _streamed(metric, sparse, weighted, k=k, class_id=class_id)
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, expected, rtol=1e-12)

    top = np.argsort(-_P, axis=-1)[..., :k]
    metric = getattr(tf.metrics, f"{what}_at_top_k")
    result = _streamed(metric, sparse, weighted, top, k=k, class_id=class_id)
    np.testing.assert_allclose(result, expected, rtol=1e-12)


@_CASES
@pytest.mark.parametrize("k", [1, 4])
def test_average_precision_is_the_mean_over_places_of_labels(k, sparse, weighted):
    total = weights = 0.0
    for (labels, order, weight), y in zip(
        _rows(sparse, weighted), _Y.reshape(-1, _LABELS), strict=True
    ):
        shares = [
            len(labels & set(order[: i + 1])) / (i + 1)
            for i in range(k)
            if order[i] in labels
        ]
        # In dense labels, every entry that is a class counts, a repeated one again.
        number = len(labels) if sparse else ((y >= 0) & (y < _CLASSES)).sum()
        assert number, "the draws of this test"
        total += weight * sum(shares) / min(k, number)
        weights += weight
    for name in ("average_precision_at_k", "sparse_average_precision_at_k"):
        result = _streamed(getattr(tf.metrics, name), sparse, weighted, k=k)
        np.testing.assert_allclose(result, total / weights, rtol=1e-12)


def _once(metric, *args, **kwargs):
    return _run(lambda: (*metric(*args, **kwargs), ()), [()])


def test_labels_may_be_one_class_a_row():
    p = [[0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.1, 0.2, 0.7]]
    for labels in ([1, 2, 0], [[1], [2], [0]]):
        assert _once(tf.metrics.recall_at_k, labels, p, 2) == 2 / 3
        assert _once(tf.metrics.precision_at_k, labels, p, 2) == 2 / 6
    places = np.array([[0], [2]], np.int64)
    sparse = tf.SparseTensor(places, np.array([1, 0], np.int64), [3])
    assert _once(tf.metrics.recall_at_k, sparse, p, 2) == 1 / 2


def test_a_class_predicted_twice_counts_once():
    twice = np.array([[4, 4, 1]], np.int64)
    assert _once(tf.metrics.precision_at_top_k, [[4, 4]], twice) == 1 / 2
    assert _once(tf.metrics.recall_at_top_k, [[4, 4, 3]], twice) == 1 / 2


def test_dimensions_in_front_are_as_many_as_one_likes():
    p = _RANDOM.rand(2, 3, 5).astype(np.float32)
    labels = _RANDOM.randint(0, 5, [2, 3, 2])
    top = np.argsort(-p, -1)[..., :2]
    expected = np.mean(
        [len(set(labels[i]) & set(top[i])) / 2 for i in np.ndindex(2, 3)]
    )
    assert _once(tf.metrics.precision_at_k, labels, p, 2) == pytest.approx(expected)


def test_what_nothing_counts_for_is_nan():
    p = [[0.3, 0.7]]
    assert np.isnan(_once(tf.metrics.recall_at_k, [[0]], p, 1, class_id=1))
    assert np.isnan(_once(tf.metrics.precision_at_k, [[0]], p, 1, class_id=5))
    none = tf.SparseTensor(np.zeros([0, 2], np.int64), np.zeros([0], np.int64), [1, 2])
    assert np.isnan(_once(tf.metrics.average_precision_at_k, none, p, 1))


def test_names_tell_k_and_class():
    value, update = tf.metrics.recall_at_k([[0]], [[0.3, 0.7]], 2, class_id=1)
    assert value.name == "recall_at_2_class1:0"
    assert update.name == "recall_at_2_class1/update:0"
    assert [v.name for v in tf.local_variables()] == [
        "recall_at_2_class1/true_positive_at_2_class1:0",
        "recall_at_2_class1/false_negative_at_2_class1:0",
    ]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda m: m.average_precision_at_k([[0]], [[0.5]], 0), "at least 1, got 0"),
        (lambda m: m.recall_at_k([[0]], [[0.5]], 2), "last dimension"),
        (lambda m: m.recall_at_k([[0], [1]], [[0.5]], 1), "incompatible"),
        (lambda m: m.recall_at_k([[0]], [[0.5]], 1, weights=[1.0, 2.0]), "weights"),
        (lambda m: m.precision_at_top_k([[2]], [1]), r"rank >= 2.*got shape \(1,\)"),
        (lambda m: m.average_precision_at_k([2], [0.5], 1), "rank >= 2"),
    ],
)
def test_mistakes_are_found_while_building(build, words):
    with pytest.raises(ValueError, match=words):
        build(tf.metrics)


@pytest.mark.parametrize("shape", [None, (2, None), ()])
def test_average_precision_of_places_needs_their_number(shape):
    of = tf.contrib.metrics.streaming_sparse_average_precision_at_top_k
    with pytest.raises(ValueError, match="last dimension of predictions_idx"):
        of(tf.placeholder(tf.int64, shape), [[1], [2]])


def test_rows_that_are_not_as_many_fail_the_run_where_shapes_are_not_known():
    labels, p = tf.placeholder(tf.int64), tf.placeholder(tf.float32, [None, 3])
    _, update = tf.metrics.recall_at_k(labels, p, 1)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="leading dimensions"):
            session.run(update, {labels: [[1], [2]], p: [[0.1, 0.2, 0.7]]})
