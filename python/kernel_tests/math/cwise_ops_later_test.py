# SPDX-License-Identifier: Apache-2.0
"""Elementwise ops of later versions than 1.3 against NumPy and SciPy."""

import numpy as np
import pytest
import scipy.special

import tensorwright as tf
from tensorwright.python.kernel_tests import op_table
from tensorwright.python.kernel_tests.op_table import COMPLEXES, REALS
from tensorwright.python.ops import gen_math_ops, gen_nn_ops
from tensorwright.python.testing.op_testing import fed

NUMBERS = (*REALS, *COMPLEXES)
MISFIT = [([np.zeros(2), np.zeros(3)], "ncompatible")]


def _wide(x):
    return x.astype(np.complex128 if np.asarray(x).dtype.kind == "c" else np.float64)


def _unless(zero, value):
    return np.where(zero == 0, np.zeros_like(value), value)


def _div_no_nan(x, y):
    x, y = _wide(x), _wide(y)
    with np.errstate(all="ignore"):
        return _unless(y, x / y)


def _xdivy(x, y):
    x, y = _wide(x), _wide(y)
    with np.errstate(all="ignore"):
        return _unless(x, x / y)


def _with_zeros(rng, dtype, shapes):
    """Positive numbers, and a 0 here and there."""
    arrays = [op_table.uniform(rng, dtype, s, 0.25, 3) for s in shapes]
    for a in arrays:
        flat = a.reshape(-1)
        flat[rng.random_sample(flat.size) < 0.3] = 0
    return arrays


def _binary(name, op, reference, **more):
    return op_table.Entry(name, op, reference, NUMBERS, arguments=2, bad=MISFIT, **more)


TABLE = [
    _binary("div_no_nan", gen_math_ops.div_no_nan, _div_no_nan, span=(0.25, 3)),
    _binary("mul_no_nan", gen_math_ops.mul_no_nan, lambda x, y: _wide(x) * _wide(y)),
    _binary("xdivy", gen_math_ops.xdivy, _xdivy, span=(0.25, 3)),
    _binary(
        "xlogy",
        gen_math_ops.xlogy,
        lambda x, y: scipy.special.xlogy(_wide(x), _wide(y)),
        span=(0.25, 3),
    ),
    _binary(
        "xlog1py",
        gen_math_ops.xlog1py,
        lambda x, y: scipy.special.xlog1py(_wide(x), _wide(y)),
        span=(0.25, 3),
    ),
]
SCALE, SCALE_ALPHA = 1.0507009873554805, 1.7580993408473766


def _selu(x):
    x = _wide(x)
    return np.where(x < 0, SCALE_ALPHA * np.expm1(x), SCALE * x)


def _selu_grad(gradient, y):
    gradient, y = _wide(gradient), _wide(y)
    return gradient * np.where(y < 0, y + SCALE_ALPHA, SCALE)


TABLE += [
    op_table.Entry("selu", gen_nn_ops.selu, _selu, REALS),
    op_table.Entry(
        "selu_grad",
        gen_nn_ops.selu_grad,
        _selu_grad,
        REALS,
        arguments=2,
        shapes=[*op_table.SHAPES],  # Alone: they do not broadcast.
        bad=[([np.zeros(2), np.zeros(3)], "(must be equal|ncompatible|one shape)")],
    ),
]
test_values = op_table.values_test(TABLE)
test_gradients = op_table.gradients_test(TABLE)
test_bad_input = op_table.bad_input_test(TABLE)

SAFE = {
    "div_no_nan": (gen_math_ops.div_no_nan, 1),
    "mul_no_nan": (gen_math_ops.mul_no_nan, 1),
    "xdivy": (gen_math_ops.xdivy, 0),
    "xlogy": (gen_math_ops.xlogy, 0),
    "xlog1py": (gen_math_ops.xlog1py, 0),
}


@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("name", SAFE)
def test_zero_decides_whatever_the_other_operand(name, dtype):
    op, at = SAFE[name]
    others = np.array([0, np.nan, np.inf, -np.inf, -1] * 5).astype(dtype)
    zeros = np.zeros_like(others)
    pair = [others, zeros] if at else [zeros, others]
    np.testing.assert_array_equal(fed(op, *pair), zeros)
    scalar = [others, zeros[:1]] if at else [zeros[:1], others]
    np.testing.assert_array_equal(fed(op, *scalar), zeros)


@pytest.mark.parametrize("name", SAFE)
def test_nan_elsewhere_stays(name):
    op, at = SAFE[name]
    nan, one = np.full(5, np.nan, np.float32), np.ones(5, np.float32)
    pair = [nan, one] if at else [one, nan]
    assert np.isnan(fed(op, *pair)).all()


def test_zeros_among_others():
    rng = np.random.RandomState(0)
    for name, reference in (("div_no_nan", _div_no_nan), ("xdivy", _xdivy)):
        x, y = _with_zeros(rng, np.float64, [[40], [40]])
        if name == "xdivy":
            y += 1
        np.testing.assert_allclose(fed(SAFE[name][0], x, y), reference(x, y))


@pytest.mark.parametrize("name", SAFE)
def test_gradients_at_zero_are_numbers(name):
    op, at = SAFE[name]
    x = tf.constant(np.float64([1, 0, 2] if at else [0, 0, 2]))
    y = tf.constant(np.float64([0, 0, 4] if at else [0, 3, 4]))
    with tf.Session() as session:
        for gradient in session.run(tf.gradients(op(x, y), [x, y])):
            assert np.isfinite(gradient).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_next_after_is_the_neighbour(dtype):
    info = np.finfo(dtype)
    x = np.array([0, -0.0, 1, -1, info.max, info.tiny, np.inf, np.nan], dtype)
    y = np.array([[np.inf], [-np.inf], [0], [1], [np.nan]], dtype)
    got = fed(gen_math_ops.next_after, x, y)
    want = np.nextafter(x, y)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_next_after_has_the_gradient_of_its_first_argument():
    with tf.Session() as session:
        x, y = tf.constant(np.float64([[1, 2]])), tf.constant(np.float64([[3], [4]]))
        out = gen_math_ops.next_after(x, y)
        g = np.arange(4.0).reshape(2, 2)
        dx, dy = session.run(tf.gradients(out, [x, y], tf.constant(g)))
    np.testing.assert_array_equal(dx, g.sum(0, keepdims=True))
    np.testing.assert_array_equal(dy, np.zeros([2, 1]))


def test_next_after_refuses_shapes_that_do_not_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError, match="ncompatible"):
        fed(gen_math_ops.next_after, np.zeros(2), np.zeros(3))


@pytest.mark.parametrize("dtype", COMPLEXES)
def test_angle(dtype):
    rng = np.random.RandomState(0)
    for shape in ([], [0], [3], [5, 7]):
        x = np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape), dtype)
        got = fed(tf.angle, x)
        assert got.dtype == x.real.dtype
        np.testing.assert_allclose(got, np.angle(x), rtol=1e-5, atol=1e-6)
    x = np.array([0, 1, -1, 1j, -1j, complex(-1, -0.0)], dtype)
    np.testing.assert_allclose(fed(tf.angle, x), np.angle(x), rtol=1e-6)


def test_gradient_of_angle():
    rng = np.random.RandomState(1)
    x = rng.uniform(0.5, 1, 6) + 1j * rng.uniform(-1, 1, 6)
    g, step = rng.normal(size=6), 1e-6 * (rng.normal(size=6) + 1j * rng.normal(size=6))
    with tf.Session() as session:
        t = tf.constant(np.append(x, 0))
        (got,) = session.run(tf.gradients(tf.angle(t), t, tf.constant(np.append(g, 1))))
    assert got[-1] == 0
    moved = np.sum(g * (np.angle(x + step) - np.angle(x - step)))
    np.testing.assert_allclose(
        np.sum(np.conj(got[:-1]) * 2 * step).real, moved, rtol=1e-6
    )
