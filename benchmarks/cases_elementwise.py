# SPDX-License-Identifier: Apache-2.0
"""Chains of elementwise ops, which memory bounds unless they are fused."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case, case, run_op, session_of, values

_FLOAT = 4  # bytes


@case
def smooth_chain_4m(tf: Any) -> Case:
    """tanh(2 x + 1) * exp(-x * x) + sqrt(abs(x)) on 4M floats."""
    n = 4 << 20

    def build() -> Any:
        x = tf.Variable(values(n))
        return tf.tanh(2 * x + 1) * tf.exp(-x * x) + tf.sqrt(tf.abs(x))

    return run_op(tf, build, bytes=2.0 * n * _FLOAT)


@case
def elementwise_chain_1m(tf: Any) -> Case:
    """Twelve elementwise ops, one of them tanh, on 1M floats."""
    n = 1 << 20

    def build() -> Any:
        x = tf.Variable(values(n))
        y = x
        for k in range(5):
            y = y * 0.5 + (0.1 * k + 0.1)
        return tf.tanh(y) * x

    return run_op(tf, build, bytes=2.0 * n * _FLOAT)


@case
def elementwise_chain_1m_backward(tf: Any) -> Case:
    """The gradient of a chain like elementwise_chain_1m."""
    n = 1 << 20
    graph = tf.Graph()
    with graph.as_default():
        x, dy = tf.Variable(values(n)), tf.Variable(values(n, seed=1))
        y = tf.tanh(x * 0.5 + 0.1) * tf.sigmoid(x) + tf.nn.relu(x - 0.2)
        (dx,) = tf.gradients(y, [x], dy)
    session = session_of(tf, graph)
    return Case(lambda: session.run(dx.op), bytes=3.0 * n * _FLOAT)


@case
def rows_and_columns(tf: Any) -> Case:
    """relu(x * scale + shift) / norm: operands that are a row or a column of [4096, 256]."""
    n, m = 4096, 256

    def build() -> Any:
        x = tf.Variable(values(n, m))
        scale, shift = tf.Variable(values(m)), tf.Variable(values(m, seed=1))
        norm = tf.Variable(np.abs(values(n, 1, seed=2)) + 1)
        return tf.nn.relu(x * scale + shift) / norm

    return run_op(tf, build, bytes=2.0 * n * m * _FLOAT)


@case
def mean_of_squares_4m(tf: Any) -> Case:
    """mean((x - y)^2) of 4M floats: a reduction behind a chain."""
    n = 4 << 20

    def build() -> Any:
        x, y = tf.Variable(values(n)), tf.Variable(values(n, seed=1))
        return tf.reduce_mean(tf.square(x - y))

    return run_op(tf, build, bytes=2.0 * n * _FLOAT)
