# SPDX-License-Identifier: Apache-2.0
"""Transcendental functions where they are hard: poles, ends of domains, large and small arguments."""

import math

import numpy as np
import pytest
import scipy.special

import tensorwright as tf
from tensorwright.python.kernel_tests.math.cwise_reference import COMPLEX, run
from tensorwright.python.ops import gen_math_ops


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_log1p_is_exact_near_0_near_minus_1_and_far_away(dtype):
    real = np.finfo(dtype).dtype.type
    tiny, huge = np.finfo(dtype).tiny, np.finfo(dtype).max / 4
    below = np.nextafter(real(-1), real(0))
    x = np.array(
        [tiny + 1j * tiny, -1 + 1e-30j, below + 1e-9j, -1.4 + 0.01j, huge * 1j], dtype
    )
    wanted = np.log(np.longdouble(1) + x.astype(np.clongdouble))
    wanted[0] = x[0]  # 1 + x would lose all of its digits.
    got = run(gen_math_ops.log1p, dtype, x)
    np.testing.assert_allclose(got.real, wanted.real, 4 * np.finfo(dtype).eps)
    np.testing.assert_allclose(got.imag, wanted.imag, 4 * np.finfo(dtype).eps)


# Hard arguments of each function: ends of its domain, poles, changes of method, beyond overflow.
HARD = {
    "tanh": [0.0, -0.0, 1e-30, 1e-8, 0.5, 9.0, 9.1, 20, 1e30, np.inf, -np.inf, np.nan],
    "tan": [0.0, -0.0, 1e-20, 0.785, 1.5707, 599, 601, 1e4, 29999, 1e6, np.inf, np.nan],
    "sinh": [0.0, -0.0, 1e-20, 1e-3, 39, 41, 88, 89, 91, -89, 710, np.inf, np.nan],
    "cosh": [0.0, 1e-20, 39, 41, 88, 89, 91, -89, 710.4, 712, -np.inf, np.nan],
    "asin": [0.0, -0.0, 1e-20, 0.4999, 0.5, 0.5001, 1, -1, 1.0001, np.inf, np.nan],
    "acos": [0.0, 1e-20, 0.4999, 0.5, 0.5001, 1, -1, 1.0001, -np.inf, np.nan],
    "atan": [0.0, -0.0, 1e-20, 0.999, 1, 1.001, 1e20, np.inf, -np.inf, np.nan],
    "asinh": [0.0, -0.0, 1e-20, 1e-9, 1.99, 2.01, 3e8, -1e20, 1e30, np.inf, np.nan],
    "acosh": [1.0, 1.0001, 1.99, 2.01, 3e8, 1e30, 0.5, -1, -5, np.inf, np.nan],
    "atanh": [0.0, -0.0, 1e-20, 0.5, 0.999, 1, -1, 1.5, -np.inf, np.nan],
    "erf": [0.0, -0.0, 1e-30, 0.89, 0.99, 1.01, 3.9, 4, 6, -6, np.inf, -np.inf, np.nan],
    "erfc": [
        0.0,
        0.49,
        0.51,
        0.89,
        0.91,
        2,
        5,
        9,
        9.1,
        26,
        27.3,
        28,
        -3,
        -np.inf,
        np.nan,
    ],
    "rsqrt": [0.0, -0.0, 1e-40, 1e-30, 1, 1e30, 3e38, -1, np.inf, -np.inf, np.nan],
}
ORACLES = {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": scipy.special.erf,
    # SciPy's loses digits beyond 3.
    "erfc": np.vectorize(math.erfc, otypes=[np.float64]),
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@np.errstate(all="ignore")
def test_hard_arguments(name, dtype):
    x = np.array(HARD[name], dtype)
    oracle = ORACLES.get(name) or getattr(np, name)
    want = oracle(x.astype(np.float64)).astype(dtype)
    got = run(getattr(gen_math_ops, name), dtype, x)
    tiny = np.finfo(dtype).tiny
    np.testing.assert_allclose(got, want, rtol=12 * np.finfo(dtype).eps, atol=tiny)
    np.testing.assert_array_equal(
        np.signbit(got[want == 0]), np.signbit(want[want == 0])
    )


@np.errstate(all="ignore")
def test_angles_of_special_points():
    special = np.array([0.0, -0.0, 1, -1, 1e-30, 3e38, np.inf, -np.inf, np.nan])
    for dtype in ("float32", "float64"):
        x, y = (a.ravel().astype(dtype) for a in np.meshgrid(special, special))
        got, want = run(tf.atan2, dtype, y, x), np.arctan2(y, x)
        np.testing.assert_allclose(got, want, rtol=4 * np.finfo(dtype).eps)
        zero = want == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]))


@np.errstate(all="ignore")
@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sigmoid", "tanh"])
def test_complex_numbers_far_out_and_close_in(name):
    parts = np.array(
        [0.0, -0.0, 1, -2.5, 1e-18, 79, -85, 1e18, -1e30, 3e38, np.inf, np.nan]
    )
    a, b = np.meshgrid(parts, parts)
    for dtype in COMPLEX:
        x = np.empty(a.size, dtype)
        x.real, x.imag = a.ravel(), b.ravel()
        for z in (x, x[np.isfinite(x)]):
            # One by one they take another path than beside each other.
            got = run(getattr(tf, name), dtype, z)
            single = [
                run(getattr(tf, name), dtype, z[i : i + 1])[0]
                for i in range(0, len(z), 7)
            ]
            if name != "sigmoid":
                want = getattr(np, name)(z.astype(np.complex128)).astype(dtype)
                fine = np.isfinite(want) & (np.abs(z.imag) < 1e6)
                scale = np.abs(want[fine]) + (name == "log")
                error = np.abs(got[fine] - want[fine])
                assert (error <= 20 * np.finfo(dtype).eps * scale).all()
            np.testing.assert_allclose(np.array(single), got[::7], rtol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_digamma_everywhere(dtype):
    x = np.concatenate(
        [np.linspace(0.001, 30, 997), [1e-20, 1e10, -0.5, -3.25, -20.1, 1e30]]
        + [-np.logspace(-37, -1, 100)]
    )
    x = x.astype(dtype)
    want = scipy.special.digamma(x.astype(np.float64))
    got = run(tf.digamma, dtype, x)
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(got, want, rtol=10 * eps, atol=10 * eps)
    ends = np.array([0.0, -0.0, -1, -2, np.inf, np.nan], dtype)
    got = run(tf.digamma, dtype, ends)
    np.testing.assert_array_equal(
        got, [-np.inf, np.inf, np.nan, np.nan, np.inf, np.nan]
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 5, 64])
def test_tanh_of_large_numbers_is_one(dtype, n):
    x = np.resize(np.array([20, 100, 1e4, np.inf], dtype), n)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.placeholder(dtype, [n])
        y, z = session.run([tf.tanh(v), tf.tanh(-v)], {v: x})
    np.testing.assert_array_equal(y, np.ones(n))
    np.testing.assert_array_equal(z, -np.ones(n))
