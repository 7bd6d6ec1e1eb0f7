# SPDX-License-Identifier: Apache-2.0
"""Max pools that keep the places of their maxima for the gradient: the numbers of the plain graph."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.client.plan_testutil import make_config, ops_of, run_with_plan

PLAIN = make_config(disable_meta_optimizer=True)
PLACES = {"_MaxPool", "_MaxPoolGrad"}


def _pool(config, x, dy=None, known=True, **attrs):
    """A pool, its gradient, and the ops of the plan that gives both."""
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        images = tf.placeholder(tf.float32, x.shape if known else None)
        y = tf.nn.max_pool(images, **attrs)
        (dx,) = tf.gradients(y, [images], dy)
        values, nodes = run_with_plan(session, [y, dx], {images: x})
        return values, set(ops_of(nodes))


def _compare(x, **attrs):
    plain, plain_ops = _pool(PLAIN, x, **attrs)
    values, ops = _pool(None, x, **attrs)
    assert {"MaxPool", "MaxPoolGrad"} <= plain_ops and not PLACES & plain_ops
    assert PLACES <= ops
    for value, want in zip(values, plain):
        np.testing.assert_array_equal(value, want)
    return values


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(
    ("window", "strides"),
    [
        ((2, 2), (2, 2)),
        ((3, 3), (2, 2)),
        ((3, 3), (1, 1)),
        ((2, 3), (1, 4)),
        ((8, 8), (3, 3)),
    ],
)
@pytest.mark.parametrize("channels", [1, 3, 16, 37])
def test_values_and_gradients(channels, window, strides, padding):
    x = np.random.default_rng(3).standard_normal((2, 19, 14, channels)).astype("f")
    y, dx = _compare(
        x, ksize=[1, *window, 1], strides=[1, *strides, 1], padding=padding
    )
    # Every window gives its gradient, 1, to one pixel.
    assert dx.sum() == y.size


def test_many_rows_of_few_images_are_cut_into_bands():
    x = np.random.default_rng(4).standard_normal((1, 200, 9, 16)).astype("f")
    _compare(x, ksize=3, strides=2, padding="SAME")


def test_images_larger_than_caches():
    x = np.random.default_rng(5).standard_normal((4, 120, 140, 64)).astype("f")
    y, dx = _compare(x, ksize=3, strides=2, padding="SAME")
    assert dx.sum() == y.size


def test_infinities_and_nan():
    inf, nan = np.inf, np.nan
    lowest = np.finfo(np.float32).min
    rows = [
        [-inf, -inf, -inf, -inf],
        [nan, 1, 2, nan],
        [1, nan, nan, -3],
        [nan, nan, nan, nan],
        [-inf, nan, -inf, -inf],
        [lowest, -inf, nan, lowest],
        [inf, nan, inf, 5],
    ]
    want = [-inf, 2, 1, nan, nan, lowest, inf]
    for channels in (1, 16, 21):
        x = np.repeat(np.float32(rows).reshape(7, 1, 4, 1), channels, axis=3)
        y, _ = _compare(x, ksize=[1, 1, 4, 1], strides=4, padding="VALID")
        np.testing.assert_array_equal(
            y[:, 0, 0], np.repeat(np.float32(want)[:, None], channels, 1)
        )


def test_no_images():
    _compare(np.zeros((0, 8, 8, 3), np.float32), ksize=2, strides=2, padding="SAME")


def test_shapes_that_only_the_run_knows():
    x = np.random.default_rng(6).standard_normal((3, 9, 9, 8)).astype("f")
    attrs = {"ksize": 3, "strides": 2, "padding": "SAME"}
    values, ops = _pool(None, x, known=False, **attrs)
    assert PLACES <= ops
    for value, want in zip(values, _pool(PLAIN, x, **attrs)[0]):
        np.testing.assert_array_equal(value, want)


def test_gradients_of_another_shape_are_refused_alike():
    with tf.Graph().as_default():
        x, dy = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        y = tf.nn.max_pool(x, 2, 2, "VALID")
        fetches = [y, tf.gradients(y, [x], dy)[0]]
        feed = {x: np.zeros((1, 4, 4, 2)), dy: np.zeros((1, 3, 2, 2))}
        messages = []
        for config in (None, PLAIN):
            with tf.Session(config=config) as session:
                with pytest.raises(tf.errors.InvalidArgumentError) as raised:
                    session.run(fetches, feed)
            messages.append(
                str(raised.value).replace("OfPlaces", "").replace("_MaxPool", "MaxPool")
            )
        assert messages[0] == messages[1]


@pytest.mark.parametrize(
    ("dtype", "data_format", "window"),
    [("float64", "NHWC", 2), ("float32", "NCHW", 2), ("float32", "NHWC", 9)],
)
def test_other_pools_stay(dtype, data_format, window):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.ones((1, 12, 12, 12)), dtype)
        y = tf.nn.max_pool(x, window, 1, "VALID", data_format=data_format)
        _, nodes = run_with_plan(session, tf.gradients(y, [x]))
    assert not PLACES & set(ops_of(nodes))
