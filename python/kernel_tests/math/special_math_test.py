# SPDX-License-Identifier: Apache-2.0
"""Special functions against SciPy, where they are easy and where they are not."""

import numpy as np
import pytest
import scipy.special

import tensorwright as tf

FLOATS = ["float32", "float64"]
SIZES = [0, 1, 17, 2000]


def run(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [tf.placeholder(tf.as_dtype(a.dtype)) for a in arrays]
        return sess.run(function(*placeholders), dict(zip(placeholders, arrays)))


def close(got, want, dtype, ulps):
    tol = ulps * np.finfo(dtype).eps
    np.testing.assert_allclose(
        got, want.astype(dtype), rtol=tol, atol=np.finfo(dtype).tiny
    )


def zeta(s, q):
    return scipy.special.zeta(s, q)


def polygamma(n, x):
    return scipy.special.polygamma(n.astype(int), x)


# Function, oracle, ranges of the two arguments (the first whole for polygamma), error in ulps.
TWO = [
    (tf.igamma, scipy.special.gammainc, (0.1, 30), (0, 40), 200),
    (tf.igammac, scipy.special.gammaincc, (0.1, 30), (0, 40), 600),
    (tf.zeta, zeta, (1.1, 30), (0.1, 30), 60),
    (tf.polygamma, polygamma, (0, 9), (0.1, 30), 200),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("function", "oracle", "first", "second", "ulps"), TWO)
def test_two_arguments(function, oracle, first, second, ulps, dtype):
    for size in SIZES:
        rng = np.random.RandomState(size)
        a, x = rng.uniform(*first, size), rng.uniform(*second, size)
        a = np.floor(a) if function is tf.polygamma else a
        a, x = a.astype(dtype), x.astype(dtype)
        want = oracle(a.astype(np.float64), x.astype(np.float64))
        close(run(function, a, x), want, dtype, ulps)
        if size == 17:
            want = oracle(a[:, None].astype(np.float64), x[:3].astype(np.float64))
            close(run(function, a[:, None], x[:3]), want, dtype, ulps)


def test_large_and_near_arguments():
    """For these, the plain series would need thousands of terms, or lose every digit."""
    a = np.array([1e3, 1e5, 1e7, 1e7, 1e5, 1e-8, 1e-3])
    x = np.array([1e3, 1.001e5, 1e7, 1.0001e7, 9.9e4, 1e-3, 20])
    for function, oracle in (
        (tf.igamma, scipy.special.gammainc),
        (tf.igammac, scipy.special.gammaincc),
    ):
        np.testing.assert_allclose(run(function, a, x), oracle(a, x), rtol=1e-8)
    s, q = np.array([1.0001, 500, 40, 3, 2]), np.array([0.5, 3, 1e3, 1e-5, 1e12])
    np.testing.assert_allclose(run(tf.zeta, s, q), zeta(s, q), rtol=1e-11)


@pytest.mark.parametrize(("dtype", "rtol"), [("float64", 2e-12), ("float32", 5e-6)])
def test_incomplete_gamma_functions_whatever_their_method(dtype, rtol):
    """Series, fraction and expansions, on both sides of where one hands over to another."""
    a = np.concatenate([np.logspace(-3, 1.3, 45), np.linspace(0.5, 21, 42), [50, 300]])
    x = np.concatenate([np.logspace(-7, 2, 55), np.linspace(0.5, 25, 50), [99, 101]])
    a, x = (v.astype(dtype).ravel() for v in np.meshgrid(a, x))
    for function, oracle in (
        (tf.igamma, scipy.special.gammainc),
        (tf.igammac, scipy.special.gammaincc),
    ):
        want = oracle(a.astype(np.float64), x.astype(np.float64))
        # Below this, exp(-x) has lost its digits, and so has the result.
        sure = want > 1e-30
        np.testing.assert_allclose(run(function, a, x)[sure], want[sure], rtol=rtol)


@pytest.mark.parametrize("dtype", FLOATS)
def test_tails_of_incomplete_gamma_functions(dtype):
    """As far from the mean as one function rounds to 1, and on to where the other does to 0; no nearer."""
    a = np.logspace(1.4, 6, 40)[:, np.newaxis]
    x = np.maximum(a + np.linspace(-50, 50, 201) * np.sqrt(a), 1e-3).astype(dtype)
    a = np.broadcast_to(a, x.shape).astype(dtype)
    eps, least = np.finfo(dtype).eps, float(np.finfo(dtype).smallest_subnormal)
    for function, oracle in (
        (tf.igamma, scipy.special.gammainc),
        (tf.igammac, scipy.special.gammaincc),
    ):
        got = run(function, a, x)
        want = oracle(a.astype(np.float64), x.astype(np.float64))
        assert (got[want > 1 - eps / 16] == 1).all()
        assert (got[want < least / 16] == 0).all()
        assert (got[want < 1 - 1e-4] < 1).all()
        assert (got[want > 1e6 * least] > 0).all()


NAN, INF = np.nan, np.inf
ENDS = [
    (
        tf.igamma,
        [1, 1, INF, INF, -1, 0, 1, NAN, 2],
        [0, INF, 0, 1, 1, 1, -1, 1, NAN],
        [0, 1, 0, 0] + [NAN] * 5,
    ),
    (
        tf.igammac,
        [1, 1, INF, INF, -1, 0, 1, NAN, 2],
        [0, INF, 0, 1, 1, 1, -1, 1, NAN],
        [1, 0, 1, 1] + [NAN] * 5,
    ),
    (
        tf.zeta,
        [1, 0.5, 2, 3, 2, 2.5, NAN],
        [2, 2, 0, -2, -3, -1.5, 1],
        [INF, NAN, INF, NAN, INF, NAN, NAN],
    ),
    (
        tf.zeta,
        [INF] * 8,
        [-INF, -1.5, -1, 0, 0.5, 1, 1.5, NAN],
        [INF] * 5 + [1, 0, NAN],
    ),
    (tf.polygamma, [-1, 0.5, NAN, 1, 1], [2, 2, 2, NAN, 0], [NAN] * 4 + [INF]),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("function", "a", "x", "want"), ENDS)
def test_ends_of_the_domain(function, a, x, want, dtype):
    got = run(function, np.array(a, dtype), np.array(x, dtype))
    np.testing.assert_array_equal(got, np.array(want, dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_zeta_and_polygamma_of_many_arguments(dtype):
    """Arguments of all sizes, mixed with some that the kernel computes one by one."""
    rng = np.random.RandomState(7)
    n = 1000
    s = np.where(
        np.arange(n) % 2, rng.uniform(1.01, 4, n), 10 ** rng.uniform(0.1, 2, n)
    )
    order = rng.randint(0, 12, n).astype(dtype)
    q = (10 ** rng.uniform(-2, 3, n)).astype(dtype)
    s = s.astype(dtype)
    wide = [v.astype(np.float64) for v in (s, order, q)]
    with np.errstate(over="ignore"):
        want_zeta = scipy.special.zeta(wide[0], wide[2]).astype(dtype)
        want_polygamma = polygamma(wide[1], wide[2]).astype(dtype)
    odd = np.arange(n) % 7 == 0
    got = run(tf.zeta, s, np.where(odd, -2, q).astype(dtype))
    # Denormal numbers have fewer digits.
    sure = ~odd & (want_zeta > np.finfo(dtype).tiny)
    assert sure.sum() > n / 2
    np.testing.assert_allclose(
        got[sure], want_zeta[sure], rtol=60 * np.finfo(dtype).eps
    )
    small = ~odd & ~sure
    np.testing.assert_allclose(got[small], want_zeta[small], atol=np.finfo(dtype).tiny)
    np.testing.assert_array_equal(got[odd], run(tf.zeta, s[odd], np.array(-2, dtype)))
    got = run(tf.polygamma, order, np.where(odd, NAN, q).astype(dtype))
    assert np.isnan(got[odd]).all()
    # Digamma has a zero in between.
    np.testing.assert_allclose(
        got[~odd], want_polygamma[~odd], rtol=60 * np.finfo(dtype).eps, atol=1e-14
    )


def test_zeta_and_polygamma_left_of_zero():
    q = np.array([-0.5, -1.25, -7.3, -100.75])
    for s in (2.0, 3.0, 6.0):
        terms = sum((q + n) ** -s for n in range(400000))
        np.testing.assert_allclose(run(tf.zeta, np.full(4, s), q), terms, rtol=1e-5)
    # psi'(1 - x) + psi'(x) = (pi / sin(pi x))^2.
    x = np.array([-0.5, -1.25, -7.3])
    want = (np.pi / np.sin(np.pi * x)) ** 2 - scipy.special.polygamma(1, 1 - x)
    np.testing.assert_allclose(run(tf.polygamma, np.ones(3), x), want, rtol=1e-12)


@pytest.mark.parametrize("dtype", FLOATS)
def test_even_polygamma_at_negative_half_integers(dtype):
    """The cotangent of the reflection vanishes there: psi(n, x) = psi(n, 1 - x)."""
    n, x = np.meshgrid([2.0, 4, 6, 20], [-0.5, -1.5, -2.5, -5.5])
    want = scipy.special.polygamma(n.astype(int), 1 - x)
    close(run(tf.polygamma, n.astype(dtype), x.astype(dtype)), want, dtype, 60)


def gradient_errors(function, *arrays, of):
    """The largest error of the gradient by each argument in `of`, upstream gradient random."""
    worst = 0.0
    for i in of:
        with tf.Graph().as_default(), tf.Session():
            constants = [tf.constant(a) for a in arrays]
            y = function(*constants)
            weights = np.random.RandomState(1).uniform(
                0.5, 1.5, y.get_shape().as_list()
            )
            z = y * tf.constant(weights)
            x = constants[i]
            worst = max(
                worst,
                tf.test.compute_gradient_error(
                    x,
                    arrays[i].shape,
                    z,
                    weights.shape,
                    x_init_value=arrays[i],
                    delta=1e-5,
                ),
            )
    return worst


def gradient_by_last(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        constants = [tf.constant(v) for v in arrays]
        return sess.run(tf.gradients(function(*constants), constants[-1])[0])


def test_gradients_of_incomplete_gamma_functions_at_zero():
    a, x = np.array([0.5, 1, 2]), np.zeros(3)
    want = np.array([INF, 1, 0])
    np.testing.assert_array_equal(gradient_by_last(tf.igamma, a, x), want)
    np.testing.assert_array_equal(gradient_by_last(tf.igammac, a, x), -want)


U = np.array([[0.3, 0.7, 0.95], [0.2, 0.55, 0.8]])


@pytest.mark.parametrize(
    ("function", "arrays", "of"),
    [
        (tf.sinh, (U,), [0]),
        (tf.cosh, (U,), [0]),
        (tf.asin, (U,), [0]),
        (tf.acos, (U,), [0]),
        (tf.atan, (U,), [0]),
        (tf.asinh, (U,), [0]),
        (tf.acosh, (U + 1,), [0]),
        (tf.atanh, (U,), [0]),
        (tf.digamma, (U + 1,), [0]),
        (tf.atan2, (U, U[:, :1] - 1), [0, 1]),
        (tf.igamma, (U[:1] * 3, U * 4), [1]),
        (tf.igammac, (U * 3, U[:1] * 4), [1]),
        (tf.zeta, (U[:1] + 2, U * 3), [1]),
        (tf.polygamma, (np.ones([2, 3]), U * 3), [1]),
        (tf.cross, (U, U[::-1] - 0.5), [0, 1]),
        (tf.lbeta, (U * 3,), [0]),
    ],
)
def test_gradients(function, arrays, of):
    assert gradient_errors(function, *map(np.asarray, arrays), of=of) < 1e-5
    if function not in (tf.cross,):
        # The second order goes through the ops of the first.
        def slope(*args):
            wanted = args[of[0]]
            return tf.gradients(function(*args), wanted)[0]

        assert gradient_errors(slope, *map(np.asarray, arrays), of=of[:1]) < 1e-4


@pytest.mark.parametrize("name", ["sinh", "cosh", "asin", "atan", "asinh", "atanh"])
def test_complex_gradients(name):
    x = (U + 1j * U[::-1]).astype(np.complex128)
    with tf.Graph().as_default(), tf.Session():
        c = tf.constant(x)
        y = getattr(tf, name)(c)
        error = tf.test.compute_gradient_error(c, x.shape, y, x.shape, x_init_value=x)
    assert error < 1e-5
