# SPDX-License-Identifier: Apache-2.0
"""Gradients of shared weights: the same numbers from one product as from a sum of products."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.client.plan_testutil import make_config, ops_of, run_with_plan

PLAIN = make_config(disable_meta_optimizer=True)


def _gradients(config, dtype, batch=3, width=40, turned=False):
    """Returns the gradients of an unrolled network's weights and biases, and the op types of the plan."""
    rng = np.random.default_rng(1)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        w = tf.Variable(rng.standard_normal((width, width)) / width, dtype=dtype)
        b = tf.Variable(rng.standard_normal(width), dtype=dtype)
        inputs = tf.placeholder(dtype, [5, batch, width])
        state = tf.zeros([batch, width], dtype)
        for x in tf.unstack(inputs):
            product = tf.matmul(x + state, w, transpose_b=turned)
            state = tf.tanh(tf.nn.bias_add(product, b))
        gradients = tf.gradients(tf.reduce_sum(tf.square(state)), [w, b])
        session.run(tf.global_variables_initializer())
        feed = {inputs: rng.standard_normal((5, batch, width))}
        values, nodes = run_with_plan(session, gradients, feed)
        return values, ops_of(nodes)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_gradients_are_those_of_the_plain_graph(dtype, turned):
    values, ops = _gradients(None, dtype, turned=turned)
    plain, plain_ops = _gradients(PLAIN, dtype, turned=turned)
    assert "AddN" in plain_ops and "AddN" not in ops
    assert plain_ops.count("BiasAddGrad") == 5 and ops.count("BiasAddGrad") == 1
    # The gradients of the products before the last one's read w.
    assert plain_ops.count("MatMul") - ops.count("MatMul") >= 4
    for a, b in zip(values, plain):
        np.testing.assert_allclose(
            a, b, rtol=1e-4 if dtype == tf.float32 else 1e-10, atol=1e-5
        )


def test_long_products_stay_apart():
    values, ops = _gradients(None, tf.float32, batch=50)
    plain, _ = _gradients(PLAIN, tf.float32, batch=50)
    assert "AddN" in ops
    for a, b in zip(values, plain):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_terms_that_are_fetched_keep_their_values():
    rng = np.random.default_rng(2)
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.placeholder(tf.float32, [4, 2, 30])
        parts = tf.unstack(a)
        products = [tf.matmul(p, p, transpose_a=True) for p in parts]
        total = tf.add_n(products)
        value = rng.standard_normal((4, 2, 30)).astype(np.float32)
        both = session.run([total, products[1]], {a: value})
        alone = session.run(total, {a: value})
    expected = np.einsum("tik,til->kl", value, value)
    np.testing.assert_allclose(both[0], expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(alone, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(both[1], value[1].T @ value[1], rtol=1e-5, atol=1e-6)


def test_a_variable_is_read_when_its_product_is_made():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.ones((1, 8), np.float32))
        before = tf.matmul(v, v, transpose_a=True)
        with tf.control_dependencies([before]):
            change = tf.assign(v, 2 * tf.ones([1, 8]))
        with tf.control_dependencies([change]):
            after = tf.matmul(v, v, transpose_a=True)
        total = tf.add_n([before, after])
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(total), np.full((8, 8), 5.0))
