# SPDX-License-Identifier: Apache-2.0
"""ResizeBicubic and its gradient against weights in NumPy."""

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
def test_resized_images_are_cubic_between_pixels(dtype, channels):
    for sides in reference.SIDES:
        for size in [(5, 4), (1, 1), (11, 23)]:
            for align, half in reference.CENTERS:
                x = reference.images(dtype, sides, channels)
                got = fed(
                    lambda x, s, a=align, h=half: tf.image.resize_bicubic(
                        x, s, a, half_pixel_centers=h
                    ),
                    x,
                    np.int32(size),
                )
                want = reference.resized(reference.cubic, x, size, align, half)
                # Rounding decides between two steps of the table where one is as far as the other.
                scale = 1000 if np.dtype(dtype).kind in "iu" else 3
                np.testing.assert_allclose(got, want, rtol=0, atol=3e-3 * scale)
                assert np.mean(np.abs(got - want)) < 1e-4 * scale


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("centers", reference.CENTERS)
def test_gradient_is_the_transpose(dtype, centers):
    align, half = centers
    for sides, size in [((4, 7), (8, 3)), ((5, 3), (2, 8)), ((1, 1), (3, 3))]:
        x = reference.images(dtype, sides, 3)
        g = reference.images(np.float32, size, 3)
        image = tf.constant(x)
        y = tf.image.resize_bicubic(image, size, align, half_pixel_centers=half)
        (dx,) = tf.gradients(y, image, tf.constant(g))
        with tf.Session() as session:
            got = session.run(dx)
        rows = reference.cubic(sides[0], size[0], align, half)
        columns = reference.cubic(sides[1], size[1], align, half)
        want = np.einsum(
            "yh,xw,byxc->bhwc", rows, columns, g.astype(np.float64), optimize=True
        )
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-2)
        assert np.mean(np.abs(got - want)) < 1e-3


def test_no_gradient_of_integers():
    image = tf.zeros([1, 2, 2, 1], tf.float16)
    y = tf.image.resize_bicubic(image, [3, 3])
    assert tf.gradients(y, image) == [None]


@pytest.mark.parametrize("shape", [[2, 3, 3], [1, 0, 3, 1], [1, 3, 3, 0]])
def test_bad_input(shape):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.image.resize_bicubic, np.zeros(shape, np.float32), np.int32([2, 2]))


def test_a_pixel_that_is_no_number_spoils_those_that_it_has_a_part_in():
    x = reference.images(np.float32, (6, 7), 2)
    x[0, 2, 3, 1] = np.nan
    # These centers have no weight of zero within two pixels.
    got = fed(
        lambda x: tf.image.resize_bicubic(x, [12, 14], half_pixel_centers=True), x
    )
    rows = reference.cubic(6, 12, False, True)[:, 2] != 0
    columns = reference.cubic(7, 14, False, True)[:, 3] != 0
    want = np.zeros(got.shape, bool)
    want[0, ..., 1] = rows[:, None] & columns
    np.testing.assert_array_equal(np.isnan(got), want)


def test_rows_that_are_too_long_are_refused():
    long = np.zeros([0, 1, 2**31, 1], np.float32)
    for images, size in ((long, [1, 1]), (np.ones([1, 1, 1, 2]), [1, 2**30])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="rows of images must"):
            fed(tf.image.resize_bicubic, images.astype(np.float32), np.int32(size))
