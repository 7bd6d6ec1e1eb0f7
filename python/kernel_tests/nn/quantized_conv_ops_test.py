# SPDX-License-Identifier: Apache-2.0
"""QuantizedConv2D against sums of products of whole numbers."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    RANGES,
    codes,
    integers,
    one_code,
)
from tensorwright.python.kernel_tests.nn.conv_reference import conv
from tensorwright.python.testing.op_testing import fed

F32 = np.float32
# Arguments that are known while the graph is built are refused there.
REFUSED = (tf.errors.InvalidArgumentError, ValueError)


def random_codes(*shape, seed=0):
    return np.random.RandomState(seed).randint(0, 256, shape).astype(np.uint8)


def name_of(f):
    """The quantized type of a filter's codes."""
    return "quint8" if f.dtype == np.uint8 else "qint8"


def run(x, f, range_x, range_f, strides, padding, dilations=(1, 1), known=False):
    """(codes, min, max)."""
    out, low, high = fed(
        lambda *a: tf.nn.quantized_conv2d(
            *a,
            strides=[1, *strides, 1],
            padding=padding,
            dilations=[1, *dilations, 1],
        ),
        codes(x, "quint8"),
        codes(f, name_of(f)),
        *(F32(e) for e in (*range_x, *range_f)),
        known=known,
    )
    return integers(out), low, high


def convolved(x, f, range_x, range_f, strides, padding, dilations=(1, 1)):
    """Real 0 is outside the image."""
    zero_x = int(one_code(0.0, *range_x, "quint8"))
    zero_f = int(one_code(0.0, *range_f, name_of(f)))
    sums = conv(
        x.astype(np.int64) - zero_x,
        f.astype(np.int64) - zero_f,
        strides,
        padding,
        dilations,
    )
    (a, b), (c, d) = F32([range_x, range_f])
    step = ((b - a) / F32(255)) * ((d - c) / F32(255))
    return sums.astype(np.int32), step * F32(-(2.0**31)), step * F32(2.0**31 - 1)


# Image, filter, strides, dilations.
GEOMETRIES = [
    ([1, 1, 1, 1], [1, 1, 1, 1], (1, 1), (1, 1)),
    ([2, 5, 6, 3], [3, 3, 3, 4], (1, 1), (1, 1)),
    ([1, 7, 9, 2], [2, 3, 2, 33], (2, 2), (1, 1)),
    ([2, 8, 5, 5], [3, 2, 5, 1], (1, 3), (1, 1)),
    ([1, 11, 12, 3], [3, 2, 3, 7], (1, 1), (2, 3)),
    ([3, 6, 6, 8], [1, 1, 8, 16], (1, 1), (1, 1)),
    ([1, 3, 3, 300], [3, 3, 300, 270], (1, 1), (1, 1)),
    ([4, 17, 19, 16], [5, 5, 16, 40], (1, 1), (1, 1)),
    ([0, 4, 4, 2], [2, 2, 2, 3], (1, 1), (1, 1)),
    ([2, 4, 4, 2], [2, 2, 2, 0], (1, 1), (1, 1)),
]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(
    ("image", "filter_", "strides", "dilations"), GEOMETRIES, ids=lambda g: str(g)
)
def test_sums_of_products_are_those_of_numpy(
    image, filter_, strides, dilations, padding, known
):
    x, f = random_codes(*image, seed=1), random_codes(*filter_, seed=2)
    for range_x, range_f in [((-1, 2), (-3, 1)), ((0, 6), (0, 1))]:
        args = (x, f, range_x, range_f, strides, padding, dilations)
        got, *ends = run(*args, known=known)
        want, *wanted_ends = convolved(*args)
        np.testing.assert_array_equal(got, want)
        assert ends == wanted_ends


@pytest.mark.parametrize("range_x", RANGES)
@pytest.mark.parametrize("range_f", RANGES)
def test_ranges(range_x, range_f):
    """A range need not contain 0, whose code then lies outside [0, 255]; the padding is still 0."""
    x, f = random_codes(1, 4, 5, 3, seed=1), random_codes(3, 3, 3, 2, seed=2)
    args = (x, f, range_x, range_f, (1, 1), "SAME")
    got, *ends = run(*args)
    want, *wanted_ends = convolved(*args)
    np.testing.assert_array_equal(got, want)
    assert ends == wanted_ends


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_filters_of_signed_codes(padding):
    for image, filter_, strides, dilations in GEOMETRIES:
        x = random_codes(*image, seed=1)
        f = random_codes(*filter_, seed=2).view(np.int8)
        for range_x, range_f in [((-1, 2), (-3, 1)), ((2, 4), (1, 2))]:
            args = (x, f, range_x, range_f, strides, padding, dilations)
            got, *ends = run(*args)
            want, *wanted_ends = convolved(*args)
            np.testing.assert_array_equal(got, want)
            assert ends == wanted_ends


def test_codes_stand_for_the_convolution_of_what_codes_stand_for():
    x, f = random_codes(2, 6, 6, 4, seed=1), random_codes(3, 3, 4, 5, seed=2)
    # Both ranges begin 100 steps below 0, so all codes are exactly where they are said to be.
    got, low, high = run(x, f, (-1, 1.55), (-2, 3.1), (1, 1), "SAME")
    real = got * (float(high) - low) / (2**32 - 1)
    want = conv(x / 255 * 2.55 - 1, f / 255 * 5.1 - 2, (1, 1), "SAME")
    # Sums of codes are exact; the step of the result is a product of rounded float32 numbers.
    np.testing.assert_allclose(real, want, rtol=8 * 2.0**-24, atol=1e-10)


def test_a_range_of_no_width_is_of_zeros():
    x, f = random_codes(1, 3, 3, 2, seed=1), random_codes(2, 2, 2, 2, seed=2)
    _, low, high = run(x, f, (1, 1), (0, 1), (1, 1), "VALID")
    assert (low, high) == (0, 0)


def test_arguments_must_fit():
    x, f = random_codes(1, 4, 4, 4), random_codes(2, 2, 4, 3)
    good = (0, 1)
    for args, words in [
        ((x[0], f, good, good, (1, 1)), "rank 4"),
        ((x, f[0], good, good, (1, 1)), "rank 4"),
        ((x, f[:, :, :2], good, good, (1, 1)), "same depth"),
        ((x, random_codes(5, 1, 4, 1), good, good, (1, 1)), "[Nn]egative|larger"),
        ((x, f, good, good, (0, 1)), "strides must be > 0"),
        ((x, f, good, good, (1,)), "strides must have 4 values"),
        ((x, f, ([0.0], 1), good, (1, 1)), "rank 0"),
        ((x, f, good, (0, [1.0, 1.0]), (1, 1)), "rank 0"),
    ]:
        with pytest.raises(REFUSED, match=words):
            run(*args, "VALID")
    with pytest.raises(REFUSED, match="dilations must be > 0"):
        run(x, f, good, good, (1, 1), "VALID", (0, 1))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="same depth"):
        tf.nn.quantized_conv2d(
            tf.placeholder(tf.quint8, [1, 4, 4, 2]),
            tf.placeholder(tf.quint8, [1, 1, 3, 1]),
            *[0.0, 1.0, 0.0, 1.0],
            strides=[1, 1, 1, 1],
            padding="SAME",
        )
