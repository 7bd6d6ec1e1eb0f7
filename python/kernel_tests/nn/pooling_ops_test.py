# SPDX-License-Identifier: Apache-2.0
"""Max and average pools and their gradients against loops in NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

FLOATS = ["float32", "float64", "float16"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16"]
CASES = [
    # input, window, strides, padding
    ([2, 4, 6, 3], (2, 2), (2, 2), "VALID"),
    ([2, 5, 7, 3], (2, 3), (2, 2), "SAME"),
    ([1, 5, 5, 17], (3, 3), (1, 1), "SAME"),
    ([3, 7, 4, 16], (3, 2), (2, 1), "VALID"),
    ([2, 3, 3, 1], (5, 5), (1, 1), "SAME"),
    ([2, 4, 4, 2], (1, 1), (2, 2), "SAME"),
    # Windows that do not overlap, with and without gaps and rests.
    ([2, 9, 11, 70], (2, 2), (3, 4), "SAME"),
    ([2, 11, 9, 130], (3, 2), (3, 2), "VALID"),
    ([1, 7, 7, 5], (3, 3), (3, 3), "SAME"),
    # Bands of rows, which windows cross.
    ([1, 50, 6, 20], (3, 3), (2, 2), "SAME"),
    ([2, 33, 5, 33], (5, 2), (1, 1), "VALID"),
    ([1, 40, 6, 20], (3, 5), (5, 2), "VALID"),
]


def windows(size, window, stride, padding):
    """[first, last) of each window along one dimension."""
    out = -(-size // stride) if padding == "SAME" else (size - window) // stride + 1
    before = 0
    if padding == "SAME":
        before = max(0, (out - 1) * stride + window - size) // 2
    starts = [o * stride - before for o in range(out)]
    return [(max(0, s), min(size, s + window)) for s in starts]


def each_window(shape, window, strides, padding):
    rows = windows(shape[1], window[0], strides[0], padding)
    cols = windows(shape[2], window[1], strides[1], padding)
    for i, (r0, r1) in enumerate(rows):
        for j, (c0, c1) in enumerate(cols):
            yield i, j, slice(r0, r1), slice(c0, c1), (len(rows), len(cols))


def pool(x, window, strides, padding, reduce):
    out = None
    for i, j, r, c, (h, w) in each_window(x.shape, window, strides, padding):
        value = reduce(x[:, r, c], axis=(1, 2))
        if out is None:
            out = np.zeros([x.shape[0], h, w, x.shape[3]], value.dtype)
        out[:, i, j] = value
    return out


def image(dtype, *shape, seed=0):
    """Different values, so that every maximum is one element's."""
    n = int(np.prod(shape))
    values = np.random.RandomState(seed).permutation(n)
    if dtype in INTS:
        return (values % 120).astype(dtype).reshape(shape)
    return (values - n // 2).reshape(shape).astype(dtype) / (
        1 if dtype == "float16" else 8
    )


def attrs(window, strides, padding, data_format="NHWC"):
    order = (
        (lambda h, w: [1, h, w, 1])
        if data_format == "NHWC"
        else (lambda h, w: [1, 1, h, w])
    )
    return dict(
        ksize=order(*window),
        strides=order(*strides),
        padding=padding,
        data_format=data_format,
    )


def nchw(x):
    return x.transpose(0, 3, 1, 2).copy()


@pytest.mark.parametrize("case", CASES)
def test_max_pool(case):
    shape, *geometry = case
    for dtype in FLOATS + INTS:
        x = image(dtype, *shape)
        want = pool(x, *geometry, np.max)
        np.testing.assert_array_equal(
            fed(lambda v: gen_nn_ops.max_pool(v, **attrs(*geometry)), x), want
        )
    x = image("float32", *shape)
    got = fed(lambda v: gen_nn_ops.max_pool(v, **attrs(*geometry, "NCHW")), nchw(x))
    np.testing.assert_array_equal(got, nchw(pool(x, *geometry, np.max)))


@pytest.mark.parametrize("case", CASES)
def test_avg_pool(case):
    shape, *geometry = case
    for dtype in FLOATS:
        x = image(dtype, *shape)
        want = pool(x.astype(np.float64), *geometry, np.mean)
        got = fed(lambda v: gen_nn_ops.avg_pool(v, **attrs(*geometry)), x)
        tol = 2e-3 if dtype == "float16" else 1e-5
        np.testing.assert_allclose(got, want, rtol=tol, atol=tol * np.abs(x).max())
    x = image("float64", *shape)
    got = fed(lambda v: gen_nn_ops.avg_pool(v, **attrs(*geometry, "NCHW")), nchw(x))
    np.testing.assert_allclose(got, nchw(pool(x, *geometry, np.mean)))


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("case", CASES)
def test_gradients(case, data_format):
    shape, *geometry = case
    layout = nchw if data_format == "NCHW" else lambda a: a
    for dtype in ("float32", "float64"):
        x = image(dtype, *shape)
        y = pool(x, *geometry, np.max)
        dy = image(dtype, *y.shape, seed=5)
        d_max, d_avg = np.zeros(shape), np.zeros(shape)
        for i, j, r, c, _ in each_window(x.shape, *geometry):
            part = x[:, r, c]
            hit = part == y[:, i, j][:, None, None]
            d_max[:, r, c] += hit * dy[:, i, j][:, None, None]
            d_avg[:, r, c] += dy[:, i, j][:, None, None] / (
                part.shape[1] * part.shape[2]
            )
        options = attrs(*geometry, data_format)
        got = fed(
            lambda a, b, g: gen_nn_ops.max_pool_grad(a, b, g, **options),
            layout(x),
            layout(y),
            layout(dy),
        )
        np.testing.assert_allclose(got, layout(d_max), rtol=1e-5, atol=1e-4)
        got = fed(
            lambda s, g: gen_nn_ops.avg_pool_grad(s, g, **options),
            np.int32(layout(x).shape),
            layout(dy),
        )
        np.testing.assert_allclose(got, layout(d_avg), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_first_of_equal_maxima_gets_the_gradient(dtype):
    x = np.ones([1, 2, 4, 1], dtype)
    y, dy = np.ones([1, 1, 2, 1], dtype), np.array([3, 5], dtype).reshape(1, 1, 2, 1)
    got = fed(
        lambda a, b, g: gen_nn_ops.max_pool_grad(
            a, b, g, **attrs((2, 2), (2, 2), "VALID")
        ),
        x,
        y,
        dy,
    )
    np.testing.assert_array_equal(got[0, :, :, 0], [[3, 0, 5, 0], [0, 0, 0, 0]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_overlapping_windows_add_up_at_their_first_maximum(dtype):
    x, y = np.ones([1, 3, 3, 2], dtype), np.ones([1, 2, 2, 2], dtype)
    dy = np.arange(1, 9, dtype=dtype).reshape(1, 2, 2, 2)
    options = attrs((2, 2), (1, 1), "VALID")
    got = fed(lambda a, b, g: gen_nn_ops.max_pool_grad(a, b, g, **options), x, y, dy)
    np.testing.assert_array_equal(got[0, :2, :2], dy[0])
    np.testing.assert_array_equal(got[0, 2], 0)
    np.testing.assert_array_equal(got[0, :, 2], 0)
    x[0, 1, 1] = 2
    got = fed(lambda a, b, g: gen_nn_ops.max_pool_grad(a, b, g, **options), x, y, dy)
    np.testing.assert_array_equal(got[0, 1, 1], dy.sum((0, 1, 2)))
    assert np.count_nonzero(got) == 2


def test_max_pool_along_depth():
    x = image("float32", 2, 3, 3, 6)
    got = fed(lambda v: gen_nn_ops.max_pool(v, [1, 1, 1, 3], [1, 1, 1, 3], "SAME"), x)
    np.testing.assert_array_equal(got, x.reshape(2, 3, 3, 2, 3).max(-1))


@pytest.mark.parametrize("pool", [gen_nn_ops.avg_pool, gen_nn_ops.max_pool])
def test_images_without_channels(pool):
    x = np.zeros([2, 4, 5, 0], np.float32)
    assert fed(lambda v: pool(v, **attrs((2, 2), (1, 2), "VALID")), x).shape == (
        2,
        3,
        2,
        0,
    )


def test_empty_batch():
    x = np.zeros([0, 4, 4, 2], np.float32)
    assert fed(
        lambda v: gen_nn_ops.max_pool(v, **attrs((2, 2), (2, 2), "SAME")), x
    ).shape == (0, 2, 2, 2)


@pytest.mark.parametrize(
    ("shape", "options", "words"),
    [
        ([4, 4, 2], {}, "rank 4|4-dim"),
        ([1, 1, 4, 2], {"ksize": [1, 3, 1, 1], "padding": "VALID"}, "negative"),
        ([1, 4, 4, 2], {"ksize": [2, 2, 2, 1]}, "batch"),
        ([1, 4, 4, 2], {"ksize": [1, 2, 2, 2]}, "exactly one|depth"),
        ([1, 4, 4, 2], {"strides": [1, 0, 1, 1]}, "positive"),
    ],
)
def test_bad_arguments(shape, options, words):
    options = {
        "ksize": [1, 2, 2, 1],
        "strides": [1, 1, 1, 1],
        "padding": "SAME",
        **options,
    }
    errors = (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError, ValueError)
    with pytest.raises(errors, match=words):
        fed(lambda v: gen_nn_ops.max_pool(v, **options), np.zeros(shape, np.float32))


def test_the_gradient_passes_over_paddings_that_it_is_not_asked_for():
    """TensorFlow's refuses them in the pool, where they would be a mistake, and not in its gradient."""
    x, odd = image("float32", 1, 4, 4, 2), [0, 0, 1, 1, 1, 1, 0, 0]
    options = attrs((2, 2), (2, 2), "SAME")
    y = fed(lambda v: gen_nn_ops.max_pool(v, **options), x)
    plain, same = (
        fed(
            lambda *a, p=paddings: gen_nn_ops.max_pool_grad(
                *a, **options, explicit_paddings=p
            ),
            x,
            y,
            y,
        )
        for paddings in ([], odd)
    )
    np.testing.assert_array_equal(plain, same)
    with pytest.raises(ValueError, match="explicit_paddings"):
        fed(lambda v: gen_nn_ops.max_pool(v, **options, explicit_paddings=odd), x)


def test_gradient_of_large_images():
    """The image has more bytes than the kernel expects a cache to hold."""
    x = np.random.RandomState(0).standard_normal((5, 120, 113, 64)).astype(np.float32)
    y = pool(x, (3, 3), (2, 2), "SAME", np.max)
    dy = image("float32", *y.shape, seed=5)
    want = np.zeros(x.shape, np.float32)
    for i, j, r, c, _ in each_window(x.shape, (3, 3), (2, 2), "SAME"):
        hit = x[:, r, c] == y[:, i, j][:, None, None]
        want[:, r, c] += hit * dy[:, i, j][:, None, None]
    options = attrs((3, 3), (2, 2), "SAME")
    got = fed(lambda a, b, g: gen_nn_ops.max_pool_grad(a, b, g, **options), x, y, dy)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
