# SPDX-License-Identifier: Apache-2.0
"""Elementwise ops against NumPy and SciPy, for every dtype, size and broadcast."""

import math

import numpy as np
import pytest
import scipy.special

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops, gen_nn_ops

FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
TOLERANCE = {
    "float16": 2e-3,
    "bfloat16": 1e-2,
    "float32": 2e-6,
    "complex64": 4e-6,
    "float64": 1e-13,
    "complex128": 1e-13,
}
SIZES = [0, 1, 17, 5000]


def run(function, dtype, *arrays):
    """function(*arrays) as `dtype`; bfloat16 goes in and out as float32."""
    with tf.Graph().as_default(), tf.Session() as sess:
        feed, inputs = {}, []
        for a in arrays:
            narrow = dtype == "bfloat16" and a.dtype == np.float32
            p = tf.placeholder(tf.as_dtype(a.dtype))
            feed[p] = a
            inputs.append(tf.cast(p, tf.bfloat16) if narrow else p)
        out = function(*inputs)
        if out.dtype == tf.bfloat16:
            out = tf.cast(out, tf.float32)
        return sess.run(out, feed)


def numbers(dtype, shape, low, high, seed=0):
    """Random values in [low, high); of floats such as bfloat16 holds exactly."""
    rng = np.random.RandomState(seed)
    if dtype in SIGNED + UNSIGNED:
        return rng.randint(
            max(low, 0) if dtype in UNSIGNED else low, high, shape
        ).astype(dtype)
    x = rng.uniform(low, high, shape)
    if dtype in COMPLEX:
        return (x + 1j * rng.uniform(-1, 1, shape)).astype(dtype)
    rounded = x.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return rounded.view(np.float32).astype("float32" if dtype == "bfloat16" else dtype)


def expect(got, want, dtype):
    """Equal integers; numbers within what the dtype resolves."""
    assert got.shape == want.shape
    if got.dtype.kind in "fc":
        tol = TOLERANCE[dtype]
        np.testing.assert_allclose(got, want.astype(got.dtype), rtol=tol, atol=tol)
    else:
        np.testing.assert_array_equal(got, want)


def wide(x):
    """x as NumPy computes it best."""
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


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


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_log1p_is_exact_near_0_near_minus_1_and_far_away(dtype):
    real = np.finfo(dtype).dtype.type
    tiny, huge = np.finfo(dtype).tiny, np.finfo(dtype).max / 4
    below = np.nextafter(real(-1), real(0))
    x = np.array(
        [tiny + 1j * tiny, -1 + 1e-30j, below + 1e-9j, -1.4 + 0.01j, huge * 1j], dtype
    )
    wanted = np.log(np.longdouble(1) + x.astype(np.clongdouble))
    wanted[0] = x[0]  # Of which 1 + x keeps nothing.
    got = run(gen_math_ops.log1p, dtype, x)
    np.testing.assert_allclose(got.real, wanted.real, 4 * np.finfo(dtype).eps)
    np.testing.assert_allclose(got.imag, wanted.imag, 4 * np.finfo(dtype).eps)


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


GRADIENTS = [
    # These two take the conjugate of a complex y as their argument.
    ("tanh_grad", lambda y, dy: dy * (1 - y**2), FLOATS + COMPLEX),
    ("sigmoid_grad", lambda y, dy: dy * y * (1 - y), FLOATS + COMPLEX),
    ("sqrt_grad", lambda y, dy: dy / 2 / np.conj(y), FLOATS + COMPLEX),
    ("rsqrt_grad", lambda y, dy: dy * -0.5 * np.conj(y) ** 3, FLOATS + COMPLEX),
    ("reciprocal_grad", lambda y, dy: -dy * np.conj(y) ** 2, FLOATS + COMPLEX),
    ("inv_grad", lambda y, dy: -dy * np.conj(y) ** 2, FLOATS + COMPLEX),
]


@pytest.mark.parametrize(("name", "numpy", "dtypes"), GRADIENTS)
def test_gradient_ops(name, numpy, dtypes):
    for dtype in dtypes:
        for size in SIZES:
            y, dy = numbers(dtype, [size], 0.5, 1, 1), numbers(dtype, [size], -1, 1, 2)
            got = run(getattr(gen_math_ops, name), dtype, y, dy)
            expect(got, numpy(wide(y), wide(dy)), dtype)


@pytest.mark.parametrize("name", ["sqrt_grad", "rsqrt_grad", "reciprocal_grad"])
def test_where_no_gradient_comes_down_none_goes_on(name):
    y = np.float32([np.inf, np.nan, 0, 2])
    got = run(getattr(gen_math_ops, name), "float32", y, np.zeros(4, np.float32))
    np.testing.assert_array_equal(got, np.zeros(4))


ACTIVATION_GRADIENTS = [
    ("relu_grad", lambda g, f: np.where(f > 0, g, 0)),
    ("relu6_grad", lambda g, f: np.where((f > 0) & (f < 6), g, 0)),
    ("elu_grad", lambda g, f: np.where(f < 0, g * (f + 1), g)),
    ("softplus_grad", lambda g, f: g * sigmoid(f)),
    ("softsign_grad", lambda g, f: g / (1 + np.abs(f)) ** 2),
]


@pytest.mark.parametrize(("name", "numpy"), ACTIVATION_GRADIENTS)
def test_activation_gradient_ops(name, numpy):
    for dtype in FLOATS:
        for size in SIZES:
            g, f = numbers(dtype, [size], -1, 1, 1), numbers(dtype, [size], -8, 8, 2)
            got = run(getattr(gen_nn_ops, name), dtype, g, f)
            expect(got, numpy(wide(g), wide(f)), dtype)


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


# Where each function is hard: ends of its domain, poles, changes of method, beyond overflow.
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
    """What Python's integers give, in x's dtype: (truncated, floored, remainder, floored one)."""
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


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 5, 64])
def test_tanh_of_large_numbers_is_one(dtype, n):
    x = np.resize(np.array([20, 100, 1e4, np.inf], dtype), n)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.placeholder(dtype, [n])
        y, z = session.run([tf.tanh(v), tf.tanh(-v)], {v: x})
    np.testing.assert_array_equal(y, np.ones(n))
    np.testing.assert_array_equal(z, -np.ones(n))


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
