# SPDX-License-Identifier: Apache-2.0
"""Softmax and LogSoftmax against SciPy."""

import numpy as np
import pytest
import scipy.special

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops

TOLERANCE = {"float16": 4e-3, "float32": 2e-6, "float64": 1e-13}
SHAPES = [[3, 10], [1, 1], [0, 4], [200, 3], [5, 3000], [2, 3, 4], [7]]


def run(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [tf.placeholder(tf.as_dtype(a.dtype)) for a in arrays]
        return sess.run(function(*placeholders), dict(zip(placeholders, arrays)))


def logits(dtype, shape, seed=0):
    return np.random.RandomState(seed).uniform(-5, 5, shape).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_softmax(dtype, shape):
    x = logits(dtype, shape)
    soft, log = run(lambda v: [gen_nn_ops.softmax(v), gen_nn_ops.log_softmax(v)], x)
    if x.size:
        tol, wide = TOLERANCE[dtype], x.astype(np.float64)
        np.testing.assert_allclose(
            soft, scipy.special.softmax(wide, -1), rtol=tol, atol=tol
        )
        np.testing.assert_allclose(
            log, scipy.special.log_softmax(wide, -1), rtol=tol, atol=tol
        )
    assert soft.shape == log.shape == x.shape


def test_large_logits_do_not_overflow():
    x = np.float32([[1000, 1000, -1000], [-1e30, 0, 1e30]])
    np.testing.assert_allclose(run(gen_nn_ops.softmax, x), [[0.5, 0.5, 0], [0, 0, 1]])
    np.testing.assert_allclose(
        run(gen_nn_ops.log_softmax, x)[0, :2], np.log([0.5, 0.5]), rtol=1e-6
    )


def test_bfloat16_is_computed_as_float():
    x = logits("float32", [4, 9])
    got = run(
        lambda v: tf.cast(gen_nn_ops.softmax(tf.cast(v, tf.bfloat16)), tf.float32), x
    )
    np.testing.assert_allclose(got, scipy.special.softmax(x, -1), rtol=3e-2)


def test_a_scalar_has_no_softmax():
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(gen_nn_ops.softmax, np.float32(1))
