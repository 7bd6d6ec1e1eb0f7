# SPDX-License-Identifier: Apache-2.0
"""Differences judge gradients: right ones agree, wrong ones do not, and unclear ones are no agreement."""

import numpy as np
import pytest

from tensorwright.tools.opcheck import finite_differences as fd

_RNG = np.random.RandomState(3)
_X = _RNG.normal(size=7)
_W = _RNG.normal(size=7)

# name -> (function of an array, its gradient of the sum weighted with w).
_SMOOTH = {
    "square": (np.square, lambda x, w: 2 * x * w),
    "exp": (np.exp, lambda x, w: np.exp(x) * w),
    "inverse": (lambda x: 1 / x, lambda x, w: -w / x**2),
    "sum": (lambda x: np.full_like(x, x.sum()), lambda x, w: np.full_like(x, w.sum())),
}


def _compare(function, x, gradient, weights=_W, seed=0):
    def total(value):
        with np.errstate(all="ignore"):
            terms = np.asarray(function(value)) * weights
        return fd.Total(float(terms.real.sum()), float(np.abs(terms).sum()))

    return fd.compare(total, x, gradient, np.random.RandomState(seed))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", _SMOOTH)
def test_a_right_gradient_agrees_and_tells(name, dtype):
    function, gradient = _SMOOTH[name]
    x = (np.abs(_X) + 0.5).astype(dtype)
    for seed in range(20):
        pair = _compare(function, x, gradient(x, _W).astype(dtype), seed=seed)
        assert pair.verdict == "agree", (seed, pair)
    assert pair.telling


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", _SMOOTH)
@pytest.mark.parametrize("factor", [3.0, -1.0, 0.0, 1.1])
def test_a_wrong_gradient_differs(name, factor, dtype):
    function, gradient = _SMOOTH[name]
    x = (np.abs(_X) + 0.5).astype(dtype)
    pairs = [
        _compare(function, x, factor * gradient(x, _W).astype(dtype), seed=seed)
        for seed in range(5)
    ]
    assert any(p.verdict == "differ" for p in pairs)


def test_in_double_precision_a_gradient_is_known_to_eight_digits():
    wrong = 2 * _X * _W * (1 + 1e-7)
    assert _compare(np.square, _X, wrong).verdict == "differ"
    assert _compare(np.square, _X, 2 * _X * _W).verdict == "agree"


def test_no_gradient_is_one_of_zero():
    assert _compare(np.square, _X, None).verdict == "differ"
    flat = _compare(np.ones_like, _X, None)
    assert flat.verdict == "agree" and not flat.telling


def test_complex_numbers_count_as_pairs_of_reals():
    x, w = (_RNG.normal(size=5) + 1j * _RNG.normal(size=5) for _ in range(2))
    right = np.conj(2 * x) * w
    weights = np.conj(w)
    assert _compare(np.square, x, right, weights).verdict == "agree"
    assert _compare(np.square, x, np.conj(right), weights).verdict == "differ"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_gradient_that_is_not_finite_differs_from_a_derivative_that_is(bad):
    gradient = 2 * _X * _W
    gradient[3] = bad
    assert _compare(np.square, _X, gradient).verdict == "differ"


def test_a_function_that_is_not_finite_says_nothing():
    pair = _compare(lambda x: np.log(x - 10), _X, _X)
    assert pair.verdict == "not finite" and not pair.clear and not pair.telling


@pytest.mark.parametrize("function", [np.abs, np.sign, np.floor])
def test_a_kink_or_a_step_says_nothing(function):
    x = np.zeros(1)
    pair = _compare(function, x, np.zeros(1), np.ones(1))
    assert not pair.clear, pair
    near = _compare(function, x + 1e-9, None, np.ones(1))
    assert not near.clear, near
