# SPDX-License-Identifier: Apache-2.0
"""Conv2D and its gradients against four loops in NumPy."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.nn.conv_reference import (
    CASES,
    adjoints,
    attrs,
    conv,
    expect,
    image,
    noise,
    patches,
    run,
)
from tensorwright.python.ops import gen_nn_ops


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "bfloat16", "int32"]
)
@pytest.mark.parametrize("case", CASES)
def test_conv2d(dtype, case):
    in_shape, f_shape, strides, padding, dilations, explicit = case
    np_dtype = "float32" if dtype == "bfloat16" else dtype
    x, f = image(np_dtype, *in_shape, seed=1), image(np_dtype, *f_shape, seed=2)
    wide = np.int64 if dtype == "int32" else np.float64
    want = conv(
        x.astype(wide),
        f.astype(wide),
        strides,
        padding,
        dilations,
        explicit or ((0, 0), (0, 0)),
    )
    got = run(
        lambda a, b: gen_nn_ops.conv2d(
            a, b, **attrs(strides, padding, dilations, explicit)
        ),
        dtype,
        x,
        f,
    )
    expect(got, want, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES)
def test_nchw_is_the_same_convolution(dtype, case):
    in_shape, f_shape, strides, padding, dilations, explicit = case
    x, f = image(dtype, *in_shape, seed=1), image(dtype, *f_shape, seed=2)
    want = conv(x, f, strides, padding, dilations, explicit or ((0, 0), (0, 0)))
    got = run(
        lambda a, b: gen_nn_ops.conv2d(
            a, b, **attrs(strides, padding, dilations, explicit, "NCHW")
        ),
        dtype,
        x.transpose(0, 3, 1, 2).copy(),
        f,
    )
    expect(got, want.transpose(0, 3, 1, 2), dtype)


# Large enough for Winograd's algorithm; sizes that tiles do not divide, blocks of tiles that images do not.
TILED = [
    # input, filter, padding, explicit
    ([4, 29, 30, 32], [3, 3, 32, 48], "SAME", None),
    ([3, 27, 31, 64], [3, 3, 64, 16], "VALID", None),
    ([8, 14, 15, 32], [5, 5, 32, 64], "SAME", None),
    ([5, 19, 23, 48], [5, 5, 48, 16], "VALID", None),
    ([4, 17, 19, 64], [3, 3, 64, 64], "EXPLICIT", ((2, 1), (0, 2))),
    ([4, 17, 19, 32], [5, 5, 32, 80], "EXPLICIT", ((0, 3), (4, 1))),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", TILED)
def test_large_convolutions_by_tiles(case, threads):
    in_shape, f_shape, padding, explicit = case
    x, f = noise(*in_shape, seed=1), noise(*f_shape, seed=2)
    bias = noise(f_shape[3], seed=4)
    geometry = ((1, 1), padding, (1, 1), explicit or ((0, 0), (0, 0)))
    y = conv(x.astype(np.float64), f.astype(np.float64), *geometry)
    dy = noise(*y.shape, seed=3)
    _, pads = patches(x[:1, ..., :1], f_shape, *geometry)
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        a, b = tf.placeholder(tf.float32, x.shape), tf.placeholder(tf.float32, f.shape)
        plain = gen_nn_ops.conv2d(a, b, **attrs((1, 1), padding, (1, 1), explicit))
        biased = tf.nn.relu(tf.nn.bias_add(plain, bias))
        fetches = [plain, *tf.gradients(plain, [a, b], dy)]
        got = sess.run(fetches, {a: x, b: f})
        fused = sess.run(biased, {a: x, b: f})
    for value, want in zip(got, [y, *adjoints(x, f, dy, pads)], strict=True):
        expect(value, want, "float32")
    expect(fused, np.maximum(y + bias, 0), "float32")


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan, 3e38])
def test_infinities_and_nans_stay_in_their_windows(bad):
    x, f = noise(4, 28, 28, 32, seed=1), noise(3, 3, 32, 32, seed=2)
    x[1, 9, 10, 3] = bad
    want = conv(x.astype(np.float64), f.astype(np.float64), (1, 1), "SAME")
    dy = noise(4, 28, 28, 32, seed=3)
    want_df = adjoints(x, f, dy, ((1, 1), (1, 1)))[1]
    options = dict(strides=[1, 1, 1, 1], padding="SAME")
    got = run(lambda a, b: gen_nn_ops.conv2d(a, b, **options), "float32", x, f)
    got_df = run(
        lambda a, s, c: gen_nn_ops.conv2d_backprop_filter(a, s, c, **options),
        "float32",
        x,
        np.int32(f.shape),
        dy,
    )
    with np.errstate(over="ignore"):
        for value, wide in ((got, want), (got_df, want_df)):
            narrow = wide.astype(np.float32)
            np.testing.assert_array_equal(np.isfinite(value), np.isfinite(narrow))
            finite = np.isfinite(narrow)
            far = finite & (np.abs(wide) < 1e6)
            np.testing.assert_allclose(value[far], narrow[far], rtol=1e-4, atol=1e-3)


def test_empty_batches():
    options = dict(strides=[1, 1, 1, 1], padding="VALID")

    def conv2d(a, b):
        return gen_nn_ops.conv2d(a, b, **options)

    got = run(
        conv2d,
        "float32",
        np.zeros([0, 4, 4, 2], np.float32),
        np.zeros([3, 3, 2, 5], np.float32),
    )
    assert got.shape == (0, 2, 2, 5)
    got = run(
        lambda a, s, g: gen_nn_ops.conv2d_backprop_filter(a, s, g, **options),
        "float32",
        np.zeros([0, 4, 4, 2], np.float32),
        np.int32([3, 3, 2, 5]),
        np.zeros([0, 2, 2, 5], np.float32),
    )
    np.testing.assert_array_equal(got, np.zeros([3, 3, 2, 5]))


@pytest.mark.parametrize("threads", [1, 2])
def test_any_number_of_threads(threads):
    x, f = (
        image("float32", 4, 20, 20, 16, seed=1),
        image("float32", 3, 3, 16, 32, seed=2),
    )
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        got = sess.run(gen_nn_ops.conv2d(x, f, strides=[1, 1, 1, 1], padding="SAME"))
    expect(got, conv(x, f, (1, 1), "SAME"), "float32")


@pytest.mark.parametrize(
    ("in_shape", "f_shape", "options", "words"),
    [
        ([4, 4, 2], [3, 3, 2, 5], {}, "rank 4|4-dim"),
        ([1, 4, 4, 3], [3, 3, 2, 5], {}, "multiple"),
        ([1, 1, 4, 2], [3, 3, 2, 5], {"padding": "VALID"}, "negative"),
        ([1, 4, 4, 2], [3, 3, 2, 5], {"strides": [1, 0, 1, 1]}, "> 0"),
        ([1, 4, 4, 2], [3, 3, 2, 5], {"strides": [2, 1, 1, 1]}, "batch and depth"),
        ([1, 4, 4, 2], [3, 3, 2, 5], {"strides": [1, 1]}, "4"),
    ],
)
def test_bad_arguments(in_shape, f_shape, options, words):
    options = {"strides": [1, 1, 1, 1], "padding": "SAME", **options}
    x, f = np.zeros(in_shape, np.float32), np.zeros(f_shape, np.float32)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        run(lambda a, b: gen_nn_ops.conv2d(a, b, **options), "float32", x, f)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        gen_nn_ops.conv2d(x, f, **options)


_ERROR_OF_A_LARGE_CONVOLUTION = """
import numpy as np
import tensorwright as tf

random = np.random.RandomState(0)
x = random.standard_normal([2, 28, 28, 64]).astype(np.float32)
f = random.standard_normal([3, 3, 64, 64]).astype(np.float32)
with tf.Session() as session:
    got, want = (
        session.run(tf.nn.conv2d(x.astype(t), f.astype(t), 1, "SAME"))
        for t in (np.float32, np.float64)
    )
print(np.abs(got - want).max() / np.abs(want).max())
"""


def test_the_environment_turns_winograd_off():
    errors = []
    for switch in ("1", "0"):
        done = subprocess.run(
            [sys.executable, "-c", _ERROR_OF_A_LARGE_CONVOLUTION],
            env=dict(os.environ, TF_ENABLE_WINOGRAD_NONFUSED=switch),
            capture_output=True,
            text=True,
            check=True,
        )
        errors.append(float(done.stdout))
    assert errors[1] < errors[0] < 1e-5


@pytest.mark.parametrize("size", [0, 1, 2])
def test_a_valid_window_larger_than_the_image_is_an_error(size):
    x, f = tf.ones([1, size, 5, 2]), tf.ones([3, 3, 2, 4])
    text = f"Negative dimension size caused by subtracting 3 from {size}"
    with pytest.raises(ValueError, match=text):
        tf.nn.conv2d(x, f, [1, 1, 1, 1], "VALID")
    with pytest.raises(ValueError, match=text):
        tf.nn.max_pool(x, [1, 3, 3, 1], [1, 1, 1, 1], "VALID")
