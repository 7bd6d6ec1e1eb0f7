# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pools of tf.layers against tf.nn and NumPy."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

RNG = np.random.RandomState(5)
SEQUENCE = RNG.randn(2, 7, 3).astype(np.float32)
IMAGE = RNG.randn(2, 7, 6, 3).astype(np.float32)
VOLUME = RNG.randn(2, 5, 6, 4, 3).astype(np.float32)
layers = tf.layers


def run(fetches, feed=None):
    """Values, with random ones for the variables, biases too."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for v in tf.global_variables():
            v.load(np.random.RandomState(len(v.op.name)).randn(*v.shape.as_list()), session)  # fmt: skip
        return session.run(fetches, feed)


def shapes():
    return {v.op.name: v.shape.as_list() for v in tf.global_variables()}


def channels_first(x):
    return np.moveaxis(x, -1, 1)


CONVOLUTIONS = [("conv1d", SEQUENCE), ("conv2d", IMAGE), ("conv3d", VOLUME)]


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("options", [{}, {"strides": 2}, {"dilation_rate": 2}], ids=str)
@pytest.mark.parametrize("name,x", CONVOLUTIONS)
def test_convolutions_are_tf_nns_with_bias(name, x, options, padding, data_format):
    rank = x.ndim - 2
    given = x if data_format == "channels_last" else channels_first(x)
    options = {"padding": padding, **options}
    y = getattr(layers, name)(given, 4, 2, data_format=data_format, **options)
    kind = type(y) and name
    assert shapes() == {f"{kind}/kernel": [2] * rank + [3, 4], f"{kind}/bias": [4]}
    layer = getattr(layers, name.capitalize().replace("d", "D"))(4, 2, **options)
    kernel, bias = tf.global_variables()
    reference = tf.nn.bias_add(
        tf.nn.convolution(
            x,
            kernel,
            padding.upper(),
            strides=layer.strides,
            dilation_rate=layer.dilation_rate,
        ),
        bias,
    )
    got, want = run([y, reference])
    if data_format == "channels_first":
        got = np.moveaxis(got, 1, -1)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    assert layer.compute_output_shape(x.shape).as_list() == list(want.shape)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("name,x", CONVOLUTIONS[1:])
def test_transposed_convolutions_are_adjoint(
    name, x, stride, padding, static, data_format
):
    """<transpose(x), z> = <x, convolution(z)> for random z."""
    rank = x.ndim - 2
    given = x if data_format == "channels_last" else channels_first(x)
    holder = tf.placeholder(tf.float32, given.shape)
    if not static:
        axis = 1 if data_format == "channels_first" else rank + 1
        sizes = [n if i == axis else None for i, n in enumerate(given.shape)]
        holder = tf.placeholder(tf.float32, sizes)
    y = getattr(layers, f"{name}_transpose")(
        holder, 4, 2, stride, padding, data_format, use_bias=False
    )
    assert shapes() == {f"{name}_transpose/kernel": [2] * rank + [4, 3]}
    (kernel,) = tf.global_variables()
    z = RNG.randn(*run(y, {holder: given}).shape).astype(np.float32)
    if static:
        assert y.shape.as_list() == list(z.shape)
    last = z if data_format == "channels_last" else np.moveaxis(z, 1, -1)
    back = tf.nn.convolution(last, kernel, padding.upper(), strides=[stride] * rank)
    got, other = run([y, back], {holder: given})
    assert other.shape == x.shape
    terms = np.float64(got) * z, np.float64(other) * x
    # Each side rounds its terms once, and those of a term's sum.
    rounding = 1e-6 * np.abs(terms[0]).sum()
    np.testing.assert_allclose(terms[0].sum(), terms[1].sum(), rtol=0, atol=rounding)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("name,x", CONVOLUTIONS[:2])
def test_separable_convolutions_are_two_steps(name, x, data_format):
    rank = x.ndim - 2
    given = x if data_format == "channels_last" else channels_first(x)
    y = getattr(layers, f"separable_{name}")(
        given, 4, 3, 2, "same", data_format, depth_multiplier=2
    )
    scope = f"separable_{name}"
    assert shapes() == {
        f"{scope}/depthwise_kernel": [3] * rank + [3, 2],
        f"{scope}/pointwise_kernel": [1] * rank + [6, 4],
        f"{scope}/bias": [4],
    }
    depthwise, pointwise, bias = tf.global_variables()
    each = [
        tf.nn.convolution(
            x[..., c : c + 1], depthwise[..., c : c + 1, :], "SAME", strides=[2] * rank
        )
        for c in range(3)
    ]
    mixed = tf.tensordot(
        tf.concat(each, -1), tf.reshape(pointwise, [6, 4]), [[rank + 1], [0]]
    )
    got, want = run([y, mixed + bias])
    if data_format == "channels_first":
        got = np.moveaxis(got, 1, -1)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("kind,reduce", [("max", np.max), ("average", np.mean)])
@pytest.mark.parametrize("rank,x", [(1, SEQUENCE), (2, IMAGE), (3, VOLUME)])
def test_pooling_layers_reduce_their_windows(rank, x, kind, reduce, data_format):
    given = x if data_format == "channels_last" else channels_first(x)
    y = getattr(layers, f"{kind}_pooling{rank}d")(given, 2, 2, data_format=data_format)
    got = run(y)
    if data_format == "channels_first":
        got = np.moveaxis(got, 1, -1)
    sizes = [n // 2 for n in x.shape[1:-1]]
    want = x[(slice(None), *(slice(2 * n) for n in sizes))]
    blocks = want.reshape(len(x), *(n for s in sizes for n in (s, 2)), 3)
    want = reduce(blocks, axis=tuple(range(2, 2 * rank + 1, 2)))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
