# SPDX-License-Identifier: Apache-2.0
"""AdjustSaturation against colorsys."""

import colorsys

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed


def _saturated(x, factor):
    def one(r, g, b):
        h, s, v = colorsys.rgb_to_hsv(r, g, b)
        return colorsys.hsv_to_rgb(h, min(max(s * factor, 0), 1), v)

    pixels = [one(*map(float, p)) for p in x.reshape(-1, 3)]
    return np.asarray(pixels, np.float64).reshape(x.shape)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("factor", [0.0, 0.5, 1.0, 2.5, -1.0])
@pytest.mark.parametrize("shape", [[1, 1, 3], [2, 7, 9, 3], [0, 4, 3]])
def test_saturations_are_scaled_by_the_factor(shape, factor, dtype):
    x = np.random.RandomState(1).uniform(0, 1, shape).astype(dtype)
    got = fed(gen_image_ops.adjust_saturation, x, np.float32(factor))
    assert got.dtype == dtype
    tolerance = 2e-3 if dtype == np.float16 else 1e-5
    np.testing.assert_allclose(got, _saturated(x, factor), rtol=0, atol=tolerance)


def test_integers_are_computed_as_intensities():
    x = np.uint8([[[200, 100, 0], [7, 7, 7]]])
    got = fed(lambda x: tf.image.adjust_saturation(x, 0.0), x)
    np.testing.assert_array_equal(got, [[[200, 200, 200], [7, 7, 7]]])


@pytest.mark.parametrize("shape", [[3, 3], [2, 2, 4]])
def test_bad_input(shape):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_image_ops.adjust_saturation, np.zeros(shape, np.float32), np.float32(1))
