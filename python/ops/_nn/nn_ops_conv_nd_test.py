# SPDX-License-Identifier: Apache-2.0
"""Convolutions of one and any number of dimensions, dilated and transposed, against NumPy sums over taps."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import nn_ops
from tensorwright.python.testing.op_testing import evaluate


def values(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape)


def correlate(x, f, strides, rates, padding):
    """Channels last; any number of spatial dimensions."""
    pads, out = [(0, 0)], []
    for i, (s, r) in enumerate(zip(strides, rates)):
        size, extent = x.shape[1 + i], (f.shape[i] - 1) * r + 1
        need, count = 0, (size - extent) // s + 1
        if padding == "SAME":
            count = -(-size // s)
            need = max(0, (count - 1) * s + extent - size)
        pads.append((need // 2, need - need // 2))
        out.append(count)
    x = np.pad(x, [*pads, (0, 0)])
    y = np.zeros([x.shape[0], *out, f.shape[-1]])
    for tap in itertools.product(*[range(n) for n in f.shape[:-2]]):
        where = [
            slice(t * r, t * r + (n - 1) * s + 1, s)
            for t, r, s, n in zip(tap, rates, strides, out)
        ]
        y += x[(slice(None), *where)] @ f[tap]
    return y


def first(x):
    return np.moveaxis(x, -1, 1).copy()


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


SHAPES = {
    1: ([2, 9, 3], [3, 3, 4]),
    2: ([2, 7, 6, 3], [3, 2, 3, 4]),
    3: ([1, 5, 6, 4, 2], [2, 3, 2, 2, 3]),
}


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("count", SHAPES)
def test_convolution(count, padding):
    x, f = values(*SHAPES[count][0]), values(*SHAPES[count][1], seed=1)
    letters = "DHW"[3 - count :]
    for strides, rates in [((2, 1, 2), (1, 1, 1)), ((1, 1, 1), (2, 1, 2))]:
        strides, rates = strides[:count], rates[:count]
        want = correlate(x, f, strides, rates, padding)
        got = evaluate(tf.nn.convolution(x, f, padding, strides, rates))
        np.testing.assert_allclose(got, want, atol=1e-10)
        got = evaluate(
            tf.nn.convolution(
                first(x), f, padding, strides, rates, data_format="NC" + letters
            )
        )
        np.testing.assert_allclose(got, first(want), atol=1e-10)
    with pytest.raises(ValueError, match="strides > 1"):
        tf.nn.convolution(x, f, padding, [2] * count, [2] * count)


def test_convolution_refuses_what_has_no_space():
    with pytest.raises(ValueError, match="spatial dimensions"):
        tf.nn.convolution(values(2, 3), values(3, 4), "SAME")
    with pytest.raises(ValueError, match="data_format"):
        tf.nn.convolution(values(2, 5, 3), values(1, 3, 4), "SAME", data_format="NHCW")


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_conv1d_and_conv3d(padding):
    x, f = values(*SHAPES[1][0]), values(*SHAPES[1][1], seed=1)
    want = correlate(x, f, (2,), (1,), padding)
    np.testing.assert_allclose(
        evaluate(tf.nn.conv1d(x, f, 2, padding)), want, atol=1e-10
    )
    got = evaluate(tf.nn.conv1d(first(x), f, 2, padding, data_format="NCW"))
    np.testing.assert_allclose(got, first(want), atol=1e-10)
    x, f = values(*SHAPES[3][0]), values(*SHAPES[3][1], seed=1)
    got = evaluate(tf.nn.conv3d(x, f, [1, 2, 1, 2, 1], padding))
    want = correlate(x, f, (2, 1, 2), (1, 1, 1), padding)
    np.testing.assert_allclose(got, want, atol=1e-10)


@pytest.mark.parametrize("rate", [1, 2, 3])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_atrous_conv2d(padding, rate):
    x, f = values(2, 9, 8, 3), values(3, 2, 3, 4, seed=1)
    want = correlate(x, f, (1, 1), (rate, rate), padding)
    got = evaluate(tf.nn.atrous_conv2d(x, f, rate, padding))
    np.testing.assert_allclose(got, want, atol=1e-10)
    # The transpose is the adjoint: <conv(x), g> = <x, transpose(g)> for every x.
    g = values(*want.shape, seed=2)
    back = evaluate(tf.nn.atrous_conv2d_transpose(g, f, x.shape, rate, padding))
    assert abs((want * g).sum() - (x * back).sum()) < 1e-8


@pytest.mark.parametrize("count", SHAPES)
def test_transposes_are_adjoint(count):
    x, f = values(*SHAPES[count][0]), values(*SHAPES[count][1], seed=1)
    strides, letters = [2] * count, "DHW"[3 - count :]
    y = correlate(x, f, strides, [1] * count, "SAME")
    g = values(*y.shape, seed=2)
    transpose = (tf.nn.conv1d_transpose, tf.nn.conv2d_transpose, tf.nn.conv3d_transpose)
    results = evaluate(
        [
            tf.nn.conv_transpose(g, f, x.shape, strides),
            tf.nn.conv_transpose(g, f, tf.constant(x.shape), strides),
            transpose[count - 1](g, f, x.shape, 2, padding="SAME"),
        ]
    )
    other = evaluate(
        tf.nn.conv_transpose(
            first(g), f, first(x).shape, strides, data_format="NC" + letters
        )
    )
    for back in [*results, np.moveaxis(other, 1, -1)]:
        assert back.shape == x.shape
        assert abs((y * g).sum() - (x * back).sum()) < 1e-8
        np.testing.assert_allclose(back, results[0], atol=1e-10)


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_with_space_to_batch_dilates_an_op(padding, static):
    x, f = values(2, 9, 8, 3), values(3, 2, 3, 4, seed=1)
    want = correlate(x, f, (1, 1), (2, 3), padding)
    p = tf.constant(x) if static else tf.placeholder(tf.float64)
    y = tf.nn.with_space_to_batch(
        p,
        [2, 3],
        padding,
        lambda v, _, kind: tf.nn.conv2d(v, f, [1, 1, 1, 1], kind),
        filter_shape=f.shape,
    )
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(y, {p: x}), want, atol=1e-10)
    # Along the second dimension alone.
    y = tf.nn.with_space_to_batch(
        x,
        [3],
        padding,
        lambda v, _, kind: tf.nn.conv2d(v, f[:1], [1, 1, 1, 1], kind),
        filter_shape=[2],
        spatial_dims=[2],
    )
    want = correlate(x, f[:1], (1, 1), (1, 3), padding)
    np.testing.assert_allclose(evaluate(y), want, atol=1e-10)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_dilated_pool(padding):
    x = values(2, 9, 8, 3)
    pads = [(0, 0), (2, 2), (1, 2), (0, 0)] if padding == "SAME" else [(0, 0)] * 4
    wide = np.pad(x, pads)
    rows, cols = wide.shape[1] - 4, wide.shape[2] - 3
    taps = [wide[:, i : i + rows, j : j + cols] for i in (0, 2, 4) for j in (0, 3)]
    for kind, function in [("MAX", np.max), ("AVG", np.mean)]:
        got = evaluate(tf.nn.pool(x, [3, 2], kind, padding, dilation_rate=[2, 3]))
        np.testing.assert_allclose(got, function(taps, 0), atol=1e-12)
    with pytest.raises(ValueError, match="strides > 1"):
        tf.nn.pool(x, [3, 2], "MAX", padding, [2, 2], [2, 2])


@pytest.mark.parametrize("rate", [[1, 2], [2, 1], [2, 2]])
def test_a_dilated_pool_with_channels_first_knows_its_shape(rate):
    with tf.Graph().as_default():
        shapes = {}
        for layout, shape in (("NHWC", [None, 5, 8, 3]), ("NCHW", [None, 3, 5, 8])):
            x = tf.placeholder(tf.float32, shape)
            pool = tf.nn.pool(x, [2, 3], "AVG", "VALID", rate, data_format=layout)
            shapes[layout] = pool.shape.as_list()
    batch, *space, channels = shapes["NHWC"]
    assert shapes["NCHW"] == [batch, channels, *space]
    assert space == [5 - rate[0], 8 - 2 * rate[1]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (dict(dilation_rate=[0, 2]), "positive"),
        (dict(dilation_rate=2), "vector"),
        (dict(padding="FULL"), "Invalid padding"),
        (dict(filter_shape=None), "filter_shape"),
        (dict(spatial_dims=[2, 1]), "increasing"),
        (dict(spatial_dims=[0, 1]), "increasing"),
    ],
)
def test_with_space_to_batch_checks_its_arguments(arguments, words):
    usual = dict(dilation_rate=[2, 2], padding="SAME", filter_shape=[2, 2])
    with pytest.raises(ValueError, match=words):
        tf.nn.with_space_to_batch(
            values(1, 4, 4, 1), op=lambda v, n, kind: v, **(usual | arguments)
        )


def test_selu():
    x = np.linspace(-3, 3, 13)
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    want = scale * np.where(x > 0, x, alpha * (np.exp(x) - 1))
    np.testing.assert_allclose(evaluate(tf.nn.selu(x)), want, atol=1e-12)


@pytest.mark.parametrize("data_format", [None, "NHWC"])
def test_a_convolution_of_known_shapes_is_that_of_tensors(data_format):
    rng = np.random.RandomState(0)
    x, w = rng.rand(2, 7, 6, 3), rng.rand(3, 2, 3, 4)
    convolve = nn_ops.Convolution(
        [None, 7, 6, 3], w.shape, "VALID", None, [2, 1], "c", data_format
    )
    with tf.Graph().as_default(), tf.Session() as session:
        got, want = session.run(
            [convolve(x, w), tf.nn.convolution(x, w, "VALID", dilation_rate=[2, 1])]
        )
    np.testing.assert_allclose(got, want)
    with pytest.raises(ValueError, match="number of input channels does not match"):
        nn_ops.Convolution([None, 7, 6, 2], w.shape, "SAME")
    with pytest.raises(ValueError, match="1, 2 or 3 spatial dimensions"):
        nn_ops.Convolution([None, 3], None, "SAME")
