# SPDX-License-Identifier: Apache-2.0
"""What peer.py times: each case is written once against the TF 1.x API and run by both libraries.

A case takes the library as `tf` and returns a `Case`: a function to call, how many operations one call stands for
(the time is divided by it), and the floating-point operations of one, where that is a useful figure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass
class Case:
    """One prepared measurement."""

    call: Callable[[], Any]
    count: int = 1
    flops: float = 0.0


CASES: dict[str, Callable[[Any], Case]] = {}


def case(fn: Callable[[Any], Case]) -> Callable[[Any], Case]:
    CASES[fn.__name__] = fn
    return fn


def _values(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def _session(tf: Any, graph: Any) -> Any:
    session = tf.Session(graph=graph)
    with graph.as_default():
        session.run(tf.global_variables_initializer())
    return session


def _run_op(tf: Any, build: Callable[[], Any], flops: float = 0.0) -> Case:
    """Times one step whose result stays in the runtime: the target is the op, nothing is fetched."""
    graph = tf.Graph()
    with graph.as_default():
        op = build().op
    session = _session(tf, graph)
    return Case(lambda: session.run(op), flops=flops)


@case
def run_no_op(tf: Any) -> Case:
    graph = tf.Graph()
    with graph.as_default():
        op = tf.no_op()
    session = tf.Session(graph=graph)

    def call() -> None:
        for _ in range(100):
            session.run(op)

    return Case(call, count=100)


@case
def feed_add_fetch(tf: Any) -> Case:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [])
        y = x + 1.0
    session = tf.Session(graph=graph)

    def call() -> None:
        for _ in range(100):
            session.run(y, {x: 2.0})

    return Case(call, count=100)


@case
def chain_of_1000_scalar_adds(tf: Any) -> Case:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [])
        y = x
        for _ in range(1000):
            y = y + x
    session = tf.Session(graph=graph)
    return Case(lambda: session.run(y.op, {x: 1.0}))


@case
def while_loop_iteration(tf: Any) -> Case:
    graph = tf.Graph()
    with graph.as_default():
        y = tf.while_loop(lambda i: i < 1000, lambda i: i + 1, [tf.constant(0)])
    session = tf.Session(graph=graph)
    return Case(lambda: session.run(y), count=1000)


@case
def graph_build_per_op(tf: Any) -> Case:
    def call() -> None:
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [8, 8])
            for _ in range(500):
                x = tf.add(x, x)

    return Case(call, count=500)


@case
def matmul_1024(tf: Any) -> Case:
    n = 1024

    def build() -> Any:
        a, b = tf.Variable(_values(n, n)), tf.Variable(_values(n, n, seed=1))
        return tf.matmul(a, b)

    return _run_op(tf, build, flops=2.0 * n**3)


@case
def matmul_batch_32x784x512(tf: Any) -> Case:
    def build() -> Any:
        a, b = tf.Variable(_values(32, 784)), tf.Variable(_values(784, 512, seed=1))
        return tf.matmul(a, b)

    return _run_op(tf, build, flops=2.0 * 32 * 784 * 512)


_CONV = dict(n=16, h=56, c=64, k=3, o=64)
_CONV_FLOPS = 2.0 * 16 * 56 * 56 * 64 * 64 * 9


def _conv_variables(tf: Any) -> tuple[Any, Any, Any]:
    d = _CONV
    x = tf.Variable(_values(d["n"], d["h"], d["h"], d["c"]))
    w = tf.Variable(_values(d["k"], d["k"], d["c"], d["o"], seed=1) * 0.05)
    dy = tf.Variable(_values(d["n"], d["h"], d["h"], d["o"], seed=2))
    return x, w, dy


@case
def conv2d_forward_3x3(tf: Any) -> Case:
    def build() -> Any:
        x, w, _ = _conv_variables(tf)
        return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")

    return _run_op(tf, build, flops=_CONV_FLOPS)


@case
def conv2d_backward_3x3(tf: Any) -> Case:
    """Both gradients: with respect to the input and to the filter."""
    graph = tf.Graph()
    with graph.as_default():
        x, w, dy = _conv_variables(tf)
        y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
        # Both are targets: a constant that merely waits for them would be optimised away.
        targets = [g.op for g in tf.gradients(y, [x, w], dy)]
    session = _session(tf, graph)
    return Case(lambda: session.run(targets), flops=2 * _CONV_FLOPS)


@case
def conv2d_forward_1x1(tf: Any) -> Case:
    def build() -> Any:
        x = tf.Variable(_values(16, 28, 28, 256))
        w = tf.Variable(_values(1, 1, 256, 128, seed=1) * 0.05)
        return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")

    return _run_op(tf, build, flops=2.0 * 16 * 28 * 28 * 256 * 128)


@case
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
    session = _session(tf, graph)
    feed = {x: _values(64, 8, 8, 1), labels: np.arange(64, dtype=np.int32) % 10}
    return Case(lambda: session.run([step, loss], feed))


def _conv_pool(tf: Any, x: Any, c: int, o: int) -> Any:
    w = tf.Variable(tf.truncated_normal([3, 3, c, o], stddev=0.1))
    b = tf.Variable(tf.zeros([o]))
    y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
    y = tf.nn.relu(tf.nn.bias_add(y, b))
    return tf.nn.max_pool(y, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def _dense(tf: Any, x: Any, n: int, m: int) -> Any:
    w = tf.Variable(tf.truncated_normal([n, m], stddev=0.1))
    b = tf.Variable(tf.zeros([m]))
    return tf.nn.bias_add(tf.matmul(x, w), b)
