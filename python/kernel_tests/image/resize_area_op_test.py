# SPDX-License-Identifier: Apache-2.0
"""ResizeArea and its gradient against weights in NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.image import resize_reference as reference
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

DTYPES = [
    np.uint8, np.int8, np.uint16, np.int16, np.int32, np.int64, np.float16,
    ml_dtypes.bfloat16, np.float32, np.float64,
]  # fmt: skip


def _close(got, want, scale):
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=0, atol=3e-6 * scale)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7])
def test_resized_images_are_means_of_areas(dtype, channels):
    for sides in reference.SIDES:
        for size in [(5, 4), (1, 1), (2, 3), (11, 23)]:
            x = reference.images(dtype, sides, channels)
            got = fed(tf.image.resize_area, x, np.int32(size))
            want = reference.resized(reference.area, x, size, False)
            # The places of boundaries are rounded in float.
            scale = 1000 if np.dtype(dtype).kind in "iu" else 3
            np.testing.assert_allclose(got, want, rtol=0, atol=3e-5 * scale)


def test_aligned_corners():
    x = reference.images(np.float32, (5, 9), 3)
    got = fed(lambda x: tf.image.resize_area(x, [3, 5], align_corners=True), x)
    want = reference.resized(reference.area, x, (3, 5), True)
    _close(got, want, 10)


def test_one_pixel_aligned_with_many():
    x = reference.images(np.float32, (4, 1), 3)
    got = fed(lambda x: tf.image.resize_area(x, [1, 5], align_corners=True), x)
    want = np.broadcast_to(x.mean(axis=1, keepdims=True), got.shape)
    _close(got, want, 10)


@pytest.mark.parametrize("shape", [[2, 3, 3], [1, 0, 3, 1], [1, 3, 3, 0]])
def test_bad_input(shape):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.image.resize_area, np.zeros(shape, np.float32), np.int32([2, 2]))
