# SPDX-License-Identifier: Apache-2.0
"""FusedPadConv2D and FusedResizeAndPadConv2D against resizing, padding and convolving in NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.nn.conv_reference import (
    TOLERANCE,
    conv,
    image,
    run,
)
from tensorwright.python.ops import gen_nn_ops

MODES = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}
NO_PADDING = [[0, 0]] * 4
# Arguments that are known while the graph is built are refused there.
REFUSED = (tf.errors.InvalidArgumentError, ValueError)


def resized(x, rows, cols, align_corners):
    """Bilinear interpolation between pixels of NHWC x."""

    def places(n, out):
        scale = (n - 1) / (out - 1) if align_corners and out > 1 else n / out
        at = (np.arange(out, dtype=np.float32) * np.float32(scale)).astype(np.float32)
        low = np.minimum(np.floor(at).astype(int), n - 1)
        return low, np.minimum(low + 1, n - 1), (at - low).astype(x.dtype)

    low, high, t = places(x.shape[1], rows)
    t = t[:, None, None]
    x = x[:, low] + (x[:, high] - x[:, low]) * t
    low, high, t = places(x.shape[2], cols)
    t = t[:, None]
    return x[:, :, low] + (x[:, :, high] - x[:, :, low]) * t


def padded_conv(dtype, x, paddings, f, mode, strides, padding):
    return run(
        lambda x, f: gen_nn_ops.fused_pad_conv2d(
            x, paddings, f, mode=mode, strides=[1, *strides, 1], padding=padding
        ),
        dtype,
        x,
        f,
    )


def resized_conv(dtype, x, size, paddings, f, mode, strides, padding, align=False):
    return run(
        lambda x, f: gen_nn_ops.fused_resize_and_pad_conv2d(
            x,
            size,
            paddings,
            f,
            mode=mode,
            strides=[1, *strides, 1],
            padding=padding,
            resize_align_corners=align,
        ),
        dtype,
        x,
        f,
    )


def stored(dtype):
    """The NumPy dtype that inputs are fed in."""
    return "float32" if dtype == "bfloat16" else dtype


def check(dtype, got, x, f, strides, padding):
    want = conv(x.astype(np.float64), f.astype(np.float64), strides, padding)
    assert got.shape == want.shape
    # The tolerance grows with the size of the summands.
    scale = max(1.0, np.abs(want).max(initial=0))
    np.testing.assert_allclose(got, want, atol=scale * TOLERANCE[dtype])


# Image, paddings, filter, strides.
GEOMETRIES = [
    ([1, 1, 1, 1], NO_PADDING, [1, 1, 1, 1], (1, 1)),
    ([2, 5, 6, 3], [[0, 0], [2, 1], [0, 3], [0, 0]], [3, 3, 3, 4], (1, 1)),
    ([1, 4, 7, 2], [[0, 0], [3, 3], [1, 1], [0, 0]], [2, 3, 2, 5], (2, 1)),
    ([3, 8, 8, 4], [[1, 2], [2, 2], [2, 2], [1, 3]], [3, 3, 8, 3], (1, 1)),
    ([2, 33, 35, 8], [[0, 0], [1, 1], [1, 1], [0, 0]], [3, 3, 8, 16], (1, 1)),
    # Several megabytes, in pieces of which the last is smaller.
    ([5, 120, 130, 12], [[0, 0], [0, 1], [1, 0], [0, 0]], [1, 1, 12, 2], (2, 2)),
]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_padded(dtype, mode, padding):
    for shape, paddings, filter_, strides in GEOMETRIES:
        x = image(stored(dtype), *shape, seed=1)
        f = image(stored(dtype), *filter_, seed=2)
        got = padded_conv(dtype, x, paddings, f, mode, strides, padding)
        check(dtype, got, np.pad(x, paddings, MODES[mode]), f, strides, padding)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_resized_and_padded(dtype, mode, align):
    for size in ([8, 8], [4, 5], [33, 9], [9, 20]):
        for shape, paddings, filter_, strides in GEOMETRIES[1:]:
            x = image(dtype, *shape, seed=1)
            f = image(dtype, *filter_, seed=2)
            got = resized_conv(
                dtype, x, size, paddings, f, mode, strides, "VALID", align
            )
            bigger = resized(x.astype(np.float64), *size, align).astype(dtype)
            check(
                dtype, got, np.pad(bigger, paddings, MODES[mode]), f, strides, "VALID"
            )


def test_they_are_what_the_single_ops_are():
    x, f = image("float32", 2, 7, 6, 3, seed=1), image("float32", 3, 2, 3, 4, seed=2)
    paddings = [[0, 0], [1, 2], [3, 1], [0, 0]]
    for mode in MODES:
        for align in (False, True):
            got = resized_conv(
                "float32", x, [9, 11], paddings, f, mode, (2, 1), "SAME", align
            )

            def apart(x, f, mode=mode, align=align):
                x = tf.image.resize_bilinear(x, [9, 11], align_corners=align)
                x = tf.pad(x, paddings, mode)
                return tf.nn.conv2d(x, f, [1, 2, 1, 1], "SAME")

            np.testing.assert_allclose(
                got, run(apart, "float32", x, f), rtol=1e-5, atol=1e-5
            )


def test_infinite_pixels_do_not_spread_to_where_they_do_not_count():
    x = np.zeros([1, 3, 3, 1], np.float32)
    x[0, 1, 1] = np.inf
    one = np.ones([1, 1, 1, 1], np.float32)
    got = resized_conv(
        "float32", x, [6, 6], NO_PADDING, one, "REFLECT", (1, 1), "VALID"
    )
    wanted = np.zeros([6, 6], bool)
    wanted[1:4, 1:4] = True
    np.testing.assert_array_equal(~np.isfinite(got[0, :, :, 0]), wanted)


def test_shapes_are_inferred():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 5, 6, 3])
        f = tf.placeholder(tf.float32, [2, 2, 3, 7])
        attrs = dict(mode="REFLECT", strides=[1, 1, 2, 1], padding="VALID")
        y = gen_nn_ops.fused_pad_conv2d(x, [[0, 0], [1, 1], [2, 0], [0, 0]], f, **attrs)
        assert y.shape.as_list() == [None, 6, 4, 7]
        y = gen_nn_ops.fused_resize_and_pad_conv2d(x, [10, 3], NO_PADDING, f, **attrs)
        assert y.shape.as_list() == [None, 9, 1, 7]
        unknown = tf.placeholder(tf.int32)
        y = gen_nn_ops.fused_resize_and_pad_conv2d(x, unknown, unknown, f, **attrs)
        assert y.shape.as_list() == [None, None, None, 7]


def test_nothing_to_convolve():
    f = image("float32", 2, 2, 3, 4)
    x = np.zeros([0, 4, 4, 3], np.float32)
    got = padded_conv("float32", x, NO_PADDING, f, "REFLECT", (1, 1), "VALID")
    assert got.shape == (0, 3, 3, 4)
    got = resized_conv("float32", x, [6, 6], NO_PADDING, f, "REFLECT", (1, 1), "VALID")
    assert got.shape == (0, 5, 5, 4)


def test_arguments_must_fit():
    x, f = image("float32", 1, 4, 4, 2), image("float32", 2, 2, 2, 3)

    def refused(words, paddings=NO_PADDING, mode="REFLECT", x=x, f=f, **attrs):
        strides = attrs.pop("strides", (1, 1))
        with pytest.raises(REFUSED, match=words):
            padded_conv("float32", x, paddings, f, mode, strides, "VALID")

    refused("non-negative", [[0, 0], [-1, 0], [0, 0], [0, 0]])
    refused("no greater than 3 in dimension 1", [[0, 0], [4, 0], [0, 0], [0, 0]])
    refused(
        "no greater than 4 in dimension 2",
        [[0, 0], [4, 0], [0, 5], [0, 0]],
        "SYMMETRIC",
    )
    refused("must be 4|equal|[Dd]imension", [[0, 0]] * 3)
    refused("rank 4", x=x[0])
    refused("rank 4", f=f[0])
    refused("same depth", f=f[:, :, :1])
    refused("same depth", [[0, 0], [0, 0], [0, 0], [1, 0]])
    refused("strides must be > 0", strides=(0, 1))
    refused("[Nn]egative|larger", f=image("float32", 5, 1, 2, 1))
    for size, words in [
        ([0, 4], "positive"),
        ([4, -1], "positive"),
        ([4], "must be 2|[Dd]imension|two"),
        ([[4, 4]], "rank 1"),
    ]:
        with pytest.raises(REFUSED, match=words):
            resized_conv("float32", x, size, NO_PADDING, f, "REFLECT", (1, 1), "VALID")
