# SPDX-License-Identifier: Apache-2.0
"""ResizeBilinear and its gradient against weights in NumPy."""

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
    """The place of a pixel is a float: with a thousand in a row it is known to 6e-5."""
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=0, atol=6e-5 * scale)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7])
def test_resized_images_are_linear_between_pixels(dtype, channels):
    for sides in reference.SIDES:
        for size in [(5, 4), (1, 1), sides, (11, 23)]:
            for align, half in reference.CENTERS:
                x = reference.images(dtype, sides, channels)
                got = fed(
                    lambda x, s, a=align, h=half: tf.image.resize_bilinear(
                        x, s, a, half_pixel_centers=h
                    ),
                    x,
                    np.int32(size),
                )
                assert got.dtype == np.float32
                want = reference.resized(reference.linear, x, size, align, half)
                _close(got, want, 1000 if np.dtype(dtype).kind in "iu" else 3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("centers", reference.CENTERS)
def test_gradient_is_the_transpose(dtype, centers):
    align, half = centers
    for sides, size in [((4, 7), (9, 3)), ((5, 3), (2, 8)), ((1, 1), (3, 3))]:
        x = reference.images(dtype, sides, 3)
        g = reference.images(np.float32, size, 3)
        image = tf.constant(x)
        y = tf.image.resize_bilinear(image, size, align, half_pixel_centers=half)
        (dx,) = tf.gradients(y, image, tf.constant(g))
        with tf.Session() as session:
            got = session.run(dx)
        assert got.dtype == dtype
        rows = reference.linear(sides[0], size[0], align, half)
        columns = reference.linear(sides[1], size[1], align, half)
        want = np.einsum(
            "yh,xw,byxc->bhwc", rows, columns, g.astype(np.float64), optimize=True
        )
        np.testing.assert_allclose(
            got, want, rtol=0, atol=2e-2 if dtype == np.float16 else 1e-5
        )


def test_sums_beyond_float32_are_infinite_in_half_precision():
    """All columns of the output read one column, once with weight 0: an infinite sum must not become NaN there."""
    image = tf.constant(np.zeros([1, 2, 1, 1], np.float16))
    y = tf.image.resize_bilinear(image, [7, 3], align_corners=True)
    (dx,) = tf.gradients(y, image, tf.fill([1, 7, 3, 1], tf.constant(2e38)))
    with tf.Session() as session:
        got = session.run(dx)
    np.testing.assert_array_equal(got, np.full([1, 2, 1, 1], np.inf))


def test_large_images_on_several_threads():
    x = reference.images(np.uint8, (211, 307), 3)
    got = fed(lambda x: tf.image.resize_bilinear(x, [400, 500]), x)
    want = reference.resized(reference.linear, x, (400, 500), False, False)
    _close(got, want, 256)


@pytest.mark.parametrize(
    ("shape", "size", "words"),
    [
        ([2, 3, 3], [2, 2], "rank 4"),
        ([1, 3, 3, 1], [2, 2, 2], "2"),
        ([1, 3, 3, 1], [0, 2], "positive"),
        ([1, 3, 3, 1], [2, -2], "positive"),
        ([1, 0, 3, 1], [2, 2], "pixels"),
        ([1, 3, 3, 0], [2, 2], "pixels"),
    ],
)
def test_bad_input(shape, size, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(tf.image.resize_bilinear, np.zeros(shape, np.float32), np.int32(size))


def test_corners_and_centers_exclude_each_other():
    with pytest.raises(ValueError, match="align_corners"):
        tf.image.resize_bilinear(
            tf.zeros([1, 2, 2, 1]), [3, 3], True, half_pixel_centers=True
        )


def test_a_huge_size_is_refused():
    with pytest.raises(
        (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)
    ):
        fed(
            tf.image.resize_bilinear,
            np.zeros([2, 1, 1, 3], np.uint8),
            np.int32([2**31 - 1, 2**31 - 1]),
        )
