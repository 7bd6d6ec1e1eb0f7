# SPDX-License-Identifier: Apache-2.0
"""Graphs as programs leave them: frozen networks, and chains that a careful author would have written shorter."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case, case, session_of, values


def _frozen_conv_norm(tf: Any, x: Any, kernel: int, c: int, d: int, seed: int) -> Any:
    """A convolution and a batch norm whose parameters are constants."""
    w = tf.constant(values(kernel, kernel, c, d, seed=seed) * 0.05)
    y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
    scale, offset, mean = (tf.constant(values(d, seed=seed + i)) for i in (1, 2, 3))
    variance = tf.constant(1 + values(d, seed=seed + 4) ** 2)
    return tf.nn.fused_batch_norm(
        y, scale, offset, mean=mean, variance=variance, is_training=False
    )[0]


def _fetch(tf: Any, graph: Any, x: Any, y: Any, shape: tuple[int, ...]) -> Case:
    session = session_of(tf, graph)
    feed = {x: values(*shape)}
    return Case(lambda: session.run(y.op, feed))


@case
def frozen_resnet_block_b1(tf: Any) -> Case:
    """Inference of a bottleneck of [1, 56, 56, 256]."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [1, 56, 56, 256])
        h = tf.nn.relu(_frozen_conv_norm(tf, x, 1, 256, 64, 10))
        h = tf.nn.relu(_frozen_conv_norm(tf, h, 3, 64, 64, 20))
        y = tf.nn.relu(_frozen_conv_norm(tf, h, 1, 64, 256, 30) + x)
    return _fetch(tf, graph, x, y, (1, 56, 56, 256))


@case
def frozen_deep_block_b1(tf: Any) -> Case:
    """Inference of a bottleneck of [1, 7, 7, 2048], whose filters are larger than its images."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [1, 7, 7, 2048])
        h = tf.nn.relu(_frozen_conv_norm(tf, x, 1, 2048, 512, 10))
        h = tf.nn.relu(_frozen_conv_norm(tf, h, 3, 512, 512, 20))
        y = tf.nn.relu(_frozen_conv_norm(tf, h, 1, 512, 2048, 30) + x)
    return _fetch(tf, graph, x, y, (1, 7, 7, 2048))


@case
def frozen_mlp_b1(tf: Any) -> Case:
    """Inference of four dense layers of 64 units."""
    graph = tf.Graph()
    with graph.as_default():
        x = h = tf.placeholder(tf.float32, [1, 64])
        for layer in range(4):
            w, b = tf.constant(values(64, 64, seed=layer)), tf.constant(values(64))
            h = tf.nn.relu(tf.nn.bias_add(tf.matmul(h, w), b))
    return _fetch(tf, graph, x, h, (1, 64))


@case
def position_encoding(tf: Any) -> Case:
    """Sines of positions, computed from constants in every run, added to [1, 512, 256]."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [1, 512, 256])
        position = tf.expand_dims(tf.cast(tf.range(512), tf.float32), 1)
        rate = tf.pow(1e4, -tf.cast(tf.range(128), tf.float32) / 128.0)
        angle = position * rate
        y = x + tf.concat([tf.sin(angle), tf.cos(angle)], 1)
    return _fetch(tf, graph, x, y, (1, 512, 256))


@case
def layouts_there_and_back(tf: Any) -> Case:
    """Layers that each turn NHWC to NCHW and back, with reshapes that change nothing, on [8, 56, 56, 64]."""
    graph = tf.Graph()
    with graph.as_default():
        x = h = tf.placeholder(tf.float32, [8, 56, 56, 64])
        for _ in range(3):
            h = tf.transpose(h, [0, 3, 1, 2])
            h = tf.transpose(tf.reshape(h, [8, 64, 56, 56]), [0, 2, 3, 1])
            h = tf.nn.relu(h)
    return _fetch(tf, graph, x, h, (8, 56, 56, 64))


@case
def norm_written_twice(tf: Any) -> Case:
    """Scale and shift that each compute mean and variance of [1024, 1024] by themselves."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [1024, 1024])

        def mean() -> Any:
            return tf.reduce_mean(x, 1, keepdims=True)

        def deviation() -> Any:
            return tf.sqrt(tf.reduce_mean(tf.square(x - mean()), 1, keepdims=True))

        y = (x - mean()) / deviation() + mean() / deviation()
    return _fetch(tf, graph, x, y, (1024, 1024))


@case
def identities_and_neutral_elements(tf: Any) -> Case:
    """500 times x * 1, x + 0, Identity and -(-x) of a vector."""
    graph = tf.Graph()
    with graph.as_default():
        x = h = tf.placeholder(tf.float32, [16])
        for _ in range(500):
            h = tf.negative(tf.negative(tf.identity(h * 1.0 + 0.0)))
        y = tf.exp(h)
    return _fetch(tf, graph, x, y, (16,))


@case
def identities_between_layers(tf: Any) -> Case:
    """500 scalars that pass through Identity and StopGradient between additions."""
    graph = tf.Graph()
    with graph.as_default():
        x = h = tf.placeholder(tf.float32, [])
        for _ in range(500):
            h = tf.stop_gradient(tf.identity(h)) + x
    session = session_of(tf, graph)
    feed = {x: np.float32(1)}
    return Case(lambda: session.run(h.op, feed))


@case
def clipped_momentum_step(tf: Any) -> Case:
    """Clipping by norm and a momentum step of 4M parameters, of which the loss is trivial."""
    graph = tf.Graph()
    with graph.as_default():
        variables = [tf.Variable(values(1024, 1024, seed=i)) for i in range(4)]
        # Not constants, which would be clipped while the plan is made.
        grads = [tf.Variable(values(1024, 1024, seed=10 + i)) for i in range(4)]
        clipped, _ = tf.clip_by_global_norm(grads, 5.0)
        optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
        step = optimizer.apply_gradients(zip(clipped, variables, strict=True))
    session = session_of(tf, graph)
    return Case(lambda: session.run(step))
