# SPDX-License-Identifier: Apache-2.0
"""Repeats collapsed and distinct labels, against loops; averages of losses."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_LABELS = np.random.RandomState(2).randint(0, 4, size=[6, 9])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("rows", [0, 1, 6])
def test_runs_of_labels_collapse(rows, dtype):
    labels, lengths = _LABELS[:rows].astype(dtype), np.array([9, 0, 5, 1, 9, 7])[:rows]
    runs = [[k for k, _ in itertools.groupby(r[:n])] for r, n in zip(labels, lengths)]
    width = max(map(len, runs), default=0)
    expected = np.array([r + [0] * (width - len(r)) for r in runs]).reshape(rows, width)
    fed = tf.placeholder(dtype, [None, None])
    for source in (labels, fed):
        got, counts = tf.nn.collapse_repeated(source, lengths)
        assert got.dtype == dtype and counts.dtype == tf.int64
        got, counts = evaluate([got, counts], {fed: labels})
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(counts, [len(r) for r in runs])


def test_distinct_labels_of_each_row():
    values, places = evaluate(tf.nn.ctc_unique_labels(_LABELS.astype(np.int32)))
    assert values.dtype == np.int64 and places.dtype == np.int32
    for row, value, place in zip(_LABELS, values, places, strict=True):
        distinct = list(dict.fromkeys(row))
        np.testing.assert_array_equal(value[: len(distinct)], distinct)
        assert not value[len(distinct) :].any()
        np.testing.assert_array_equal(value[place], row)


def test_average_losses():
    losses = np.array([1.0, 2.0, 4.0])
    average = tf.nn.compute_average_loss
    assert evaluate(average(losses)) == pytest.approx(7 / 3)
    assert evaluate(average(losses, [1.0, 0.0, 2.0], 2)) == 4.5
    assert evaluate(average(np.ones([2, 3]))) == 3.0
    assert evaluate(tf.nn.scale_regularization_loss(losses)) == 7.0
    assert tf.losses.get_losses() == []
    with pytest.raises(ValueError, match="rank >= 1"):
        average(1.0)
    with pytest.raises(TypeError, match="global_batch_size"):
        average(losses, global_batch_size=2.5)
    with pytest.raises(ValueError, match="global_batch_size"):
        average(losses, global_batch_size=[2])
    with pytest.raises(ValueError, match="broadcast"):
        average(losses, [1.0, 2.0])
