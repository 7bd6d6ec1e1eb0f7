# SPDX-License-Identifier: Apache-2.0
"""ResizeNearestNeighbor and its gradient against weights in NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.image import resize_reference as reference
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

DTYPES = [
    np.uint8, np.int8, np.uint16, np.int16, np.int32, np.int64, np.float16,
    ml_dtypes.bfloat16, np.float32, np.float64,
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7])
def test_resized_images_have_the_nearest_pixels(dtype, channels):
    for sides in reference.SIDES:
        # Powers of two: no position is rounded.
        for size in [(4, 8), (1, 1), sides, (16, 32)]:
            for align, half in reference.CENTERS:
                if align:
                    continue  # Ties are rounded by the last bit of a float.
                x = reference.images(dtype, sides, channels)
                got = fed(
                    lambda x, s, a=align, h=half: tf.image.resize_nearest_neighbor(
                        x, s, a, half_pixel_centers=h
                    ),
                    x,
                    np.int32(size),
                )
                assert got.dtype == x.dtype
                rows = reference.nearest(sides[0], size[0], align, half).argmax(1)
                columns = reference.nearest(sides[1], size[1], align, half).argmax(1)
                np.testing.assert_array_equal(got, x[:, rows][:, :, columns])


def test_aligned_corners_round_to_the_nearest():
    x = np.arange(5, dtype=np.int32).reshape([1, 1, 5, 1])
    for size, want in [
        (9, [0, 1, 1, 2, 2, 3, 3, 4, 4]),
        (3, [0, 2, 4]),
        (4, [0, 1, 3, 4]),
        (1, [0]),
    ]:
        got = fed(
            lambda x, n=size: tf.image.resize_nearest_neighbor(x, [1, n], True), x
        )
        assert got.ravel().tolist() == want


@pytest.mark.parametrize(
    "dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
)
def test_gradient_is_the_transpose(dtype):
    for half in (False, True):
        for sides, size in [((4, 8), (8, 2)), ((5, 4), (2, 8)), ((1, 1), (3, 3))]:
            x = reference.images(dtype, sides, 3)
            g = reference.images(dtype, size, 3)
            image = tf.constant(x)
            y = tf.image.resize_nearest_neighbor(image, size, half_pixel_centers=half)
            (dx,) = tf.gradients(y, image, tf.constant(g))
            with tf.Session() as session:
                got = session.run(dx)
            rows = reference.nearest(sides[0], size[0], False, half)
            columns = reference.nearest(sides[1], size[1], False, half)
            want = np.einsum(
                "yh,xw,byxc->bhwc", rows, columns, g.astype(np.float64), optimize=True
            )
            tolerance = {2: 0.2, 4: 1e-5, 8: 1e-12}[np.dtype(dtype).itemsize]
            np.testing.assert_allclose(
                got.astype(np.float64), want, rtol=0, atol=tolerance
            )


def test_gradients_of_integers_add_up():
    g = reference.images(np.int32, (6, 4), 2)
    got = fed(lambda g: gen_image_ops._resize_nearest_neighbor_grad(g, [3, 2]), g)
    np.testing.assert_array_equal(got, g.reshape([2, 3, 2, 2, 2, 2]).sum((2, 4)))


@pytest.mark.parametrize("shape", [[2, 3, 3], [1, 0, 3, 1], [1, 3, 3, 0]])
def test_bad_input(shape):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            tf.image.resize_nearest_neighbor,
            np.zeros(shape, np.float32),
            np.int32([2, 2]),
        )


def test_a_gradient_of_too_many_pixels_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"more than 2\*\*63"):
        fed(
            gen_image_ops._resize_nearest_neighbor_grad,
            np.ones([1, 1, 1, 4], np.float32),
            np.int32([2**31 - 1, 2**31 - 1]),
        )


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float64])
@pytest.mark.parametrize("shape", [[2, 0, 7, 1], [2, 7, 0, 1], [0, 0, 7, 1]])
def test_a_gradient_of_no_pixels_is_zero(dtype, shape):
    for align in (False, True):
        got = fed(
            lambda g, s, a=align: gen_image_ops._resize_nearest_neighbor_grad(g, s, a),
            np.zeros(shape, dtype),
            np.int32([3, 2]),
        )
        np.testing.assert_array_equal(got, np.zeros([shape[0], 3, 2, 1], dtype))
