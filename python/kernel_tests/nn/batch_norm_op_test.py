# SPDX-License-Identifier: Apache-2.0
"""BatchNormWithGlobalNormalization and the functions of moments against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops

TOLERANCE = {"float16": 1e-3, "float32": 1e-6, "float64": 1e-15}
EPSILON = 0.125  # a float exactly, as the attr is


def values(shape, dtype="float64", seed=0):
    return np.random.RandomState(seed).standard_normal(shape).astype(dtype)


def arguments(dtype, shape=(2, 3, 4, 5)):
    c = shape[-1]
    m, beta, gamma = (values([c], dtype, seed) for seed in (1, 2, 3))
    v = np.abs(values([c], dtype, 4)) + np.array(0.5, dtype)
    return values(shape, dtype), m, v, beta, gamma


def run(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [tf.placeholder(tf.as_dtype(a.dtype), a.shape) for a in arrays]
        return sess.run(function(*placeholders), dict(zip(placeholders, arrays)))


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_forward_and_gradient(dtype, scale):
    t, m, v, beta, gamma = arguments(dtype)
    g, tol = values(t.shape, dtype, 6), TOLERANCE[dtype]
    attrs = dict(variance_epsilon=EPSILON, scale_after_normalization=scale)
    wide = [np.float64(a) for a in (t, m, v, beta, gamma, g)]
    r = 1 / np.sqrt(wide[2] + EPSILON)
    k = wide[4] if scale else np.ones(5)
    apart = wide[0] - wide[1]
    got = run(
        lambda *a: gen_nn_ops.batch_norm_with_global_normalization(*a, **attrs),
        t,
        m,
        v,
        beta,
        gamma,
    )
    np.testing.assert_allclose(got, apart * r * k + wide[3], rtol=tol, atol=tol)
    got = run(
        lambda *a: gen_nn_ops.batch_norm_with_global_normalization_grad(*a, **attrs),
        t,
        m,
        v,
        gamma,
        g,
    )
    total, product = wide[5].sum((0, 1, 2)), (wide[5] * apart).sum((0, 1, 2))
    want = [
        wide[5] * r * k,
        -total * r * k,
        -product * r**3 * k / 2,
        total,
        product * r if scale else np.zeros(5),
    ]
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=tol, atol=4 * tol)


def test_gradient_of_the_graph():
    with tf.Graph().as_default(), tf.Session():
        inputs = [tf.constant(a) for a in arguments("float64", (1, 2, 2, 3))]
        y = gen_nn_ops.batch_norm_with_global_normalization(
            *inputs, variance_epsilon=EPSILON, scale_after_normalization=True
        )
        for x in inputs:
            shape = x.get_shape().as_list()
            error = tf.test.compute_gradient_error(
                x, shape, y, [1, 2, 2, 3], x_init_value=x.eval()
            )
            assert error < 1e-5


def test_the_function_computes_what_the_op_does():
    inputs = arguments("float32")
    for scale in (True, False):
        a, b = run(
            lambda *x, s=scale: (
                tf.nn.batch_norm_with_global_normalization(*x, EPSILON, s),
                gen_nn_ops.batch_norm_with_global_normalization(
                    *x, variance_epsilon=EPSILON, scale_after_normalization=s
                ),
            ),
            *inputs,
        )
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


def test_bad_arguments():
    t, m, v, beta, gamma = arguments("float32")
    attrs = dict(variance_epsilon=EPSILON, scale_after_normalization=True)
    for bad in [(t[0], m, v, beta, gamma), (t, m[:2], v, beta, gamma), (t, m, v, t, m)]:
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            run(
                lambda *a: gen_nn_ops.batch_norm_with_global_normalization(*a, **attrs),
                *bad,
            )


@pytest.mark.parametrize("keep_dims", [False, True])
@pytest.mark.parametrize("axes", [[0], [0, 1], [1, 2], [0, 1, 2]])
def test_moments(axes, keep_dims):
    x = values([3, 4, 5]) + 2
    w = np.abs(values([3, 1, 5], seed=3))
    over, keep = tuple(axes), keep_dims
    mean, variance = x.mean(over, keepdims=keep), x.var(over, keepdims=keep)
    for static in (True, False):
        with tf.Graph().as_default(), tf.Session() as sess:
            p = tf.constant(x) if static else tf.placeholder(tf.float64, [None] * 3)
            shift = tf.constant(1.5, tf.float64)
            fetches = [tf.nn.moments(p, axes, keep_dims=keep)]
            for s in (None, shift):
                counts, *sums = tf.nn.sufficient_statistics(p, axes, s, keep)
                fetches.append(tf.nn.normalize_moments(counts, *sums))
            fetches.append(tf.nn.weighted_moments(p, axes, w, keep_dims=keep))
            got = sess.run(fetches, {p: x})
        for pair in got[:3]:
            np.testing.assert_allclose(pair[0], mean, rtol=1e-15)
            np.testing.assert_allclose(pair[1], variance, rtol=2e-13)
        total = np.broadcast_to(w, x.shape).sum(over, keepdims=True)
        center = (w * x).sum(over, keepdims=True) / total
        spread = (w * (x - center) ** 2).sum(over, keepdims=True) / total
        if not keep:
            center, spread = center.squeeze(over), spread.squeeze(over)
        np.testing.assert_allclose(got[3][0], center, rtol=2e-15)
        np.testing.assert_allclose(got[3][1], spread, rtol=2e-15)


def test_moments_of_nothing_that_counts_are_zero():
    weights = np.array([[0.0, 1.0], [0.0, 3.0]])
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    mean, variance = run(lambda x, w: tf.nn.weighted_moments(x, [0], w), x, weights)
    np.testing.assert_allclose(mean, [0, 4.25])
    np.testing.assert_allclose(variance, [0, 1.6875])
