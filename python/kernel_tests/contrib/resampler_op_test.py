# SPDX-License-Identifier: Apache-2.0
"""Tests of Resampler and its gradient against a loop over points and pixels."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_contrib_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def reference(data, warp):
    """Every pixel weighed by how near it is: 1 - distance in each direction, where that is positive."""
    _, height, width, _ = data.shape
    x, y = warp[..., 0], warp[..., 1]
    by_x = np.maximum(0, 1 - np.abs(x[..., None] - np.arange(width)))
    by_y = np.maximum(0, 1 - np.abs(y[..., None] - np.arange(height)))
    return np.einsum("b...y,b...x,byxc->b...c", by_y, by_x, data)


def run(data, warp):
    with tf.Session() as session:
        given = [tf.placeholder(tf.as_dtype(x.dtype)) for x in (data, warp)]
        out = gen_contrib_ops.resampler(*given)
        return session.run(out, dict(zip(given, (data, warp))))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("points", [(), (7,), (3, 4), (0,)])
def test_samples_are_bilinear_and_zero_outside(points, dtype):
    rng = np.random.RandomState(0)
    data = rng.randn(2, 5, 6, 3).astype(dtype)
    # Some outside, some between the border's pixels and the zeros around.
    warp = rng.uniform(-2, 8, (2, *points, 2)).astype(dtype)
    got = run(data, warp)
    assert got.dtype == dtype
    want = reference(data.astype(np.float64), warp.astype(np.float64))
    tolerance = {np.float16: 3e-3, np.float32: 1e-5, np.float64: 1e-12}[dtype]
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def test_pixels_themselves_and_what_is_no_number():
    data = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
    warp = np.float32([[[0, 0], [3, 2], [1, 2], [-1, 0], [4, 0], [np.nan, 1]]])
    np.testing.assert_array_equal(run(data, warp)[0, :, 0], [0, 11, 9, 0, 0, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_are_those_of_differences(dtype):
    rng = np.random.RandomState(1)
    data = rng.randn(2, 4, 5, 2)
    # Away from pixels, where there is a corner.
    warp = rng.randint(-1, 5, (2, 6, 2)) + rng.uniform(0.2, 0.8, (2, 6, 2))
    upstream = rng.randn(2, 6, 2)
    x, w = tf.constant(data.astype(dtype)), tf.constant(warp.astype(dtype))
    out = tf.contrib.resampler.resampler(x, w)
    gradients = tf.gradients(out, [x, w], tf.constant(upstream.astype(dtype)))
    with tf.Session() as session:
        by_data, by_warp = session.run(gradients)
    step = 1e-5
    for got, which, start in ((by_data, 0, data), (by_warp, 1, warp)):
        direction = rng.randn(*start.shape)
        ends = []
        for sign in (1, -1):
            arrays = [data, warp]
            arrays[which] = start + sign * step * direction
            ends.append((reference(*arrays) * upstream).sum())
        slope = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose((got * direction).sum(), slope, rtol=1e-4)


@pytest.mark.parametrize(
    "data,warp",
    [
        ((2, 3, 4), (2, 5, 2)),
        ((2, 3, 4, 1), (2, 5, 3)),
        ((2, 3, 4, 1), (3, 5, 2)),
        ((2, 3, 4, 1), (2,)),
    ],
)
def test_bad_shapes(data, warp):
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(np.zeros(data), np.zeros(warp))
