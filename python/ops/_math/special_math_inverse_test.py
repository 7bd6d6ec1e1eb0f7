# SPDX-License-Identifier: Apache-2.0
"""erfinv, erfcinv, ndtri and nextafter against SciPy and NumPy."""

import numpy as np
import pytest
import scipy.special

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_SPECIAL = [-1.5, -1.0, -0.0, 0.0, 1.0, 2.0, 2.5, np.inf, -np.inf, np.nan]
_SYMMETRIC = [
    np.linspace(-1, 1, 201),
    10.0 ** -np.arange(1, 300, 7),
    1 - np.logspace(-15, -1),
]
_TAILS = [
    np.linspace(0, 2, 201),
    10.0 ** -np.arange(1, 305, 5),
    2 - np.logspace(-15, -1),
]

# Name -> (values, SciPy's function).
_FUNCTIONS = {
    "erfinv": (np.concatenate([*_SYMMETRIC, _SPECIAL]), scipy.special.erfinv),
    "erfcinv": (np.concatenate([*_TAILS, _SPECIAL]), scipy.special.erfcinv),
    "ndtri": (np.concatenate([*_TAILS, _SPECIAL]), scipy.special.ndtri),
}


@pytest.mark.parametrize(
    ("dtype", "rtol"), [(np.float64, 1e-13), (np.float32, 3e-7), (np.float16, 1e-3)]
)
@pytest.mark.parametrize("name", _FUNCTIONS)
def test_inverses_are_scipys(name, dtype, rtol):
    values, function = _FUNCTIONS[name]
    x = values.astype(dtype)
    got = getattr(tf.math, name)(x)
    assert got.dtype == dtype
    with np.errstate(all="ignore"):
        expected = function(x.astype(np.float64)).astype(dtype)
    np.testing.assert_allclose(evaluate(got), expected, rtol=rtol, atol=rtol / 100)


@pytest.mark.parametrize("shape", [[], [0], [2, 3]])
def test_inverses_undo_what_they_are_inverses_of(shape):
    y = np.random.RandomState(1).normal(size=shape)
    np.testing.assert_allclose(evaluate(tf.math.erfinv(tf.erf(y))), y, rtol=1e-7)
    np.testing.assert_allclose(evaluate(tf.math.erfcinv(tf.erfc(y))), y, rtol=1e-7)


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_gradients_of_both_orders_are_numeric_ones(name):
    values = np.array([0.03, 0.2, 0.5, 0.77, 0.98])
    x = tf.constant(values)
    function = _FUNCTIONS[name][1]
    (first,) = tf.gradients(getattr(tf.math, name)(x), x)
    (second,) = tf.gradients(first, x)
    h = 1e-5
    numeric = (function(values + h) - function(values - h)) / (2 * h)
    one, two = evaluate([first, second])
    np.testing.assert_allclose(one, numeric, rtol=1e-5)
    h = 1e-4
    numeric = function(values + h) - 2 * function(values) + function(values - h)
    np.testing.assert_allclose(two, numeric / h**2, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nextafter_is_numpys_to_the_bit(dtype):
    f = np.finfo(dtype)
    sizes = [0.0, f.smallest_subnormal, f.tiny, 1.0, 1.5, f.max, np.inf]
    x = np.array([*sizes, *np.negative(sizes), np.nan], dtype)
    got = evaluate(tf.math.nextafter(x[:, None], x))
    with np.errstate(all="ignore"):
        expected = np.nextafter(x[:, None], x)
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(got), nan)
    bits = np.int32 if dtype == np.float32 else np.int64
    np.testing.assert_array_equal(got[~nan].view(bits), expected[~nan].view(bits))


def test_the_gradient_of_nextafter_is_that_of_its_first_argument():
    x1, x2 = tf.constant(np.ones([2, 1])), tf.constant(np.zeros([3]))
    y = tf.math.nextafter(x1, x2)
    assert y.shape.as_list() == [2, 3]
    by_x1, by_x2 = evaluate(tf.gradients(y, [x1, x2]))
    assert by_x1.tolist() == [[3.0], [3.0]] and by_x2.tolist() == [0.0] * 3


def test_other_dtypes_are_refused():
    for name in _FUNCTIONS:
        with pytest.raises(TypeError, match=f"{name}: x must be floating"):
            getattr(tf.math, name)([1, 2])
    with pytest.raises(TypeError, match="x1"):
        tf.math.nextafter(tf.constant(np.float16(1)), tf.constant(np.float16(2)))
