# SPDX-License-Identifier: Apache-2.0
"""bias_add, instance_norm and group_norm against NumPy."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

layers = tf.contrib.layers
RNG = np.random.RandomState(6)
X = (RNG.randn(3, 4, 5, 6) * 2 + 1).astype(np.float32)
BETA = tf.constant_initializer([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
GAMMA = tf.constant_initializer([0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
GIVEN = {"beta": BETA, "gamma": GAMMA}
BETAS, GAMMAS = np.arange(1.0, 7.0), np.arange(0.5, 3.5, 0.5)


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


def test_biases_of_both_orders():
    last = layers.bias_add(X, tf.nn.relu, initializer=BETA, scope="a")
    first = layers.bias_add(
        X.transpose(0, 3, 1, 2), data_format="NCHW", initializer=BETA, scope="b"
    )
    matrix = layers.bias_add(X[0, 0], initializer=BETA, scope="c")
    last, first, matrix = run([last, first, matrix])
    np.testing.assert_allclose(last, np.maximum(X + BETAS, 0), rtol=1e-6)
    np.testing.assert_allclose(first.transpose(0, 2, 3, 1), X + BETAS, rtol=1e-6)
    np.testing.assert_allclose(matrix, X[0, 0] + BETAS, rtol=1e-6)
    assert [v.op.name for v in tf.trainable_variables()] == ["a/biases", "b/biases", "c/biases"]  # fmt: skip


def test_biases_are_regularized_and_collected():
    layers.bias_add(
        X, regularizer=layers.l2_regularizer(0.5), initializer=BETA,
        variables_collections=["mine"], outputs_collections="outputs",
    )  # fmt: skip
    (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    np.testing.assert_allclose(run(loss), 0.25 * (BETAS**2).sum())
    assert len(tf.get_collection("mine")) == len(tf.get_collection("outputs")) == 1


@pytest.mark.parametrize("order", ["NHWC", "NCHW"])
@pytest.mark.parametrize("norm", [layers.instance_norm, tf.contrib.slim.instance_norm])
def test_instances_are_normalised_by_themselves(order, norm):
    x = X if order == "NHWC" else X.transpose(0, 3, 1, 2)
    y = norm(x, epsilon=1e-3, param_initializers=GIVEN, data_format=order)
    assert y.get_shape() == x.shape
    got = run(y) if order == "NHWC" else run(y).transpose(0, 2, 3, 1)
    mean, variance = X.mean((1, 2), keepdims=True), X.var((1, 2), keepdims=True)
    want = GAMMAS * (X - mean) / np.sqrt(variance + 1e-3) + BETAS
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    assert {v.op.name for v in tf.trainable_variables()} == {"InstanceNorm/beta", "InstanceNorm/gamma"}  # fmt: skip


@pytest.mark.parametrize("near_zero", [False, True])
@pytest.mark.parametrize("groups", [1, 2, 3, 6])
@pytest.mark.parametrize("first", [False, True])
def test_groups_of_channels_are_normalised(groups, first, near_zero):
    x = X.transpose(0, 3, 1, 2) if first else X
    fed = tf.placeholder(tf.float32, [None, 6, None, None] if first else [None, None, None, 6])  # fmt: skip
    axes = {"channels_axis": -3, "reduction_axes": (-2, -1)} if first else {}
    y = layers.group_norm(
        fed, groups, epsilon=1e-3, param_initializers=GIVEN,
        mean_close_to_zero=near_zero, **axes,
    )  # fmt: skip
    assert y.get_shape().as_list() == fed.get_shape().as_list()
    got = run(y, {fed: x})
    if first:
        got = got.transpose(0, 2, 3, 1)
    cut = X.reshape(3, 4, 5, groups, 6 // groups)
    mean, variance = cut.mean((1, 2, 4), keepdims=True), cut.var((1, 2, 4), keepdims=True)  # fmt: skip
    normal = ((cut - mean) / np.sqrt(variance + 1e-3)).reshape(X.shape)
    np.testing.assert_allclose(got, GAMMAS * normal + BETAS, rtol=1e-3, atol=1e-4)


def test_without_parameters_there_are_no_variables():
    layers.group_norm(X, 2, center=False, scale=False)
    layers.instance_norm(X, center=False, scale=False)
    assert not tf.global_variables()


def test_gradients_of_parameters():
    y = layers.group_norm(X, 3, scope="g")
    beta, gamma = tf.gradients(tf.reduce_sum(y), tf.trainable_variables("g"))
    beta, gamma = run([beta, gamma])
    np.testing.assert_allclose(beta, np.full(6, 3 * 4 * 5), rtol=1e-5)
    normal = run(layers.group_norm(X, 3, center=False, scale=False))
    np.testing.assert_allclose(gamma, normal.sum((0, 1, 2)), atol=1e-3)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: layers.group_norm(X, 4), "Invalid groups 4 for 6 channels"),
        (lambda: layers.group_norm(X, 2, channels_axis=4), "out of bounds"),
        (lambda: layers.group_norm(X, 2, reduction_axes=(-1,)), "must not have"),
        (lambda: layers.instance_norm(X, data_format="NWC"), "data_format"),
        (lambda: layers.bias_add(X[0], data_format="NCHW"), "4D Tensor"),
        (
            lambda: layers.bias_add(tf.placeholder(tf.float32, [2, None])),
            "undefined channels",
        ),
        (
            lambda: layers.instance_norm(tf.placeholder(tf.float32)),
            "undefined rank",
        ),
    ],
)
def test_what_is_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call()
