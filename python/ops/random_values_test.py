# SPDX-License-Identifier: Apache-2.0
"""Random numbers of graph seeds: their ranges and spreads in every dtype, and the order in which they fill a shape."""

import numpy as np
import pytest
import scipy.stats

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

FLOATS = [tf.float16, tf.bfloat16, tf.float32, tf.float64]


def _draw(op, **arguments):
    with tf.Graph().as_default(), tf.Session() as session:
        made = getattr(tf.raw_ops, op)(seed=3, seed2=4, **arguments)
        return session.run(made)


@pytest.mark.parametrize(
    "op", ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"]
)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
def test_floats_fill_any_shape_in_the_same_order(op, dtype):
    flat = _draw(op, shape=[12], dtype=dtype)
    np.testing.assert_array_equal(_draw(op, shape=[3, 4], dtype=dtype).ravel(), flat)
    for longer in (13, 15, 17):
        got = _draw(op, shape=[longer], dtype=dtype)
        np.testing.assert_array_equal(got[:12], flat)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
def test_floats_are_spread_as_their_distribution_says(dtype):
    n = 20_000
    x = _draw("RandomUniform", shape=[n], dtype=dtype).astype(np.float64)
    assert (x >= 0).all() and (x < 1).all()
    assert abs(x.mean() - 0.5) < 0.02
    x = _draw("RandomStandardNormal", shape=[n], dtype=dtype).astype(np.float64)
    assert abs(x.mean()) < 0.05 and abs(x.std() - 1) < 0.05
    x = _draw("TruncatedNormal", shape=[n], dtype=dtype).astype(np.float64)
    assert (np.abs(x) <= 2).all()
    assert abs(x.mean()) < 0.05
    assert abs(x.std() - scipy.stats.truncnorm(-2, 2).std()) < 0.05


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_are_those_of_the_range(dtype):
    range_ = dict(minval=dtype(5), maxval=dtype(8))
    got = _draw("RandomUniformInt", shape=[100, 3], **range_)
    assert got.dtype == dtype
    assert set(got.ravel().tolist()) == {5, 6, 7}
    one = dict(minval=dtype(5), maxval=dtype(6))
    np.testing.assert_array_equal(
        _draw("RandomUniformInt", shape=[3, 4], **one), np.full([3, 4], 5)
    )


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
def test_the_only_class_that_can_be_drawn_is(dtype):
    logits = tf.cast([[0.0, -np.inf, -np.inf], [-np.inf, -np.inf, 2.0]], dtype)
    with tf.Session() as session:
        got = session.run(tf.raw_ops.Multinomial(logits=logits, num_samples=5))
    np.testing.assert_array_equal(got, [[0] * 5, [2] * 5])
