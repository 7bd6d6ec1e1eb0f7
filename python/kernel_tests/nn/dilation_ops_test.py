# SPDX-License-Identifier: Apache-2.0
"""Dilation2D and its gradients against loops in NumPy."""

import numpy as np
import pytest
import scipy.ndimage

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

ALL = ["float32", "float64", "float16", "int8", "int16", "int32", "int64"]
ALL += ["uint8", "uint16", "uint32", "uint64"]
CASES = [
    # input, filter, strides, rates, padding
    ([2, 4, 5, 3], [2, 3, 3], (1, 1), (1, 1), "VALID"),
    ([1, 5, 6, 2], [3, 3, 2], (1, 1), (1, 1), "SAME"),
    ([2, 7, 6, 1], [2, 2, 1], (2, 1), (1, 2), "SAME"),
    ([1, 6, 7, 4], [3, 2, 4], (2, 2), (2, 2), "VALID"),
]


def dilate(x, f, strides, rates, padding, g=None):
    """The dilation, or with `g` the gradients of x and f."""
    starts, sizes = [], []
    for i in range(2):
        size, extent = x.shape[1 + i], (f.shape[i] - 1) * rates[i] + 1
        before, out = 0, (size - extent) // strides[i] + 1
        if padding == "SAME":
            out = -(-size // strides[i])
            before = max(0, (out - 1) * strides[i] + extent - size) // 2
        starts.append(before)
        sizes.append(out)
    y = np.zeros([x.shape[0], *sizes, x.shape[3]], x.dtype)
    dx, df = np.zeros(x.shape), np.zeros(f.shape)
    for b, i, j, c in np.ndindex(*y.shape):
        best = None
        for ki, kj in np.ndindex(*f.shape[:2]):
            row = i * strides[0] - starts[0] + ki * rates[0]
            col = j * strides[1] - starts[1] + kj * rates[1]
            if 0 <= row < x.shape[1] and 0 <= col < x.shape[2]:
                value = x[b, row, col, c] + f[ki, kj, c]
                if best is None or value > best[0]:
                    best = value, row, col, ki, kj
        y[b, i, j, c] = best[0]
        if g is not None:
            dx[b, best[1], best[2], c] += g[b, i, j, c]
            df[best[3], best[4], c] += g[b, i, j, c]
    return y if g is None else (dx, df)


def values(shape, dtype, seed, limit=40):
    numbers = np.random.RandomState(seed).randint(0, limit, shape)
    return numbers.astype(dtype)


def attrs(strides, rates, padding):
    return dict(strides=[1, *strides, 1], rates=[1, *rates, 1], padding=padding)


@pytest.mark.parametrize("case", CASES)
def test_dilation_and_gradients(case):
    shape, f_shape, *geometry = case
    options = attrs(*geometry)
    for dtype in ALL:
        x, f = values(shape, dtype, 0), values(f_shape, dtype, 1)
        y = dilate(x, f, *geometry)
        got = fed(lambda a, b: gen_nn_ops.dilation2d(a, b, **options), x, f)
        np.testing.assert_array_equal(got, y)
        g = values(y.shape, dtype, 2, limit=2)
        dx, df = dilate(x, f, *geometry, g=g)
        got = fed(
            lambda *a: gen_nn_ops.dilation2d_backprop_input(*a, **options), x, f, g
        )
        np.testing.assert_array_equal(got, dx)
        got = fed(
            lambda *a: gen_nn_ops.dilation2d_backprop_filter(*a, **options), x, f, g
        )
        np.testing.assert_array_equal(got, df)


def test_against_scipy():
    x, f = values([1, 9, 8, 1], "float64", 0), values([3, 3, 1], "float64", 1)
    # SciPy's dilation flips the structure; its border is reflected, ours absent.
    want = scipy.ndimage.grey_dilation(
        x[0, :, :, 0], structure=f[::-1, ::-1, 0], mode="constant", cval=-1e9
    )
    got = fed(lambda a, b: tf.nn.dilation2d(a, b, [1] * 4, [1] * 4, "SAME"), x, f)
    np.testing.assert_array_equal(got[0, :, :, 0], want)
    # The kernel of an erosion is flipped.
    want = scipy.ndimage.grey_erosion(
        x[0, :, :, 0], structure=f[::-1, ::-1, 0], mode="constant", cval=1e9
    )
    got = fed(lambda a, b: tf.nn.erosion2d(a, b, [1] * 4, [1] * 4, "SAME"), x, f)
    np.testing.assert_array_equal(got[0, :, :, 0], want)


def test_numeric_gradient():
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(
            np.random.RandomState(0).permutation(40).reshape(1, 4, 5, 2) / 7
        )
        f = tf.constant(np.random.RandomState(1).permutation(8).reshape(2, 2, 2) / 11)
        y = tf.nn.dilation2d(x, f, [1, 1, 1, 1], [1, 1, 1, 1], "SAME")
        for v in (x, f):
            error = tf.test.compute_gradient_error(
                v, v.get_shape().as_list(), y, [1, 4, 5, 2], x_init_value=v.eval()
            )
            assert error < 1e-6


@pytest.mark.parametrize(
    ("x", "f", "options", "words"),
    [
        ([3, 3, 2], [1, 1, 2], {}, "rank 4|4-dim"),
        ([1, 3, 3, 2], [1, 1, 3], {}, "depth|equal"),
        ([1, 1, 3, 2], [3, 1, 2], {"padding": "VALID"}, "negative"),
        ([1, 3, 3, 2], [1, 1, 2], {"strides": [1, 0, 1, 1]}, "> 0"),
        ([1, 3, 3, 2], [1, 1, 2], {"rates": [1, 0, 1, 1]}, ">= 1"),
        ([1, 3, 3, 2], [1, 1, 2], {"rates": [2, 1, 1, 1]}, "batch"),
    ],
)
def test_bad_arguments(x, f, options, words):
    options = {"strides": [1] * 4, "rates": [1] * 4, "padding": "SAME"} | options
    errors = (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError, ValueError)
    with pytest.raises(errors, match=words):
        fed(
            lambda a, b: gen_nn_ops.dilation2d(a, b, **options),
            np.zeros(x, np.float32),
            np.zeros(f, np.float32),
        )
