# SPDX-License-Identifier: Apache-2.0
"""Functions with a gradient of their own: what flows back is what they say."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


def test_the_gradient_is_the_functions_own():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    x = tf.constant([0.0, 100.0])
    (gradient,) = tf.gradients(log1pexp(x), x)
    np.testing.assert_allclose(_run(gradient), [0.5, 1.0])


def test_several_arguments_and_results():
    @tf.custom_gradient
    def f(x, y):
        def grad(dp, ds):
            return 10 * dp + ds, None

        return (x * y, x + y), grad

    x, y = tf.constant(2.0), tf.constant(5.0)
    product, total = f(x, y)
    by_x, by_y = tf.gradients([product, total], [x, y], [tf.constant(3.0), 7.0])
    assert by_y is None
    assert _run([product, total, by_x]) == [10.0, 7.0, 37.0]


def test_the_gradient_of_the_gradient_is_of_what_it_computed():
    @tf.custom_gradient
    def cube(x):
        return x * x * x, lambda upstream: upstream * 3 * tf.square(x)

    x = tf.constant(2.0)
    (first,) = tf.gradients(cube(x), x)
    (second,) = tf.gradients(first, x)
    assert _run([first, second]) == [12.0, 12.0]


def test_variables_get_the_gradients_named():
    v = tf.Variable(3.0, name="v")

    @tf.custom_gradient
    def scaled(x):
        def grad(upstream, variables=None):
            assert variables == [v]
            return upstream * 5, [upstream * 7]

        return x * v, grad

    x = tf.constant(2.0)
    y = scaled(x)
    assert _run([y, *tf.gradients(y, [x, v])]) == [6.0, 5.0, 7.0]

    @tf.custom_gradient
    def forgetful(x):
        return x * v, lambda upstream: upstream

    with pytest.raises(TypeError, match="variables"):
        forgetful(x)


def test_variables_created_inside_get_the_gradients_named():
    @tf.custom_gradient
    def scaled(x):
        v = tf.get_variable("v", initializer=3.0)
        tf.get_variable("count", initializer=0.0, trainable=False)

        def grad(upstream, variables=None):
            assert variables == [v]
            return upstream * 5, [upstream * 7]

        return x * v, grad

    x = tf.constant(2.0)
    y = scaled(x)
    (v,) = tf.trainable_variables()
    assert _run([y, *tf.gradients(y, [x, v])]) == [6.0, 5.0, 7.0]

    @tf.custom_gradient
    def forgetful(x):
        return x * tf.get_variable("w", initializer=3.0), lambda upstream: upstream

    with pytest.raises(TypeError, match="creates or reads w:0, so its grad_fn must"):
        forgetful(x)


def test_a_function_passed_through():
    rounded = tf.grad_pass_through(tf.round)
    x = tf.constant([0.4, 1.6])
    y = rounded(x)
    value, gradient = _run([y, tf.gradients(y, x)[0]])
    assert value.tolist() == [0.0, 2.0] and gradient.tolist() == [1.0, 1.0]


def test_mistakes_are_named():
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="keyword"):
        tf.custom_gradient(lambda x: (x, lambda g: g))(x=x)
    with pytest.raises(TypeError, match="must return"):
        tf.custom_gradient(lambda x: x)(x)
    y = tf.custom_gradient(lambda x: (x, lambda g: [g, g]))(x)
    with pytest.raises(ValueError, match="2 gradients of 1 arguments"):
        tf.gradients(y, x)
    y = tf.custom_gradient(lambda x: (x, lambda g, variables=None: (g, [g])))(x)
    with pytest.raises(ValueError, match="1 arguments; no trainable variables"):
        tf.gradients(y, x)
