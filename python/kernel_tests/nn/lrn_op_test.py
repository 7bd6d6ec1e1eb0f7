# SPDX-License-Identifier: Apache-2.0
"""LRN and LRNGrad against NumPy in double."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

TOLERANCE = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}
ATTRS = [
    dict(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5),
    dict(depth_radius=2, bias=2.0, alpha=1e-2, beta=0.75),
    dict(depth_radius=0, bias=1.0, alpha=0.5, beta=1.0),
    dict(depth_radius=100, bias=0.5, alpha=0.3, beta=0.6),
]


def window_sums(x, radius):
    sums = np.zeros_like(x)
    for c in range(x.shape[-1]):
        sums[..., c] = x[..., max(0, c - radius) : c + radius + 1].sum(-1)
    return sums


def lrn(x, depth_radius, bias, alpha, beta):
    x = np.float64(x)
    return x * (bias + alpha * window_sums(x * x, depth_radius)) ** -beta


def values(shape, dtype, seed=0):
    normal = np.random.RandomState(seed).standard_normal(shape)
    return normal.astype(tf.as_dtype(dtype).as_numpy_dtype)


@pytest.mark.parametrize("attrs", ATTRS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_lrn(dtype, attrs):
    tol = TOLERANCE[dtype]
    for shape in (
        [1, 1, 1, 1],
        [2, 3, 2, 7],
        [1, 5, 4, 33],
        [0, 2, 2, 3],
        [1, 2, 2, 0],
    ):
        x = values(shape, dtype)
        got = fed(lambda v: gen_nn_ops.lrn(v, **attrs), x)
        np.testing.assert_allclose(np.float64(got), lrn(x, **attrs), rtol=tol, atol=tol)


@pytest.mark.parametrize("attrs", ATTRS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_gradient(dtype, attrs):
    x, g = values([2, 3, 2, 9], dtype), values([2, 3, 2, 9], dtype, 1)
    y = fed(lambda v: gen_nn_ops.lrn(v, **attrs), x)
    got = fed(lambda *a: gen_nn_ops.lrn_grad(*a, **attrs), g, x, y)
    want, delta = np.zeros(x.shape), 1e-4
    wide, upstream = np.float64(x), np.float64(g)
    for c in range(x.shape[-1]):  # pixels do not touch each other
        step = np.zeros(x.shape)
        step[..., c] = delta
        slope = lrn(wide + step, **attrs) - lrn(wide - step, **attrs)
        want[..., c] = (slope / (2 * delta) * upstream).sum(-1)
    tol = TOLERANCE[dtype] * 10
    np.testing.assert_allclose(np.float64(got), want, rtol=tol, atol=tol)


def test_gradient_of_the_graph():
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(values([1, 2, 2, 6], "float32"))
        y = tf.nn.local_response_normalization(x, depth_radius=2, alpha=0.7)
        error = tf.test.compute_gradient_error(x, [1, 2, 2, 6], y, [1, 2, 2, 6])
        assert error < 1e-3


def test_bad_arguments():
    errors = (tf.errors.InvalidArgumentError, ValueError)
    with pytest.raises(errors, match="rank 4|4-dim"):
        fed(gen_nn_ops.lrn, np.zeros([2, 3], np.float32))
    with pytest.raises(errors, match="depth_radius"):
        fed(
            lambda v: gen_nn_ops.lrn(v, depth_radius=-1),
            np.zeros([1, 1, 1, 2], np.float32),
        )
    a, b = np.zeros([1, 1, 1, 2], np.float32), np.zeros([1, 1, 1, 3], np.float32)
    with pytest.raises(errors, match="shape|equal"):
        fed(gen_nn_ops.lrn_grad, a, b, b)
