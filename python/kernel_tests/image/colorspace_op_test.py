# SPDX-License-Identifier: Apache-2.0
"""RGBToHSV and HSVToRGB against colorsys."""

import colorsys

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import fed

DTYPES = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]


def _colors(shape, dtype):
    rng = np.random.RandomState(5)
    x = rng.uniform(0, 1, [*shape, 3])
    # Greys, and colours whose greatest channels are the same.
    x = np.where(rng.uniform(size=[*shape, 1]) < 0.3, np.round(x * 2) / 2, x)
    return x.astype(dtype)


def _each(function, x):
    pixels = [function(*map(float, p)) for p in x.reshape(-1, 3)]
    return np.asarray(pixels, np.float64).reshape(x.shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [[], [0], [1], [17], [3, 5, 7], [1000]])
def test_colours_are_those_of_colorsys(shape, dtype):
    x = _colors(shape, dtype)
    eps = float(ml_dtypes.finfo(dtype).eps)
    for op, function in [
        (tf.image.rgb_to_hsv, colorsys.rgb_to_hsv),
        (tf.image.hsv_to_rgb, colorsys.hsv_to_rgb),
    ]:
        got = fed(op, x)
        assert got.dtype == x.dtype and got.shape == x.shape
        want = _each(function, x)
        off = np.abs(got.astype(np.float64) - want)
        if op is tf.image.rgb_to_hsv:
            off[..., 0] = np.minimum(off[..., 0], 1 - off[..., 0])  # A turn.
        assert np.max(off, initial=0) < 8 * eps


def test_there_and_back_again():
    x = _colors([40, 50], np.float32)
    got = fed(lambda x: tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(x)), x)
    np.testing.assert_allclose(got, x, rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradient(dtype):
    # No two channels of a pixel are equal; one pixel has a channel below 0, one is all below.
    x = np.asarray(
        [[0.9, 0.3, 0.5], [0.2, 0.8, 0.4], [0.1, 0.3, 0.7], [0.9, -0.5, 0.2],
         [-0.5, -0.2, -0.4]], dtype,
    )  # fmt: skip
    with tf.Graph().as_default(), tf.Session():
        images = tf.constant(x)
        hsv = tf.image.rgb_to_hsv(images)
        for channel in range(3):
            error = tf.test.compute_gradient_error(
                images, x.shape, hsv[:, channel], [5], x, delta=1e-3
            )
            assert error < (2e-3 if dtype == np.float32 else 1e-4)


def test_gradients_of_greys_are_finite():
    x = np.float32([[0, 0, 0], [0.5, 0.5, 0.5], [0.5, 0.5, 0.2], [0.2, 0.7, 0.7]])
    grad = fed(lambda x: tf.gradients(tf.image.rgb_to_hsv(x), x)[0], x)
    assert np.isfinite(grad).all()


@pytest.mark.parametrize("shape", [[], [2], [3, 4]])
def test_bad_input(shape):
    for op in (tf.image.rgb_to_hsv, tf.image.hsv_to_rgb):
        with pytest.raises(tf.errors.InvalidArgumentError):
            fed(op, np.zeros(shape, np.float32))
