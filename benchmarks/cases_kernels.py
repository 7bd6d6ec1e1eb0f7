# SPDX-License-Identifier: Apache-2.0
"""Kernels alone: one op, or the gradients of one, on data that stay in the runtime."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from cases import Case, case, run_op, values

_FLOAT = 4  # bytes


@case
def matmul_1024(tf: Any) -> Case:
    n = 1024

    def build() -> Any:
        a, b = tf.Variable(values(n, n)), tf.Variable(values(n, n, seed=1))
        return tf.matmul(a, b)

    return run_op(tf, build, flops=2.0 * n**3)


@case
def matmul_batch_32x784x512(tf: Any) -> Case:
    def build() -> Any:
        a, b = tf.Variable(values(32, 784)), tf.Variable(values(784, 512, seed=1))
        return tf.matmul(a, b)

    return run_op(tf, build, flops=2.0 * 32 * 784 * 512)


_CONV = dict(n=16, h=56, c=64, k=3, o=64)
_CONV_FLOPS = 2.0 * 16 * 56 * 56 * 64 * 64 * 9


def _conv_variables(tf: Any) -> tuple[Any, Any, Any]:
    d = _CONV
    x = tf.Variable(values(d["n"], d["h"], d["h"], d["c"]))
    w = tf.Variable(values(d["k"], d["k"], d["c"], d["o"], seed=1) * 0.05)
    dy = tf.Variable(values(d["n"], d["h"], d["h"], d["o"], seed=2))
    return x, w, dy


@case
def conv2d_forward_3x3(tf: Any) -> Case:
    def build() -> Any:
        x, w, _ = _conv_variables(tf)
        return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")

    return run_op(tf, build, flops=_CONV_FLOPS)


@case
def conv2d_backward_3x3(tf: Any) -> Case:
    """Computes both gradients: with respect to the input and to the filter."""

    def build() -> Any:
        x, w, dy = _conv_variables(tf)
        y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
        # Both are targets: a constant that merely waits for them would be optimised away.
        return tf.gradients(y, [x, w], dy)

    return run_op(tf, build, flops=2 * _CONV_FLOPS)


@case
def conv2d_forward_1x1(tf: Any) -> Case:
    def build() -> Any:
        x = tf.Variable(values(16, 28, 28, 256))
        w = tf.Variable(values(1, 1, 256, 128, seed=1) * 0.05)
        return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")

    return run_op(tf, build, flops=2.0 * 16 * 28 * 28 * 256 * 128)


def _conv(tf: Any, x: Any, w: Any, stride: int, backward: bool) -> Case:
    """conv2d of shapes x and w, or both its gradients."""
    n, h, _, c = x
    kh, kw, _, d = w
    out = [n, -(-h // stride), -(-h // stride), d]

    def build() -> Any:
        images, filters = (
            tf.Variable(values(*x)),
            tf.Variable(values(*w, seed=1) * 0.05),
        )
        y = tf.nn.conv2d(images, filters, [1, stride, stride, 1], "SAME")
        if not backward:
            return y
        return tf.gradients(y, [images, filters], tf.Variable(values(*out, seed=2)))

    flops = 2.0 * np.prod(out) * kh * kw * c
    return run_op(tf, build, flops=flops * (2 if backward else 1))


@case
def conv2d_backward_1x1(tf: Any) -> Case:
    return _conv(tf, (16, 28, 28, 256), (1, 1, 256, 128), 1, True)


@case
def conv2d_forward_7x7s2(tf: Any) -> Case:
    return _conv(tf, (8, 224, 224, 3), (7, 7, 3, 64), 2, False)


@case
def conv2d_backward_7x7s2(tf: Any) -> Case:
    return _conv(tf, (8, 224, 224, 3), (7, 7, 3, 64), 2, True)


@case
def conv2d_transpose(tf: Any) -> Case:
    """Doubles the size of images: [8, 28, 28, 128] -> [8, 56, 56, 64]."""

    def build() -> Any:
        x = tf.Variable(values(8, 28, 28, 128))
        w = tf.Variable(values(3, 3, 64, 128, seed=1) * 0.05)
        return tf.nn.conv2d_transpose(x, w, [8, 56, 56, 64], [1, 2, 2, 1], "SAME")

    return run_op(tf, build, flops=2.0 * 8 * 28 * 28 * 128 * 64 * 9)


_DEPTHWISE = 8 * 56 * 56 * 128


def _depthwise_variables(tf: Any) -> tuple[Any, Any, Any]:
    x = tf.Variable(values(8, 56, 56, 128))
    w = tf.Variable(values(3, 3, 128, 1, seed=1))
    return x, w, tf.Variable(values(8, 56, 56, 128, seed=2))


@case
def depthwise_conv2d_forward(tf: Any) -> Case:
    def build() -> Any:
        x, w, _ = _depthwise_variables(tf)
        return tf.nn.depthwise_conv2d_native(x, w, [1, 1, 1, 1], "SAME")

    return run_op(tf, build, bytes=2.0 * _FLOAT * _DEPTHWISE)


@case
def depthwise_conv2d_backward(tf: Any) -> Case:
    def build() -> Any:
        x, w, dy = _depthwise_variables(tf)
        y = tf.nn.depthwise_conv2d_native(x, w, [1, 1, 1, 1], "SAME")
        return tf.gradients(y, [x, w], dy)

    return run_op(tf, build, bytes=4.0 * _FLOAT * _DEPTHWISE)


_NORM = (16, 56, 56, 64)


def _batch_norm(tf: Any) -> tuple[Any, Any, Any]:
    x = tf.Variable(values(*_NORM))
    scale, offset = tf.Variable(values(64)), tf.Variable(values(64, seed=1))
    return x, scale, offset


@case
def batch_norm_training_forward(tf: Any) -> Case:
    """Reads x for the statistics and again to normalise it, and writes y."""

    def build() -> Any:
        return tf.nn.fused_batch_norm(*_batch_norm(tf))[0]

    return run_op(tf, build, bytes=3.0 * _FLOAT * np.prod(_NORM))


@case
def batch_norm_training_backward(tf: Any) -> Case:
    """Forward and backward: the latter reads x and dy twice and writes dx."""

    def build() -> Any:
        inputs = _batch_norm(tf)
        y = tf.nn.fused_batch_norm(*inputs)[0]
        return tf.gradients(y, inputs, tf.Variable(values(*_NORM, seed=3)))

    return run_op(tf, build, bytes=8.0 * _FLOAT * np.prod(_NORM))


@case
def max_pool_3x3s2(tf: Any) -> Case:
    def build() -> Any:
        x = tf.Variable(values(8, 112, 112, 64))
        return tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")

    return run_op(tf, build, bytes=1.25 * _FLOAT * 8 * 112 * 112 * 64)


@case
def max_pool_3x3s2_backward(tf: Any) -> Case:
    def build() -> Any:
        x = tf.Variable(values(8, 112, 112, 64))
        y = tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
        return tf.gradients(y, [x], tf.Variable(values(8, 56, 56, 64)))

    return run_op(tf, build, bytes=3.5 * _FLOAT * 8 * 112 * 112 * 64)


@case
def max_pool_2x2s2_backward(tf: Any) -> Case:
    """Windows that do not overlap."""

    def build() -> Any:
        x = tf.Variable(values(8, 112, 112, 64))
        y = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        return tf.gradients(y, [x], tf.Variable(values(8, 56, 56, 64)))

    return run_op(tf, build, bytes=3.5 * _FLOAT * 8 * 112 * 112 * 64)


@case
def max_pool_3x3s3_gradient_alone(tf: Any) -> Case:
    """The gradient of a pool of three channels, in a run without the pool."""
    ops = importlib.import_module(f"{tf.__name__.split('.')[0]}.python.ops.gen_nn_ops")
    windows = [1, 3, 3, 1]

    def build() -> Any:
        x = values(64, 27, 27, 3)
        y = x.reshape(64, 9, 3, 9, 3, 3).max((2, 4))
        inputs = [tf.Variable(v) for v in (x, y, np.ones_like(y))]
        return ops.max_pool_grad(*inputs, windows, windows, "VALID")

    return run_op(tf, build, bytes=2.3 * _FLOAT * 64 * 27 * 27 * 3)


@case
def matmuls_1000_of_16x16(tf: Any) -> Case:
    """1,000 products that do not depend on each other, in one run."""

    def build() -> Any:
        a = tf.unstack(tf.Variable(values(1000, 16, 16)))
        b = tf.unstack(tf.Variable(values(1000, 16, 16, seed=1)))
        return [tf.matmul(x, y) for x, y in zip(a, b, strict=True)]

    return run_op(tf, build, flops=1000 * 2.0 * 16**3)


@case
def softmax_1024x4096(tf: Any) -> Case:
    def build() -> Any:
        return tf.nn.softmax(tf.Variable(values(1024, 4096)))

    return run_op(tf, build, bytes=2.0 * _FLOAT * 1024 * 4096)


@case
def sum_over_axis_0_of_4096x1024(tf: Any) -> Case:
    def build() -> Any:
        return tf.reduce_sum(tf.Variable(values(4096, 1024)), 0)

    return run_op(tf, build, bytes=1.0 * _FLOAT * 4096 * 1024)


@case
def transpose_nhwc_to_nchw(tf: Any) -> Case:
    def build() -> Any:
        return tf.transpose(tf.Variable(values(32, 56, 56, 64)), [0, 3, 1, 2])

    return run_op(tf, build, bytes=2.0 * _FLOAT * 32 * 56 * 56 * 64)


@case
def gather_20000_rows_of_128(tf: Any) -> Case:
    def build() -> Any:
        table = tf.Variable(values(100000, 128))
        rows = np.random.RandomState(1).randint(0, 100000, 20000).astype(np.int32)
        return tf.gather(table, tf.Variable(rows))

    return run_op(tf, build, bytes=2.0 * _FLOAT * 20000 * 128)
