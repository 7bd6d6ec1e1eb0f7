# SPDX-License-Identifier: Apache-2.0
"""Solutions of differential equations are those in closed form, and have their gradients."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

integrate = tf.contrib.integrate
T = np.linspace(0, 3, 8)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_odeint_turns_a_circle(dtype):
    turn = tf.constant([[0.0, 1.0], [-1.0, 0.0]], dtype)
    found, info = integrate.odeint(
        lambda y, t: tf.matmul(y, turn), tf.constant([[1.0, 0.0]], dtype), T, full_output=True
    )  # fmt: skip
    with tf.Session() as session:
        values, numbers = session.run([found, info])
    expected = np.stack([np.cos(T), np.sin(T)], 1)[:, None]
    np.testing.assert_allclose(values, expected, atol=2e-5)
    assert numbers["num_func_evals"] == 6 * numbers["num_steps"] + 1 > 60


def test_odeint_of_time_and_of_complex_numbers():
    squared = integrate.odeint(lambda y, t: 3 * t * t, tf.constant(1.0, tf.float64), T)
    wave = integrate.odeint(
        lambda y, t: 2j * y, tf.constant(1.0 + 0j, tf.complex128), T
    )
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(squared), 1 + T**3, rtol=1e-6)
        np.testing.assert_allclose(session.run(wave), np.exp(2j * T), atol=1e-5)


def test_gradients_of_solutions():
    rate = tf.constant(-0.7, tf.float64)
    found = integrate.odeint_fixed(lambda y, t: rate * y, tf.constant(2.0, tf.float64), T)  # fmt: skip
    slope = tf.gradients(found[-1], rate)[0]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(slope), 2 * 3 * np.exp(-2.1), rtol=2e-3)


@pytest.mark.parametrize("method,order", [("euler", 1), ("midpoint", 2), ("rk4", 4)])
def test_fixed_steps_have_their_order(method, order):
    errors = []
    with tf.Session() as session:
        for count in (11, 21):
            found = integrate.odeint_fixed(
                lambda y, t: -y * tf.cast(t, y.dtype),
                tf.constant(1.0, tf.float64),
                np.linspace(0, 2, count),
                method,
            )
            errors.append(abs(session.run(found)[-1] - np.exp(-2)))
    assert order - 0.5 < np.log2(errors[0] / errors[1]) < order + 0.7


def test_what_is_refused():
    f, y = (lambda y, t: y), tf.constant(1.0)
    for call, error, text in (
        (lambda: integrate.odeint(f, y, T, method="nosuch"), ValueError, "dopri5"),
        (lambda: integrate.odeint(f, y, T, options={"a": 1}), ValueError, "no .'a'"),
        (lambda: integrate.odeint(f, tf.constant(1), T), TypeError, "floating point"),
        (lambda: integrate.odeint(f, y, [T]), ValueError, "t must be a 1D tensor"),
        (lambda: integrate.odeint_fixed(f, y, T, "a"), ValueError, "not supported"),
    ):
        with pytest.raises(error, match=text):
            call()
    few = integrate.odeint(f, y, T, options={"max_num_steps": 1})
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="max_num_steps"):
            session.run(few)
