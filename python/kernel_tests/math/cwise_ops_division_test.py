# SPDX-License-Identifier: Apache-2.0
"""Quotients and remainders: their signs, the ends of the dtypes, division by zero."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.math.cwise_reference import (
    COMPLEX,
    SIGNED,
    UNSIGNED,
    run,
)
from tensorwright.python.ops import gen_math_ops


@pytest.mark.parametrize("dtype", SIGNED)
def test_signs_of_integer_quotients_and_remainders(dtype):
    x = np.array([7, -7, 7, -7, 8, -8], dtype)
    y = np.array([2, 2, -2, -2, 4, 4], dtype)
    q, r = np.divmod(x, y)
    np.testing.assert_array_equal(run(gen_math_ops.floor_div, dtype, x, y), q)
    np.testing.assert_array_equal(run(gen_math_ops.floor_mod, dtype, x, y), r)
    toward_zero = [3, -3, -3, 3, 2, -2]
    np.testing.assert_array_equal(
        run(gen_math_ops.truncate_div, dtype, x, y), toward_zero
    )
    np.testing.assert_array_equal(run(gen_math_ops.div, dtype, x, y), toward_zero)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_rows_of_quotients(dtype):
    x, y = np.array([[7, 8, 9], [50, 60, 70]], dtype), np.array([[2], [7]], dtype)
    for op in (gen_math_ops.truncate_div, gen_math_ops.floor_div, gen_math_ops.div):
        np.testing.assert_array_equal(run(op, dtype, x, y), x // y)
    np.testing.assert_array_equal(run(gen_math_ops.floor_mod, dtype, x, y), x % y)


@pytest.mark.parametrize(
    "name", ["div", "floor_div", "truncate_div", "floor_mod", "mod"]
)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integer_division_by_zero_is_an_error(name, dtype):
    x, y = np.array([1, 2, 3], dtype), np.array([1, 0, 1], dtype)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Integer division by zero"
    ):
        run(getattr(gen_math_ops, name), dtype, x, y)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_quotients_of_any_size(dtype):
    """Squares and products overflow and underflow; what is 0 or not finite is as NumPy has it."""
    rng = np.random.RandomState(0)
    limit = 18 if dtype == "complex64" else 150
    x, y = (
        rng.normal(size=2000) * 10.0 ** rng.uniform(-limit, limit, 2000)
        + 1j * rng.normal(size=2000) * 10.0 ** rng.uniform(-limit, limit, 2000)
        for _ in "xy"
    )
    x, y = x.astype(dtype), y.astype(dtype)
    want = x.astype(np.clongdouble) / y.astype(np.clongdouble)
    size = np.maximum(np.abs(want), np.finfo(dtype).tiny)
    fine = size < np.finfo(dtype).max / 4
    for op in (tf.divide, tf.realdiv):
        got = run(op, dtype, x, y)[fine]
        error = np.abs(got - want[fine]) / size[fine]
        assert error.max() <= 8 * np.finfo(dtype).eps
    for op, want in (
        (tf.reciprocal, 1 / y.astype(np.clongdouble)),
        (tf.sign, y / np.abs(y.astype(np.clongdouble))),
    ):
        error = np.abs(run(op, dtype, y) - want) / np.abs(want)
        assert error.max() <= 4 * np.finfo(dtype).eps
    for a, b in ((0, 1 + 1j), (np.inf, 1 + 1j), (1, 0), (1 + 1j, np.inf)):
        got = run(tf.realdiv, dtype, np.array([a], dtype), np.array([b], dtype))
        assert np.isfinite(got[0]) == (b != 0 and np.isfinite(a))


def divisions(x, y):
    """Divides by Python's integers, in x's dtype: (truncated, floored, remainder, floored remainder)."""
    pairs = [(int(a), int(b)) for a, b in zip(x, y)]
    floored = [a // b for a, b in pairs]
    truncated = [abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in pairs]
    rest = [a - q * b for (a, b), q in zip(pairs, truncated)]
    wrapped = [np.array(v, object) for v in (truncated, floored, rest)]
    wrapped.append(np.array([a % b for a, b in pairs], object))
    span = 1 << np.iinfo(x.dtype).bits
    low = int(np.iinfo(x.dtype).min)
    return [((v - low) % span + low).astype(x.dtype) for v in wrapped]


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_integer_divisions_at_their_ends(dtype):
    info = np.iinfo(dtype)
    ends = [info.min, info.min + 1, -7, -1, 0, 1, 2, 3, 7, info.max - 1, info.max]
    x = np.array([v for v in ends if info.min <= v <= info.max], dtype)
    x, y = (a.ravel() for a in np.meshgrid(x, x[x != 0]))
    rng = np.random.RandomState(1)
    some = [np.frombuffer(rng.bytes(1500 * info.bits // 8), dtype) for _ in "xy"]
    x, y = (
        np.concatenate([x, some[0]]),
        np.concatenate([y, np.where(some[1], some[1], 1)]),
    )
    truncated, floored, rest, modulus = divisions(x, y)
    np.testing.assert_array_equal(run(tf.truncatediv, dtype, x, y), truncated)
    np.testing.assert_array_equal(run(tf.floordiv, dtype, x, y), floored)
    np.testing.assert_array_equal(run(tf.floormod, dtype, x, y), modulus)
    if dtype in ("int32", "int64"):
        np.testing.assert_array_equal(run(tf.truncatemod, dtype, x, y), rest)
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        run(tf.floordiv, dtype, x, np.concatenate([y[:-1], [0]]).astype(dtype))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_remainders_of_floats(dtype):
    rng = np.random.RandomState(2)
    x = np.concatenate([rng.randn(700) * 100, [0.0, -0.0, 5, -5, 3e4, 1e-3]])
    y = np.concatenate([rng.randn(700), [3, -3, np.inf, 2, 1e-3, -7]])
    x, y = x.astype(dtype), y.astype(dtype)
    for a, b in ((x, y), (x * 0 + 50000, y * 0 + dtype_tiny(dtype)), (x, y[:1])):
        np.testing.assert_array_equal(run(tf.truncatemod, dtype, a, b), np.fmod(a, b))
        want = np.fmod(a, b)
        with np.errstate(invalid="ignore"):
            want = np.where((want != 0) & ((want < 0) != (b < 0)), want + b, want)
        np.testing.assert_array_equal(run(tf.floormod, dtype, a, b), want)
    for a, b in ((np.inf, 1), (1, np.nan), (1, 0)):
        got = run(tf.floormod, dtype, np.array([a], dtype), np.array([b], dtype))
        assert np.isnan(got[0])


def dtype_tiny(dtype):
    return np.finfo(dtype).tiny
