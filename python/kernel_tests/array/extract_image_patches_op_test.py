# SPDX-License-Identifier: Apache-2.0
"""ExtractImagePatches against loops in NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)


def patches(x, ksizes, strides, rates, padding):
    batch, rows, cols, depth = x.shape
    out, pads = [], []
    for size, k, s, r in zip((rows, cols), ksizes, strides, rates):
        extent = (k - 1) * r + 1
        if padding == "SAME":
            n = -(-size // s)
            pad = max((n - 1) * s + extent - size, 0)
        else:
            n, pad = max((size - extent) // s + 1, 0), 0
        out.append(n)
        pads.append((pad // 2, pad - pad // 2))
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    result = np.zeros([batch, *out, ksizes[0] * ksizes[1] * depth], x.dtype)
    for i in range(out[0]):
        for j in range(out[1]):
            top, left = i * strides[0], j * strides[1]
            window = x[
                :,
                top : top + (ksizes[0] - 1) * rates[0] + 1 : rates[0],
                left : left + (ksizes[1] - 1) * rates[1] + 1 : rates[1],
            ]
            result[:, i, j] = window.reshape([batch, result.shape[-1]])
    return result


CASES = [
    ([1, 1, 1, 1], (1, 1), (1, 1), (1, 1)),
    ([2, 5, 6, 3], (2, 3), (1, 1), (1, 1)),
    ([2, 5, 6, 3], (2, 3), (3, 2), (1, 1)),
    ([1, 9, 8, 2], (3, 2), (1, 2), (2, 3)),
    ([1, 4, 4, 1], (4, 4), (5, 5), (1, 1)),
    ([0, 4, 4, 1], (2, 2), (1, 1), (1, 1)),
    ([3, 33, 31, 4], (3, 3), (2, 1), (1, 2)),
]


def extract(x, ksizes, strides, rates, padding):
    def four(v):
        return [1, *v, 1]

    return tf.extract_image_patches(
        x, four(ksizes), four(strides), four(rates), padding
    )


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "ksizes", "strides", "rates"), CASES)
def test_patches_are_the_windows(known, padding, dtype, shape, ksizes, strides, rates):
    x = values(shape, dtype)
    got = fed(lambda x: extract(x, ksizes, strides, rates, padding), x, known=known)
    np.testing.assert_array_equal(got, patches(x, ksizes, strides, rates, padding))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([1, 2, 2, 2], r"ksizes must be \[1, rows, cols, 1\]"),
        ([1, 0, 2, 1], "ksizes"),
        ([1, 2, 1], "ksizes|length"),
        ([1, 2**31, 2, 1], "."),
    ],
)
def test_bad_windows_are_refused(sizes, words):
    ones = [1, 1, 1, 1]
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.extract_image_patches(values([1, 4, 4, 1]), sizes, ones, ones, "SAME")


def test_images_have_four_dimensions():
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 4"):
        fed(lambda x: extract(x, (2, 2), (1, 1), (1, 1), "SAME"), values([4, 4, 1]))


@pytest.mark.parametrize(("rows", "stride"), [(6, 1), (5, 3), (4, 3)])
def test_windows_larger_than_the_image_are_none(rows, stride):
    x = values([2, rows, 8, 3])
    y = fed(lambda v: extract(v, (7, 1), (stride, 2), (1, 1), "VALID"), x)
    assert y.shape == (2, 0, 4, 21)


def test_windows_much_larger_than_the_image_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        fed(lambda v: extract(v, (7, 1), (1, 1), (1, 1), "VALID"), values([1, 5, 8, 1]))


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(
    ("shape", "ksizes", "strides", "rates"),
    [
        ([1, 4, 3, 2], (2, 2), (1, 1), (1, 1)),
        ([2, 4, 5, 1], (2, 3), (2, 1), (2, 1)),
    ],
)
def test_gradients(padding, shape, ksizes, strides, rates):
    error = gradient_error(lambda x: extract(x, ksizes, strides, rates, padding), shape)
    assert error < 1e-9
