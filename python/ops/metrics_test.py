# SPDX-License-Identifier: Apache-2.0
"""tf.metrics: streamed over batches, against NumPy on all batches at once; variables, collections, bad input."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RANDOM = np.random.RandomState(3)
_BATCHES = 3
_SHAPE = (_BATCHES, 4, 5)

_REALS = _RANDOM.normal(size=_SHAPE).astype(np.float32)
_OTHERS = _RANDOM.normal(size=_SHAPE).astype(np.float32)
_CLASSES = _RANDOM.randint(0, 4, _SHAPE)
_GUESSES = np.where(_RANDOM.rand(*_SHAPE) < 0.6, _CLASSES, 1)
_BITS = _RANDOM.randint(0, 2, _SHAPE)
_BETS = _RANDOM.randint(0, 2, _SHAPE)
# Some are thresholds exactly.
_SCORES = np.round(_RANDOM.rand(*_SHAPE) * 0.5 + 0.4 * _BITS, 1).astype(np.float32)
_THRESHOLDS = [0.5, 0.1, 0.7, 0.5, 0.0]
# The same vectors, scaled to length 1.
_UNIT = _REALS / np.linalg.norm(_REALS, axis=-1, keepdims=True)

# None, one for all, one for each row, one for each element; 0 is among them.
_WEIGHTS = [
    None,
    np.float32(1.5),
    _RANDOM.randint(0, 3, (_BATCHES, 4, 1)),
    _RANDOM.randint(0, 3, _SHAPE).astype(np.float32),
]


def _streamed(metric, batches, weights=None, rank_known=True, **kwargs):
    """The value after all updates.  `batches`: arrays [batches, ...], one of each is fed at a time."""

    def placeholder(x):
        return tf.placeholder(x.dtype, x.shape[1:] if rank_known else None)

    inputs = [placeholder(x) for x in batches]
    feeds = list(batches)
    if weights is not None and np.ndim(weights):
        feeds.append(weights)
        inputs.append(placeholder(weights))
        weights = inputs[-1]
        value, update = metric(*inputs[:-1], weights=weights, **kwargs)
    else:
        value, update = metric(*inputs, weights=weights, **kwargs)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for i in range(len(feeds[0])):
            updated = session.run(
                update, {p: x[i] for p, x in zip(inputs, feeds, strict=True)}
            )
        result = session.run(value)
    if np.shape(updated) == np.shape(result):
        np.testing.assert_array_equal(updated, result)
    return result


def _full(weights):
    return np.broadcast_to(1.0 if weights is None else weights, _SHAPE).astype(float)


def _mean(x, w):
    return (x * w).sum() / w.sum()


def _counts(y, p, w):
    y, p = y.astype(bool), p.astype(bool)
    return {
        "true_positives": (w * (y & p)).sum(),
        "false_positives": (w * (~y & p)).sum(),
        "true_negatives": (w * (~y & ~p)).sum(),
        "false_negatives": (w * (y & ~p)).sum(),
    }


def _share(counts, misses):
    hits = counts["true_positives"]
    return hits / (hits + counts[misses])


def _iou(y, p, w):
    shares = []
    for c in range(6):
        union = (w * ((y == c) | (p == c))).sum()
        if union:
            shares.append((w * ((y == c) & (p == c))).sum() / union)
    return np.mean(shares)


def _class_accuracy(y, p, w):
    shares = np.zeros(6)
    for c in range(6):
        if (w * (y == c)).sum():
            shares[c] = _mean(p[y == c] == c, w[y == c])
    return shares.mean()


# Name -> (batches, further arguments, the value in NumPy of arrays and full weights).
_METRICS = {
    "mean": ((_REALS,), {}, _mean),
    "percentage_below": (
        (_REALS,),
        {"threshold": 0.25},
        lambda x, w: _mean(x < 0.25, w),
    ),
    "mean_absolute_error": (
        (_REALS, _OTHERS),
        {},
        lambda y, p, w: _mean(abs(y - p), w),
    ),
    "mean_squared_error": (
        (_REALS, _OTHERS),
        {},
        lambda y, p, w: _mean((y - p) ** 2, w),
    ),
    "root_mean_squared_error": (
        (_REALS, _OTHERS),
        {},
        lambda y, p, w: np.sqrt(_mean((y - p) ** 2, w)),
    ),
    "mean_relative_error": (
        (_REALS, _OTHERS),
        {"normalizer": np.tile([0, 1, 2, 4, 8], [4, 1]).astype(np.float32)},
        lambda y, p, w: _mean(abs(y - p) * [0, 1, 1 / 2, 1 / 4, 1 / 8], w),
    ),
    "accuracy": ((_CLASSES, _GUESSES), {}, lambda y, p, w: _mean(y == p, w)),
    "mean_iou": ((_CLASSES, _GUESSES), {"num_classes": 6}, _iou),
    "mean_per_class_accuracy": (
        (_CLASSES, _GUESSES),
        {"num_classes": 6},
        _class_accuracy,
    ),
    "precision": (
        (_BITS, _BETS),
        {},
        lambda *a: _share(_counts(*a), "false_positives"),
    ),
    "recall": ((_BITS, _BETS), {}, lambda *a: _share(_counts(*a), "false_negatives")),
} | {
    count: ((_BITS, _BETS), {}, lambda *a, count=count: _counts(*a)[count])
    for count in _counts(_BITS, _BETS, 1.0)
}


@pytest.mark.parametrize("rank_known", [True, False])
@pytest.mark.parametrize("weights", _WEIGHTS, ids=["none", "one", "rows", "all"])
@pytest.mark.parametrize("name", _METRICS)
def test_a_metric_of_batches_is_that_of_all(name, weights, rank_known):
    batches, extra, expected = _METRICS[name]
    result = _streamed(getattr(tf.metrics, name), batches, weights, rank_known, **extra)
    wide = [x.astype(float) for x in batches]
    assert result.dtype == np.float32
    np.testing.assert_allclose(
        result, expected(*wide, _full(weights)), rtol=2e-5, atol=1e-6
    )


def test_mean_tensor_is_the_mean_of_each_element():
    result = _streamed(tf.metrics.mean_tensor, (_REALS,), _WEIGHTS[3])
    sums = _WEIGHTS[3].sum(0)
    expected = (_REALS * _WEIGHTS[3]).sum(0) / np.where(sums == 0, 1, sums)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_mean_cosine_distance_weighs_vectors():
    weights = _RANDOM.rand(_BATCHES, 4, 1).astype(np.float32)
    result = _streamed(
        tf.metrics.mean_cosine_distance, (_UNIT, _UNIT[::-1]), weights, dim=1
    )
    cosines = (_UNIT * _UNIT[::-1]).sum(-1, keepdims=True)
    np.testing.assert_allclose(result, 1 - _mean(cosines, weights), rtol=1e-5)


@pytest.mark.parametrize("weights", _WEIGHTS, ids=["none", "one", "rows", "all"])
@pytest.mark.parametrize("count", [*_counts(_BITS, _BETS, 1.0), "precision", "recall"])
def test_counts_at_thresholds_are_those_of_scores_above(count, weights):
    result = _streamed(
        getattr(tf.metrics, f"{count}_at_thresholds"),
        (_BITS.astype(bool), _SCORES),
        weights,
        thresholds=_THRESHOLDS,
    )
    expected = []
    for threshold in np.array(_THRESHOLDS, np.float32):
        counts = _counts(_BITS, _SCORES > threshold, _full(weights))
        if count == "precision":
            expected.append(_share(counts, "false_positives"))
        elif count == "recall":
            expected.append(_share(counts, "false_negatives"))
        else:
            expected.append(counts[count])
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def _rates(weights, thresholds):
    """(recall, false positives' rate, precision), a value each a threshold."""
    rows = []
    for threshold in np.array(thresholds, np.float32):
        c = _counts(_BITS, _SCORES > threshold, _full(weights))
        negatives = c["false_positives"] + c["true_negatives"]
        positives = c["true_positives"] + c["false_positives"]
        precision = c["true_positives"] / positives if positives else 1.0
        rows.append(
            (_share(c, "false_negatives"), c["false_positives"] / negatives, precision)
        )
    return np.array(rows).T


_EVENLY = [-1e-7, *(i / 20 for i in range(1, 20)), 1 + 1e-7]


@pytest.mark.parametrize("weights", _WEIGHTS, ids=["none", "one", "rows", "all"])
@pytest.mark.parametrize("method", ["trapezoidal", "minoring", "majoring"])
@pytest.mark.parametrize("curve", ["ROC", "PR"])
def test_auc_sums_up_the_pieces_of_the_curve(curve, method, weights):
    result = _streamed(
        tf.metrics.auc,
        (_BITS, _SCORES),
        weights,
        num_thresholds=21,
        curve=curve,
        summation_method=method,
    )
    recall, wrong, precision = _rates(weights, _EVENLY)
    x, y = (wrong, recall) if curve == "ROC" else (recall, precision)
    height = {
        "trapezoidal": lambda a, b: (a + b) / 2,
        "minoring": np.minimum,
        "majoring": np.maximum,
    }[method](y[:-1], y[1:])
    np.testing.assert_allclose(result, ((x[:-1] - x[1:]) * height).sum(), rtol=1e-4)


def test_auc_is_the_chance_that_a_positive_scores_higher():
    # All scores are multiples of 0.1: with a threshold between any two the curve is exact.
    thresholds = [i / 10 + 0.05 for i in range(10)]
    result = _streamed(tf.metrics.auc, (_BITS, _SCORES), thresholds=thresholds)
    above, below = _SCORES[_BITS == 1][:, None], _SCORES[_BITS == 0]
    chance = (above > below).mean() + (above == below).mean() / 2
    np.testing.assert_allclose(result, chance, rtol=1e-4)


def test_careful_interpolation_integrates_precision_over_recall():
    result = _streamed(
        tf.metrics.auc,
        (_BITS, _SCORES),
        num_thresholds=21,
        curve="PR",
        summation_method="careful_interpolation",
    )
    points = [_counts(_BITS, _SCORES > np.float32(t), 1.0) for t in _EVENLY]
    labelled, area = (_BITS == 1).sum(), 0.0
    for a, b in zip(points[:-1], points[1:], strict=True):
        # True and false positives change in proportion on the way from b to a.
        way = (np.arange(20000) + 0.5) / 20000
        dt = a["true_positives"] - b["true_positives"]
        df = a["false_positives"] - b["false_positives"]
        t, f = b["true_positives"] + way * dt, b["false_positives"] + way * df
        if dt:
            area += (t / (t + f)).mean() * dt / labelled
    np.testing.assert_allclose(result, area, rtol=1e-4)


def test_a_point_of_the_curve_is_that_nearest_to_what_is_asked_for():
    recall, wrong, _ = _rates(None, _EVENLY)
    args = {"batches": (_BITS, _SCORES), "num_thresholds": 21}
    for wanted in (0.3, 0.8):
        best = np.argmin(abs(1 - wrong - wanted))
        result = _streamed(
            tf.metrics.sensitivity_at_specificity, specificity=wanted, **args
        )
        np.testing.assert_allclose(result, recall[best], rtol=1e-5)
        # The greatest of several thresholds of one sensitivity.
        best = 20 - np.argmin(abs(recall - wanted)[::-1])
        result = _streamed(
            tf.metrics.specificity_at_sensitivity, sensitivity=wanted, **args
        )
        np.testing.assert_allclose(result, 1 - wrong[best], rtol=1e-5, atol=1e-6)


def test_a_dimension_of_one_too_many_is_no_matter():
    wide = _streamed(tf.metrics.accuracy, (_CLASSES[..., None], _GUESSES))
    weights = _WEIGHTS[3]
    assert wide == _streamed(tf.metrics.accuracy, (_CLASSES, _GUESSES))
    plain = _streamed(tf.metrics.mean, (_REALS,), weights)
    for rank_known in (True, False):
        squeezed = _streamed(tf.metrics.mean, (_REALS,), weights[..., None], rank_known)
        expanded = _streamed(tf.metrics.mean, (_REALS[..., None],), weights, rank_known)
        assert plain == squeezed == expanded


def test_what_nothing_counts_for_is_zero():
    none = np.zeros([2, 3], np.float32)
    for name in ("mean", "mean_tensor"):
        assert not _streamed(getattr(tf.metrics, name), (none + 1,), none).any()
    for name in ("precision", "recall", "accuracy", "mean_absolute_error"):
        assert _streamed(getattr(tf.metrics, name), (none, none), none) == 0
    assert _streamed(tf.metrics.mean, (np.ones([1, 0], np.float32),)) == 0


def test_variables_are_local_and_collections_get_the_tensors():
    value, update = tf.metrics.precision(
        [1, 0], [1, 1], metrics_collections="values", updates_collections=["a", "b"]
    )
    assert tf.get_collection("values") == [value]
    assert tf.get_collection("a") == tf.get_collection("b") == [update]
    names = ["precision/true_positives/count:0", "precision/false_positives/count:0"]
    assert [v.name for v in tf.local_variables()] == names
    assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()
    assert not tf.global_variables() and not tf.trainable_variables()
    tf.metrics.mean([1.0], name="loss")
    tf.metrics.mean([1.0])
    tf.metrics.mean([1.0])
    totals = [v.name for v in tf.local_variables() if "total" in v.name]
    assert totals == ["loss/total:0", "mean/total:0", "mean_1/total:0"]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda m: m.mean([1.0, 2.0], weights=[1.0, 2.0, 3.0]), "weights"),
        (lambda m: m.accuracy([1, 2], [1, 2, 3]), "incompatible"),
        (lambda m: m.auc([1], [0.5], curve="AB"), "'ROC' or 'PR', got 'AB'"),
        (lambda m: m.auc([1], [0.5], summation_method="x"), "got 'x'"),
        (lambda m: m.sensitivity_at_specificity([1], [0.5], 1.5), "got 1.5"),
        (lambda m: m.specificity_at_sensitivity([1], [0.5], -1), "got -1"),
        (lambda m: m.recall_at_thresholds([1], [0.5], 0.5), "rank"),
        (
            lambda m: m.recall_at_thresholds(
                [1], [0.5], tf.placeholder(tf.float32, [None])
            ),
            "number must be known",
        ),
    ],
)
def test_mistakes_are_found_while_building(build, words):
    with pytest.raises(ValueError, match=words):
        build(tf.metrics)


@pytest.mark.parametrize("score", [-0.1, 1.1, np.nan])
def test_scores_are_in_the_unit_interval(score):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be in \[0, 1\]"):
        _streamed(tf.metrics.auc, (np.ones([1, 1]), np.full([1, 1], score)))


@pytest.mark.parametrize("name", ["mean_iou", "mean_per_class_accuracy"])
@pytest.mark.parametrize("label", [-1, 3])
def test_classes_are_below_their_number(name, label):
    labels = np.array([[0, label]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        _streamed(getattr(tf.metrics, name), (labels, labels), num_classes=3)


def test_weights_that_do_not_fit_fail_the_run_where_shapes_are_not_known():
    with pytest.raises(tf.errors.InvalidArgumentError, match="weights"):
        _streamed(
            tf.metrics.mean,
            (np.ones([1, 2, 3], np.float32),),
            np.ones([1, 2, 2], np.float32),
            rank_known=False,
        )


@pytest.mark.parametrize("metric", [tf.metrics.mean, tf.metrics.mean_tensor])
def test_a_mean_does_not_count_the_end_of_its_input(metric):
    value = tf.data.Dataset.range(1, 4).make_one_shot_iterator().get_next()
    mean, update = metric(tf.to_float(value))
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for _ in range(20):
            try:
                session.run(update)
            except tf.errors.OutOfRangeError:
                pass
        assert session.run(mean) == 2.0
