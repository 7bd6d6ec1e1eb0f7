# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.metrics: values over two batches against NumPy, refusals."""

import inspect

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.metrics.python.ops import histogram_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

metrics = tf.contrib.metrics
RNG = np.random.RandomState(6)
P = RNG.rand(2, 8).astype(np.float32)
L = RNG.rand(2, 8) > 0.5
W = RNG.rand(2, 8).astype(np.float32)


def streamed(metric, **feeds):
    """The value after both batches; `metric` gets placeholders."""
    holders = {k: tf.placeholder(tf.as_dtype(v.dtype), v.shape[1:]) for k, v in feeds.items()}  # fmt: skip
    value, update = metric(**holders)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for i in range(2):
            last = session.run(update, {holders[k]: v[i] for k, v in feeds.items()})
        got = session.run(value)
    np.testing.assert_allclose(last, got, rtol=1e-6)
    return got


def test_means_and_counts():
    labels = L.astype(np.float32)
    cases = {
        "streaming_mean_absolute_error": (abs(P - labels) * W).sum() / W.sum(),
        "streaming_mean_squared_error": ((P - labels) ** 2 * W).sum() / W.sum(),
        "streaming_root_mean_squared_error": np.sqrt(((P - labels) ** 2 * W).sum() / W.sum()),
    }  # fmt: skip
    for name, want in cases.items():
        got = streamed(getattr(metrics, name), predictions=P, labels=labels, weights=W)
        np.testing.assert_allclose(got, want, rtol=1e-5)
    np.testing.assert_allclose(streamed(metrics.streaming_mean, values=P), P.mean(), rtol=1e-5)  # fmt: skip
    np.testing.assert_allclose(streamed(metrics.streaming_mean_tensor, values=P), P.mean(0), rtol=1e-5)  # fmt: skip
    less = streamed(lambda values: metrics.streaming_percentage_less(values, 0.5), values=P)  # fmt: skip
    np.testing.assert_allclose(less, (P < 0.5).mean(), rtol=1e-6)


def test_metrics_of_two_classes_are_quotients_of_counts():
    guess = P > 0.4
    tp, fp = (guess & L).sum(), (guess & ~L).sum()
    fn, tn = (~guess & L).sum(), (~guess & ~L).sum()
    cases = {
        "accuracy": (tp + tn) / 16, "precision": tp / (tp + fp), "recall": tp / (tp + fn),
        "true_positives": tp, "false_positives": fp, "false_negatives": fn, "true_negatives": tn,
    }  # fmt: skip
    for name, want in cases.items():
        got = streamed(
            getattr(metrics, f"streaming_{name}"), predictions=guess, labels=L
        )
        np.testing.assert_allclose(got, want, rtol=1e-6)
    for name, want in [("true_positives", tp), ("false_negatives", fn)]:
        at = getattr(metrics, f"streaming_{name}_at_thresholds")
        got = streamed(
            lambda predictions, labels: at(predictions, labels, [0.4]),
            predictions=P,
            labels=L,
        )  # noqa: B023, E501
        assert got.tolist() == [want]


def test_curves():
    roc = streamed(lambda **k: metrics.streaming_curve_points(num_thresholds=5, **k), predictions=P, labels=L)  # fmt: skip
    want = [[(P[~L] > t).mean(), (P[L] > t).mean()] for t in (-1, 0.25, 0.5, 0.75, 2)]
    np.testing.assert_allclose(roc, want, atol=1e-6)
    pr = streamed(lambda **k: metrics.streaming_curve_points(num_thresholds=3, curve="PR", **k), predictions=P, labels=L)  # fmt: skip
    np.testing.assert_allclose(
        pr[1], [(P[L] > 0.5).mean(), L[P > 0.5].mean()], atol=1e-6
    )
    pairs = np.array([(a > b) for a in P[L] for b in P[~L]]).mean()
    auc = streamed(metrics.streaming_auc, predictions=P, labels=L)
    assert abs(auc - pairs) < 0.03
    area = streamed(
        lambda s, b: (lambda v, u: (v, _after(u, v)))(*metrics.auc_using_histogram(b, s, [0.0, 1.0], 200)),
        s=P, b=L,
    )  # fmt: skip
    assert abs(area - pairs) < 0.03
    with pytest.raises(ValueError, match="curve"):
        metrics.streaming_curve_points(L[0], P[0], curve="X")


def _after(update, value):
    """The value, read after the update."""
    del value
    with tf.control_dependencies([update]):
        hits, alarms = (tf.get_default_graph().get_tensor_by_name(f"auc_using_histogram/hist_{w}_acc:0") for w in ("true", "false"))  # fmt: skip
        return histogram_ops._area(tf.identity(hits), tf.identity(alarms))


def test_covariance_and_correlation():
    labels = (RNG.rand(2, 8) + P).astype(np.float32)
    got = streamed(metrics.streaming_covariance, predictions=P, labels=labels)
    np.testing.assert_allclose(got, np.cov(P.ravel(), labels.ravel())[0, 1], rtol=1e-4)
    got = streamed(metrics.streaming_pearson_correlation, predictions=P, labels=labels)
    np.testing.assert_allclose(got, np.corrcoef(P.ravel(), labels.ravel())[0, 1], rtol=1e-4)  # fmt: skip
    whole = np.round(W * 4)
    got = streamed(metrics.streaming_covariance, predictions=P, labels=labels, weights=whole)  # fmt: skip
    repeated = [np.repeat(x.ravel(), whole.ravel().astype(int)) for x in (P, labels)]
    np.testing.assert_allclose(got, np.cov(*repeated)[0, 1], rtol=1e-4)


def test_values_one_after_the_other():
    x = RNG.rand(2, 3, 4).astype(np.float32)
    for axis in (0, 1):
        got = streamed(lambda values: metrics.streaming_concat(values, axis), values=x)  # noqa: B023
        np.testing.assert_array_equal(got, np.concatenate(list(x), axis))
    short = streamed(lambda values: metrics.streaming_concat(values, max_size=5), values=x)  # fmt: skip
    np.testing.assert_array_equal(short, np.concatenate(list(x))[:5])
    with pytest.raises(ValueError, match="axis"):
        metrics.streaming_concat(x[0], axis=2)


def test_rankings():
    scores = RNG.rand(2, 3, 5).astype(np.float32)
    labels = RNG.randint(0, 5, [2, 3])
    order = np.argsort(-scores, -1)[..., :2]
    hit = (order == labels[..., None]).any(-1)
    got = streamed(lambda predictions, labels: metrics.streaming_recall_at_k(predictions, labels, 2), predictions=scores, labels=labels)  # fmt: skip
    np.testing.assert_allclose(got, hit.mean(), rtol=1e-6)
    feeds = {"predictions": scores, "labels": labels[..., None].astype(np.int64)}
    got = streamed(lambda predictions, labels: metrics.streaming_sparse_recall_at_k(predictions, labels, 2), **feeds)  # fmt: skip
    np.testing.assert_allclose(got, hit.mean())
    got = streamed(lambda predictions, labels: metrics.streaming_sparse_precision_at_k(predictions, labels, 2), **feeds)  # fmt: skip
    np.testing.assert_allclose(got, hit.mean() / 2)
    top = {"top_k_predictions": order.astype(np.int64), "labels": feeds["labels"]}
    np.testing.assert_allclose(streamed(metrics.streaming_sparse_precision_at_top_k, **top), hit.mean() / 2)  # fmt: skip
    first = (order[..., 0] == labels).mean() + (order[..., 1] == labels).mean() / 2
    got = streamed(lambda predictions, labels: metrics.streaming_sparse_average_precision_at_k(predictions, labels, 2), **feeds)  # fmt: skip
    np.testing.assert_allclose(got, first)
    np.testing.assert_allclose(streamed(metrics.streaming_sparse_average_precision_at_top_k, **top), first)  # fmt: skip


def test_one_batch_alone_and_sets():
    got = [
        metrics.accuracy(tf.constant([1, 2, 3]), tf.constant([1, 0, 3])),
        metrics.accuracy(tf.constant([1, 2]), tf.constant([1, 0]), weights=[3.0, 1.0]),
        metrics.confusion_matrix([0, 1, 1], [0, 0, 1]),
        metrics.set_size(metrics.set_union([[1, 2]], [[2, 3]])),
    ]
    with tf.Session() as session:
        got = session.run(got)
    np.testing.assert_allclose(got[:2], [2 / 3, 3 / 4], rtol=1e-6)
    assert got[2].tolist() == [[1, 0], [1, 1]] and got[3].tolist() == [3]
    with pytest.raises(ValueError):
        metrics.accuracy(tf.constant([1.0]), tf.constant([1.0]))
    with pytest.raises(ValueError):
        metrics.accuracy(tf.constant([1]), tf.constant(["a"]))


def test_several_metrics_as_one():
    a = metrics.streaming_mean([1.0, 3.0])
    b = metrics.streaming_mean([5.0])
    values, updates = metrics.aggregate_metrics(a, b)
    by_name, by_name_updates = metrics.aggregate_metric_map({"a": a, "b": b})
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(updates)
        assert session.run(values) == [2, 5]
        assert session.run(by_name) == {"a": 2, "b": 5}
    assert list(by_name_updates) == ["a", "b"]
    with pytest.raises(ValueError):
        metrics.aggregate_metrics()
    assert list(inspect.signature(metrics.streaming_auc).parameters)[2:4] == ["weights", "num_thresholds"]  # fmt: skip
