# SPDX-License-Identifier: Apache-2.0
"""Training steps: forward, backward and update of small networks."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case, session_of, training, values


@training
def digits_training_step(tf: Any) -> Case:
    """The network of examples/digits.py: one Adam step on a batch of 64 images of 8x8."""
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, 8, 8, 1])
        labels = tf.placeholder(tf.int32, [None])
        h = _conv_pool(tf, x, 1, 32)
        h = _conv_pool(tf, h, 32, 64)
        h = tf.reshape(h, [-1, 2 * 2 * 64])
        h = tf.nn.relu(_dense(tf, h, 256, 128))
        logits = _dense(tf, h, 128, 10)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )
        step = tf.train.AdamOptimizer(1e-3).minimize(loss)
    session = session_of(tf, graph)
    feed = {x: values(64, 8, 8, 1), labels: np.arange(64, dtype=np.int32) % 10}
    return Case(lambda: session.run([step, loss], feed))


def _conv_pool(tf: Any, x: Any, c: int, o: int, kernel: int = 3) -> Any:
    w = tf.Variable(tf.truncated_normal([kernel, kernel, c, o], stddev=0.1))
    b = tf.Variable(tf.zeros([o]))
    y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
    y = tf.nn.relu(tf.nn.bias_add(y, b))
    return tf.nn.max_pool(y, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def _dense(tf: Any, x: Any, n: int, m: int) -> Any:
    w = tf.Variable(tf.truncated_normal([n, m], stddev=0.1))
    b = tf.Variable(tf.zeros([m]))
    return tf.nn.bias_add(tf.matmul(x, w), b)


def _step(tf: Any, graph: Any, step: Any, loss: Any, feed: dict) -> Case:
    session = session_of(tf, graph)
    return Case(lambda: session.run([step, loss], feed))


def _cross_entropy(tf: Any, labels: Any, logits: Any) -> Any:
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )


@training
def train_mnist_convnet_b64(tf: Any) -> Case:
    """Two 5x5 convolutions with pools and two dense layers; momentum."""
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [64, 28, 28, 1])
        labels = tf.placeholder(tf.int32, [64])
        h = _conv_pool(tf, x, 1, 32, kernel=5)
        h = _conv_pool(tf, h, 32, 64, kernel=5)
        h = tf.nn.relu(_dense(tf, tf.reshape(h, [64, 7 * 7 * 64]), 7 * 7 * 64, 512))
        loss = _cross_entropy(tf, labels, _dense(tf, h, 512, 10))
        step = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    feed = {x: values(64, 28, 28, 1), labels: np.arange(64, dtype=np.int32) % 10}
    return _step(tf, graph, step, loss, feed)


@training
def train_mlp_4_layers_b32(tf: Any) -> Case:
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [32, 64])
        labels = tf.placeholder(tf.int32, [32])
        h = x
        for n, m in ((64, 64), (64, 64), (64, 64)):
            h = tf.nn.relu(_dense(tf, h, n, m))
        loss = _cross_entropy(tf, labels, _dense(tf, h, 64, 10))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    feed = {x: values(32, 64), labels: np.arange(32, dtype=np.int32) % 10}
    return _step(tf, graph, step, loss, feed)


def _adagrad_step(tf: Any, use_resource: bool) -> Case:
    """Rows of an embedding and two dense layers of 512, by Adagrad: the cost of variables, rather than of products."""
    graph = tf.Graph()
    with graph.as_default(), tf.variable_scope("net", use_resource=use_resource):
        tf.set_random_seed(1)
        ids = tf.placeholder(tf.int32, [8])
        labels = tf.placeholder(tf.int32, [8])
        table = tf.Variable(tf.truncated_normal([1000, 512], stddev=0.1))
        h = tf.nn.embedding_lookup(table, ids)
        h = tf.nn.relu(_dense(tf, h, 512, 512))
        loss = _cross_entropy(tf, labels, _dense(tf, h, 512, 512))
        step = tf.train.AdagradOptimizer(0.01).minimize(loss)
    feed = {ids: np.arange(8) * 7, labels: np.arange(8, dtype=np.int32)}
    return _step(tf, graph, step, loss, feed)


@training
def train_reference_variables(tf: Any) -> Case:
    return _adagrad_step(tf, use_resource=False)


@training
def train_resource_variables(tf: Any) -> Case:
    """The same step as train_reference_variables."""
    return _adagrad_step(tf, use_resource=True)


def _lstm_cell(tf: Any, x: Any, c: Any, h: Any, w: Any, b: Any) -> tuple[Any, Any]:
    gates = tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), w), b)
    i, j, f, o = tf.split(gates, 4, 1)
    c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    return c, tf.tanh(c) * tf.sigmoid(o)


@training
def train_ptb_lstm(tf: Any) -> Case:
    """Zaremba's small model: 2 layers of 200 units, 20 steps unrolled with basic ops, 10,000 words."""
    batch, steps, units, words = 20, 20, 200, 10000
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        ids = tf.placeholder(tf.int32, [batch, steps])
        labels = tf.placeholder(tf.int32, [batch, steps])
        embedding = tf.Variable(tf.random_uniform([words, units], -0.1, 0.1))
        inputs = tf.unstack(tf.nn.embedding_lookup(embedding, ids), axis=1)
        for _ in range(2):
            w = tf.Variable(tf.random_uniform([2 * units, 4 * units], -0.1, 0.1))
            b = tf.Variable(tf.zeros([4 * units]))
            c = h = tf.zeros([batch, units])
            outputs = []
            for x in inputs:
                c, h = _lstm_cell(tf, x, c, h, w, b)
                outputs.append(h)
            inputs = outputs
        flat = tf.reshape(tf.stack(inputs, axis=1), [batch * steps, units])
        logits = _dense(tf, flat, units, words)
        loss = _cross_entropy(tf, tf.reshape(labels, [-1]), logits)
        variables = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        step = optimizer.apply_gradients(zip(grads, variables, strict=True))
    numbers = np.random.RandomState(1).randint(0, words, (2, batch, steps))
    feed = {ids: numbers[0].astype(np.int32), labels: numbers[1].astype(np.int32)}
    return _step(tf, graph, step, loss, feed)


def _conv_norm(tf: Any, x: Any, kernel: int, c: int, d: int) -> Any:
    w = tf.Variable(tf.truncated_normal([kernel, kernel, c, d], stddev=0.05))
    y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
    scale, offset = tf.Variable(tf.ones([d])), tf.Variable(tf.zeros([d]))
    return tf.nn.fused_batch_norm(y, scale, offset)[0]


@training
def train_resnet_block_b8(tf: Any) -> Case:
    """A bottleneck of [8, 56, 56, 256] with batch normalisation, and a classifier on its mean."""
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [8, 56, 56, 256])
        labels = tf.placeholder(tf.int32, [8])
        h = tf.nn.relu(_conv_norm(tf, x, 1, 256, 64))
        h = tf.nn.relu(_conv_norm(tf, h, 3, 64, 64))
        h = tf.nn.relu(_conv_norm(tf, h, 1, 64, 256) + x)
        loss = _cross_entropy(
            tf, labels, _dense(tf, tf.reduce_mean(h, [1, 2]), 256, 10)
        )
        step = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    feed = {x: values(8, 56, 56, 256), labels: np.arange(8, dtype=np.int32)}
    return _step(tf, graph, step, loss, feed)
