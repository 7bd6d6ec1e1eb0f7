# SPDX-License-Identifier: Apache-2.0
"""Layers: values, names of variables, collections, scopes, refusals."""

import functools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.layers.python.layers import utils

pytestmark = pytest.mark.usefixtures("fresh_graph")

layers = tf.contrib.layers
RNG = np.random.RandomState(3)
ROWS = RNG.randn(4, 3).astype(np.float32)
IMAGE = RNG.randn(2, 6, 5, 3).astype(np.float32)


def run(fetches, feed=None):
    """Values, with random ones for all variables."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for v in tf.trainable_variables():
            values = np.random.RandomState(len(v.op.name)).randn(*v.shape.as_list())
            v.load(values, session)
        return session.run(fetches, feed)


def shapes():
    return {v.op.name: v.shape.as_list() for v in tf.global_variables()}


def test_fully_connected():
    y = layers.fully_connected(ROWS, 2)
    assert shapes() == {
        "fully_connected/weights": [3, 2],
        "fully_connected/biases": [2],
    }
    assert tf.contrib.framework.get_model_variables() == tf.global_variables()
    got, w, b = run([y, *tf.global_variables()])
    np.testing.assert_allclose(got, np.maximum(ROWS @ w + b, 0), rtol=1e-5)


def test_normalizers_take_the_place_of_biases():
    y = layers.fully_connected(
        ROWS, 2, activation_fn=None, normalizer_fn=lambda x, factor: x * factor,
        normalizer_params={"factor": 2.0}, scope="fc",
    )  # fmt: skip
    assert shapes() == {"fc/weights": [3, 2]}
    got, w = run([y, *tf.global_variables()])
    np.testing.assert_allclose(got, 2 * ROWS @ w, rtol=1e-5)


def test_scopes_reuse_and_collections():
    with tf.contrib.framework.arg_scope(
        [layers.fully_connected],
        variables_collections={"weights": ["mine"], "biases": ["other"]},
        outputs_collections="outs",
        weights_regularizer=layers.l2_regularizer(0.5),
    ):
        a = layers.fully_connected(ROWS, 2, scope="fc")
        b = layers.fully_connected(ROWS, 2, scope="fc", reuse=True)
    assert sorted(shapes()) == ["fc/biases", "fc/weights"]
    assert tf.get_collection("mine") == [tf.global_variables()[0]]
    assert tf.get_collection("other") == [tf.global_variables()[1]]
    assert tf.get_collection("outs") == [a, b]
    assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 1
    found = utils.convert_collection_to_dict("outs")
    assert found["fc"] is a and found["fc_1"] is b
    x, y = run([a, b])
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolutions_of_every_rank(rank):
    x = RNG.randn(2, *[5] * rank, 3).astype(np.float32)
    y = layers.convolution(x, 4, 3, activation_fn=None, padding="VALID")
    assert shapes() == {"Conv/weights": [3] * rank + [3, 4], "Conv/biases": [4]}
    w, b = tf.global_variables()
    want = tf.nn.convolution(x, w, "VALID") + b
    got, want = run([y, want])
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_strides_rates_and_same_padding():
    strided = layers.conv2d(IMAGE, 4, [3, 3], stride=2, scope="a")
    dilated = layers.conv2d(IMAGE, 4, [3, 3], rate=2, scope="b")
    assert strided.shape.as_list() == [2, 3, 3, 4]
    assert dilated.shape.as_list() == [2, 6, 5, 4]
    with pytest.raises(ValueError):
        layers.conv2d(IMAGE, 4, [3, 3], stride=2, rate=2)


def test_one_filter_in_every_plane():
    y = layers.conv2d_in_plane(IMAGE, [2, 2], activation_fn=None, padding="VALID")
    assert shapes() == {"ConvInPlane/weights": [2, 2, 1, 1], "ConvInPlane/biases": [3]}
    got, w, b = run([y, *tf.global_variables()])
    want = sum(
        w[i, j, 0, 0] * IMAGE[:, i : i + 5, j : j + 4] for i in (0, 1) for j in (0, 1)
    )
    np.testing.assert_allclose(got, want + b, rtol=1e-4, atol=1e-5)


def test_separable_convolutions():
    y = layers.separable_conv2d(IMAGE, 4, [3, 3], 2, activation_fn=None)
    assert shapes() == {
        "SeparableConv2d/depthwise_weights": [3, 3, 3, 2],
        "SeparableConv2d/pointwise_weights": [1, 1, 6, 4],
        "SeparableConv2d/biases": [4],
    }
    d, p, b = tf.global_variables()
    want = tf.nn.separable_conv2d(IMAGE, d, p, [1, 1, 1, 1], "SAME") + b
    first = layers.separable_conv2d(IMAGE, None, [3, 3], 2, scope="first")
    assert first.shape.as_list() == [2, 6, 5, 6]
    got, want = run([y, want])
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_transposed_convolutions():
    y = layers.conv2d_transpose(IMAGE, 4, [3, 3], stride=2, activation_fn=None)
    assert y.shape.as_list() == [2, 12, 10, 4]
    assert shapes()["Conv2d_transpose/weights"] == [3, 3, 4, 3]
    w, b = tf.global_variables()
    want = tf.nn.conv2d_transpose(IMAGE, w, [2, 12, 10, 4], [1, 2, 2, 1]) + b
    got, want = run([y, want])
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    volume = layers.conv3d_transpose(np.zeros([1, 2, 2, 2, 3], np.float32), 4, 3, 2)
    assert volume.shape.as_list() == [1, 4, 4, 4, 4]


def test_pools_reduce_their_windows():
    x = IMAGE[:, :4, :4]
    windows = x.reshape(2, 2, 2, 2, 2, 3)
    top, mean = run([layers.max_pool2d(x, 2), layers.avg_pool2d(x, 2)])
    np.testing.assert_array_equal(top, windows.max((2, 4)))
    np.testing.assert_allclose(mean, windows.mean((2, 4)), rtol=1e-5, atol=1e-6)
    volume = RNG.randn(1, 2, 2, 2, 3).astype(np.float32)
    top, mean = run([layers.max_pool3d(volume, 2), layers.avg_pool3d(volume, 2)])
    np.testing.assert_array_equal(top[0, 0, 0, 0], volume.max((1, 2, 3))[0])
    np.testing.assert_allclose(mean[0, 0, 0, 0], volume.mean((1, 2, 3))[0], rtol=1e-5)


def test_dropout_in_training_only():
    x = np.ones([100, 100], np.float32)
    kept, same = run([layers.dropout(x, 0.8), layers.dropout(x, is_training=False)])
    np.testing.assert_array_equal(same, x)
    assert set(np.unique(kept)) <= {np.float32(0), np.float32(1.25)}
    assert abs(kept.mean() - 1) < 0.05


def test_flatten_and_one_hot():
    assert layers.flatten(IMAGE).shape.as_list() == [2, 90]
    x = tf.placeholder(tf.float32, [None, 2, None])
    assert run(layers.flatten(x), {x: np.zeros([3, 2, 4])}).shape == (3, 8)
    with pytest.raises(ValueError, match="2 dimensions"):
        layers.flatten(tf.zeros([3]))
    codes = layers.one_hot_encoding(tf.constant([2, 0]), 3, 2.0, -1.0)
    assert run(codes).tolist() == [[-1, -1, 2], [2, -1, -1]]


def test_layers_of_layers():
    layers.repeat(IMAGE, 2, layers.conv2d, 4, [3, 3], scope="conv1")
    layers.stack(ROWS, layers.fully_connected, [5, 6])
    layers.stack(IMAGE, layers.conv2d, [(4, [1, 1]), (5, [3, 3])], scope="s")
    assert [k for k in shapes() if k.endswith("weights")] == [
        "conv1/conv1_1/weights",
        "conv1/conv1_2/weights",
        "Stack/fully_connected_1/weights",
        "Stack/fully_connected_2/weights",
        "s/s_1/weights",
        "s/s_2/weights",
    ]


def test_softmax_and_unit_norm():
    x = RNG.randn(2, 3, 4).astype(np.float32)
    soft, unit = run([layers.softmax(x), layers.unit_norm(x, 1)])
    e = np.exp(x)
    np.testing.assert_allclose(soft, e / e.sum(-1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose((unit**2).sum(1), np.ones([2, 4]), rtol=1e-4)
    for dim in (-1, 3):
        with pytest.raises(ValueError, match="dim"):
            layers.unit_norm(x, dim)


def test_layers_with_an_activation_set():
    for layer, want in [
        (layers.relu, lambda y: np.maximum(y, 0)),
        (layers.relu6, lambda y: np.clip(y, 0, 6)),
        (layers.elu, lambda y: np.where(y > 0, y, np.expm1(y))),
        (layers.linear, lambda y: y),
    ]:
        with tf.Graph().as_default():
            got, w, b = run(_of(layer))
            np.testing.assert_allclose(got, want(ROWS @ w + b), rtol=1e-4, atol=1e-6)


def _of(layer):
    y = layer(ROWS, 2)
    return [y, *tf.global_variables()]


def test_gradients_are_scaled():
    x = tf.constant([1.0, 2.0])
    y = layers.scale_gradient(x, 3.0)
    value, gradient = run([y, tf.gradients(y * y, x)[0]])
    assert value.tolist() == [1, 2] and gradient.tolist() == [6, 12]


@pytest.mark.parametrize(
    "build",
    [
        lambda: layers.fully_connected(ROWS, 2.5),
        lambda: layers.fully_connected(ROWS, "2"),
        lambda: layers.fully_connected(tf.zeros([3]), 2),
        lambda: layers.conv2d(IMAGE, 4, [3, 3], data_format="CHWN"),
        lambda: layers.conv2d(ROWS, 4, [3, 3]),
        lambda: layers.conv2d_transpose(IMAGE, 4, [3, 3], data_format="NDHWC"),
        lambda: layers.max_pool2d(IMAGE, 2, data_format="NDHWC"),
        lambda: layers.softmax(tf.zeros([3])),
    ],
)
def test_what_no_layer_takes_is_refused(build):
    with pytest.raises(ValueError):
        build()


def test_arguments_in_one_form():
    assert utils.two_element_tuple(3) == (3, 3) == utils.two_element_tuple([3, 3])
    assert utils.n_positive_integers(2, 4) == (4, 4)
    assert utils.channel_dimension(tf.TensorShape([1, 2, 3]), "NCW") == 2
    for wrong in ([1, 2, 3], "ab"):
        with pytest.raises(ValueError):
            utils.two_element_tuple(wrong)
    for wrong in (0, [1, None]):
        with pytest.raises(ValueError):
            utils.n_positive_integers(2, wrong)


def test_a_small_net_trains():
    x = RNG.randn(64, 8, 8, 1).astype(np.float32)
    labels = (x[:, :, :4].sum((1, 2, 3)) > x[:, :, 4:].sum((1, 2, 3))).astype(np.int64)
    conv = functools.partial(layers.conv2d, kernel_size=[3, 3], stride=2)
    with tf.contrib.framework.arg_scope(
        [layers.conv2d, layers.fully_connected],
        weights_initializer=layers.xavier_initializer(seed=1),
    ):
        net = layers.batch_norm(conv(x, 8, normalizer_fn=None))
        net = layers.flatten(conv(net, 8))
        logits = layers.fully_connected(net, 2, activation_fn=None)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_or_create_global_step()
    train = layers.optimize_loss(loss, step, 0.01, "Adam")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run(train) for _ in range(60)]
        assert session.run(step) == 60
    assert losses[-1] < 0.2 * losses[0]


def test_convolutions_of_sequences():
    x = np.random.RandomState(0).randn(2, 7, 3).astype(np.float32)
    y = layers.conv1d(x, 4, 3, padding="VALID", activation_fn=None, scope="c")
    assert layers.conv1d is layers.convolution1d
    weights = tf.trainable_variables()[0]
    assert weights.op.name == "c/weights" and weights.shape == [3, 3, 4]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got, w = session.run([y, weights])
    want = sum(x[:, i : i + 5] @ w[i] for i in range(3))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
