# SPDX-License-Identifier: Apache-2.0
"""AdjustHue against colorsys."""

import colorsys

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed


def _turned(x, delta):
    def one(r, g, b):
        h, s, v = colorsys.rgb_to_hsv(r, g, b)
        return colorsys.hsv_to_rgb((h + delta) % 1, s, v)

    pixels = [one(*map(float, p)) for p in x.reshape(-1, 3)]
    return np.asarray(pixels, np.float64).reshape(x.shape)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("delta", [0.0, 0.2, -0.4, 1.0, 2.7, -300.25])
@pytest.mark.parametrize("shape", [[1, 1, 3], [2, 7, 9, 3], [0, 4, 3]])
def test_hues_turn_by_the_delta(shape, delta, dtype):
    x = np.random.RandomState(1).uniform(0, 1, shape).astype(dtype)
    got = fed(gen_image_ops.adjust_hue, x, np.float32(delta))
    assert got.dtype == dtype
    tolerance = 2e-3 if dtype == np.float16 else 1e-4
    np.testing.assert_allclose(got, _turned(x, delta), rtol=0, atol=tolerance)


def test_integers_are_computed_as_intensities():
    x = np.uint8([[[200, 100, 0], [7, 7, 7]]])
    got = fed(lambda x: tf.image.adjust_hue(x, 1 / 3), x)
    np.testing.assert_array_equal(got, [[[0, 200, 100], [7, 7, 7]]])


def test_grey_has_no_hue_and_infinite_turns_end():
    x = np.full([1, 2, 3], 0.25, np.float32)
    np.testing.assert_array_equal(fed(gen_image_ops.adjust_hue, x, np.float32(0.3)), x)
    fed(gen_image_ops.adjust_hue, x, np.float32(np.inf))


@pytest.mark.parametrize(
    ("shape", "delta"), [([3, 3], 0.0), ([2, 2, 4], 0.0), ([2, 2, 3], [0.0])]
)
def test_bad_input(shape, delta):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_image_ops.adjust_hue, np.zeros(shape, np.float32), np.float32(delta))
