# SPDX-License-Identifier: Apache-2.0
"""QuantizedResizeBilinear: the nearest code to what ResizeBilinear makes of codes."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.image import resize_reference as reference
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32])
@pytest.mark.parametrize("centers", reference.CENTERS)
def test_resized_codes_are_those_of_numpy(dtype, centers):
    quantized = {np.uint8: tf.quint8, np.int32: tf.qint32, np.float32: tf.float32}[
        dtype
    ]
    x = reference.images(dtype, (5, 7), 3)
    if dtype == np.int32:
        x *= 2_000_000

    def build(x):
        codes = x if quantized == tf.float32 else tf.bitcast(x, quantized)
        y, low, high = gen_image_ops.quantized_resize_bilinear(
            codes, [9, 4], -2.0, 7.0, *centers
        )
        return (y if quantized == tf.float32 else tf.bitcast(y, x.dtype)), low, high

    got, low, high = fed(build, x)
    assert (low, high) == (-2, 7)
    want = reference.resized(reference.linear, x, (9, 4), *centers)
    tolerance = {np.uint8: 0.5001, np.int32: 3000, np.float32: 1e-5}[dtype]
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=0, atol=tolerance)


@pytest.mark.parametrize("size", [[2, 3], [5, 7]])
def test_an_even_image_stays_even(size):
    x = np.full([2, 3, 4, 2], 1 << 20, np.int32)

    def build(x):
        codes = tf.bitcast(x, tf.qint32)
        y, low, high = gen_image_ops.quantized_resize_bilinear(codes, size, -1.0, 1.0)
        return tf.bitcast(y, tf.int32), low, high

    got, low, high = fed(build, x)
    assert (low, high) == (-1, 1)
    np.testing.assert_array_equal(got, np.full([2, *size, 2], 1 << 20))


@pytest.mark.parametrize("centers", reference.CENTERS)
def test_an_image_of_the_same_size_is_the_image(centers):
    x = np.float32([[[[1], [-0.0]], [[-np.inf], [np.nan]]]])
    got = fed(
        lambda x: gen_image_ops.quantized_resize_bilinear(
            x, [2, 2], -2.0, 7.0, *centers
        )[0],
        x,
    )
    np.testing.assert_array_equal(got, x)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(x))


def test_bad_input():
    with pytest.raises(tf.errors.InvalidArgumentError, match="pixels"):
        fed(
            lambda x: gen_image_ops.quantized_resize_bilinear(
                tf.bitcast(x, tf.quint8), [2, 2], 0.0, 1.0
            )[1],
            np.zeros([1, 0, 2, 3], np.uint8),
        )
