# SPDX-License-Identifier: Apache-2.0
"""Gradients of 2-D convolutions against sums in double precision."""

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


# The layout does not depend on the type, so two types are enough for the second.
@pytest.mark.parametrize(
    ("dtype", "data_format"),
    [(t, "NHWC") for t in ("float32", "float64", "float16", "bfloat16")]
    + [(t, "NCHW") for t in ("float32", "float64")],
)
@pytest.mark.parametrize("case", CASES)
def test_gradients_are_the_adjoints(dtype, case, data_format):
    """sum(dy * conv(x, f)) is linear in x and in f; both gradients follow from it."""
    in_shape, f_shape, strides, padding, dilations, explicit = case
    np_dtype = "float32" if dtype == "bfloat16" else dtype
    x, f = image(np_dtype, *in_shape, seed=1), image(np_dtype, *f_shape, seed=2)
    geometry = (strides, padding, dilations, explicit or ((0, 0), (0, 0)))
    y = conv(x.astype(np.float64), f.astype(np.float64), *geometry)
    dy = image(np_dtype, *y.shape, seed=3)
    _, pads = patches(x, f.shape, *geometry)
    groups = x.shape[3] // f.shape[2]
    parts = [np.split(a, groups, 3) for a in (x, f, dy)]
    wide = [adjoints(*part, pads, strides, dilations) for part in zip(*parts)]
    dx, df = (np.concatenate(of_groups, 3) for of_groups in zip(*wide))
    options = attrs(strides, padding, dilations, explicit, data_format)
    layout = (
        (lambda a: a)
        if data_format == "NHWC"
        else (lambda a: a.transpose(0, 3, 1, 2).copy())
    )
    got = run(
        lambda s, b, c: gen_nn_ops.conv2d_backprop_input(s, b, c, **options),
        dtype,
        np.int32(layout(x).shape),
        f,
        layout(dy),
    )
    expect(got, layout(dx), dtype)
    got = run(
        lambda a, s, c: gen_nn_ops.conv2d_backprop_filter(a, s, c, **options),
        dtype,
        layout(x),
        np.int32(f.shape),
        layout(dy),
    )
    expect(got, df, dtype)
    # The values of these operands do not count, only their shapes do.
    got = run(
        lambda a, b, c: tf.conv2d_backprop_input_v2(a, b, c, **options),
        dtype,
        np.full_like(layout(x), np.nan),
        f,
        layout(dy),
    )
    expect(got, layout(dx), dtype)
    got = run(
        lambda a, b, c: tf.conv2d_backprop_filter_v2(a, b, c, **options),
        dtype,
        layout(x),
        np.full_like(f, np.nan),
        layout(dy),
    )
    expect(got, df, dtype)


@pytest.mark.parametrize(
    ("in_shape", "f_shape", "strides", "padding", "dilations"),
    [
        ([2, 40, 37, 3], [7, 7, 3, 32], (2, 2), "SAME", (1, 1)),
        ([1, 200, 101, 1], [5, 3, 1, 64], (1, 2), "VALID", (1, 1)),
        ([9, 20, 21, 4], [3, 3, 4, 24], (1, 1), "SAME", (1, 1)),
        ([3, 140, 31, 2], [3, 3, 2, 40], (1, 1), "SAME", (2, 1)),
        ([1, 150, 70, 2], [2, 3, 2, 64], (3, 4), "VALID", (1, 1)),
    ],
)
def test_gradients_of_images_with_few_channels(
    in_shape, f_shape, strides, padding, dilations
):
    x, f = noise(*in_shape, seed=1), noise(*f_shape, seed=2)
    p, pads = patches(x, f_shape, strides, padding, dilations)
    dy = noise(*p.shape[:3], f_shape[3], seed=3)
    got = run(
        lambda s, b, c: gen_nn_ops.conv2d_backprop_input(
            s, b, c, **attrs(strides, padding, dilations, None)
        ),
        "float32",
        np.int32(in_shape),
        f,
        dy,
    )
    expect(got, adjoints(x, f, dy, pads, strides, dilations)[0], "float32")


def test_backprop_refuses_sizes_that_do_not_fit():
    options = dict(strides=[1, 1, 1, 1], padding="SAME")
    f, dy = np.zeros([3, 3, 2, 5], np.float32), np.zeros([1, 4, 4, 5], np.float32)
    for sizes in ([1, 5, 4, 2], [1, -4, 4, 2], [1, 4, 4, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(
                lambda s, b, c: gen_nn_ops.conv2d_backprop_input(s, b, c, **options),
                "float32",
                np.int32(sizes),
                f,
                dy,
            )


TRANSPOSES = {
    "conv2d": lambda x: tf.nn.conv2d_transpose(
        x(1, 13, 13, 2),
        np.zeros([5, 5, 3, 2], np.float32),
        [1, 99, 99, 3],
        [1, 2, 2, 1],
    ),
    "conv3d": lambda x: tf.nn.conv3d_transpose(
        x(1, 4, 4, 4, 2),
        np.zeros([3, 3, 3, 3, 2], np.float32),
        [1, 9, 9, 9, 3],
        [1, 2, 2, 2, 1],
    ),
    "depthwise": lambda x: tf.nn.depthwise_conv2d_native_backprop_input(
        [1, 9, 9, 2],
        np.zeros([3, 3, 2, 1], np.float32),
        x(1, 4, 4, 2),
        [1, 2, 2, 1],
        "SAME",
    ),
    "filter": lambda x: gen_nn_ops.conv2d_backprop_filter(
        np.zeros([1, 9, 9, 2], np.float32),
        [3, 3, 2, 2],
        x(1, 4, 4, 2),
        [1, 2, 2, 1],
        "SAME",
    ),
}


@pytest.mark.parametrize("case", TRANSPOSES)
@pytest.mark.parametrize("known", [True, False])
def test_gradients_to_sizes_that_do_not_fit_are_refused_when_they_run(case, known):
    with tf.Graph().as_default(), tf.Session() as session:
        fed = {}

        def operand(*shape):
            x = tf.placeholder(tf.float32, shape if known else None)
            fed[x] = np.zeros(shape)
            return x

        y = TRANSPOSES[case](operand)
        assert y.shape.ndims == (5 if case == "conv3d" else 4)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="out_backprop doesn't"
        ):
            session.run(y, fed)


@pytest.mark.parametrize(
    ("op", "like", "f_shape", "words"),
    [
        (tf.conv2d_backprop_input_v2, [1, 5, 4, 2], [3, 3, 2, 5], "out_backprop"),
        (tf.conv2d_backprop_input_v2, [4, 4], [3, 3, 2, 5], "must be rank 4"),
        (tf.conv2d_backprop_filter_v2, [1, 4, 4, 2], [3, 3, 2, 6], "out_backprop"),
        (tf.conv2d_backprop_filter_v2, [1, 4, 4, 3], [3, 3, 2, 5], "depth"),
    ],
)
def test_backprop_v2_refuses_operands_that_do_not_fit(op, like, f_shape, words):
    options = dict(strides=[1, 1, 1, 1], padding="SAME")
    arrays = [np.zeros(s, np.float32) for s in (like, f_shape, [1, 4, 4, 5])]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(lambda a, b, c: op(a, b, c, **options), "float32", *arrays)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        op(*arrays, **options)


# A library's kernel of these wrote past a buffer of its own, which ended the process sooner or later.
@pytest.mark.parametrize("depths", [(3, 3), (4, 5), (13, 8), (8, 13), (64, 20)])
@pytest.mark.parametrize(("size", "stride"), [(5, 2), (7, 3), (16, 2)])
def test_strided_1x1_filters_of_any_depths_have_their_gradients(depths, size, stride):
    x = noise(3, size, size, depths[0], seed=1)
    kept = x[:, ::stride, ::stride]
    dy = noise(*kept.shape[:3], depths[1], seed=2)
    got = run(
        lambda a, b: gen_nn_ops.conv2d_backprop_filter(
            a, [1, 1, *depths], b, strides=[1, stride, stride, 1], padding="VALID"
        ),
        "float32",
        x,
        dy,
    )
    want = np.einsum("nhwc,nhwd->cd", kept, dy)
    np.testing.assert_allclose(got[0, 0], want, rtol=1e-4, atol=1e-4)
