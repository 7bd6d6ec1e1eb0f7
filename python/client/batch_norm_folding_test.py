# SPDX-License-Identifier: Apache-2.0
"""Inference graphs whose batch norms become part of a convolution."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.client.plan_testutil import make_config, ops_of, run_with_plan


def _plain_session():
    return tf.Session(config=make_config(disable_meta_optimizer=True))


def _ops_of_plan(session, fetch, feed):
    return set(ops_of(run_with_plan(session, fetch, feed)[1]))


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("depthwise", [False, True])
def test_values_are_those_of_the_unfolded_graph(data_format, bias, depthwise):
    rng = np.random.default_rng(3)
    channels = 6
    last = data_format == "NHWC"
    shape = [2, 9, 8, 3] if last else [2, 3, 9, 8]
    x = tf.placeholder(tf.float32, shape)
    filters = rng.standard_normal([3, 3, 3, 2 if depthwise else channels])
    convolve = tf.nn.depthwise_conv2d if depthwise else tf.nn.conv2d
    y = convolve(
        x,
        filters.astype(np.float32),
        strides=[1, 1, 1, 1],
        padding="SAME",
        data_format=data_format,
    )
    if bias:
        offset = rng.standard_normal(channels).astype(np.float32)
        y = tf.nn.bias_add(y, offset, data_format=data_format)
    scale, offset, mean = rng.standard_normal([3, channels]).astype(np.float32)
    variance = rng.uniform(0.5, 2, channels).astype(np.float32)
    y, _, _ = tf.nn.fused_batch_norm(
        y, scale, offset, mean, variance, 1e-3, data_format, is_training=False
    )
    y = tf.nn.relu(y)
    feed = {x: rng.standard_normal(shape).astype(np.float32)}
    with tf.Session() as folding, _plain_session() as plain:
        np.testing.assert_allclose(
            folding.run(y, feed), plain.run(y, feed), rtol=1e-4, atol=1e-4
        )


def test_the_batch_norm_does_not_run():
    x = tf.placeholder(tf.float32, [1, 8, 8, 4])
    ones = np.ones(4, np.float32)
    y = tf.nn.conv2d(x, np.ones([3, 3, 4, 4], np.float32), [1, 1, 1, 1], "SAME")
    y, _, _ = tf.nn.fused_batch_norm(y, ones, ones, ones, ones, 1e-3, is_training=False)
    feed = {x: np.ones([1, 8, 8, 4], np.float32)}
    with tf.Session() as folding, _plain_session() as plain:
        assert "FusedBatchNorm" in _ops_of_plan(plain, y, feed)
        assert _ops_of_plan(folding, y, feed) == {"Const", "_FusedConv2D"}


def test_a_batch_norm_of_trained_variables_is_read_in_every_run():
    x = tf.placeholder(tf.float32, [1, 4, 4, 1])
    scale = tf.get_variable("scale", [2], initializer=tf.ones_initializer())
    y = tf.nn.conv2d(x, np.ones([1, 1, 1, 2], np.float32), [1, 1, 1, 1], "SAME")
    zeros = np.zeros(2, np.float32)
    ones = np.ones(2, np.float32)
    y, _, _ = tf.nn.fused_batch_norm(
        y, scale, zeros, zeros, ones, 1e-6, is_training=False
    )
    feed = {x: np.ones([1, 4, 4, 1], np.float32)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y, feed)[0, 0, 0], [1, 1], atol=1e-4)
        session.run(tf.assign(scale, [3.0, 4.0]))
        np.testing.assert_allclose(session.run(y, feed)[0, 0, 0], [3, 4], atol=1e-4)
