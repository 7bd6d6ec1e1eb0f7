# SPDX-License-Identifier: Apache-2.0
"""Elementwise ops against NumPy and SciPy, for every dtype, size and broadcast."""

import numpy as np
import pytest
import scipy.special

import tensorwright as tf
from tensorwright.python.kernel_tests.math.cwise_reference import (
    COMPLEX,
    FLOATS,
    SIGNED,
    SIZES,
    UNSIGNED,
    expect,
    numbers,
    run,
    sigmoid,
    wide,
)
from tensorwright.python.ops import gen_math_ops, gen_nn_ops


def sign(x):
    if x.dtype.kind != "c":
        return np.sign(x)
    return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))


UNARY = [
    ("neg", lambda x: -x, SIGNED + FLOATS + COMPLEX, -9, 9),
    ("_abs", np.abs, SIGNED + FLOATS, -9, 9),
    ("square", np.square, SIGNED + UNSIGNED + FLOATS + COMPLEX, -9, 9),
    ("sign", sign, SIGNED + FLOATS + COMPLEX, -3, 3),
    ("sqrt", np.sqrt, FLOATS + COMPLEX, 0, 9),
    ("rsqrt", lambda x: 1 / np.sqrt(x), FLOATS + COMPLEX, 0.5, 9),
    ("reciprocal", lambda x: 1 / x, FLOATS + COMPLEX, 0.5, 9),
    ("inv", lambda x: 1 / x, FLOATS + COMPLEX, 0.5, 9),
    ("exp", np.exp, FLOATS + COMPLEX, -4, 4),
    ("expm1", np.expm1, FLOATS + COMPLEX, -4, 2),
    ("log", np.log, FLOATS + COMPLEX, 0.1, 9),
    ("log1p", np.log1p, FLOATS + COMPLEX, -0.5, 9),
    ("sin", np.sin, FLOATS + COMPLEX, -4, 4),
    ("cos", np.cos, FLOATS + COMPLEX, -4, 4),
    ("tan", np.tan, FLOATS + COMPLEX, -1, 1),
    ("tanh", np.tanh, FLOATS + COMPLEX, -4, 4),
    ("sigmoid", sigmoid, FLOATS + COMPLEX, -4, 4),
    ("sinh", np.sinh, FLOATS + COMPLEX, -4, 4),
    ("cosh", np.cosh, FLOATS + COMPLEX, -4, 4),
    ("asin", np.arcsin, FLOATS + COMPLEX, -1, 1),
    ("acos", np.arccos, FLOATS + COMPLEX, -1, 1),
    ("atan", np.arctan, FLOATS + COMPLEX, -9, 9),
    ("asinh", np.arcsinh, FLOATS + COMPLEX, -9, 9),
    ("acosh", np.arccosh, FLOATS + COMPLEX, 1, 9),
    ("atanh", np.arctanh, FLOATS + COMPLEX, -0.9, 0.9),
    ("floor", np.floor, FLOATS, -4, 4),
    ("ceil", np.ceil, FLOATS, -4, 4),
    ("rint", np.rint, FLOATS, -4, 4),
    ("round", np.rint, ["int32", "int64"] + FLOATS, -4, 4),
    ("erf", scipy.special.erf, FLOATS, -3, 3),
    ("erfc", scipy.special.erfc, FLOATS, -3, 3),
    ("lgamma", scipy.special.gammaln, FLOATS, 0.5, 9),
    ("digamma", scipy.special.digamma, FLOATS, 2, 9),
    ("is_nan", np.isnan, FLOATS, -1, 1),
    ("is_inf", np.isinf, FLOATS, -1, 1),
    ("is_finite", np.isfinite, FLOATS, -1, 1),
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "numpy", "dtypes", "low", "high"), UNARY)
def test_unary(name, numpy, dtypes, low, high, size):
    for dtype in dtypes:
        x = numbers(dtype, [size], low, high)
        got = run(getattr(gen_math_ops, name), dtype, x)
        expect(got, np.asarray(numpy(wide(x))), dtype)


RELU_LIKE = [
    ("relu", lambda x: np.maximum(x, 0), SIGNED + UNSIGNED + FLOATS),
    ("relu6", lambda x: np.clip(x, 0, 6), SIGNED + UNSIGNED + FLOATS),
    ("elu", lambda x: np.where(x < 0, np.expm1(x), x), FLOATS),
    ("softplus", lambda x: np.logaddexp(x, 0), FLOATS),
    ("softsign", lambda x: x / (1 + np.abs(x)), FLOATS),
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "numpy", "dtypes"), RELU_LIKE)
def test_activation(name, numpy, dtypes, size):
    for dtype in dtypes:
        x = numbers(dtype, [size], -9, 9)
        expect(run(getattr(gen_nn_ops, name), dtype, x), numpy(wide(x)), dtype)


def test_nan_and_infinity_pass_through_activations():
    x = np.array([np.nan, np.inf, -np.inf], np.float32)
    np.testing.assert_array_equal(
        run(gen_nn_ops.relu, "float32", x), [np.nan, np.inf, 0]
    )
    np.testing.assert_array_equal(run(gen_nn_ops.relu6, "float32", x), [np.nan, 6, 0])
    np.testing.assert_array_equal(
        run(gen_nn_ops.elu, "float32", x), [np.nan, np.inf, -1]
    )
    np.testing.assert_array_equal(
        run(gen_nn_ops.softplus, "float32", x), [np.nan, np.inf, 0]
    )


NUMBERS = SIGNED + UNSIGNED + FLOATS + COMPLEX
REAL = SIGNED + UNSIGNED + FLOATS
BINARY = [
    ("add", np.add, SIGNED + ["uint8"] + FLOATS + COMPLEX),
    ("add_v2", np.add, NUMBERS),
    ("sub", np.subtract, NUMBERS),
    ("mul", np.multiply, NUMBERS),
    ("real_div", np.divide, FLOATS + COMPLEX),
    ("div", np.divide, FLOATS + COMPLEX),
    ("floor_div", np.floor_divide, REAL),
    ("floor_mod", np.mod, REAL),
    ("mod", np.fmod, ["int32", "int64"] + FLOATS),
    ("truncate_mod", np.fmod, ["int32", "int64"] + FLOATS),
    ("atan2", np.arctan2, FLOATS),
    ("maximum", np.maximum, REAL),
    ("minimum", np.minimum, REAL),
    (
        "squared_difference",
        lambda x, y: (x - y) * np.conj(x - y),
        ["int32", "int64"] + FLOATS + COMPLEX,
    ),
    ("equal", np.equal, NUMBERS),
    ("not_equal", np.not_equal, NUMBERS),
    ("less", np.less, REAL),
    ("less_equal", np.less_equal, REAL),
    ("greater", np.greater, REAL),
    ("greater_equal", np.greater_equal, REAL),
]
SHAPES = [
    ([], []),
    ([1], [5]),
    ([3, 4], [3, 4]),
    ([3, 4], [4]),
    ([3, 1], [1, 4]),
    ([], [2, 3]),
    ([2, 1, 3, 1], [4, 1, 5]),
    ([0, 3], [1, 3]),
    ([70, 31], [70, 1]),
]


@pytest.mark.parametrize(("name", "numpy", "dtypes"), BINARY)
def test_binary_broadcasts(name, numpy, dtypes):
    for dtype in dtypes:
        for x_shape, y_shape in SHAPES:
            x = numbers(dtype, x_shape, -9, 9, 1)
            y = numbers(dtype, y_shape, 1, 5, 2)
            got = run(getattr(gen_math_ops, name), dtype, x, y)
            expect(got, np.asarray(numpy(wide(x), wide(y))), dtype)
            if name not in (
                "floor_div",
                "floor_mod",
                "mod",
                "truncate_mod",
                "div",
                "real_div",
                "atan2",
            ):
                got = run(getattr(gen_math_ops, name), dtype, y, x)
                expect(got, np.asarray(numpy(wide(y), wide(x))), dtype)


def test_pow():
    for dtype in FLOATS + COMPLEX:
        x, y = numbers(dtype, [50], 0.5, 3, 1), numbers(dtype, [50], -2, 2, 2)
        expect(run(gen_math_ops._pow, dtype, x, y), np.power(wide(x), wide(y)), dtype)
    for dtype in SIGNED:
        x, y = numbers(dtype, [50], -3, 4, 1), numbers(dtype, [50], 0, 4, 2)
        expect(run(gen_math_ops._pow, dtype, x, y), np.power(x, y), dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
        run(gen_math_ops._pow, "int32", np.int32([2]), np.int32([-1]))


def test_logic():
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    np.testing.assert_array_equal(run(gen_math_ops.logical_and, "bool", x, y), x & y)
    np.testing.assert_array_equal(run(gen_math_ops.logical_or, "bool", x, y), x | y)
    np.testing.assert_array_equal(run(gen_math_ops.logical_not, "bool", x), ~x)


def test_nan_is_the_extremum_and_equals_nothing():
    x, y = np.float32([np.nan, 1, np.nan]), np.float32([1, np.nan, np.nan])
    assert np.isnan(run(gen_math_ops.maximum, "float32", x, y)).all()
    assert np.isnan(run(gen_math_ops.minimum, "float32", x, y)).all()
    assert not run(gen_math_ops.equal, "float32", x, x)[0]
    assert run(gen_math_ops.not_equal, "float32", x, x)[0]


def test_add_v2_adds_where_no_pass_makes_it_an_add():
    options = tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)
    config = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=options))
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        for dtype in (np.uint16, np.int32, np.float32, np.complex64):
            x, y = np.arange(6).reshape(2, 3).astype(dtype), np.array([5, 6, 7], dtype)
            feeds = [tf.placeholder(dtype), tf.placeholder(dtype)]
            total = gen_math_ops.add_v2(*feeds)
            got = sess.run(total, dict(zip(feeds, (x, y))))
            np.testing.assert_array_equal(got, x + y)


def test_strings_join_and_compare():
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.constant(["a", "b"]), tf.constant(["b"])
        joined, same = sess.run([gen_math_ops.add(x, y), gen_math_ops.equal(x, y)])
    assert joined.tolist() == [b"ab", b"bb"]
    assert same.tolist() == [False, True]


def test_shapes_that_do_not_broadcast_are_refused():
    x, y = np.zeros([2, 3], np.float32), np.zeros([2], np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(gen_math_ops.add, "float32", x, y)
    with tf.Graph().as_default(), pytest.raises(ValueError):
        gen_math_ops.add(x, y)

    def allow(a, b):
        return gen_math_ops.equal(a, b, incompatible_shape_error=False)

    assert run(allow, "float32", x, y) == np.False_


def test_parts_of_complex_numbers():
    for dtype, part in (("complex64", tf.float32), ("complex128", tf.float64)):
        x = numbers(dtype, [33], -3, 3)
        real = run(lambda v: gen_math_ops.real(v, Tout=part), dtype, x)
        imag = run(lambda v: gen_math_ops.imag(v, Tout=part), dtype, x)
        size = run(lambda v: gen_math_ops._complex_abs(v, Tout=part), dtype, x)
        np.testing.assert_array_equal(real, x.real)
        np.testing.assert_array_equal(imag, x.imag)
        np.testing.assert_allclose(size, np.abs(x), rtol=1e-6)
        np.testing.assert_array_equal(run(gen_math_ops._conj, dtype, x), x.conj())


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_sizes_of_complex_numbers_that_have_no_squares(dtype):
    """Too large, too small, infinite or none, beside each other."""
    real = tf.float32 if dtype == "complex64" else tf.float64
    info = np.finfo(real.as_numpy_dtype)
    parts = np.array(
        [0.0, -0.0, info.smallest_subnormal, info.tiny, info.tiny * 3, 1e-30, 1, -3]
        + [0.6 * info.max, info.max, 2.0**100, np.inf, -np.inf, np.nan]
        + ([2.0**499.5, 2.0**501, 2.0**-449, 2.0**-451.5] if dtype[-1] == "8" else [])
    )
    x = (parts[:, None] + np.zeros(len(parts))).astype(dtype)
    x.imag = parts
    with np.errstate(over="ignore"):
        want = np.hypot(x.real, x.imag)
    got = run(lambda v: gen_math_ops._complex_abs(v, Tout=real), dtype, x)
    np.testing.assert_allclose(got, want, rtol=3 * info.eps)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_many_integers_are_round(dtype):
    """More than caches hold, from any place on; and the input stays."""
    x = np.arange(-3, 2_100_000, dtype=dtype) * 1013
    with tf.Graph().as_default(), tf.Session() as sess:
        whole = tf.constant(x)
        rounded = [gen_math_ops.round(whole), gen_math_ops.round(whole[1:])]
        variable = tf.Variable(x, use_resource=False)
        sess.run(variable.initializer)
        before = gen_math_ops.round(variable)
        with tf.control_dependencies([before]):
            after = tf.assign_add(variable, tf.ones_like(x))
        with tf.control_dependencies([after]):
            kept = tf.identity(before)
        got = sess.run([*rounded, whole, kept])
    for value, want in zip(got, [x, x[1:], x, x], strict=True):
        np.testing.assert_array_equal(value, want)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex128"])
def test_select(dtype):
    rng = np.random.RandomState(0)
    t, e = (rng.randint(0, 2, [5, 3]) * 7).astype(dtype), np.ones([5, 3], dtype)
    for condition in (rng.rand(5, 3) > 0.5, rng.rand(5) > 0.5, np.array(True)):
        got = run(gen_math_ops.select, dtype, condition, t, e)
        wide_condition = condition[:, None] if condition.ndim == 1 else condition
        np.testing.assert_array_equal(got, np.where(wide_condition, t, e))
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(gen_math_ops.select, dtype, np.array([True]), t, e)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "float32", "complex128"])
@pytest.mark.parametrize(
    ("x_shape", "y_shape"),
    [
        ([40, 7, 1], [40, 1, 3]),
        ([3, 5, 31], [31]),
        ([31], [3, 5, 31]),
        ([50, 2, 3], [1, 2, 1]),
        ([1, 2, 1, 4], [9, 1, 5, 1]),
        ([300, 1], [1, 5]),
    ],
)
def test_rows_shorter_than_a_vector(dtype, x_shape, y_shape):
    x, y = numbers(dtype, x_shape, -9, 9, 1), numbers(dtype, y_shape, 1, 5, 2)
    expect(run(gen_math_ops.sub, dtype, x, y), np.asarray(wide(x) - wide(y)), dtype)
    got = run(gen_math_ops.equal, dtype, x, y)
    np.testing.assert_array_equal(got, x == y)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrow_floats_round_to_nearest_even(dtype):
    bits = 10 if dtype == "float16" else 7
    one_up = 2.0**-bits
    x = np.float32(
        [1 + one_up / 2, 1 + 3 * one_up / 2, 1 + 0.51 * one_up, -1 - one_up / 2]
    )
    x = np.concatenate([x, np.tile(x, 5), np.float32([np.nan, np.inf, -np.inf, 0])])
    with tf.Graph().as_default(), tf.Session() as sess:
        p = tf.placeholder(tf.float32)
        got = sess.run(tf.cast(tf.cast(p, tf.as_dtype(dtype)), tf.float32), {p: x})
    want = np.float32(
        [1, 1 + 2 * one_up, 1 + one_up, -1] * 6 + [np.nan, np.inf, -np.inf, 0]
    )
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_sign_of_what_is_small_or_no_number(dtype):
    tiny = np.finfo(dtype).smallest_subnormal if dtype != "bfloat16" else 1e-40
    x = np.array([0.0, -0.0, tiny, -tiny, 3, -3, np.inf, -np.inf, np.nan])
    want = np.array([0, 0, 1, -1, 1, -1, 1, -1, np.nan])
    np.testing.assert_array_equal(run(tf.sign, dtype, np.tile(x, 5)), np.tile(want, 5))


@np.errstate(over="ignore")
@pytest.mark.parametrize("dtype", COMPLEX)
def test_sizes_of_complex_numbers_far_out_and_close_in(dtype):
    large, small = np.finfo(dtype).max / 2, np.finfo(dtype).smallest_subnormal
    parts = [0.0, -0.0, 1, -3, large, small, np.inf, -np.inf, np.nan]
    a, b = np.meshgrid(parts, parts)
    x = np.empty(a.size, dtype)
    x.real, x.imag = a.ravel(), b.ravel()
    got, want = run(tf.abs, dtype, x), np.hypot(x.real, x.imag)
    np.testing.assert_allclose(got, want, rtol=2 * np.finfo(dtype).eps)
