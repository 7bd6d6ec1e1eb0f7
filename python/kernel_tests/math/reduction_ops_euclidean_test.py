# SPDX-License-Identifier: Apache-2.0
"""EuclideanNorm against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests import op_table
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

FLOATS = [*op_table.REALS, *op_table.COMPLEXES]
CASES = [
    ([], []),
    ([3], [0]),
    ([0], [0]),
    ([3, 5], [1]),
    ([3, 5], [0]),
    ([3, 5], [0, -1]),
    ([2, 3, 4, 5], [0, 2]),
    ([2, 0, 3], [1]),
    ([4, 1, 3], [1]),
    ([7, 33], []),
    ([3, 20_011], [1]),
    ([20_011, 3], [0]),
    ([100_003], [0]),
]


def _norm(x, axes, keep):
    wide = np.asarray(x).astype(
        np.complex128 if np.dtype(x.dtype).kind == "c" else np.float64
    )
    return np.sqrt((np.abs(wide) ** 2).sum(tuple(axes), keepdims=keep))


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_values(dtype, shape, axes):
    rng = np.random.RandomState(1)
    x = rng.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.uniform(-1, 1, shape)
    x = np.asarray(x, dtype)
    for keep in (False, True):
        got = fed(
            lambda x, a, keep=keep: gen_math_ops.euclidean_norm(x, a, keep_dims=keep),
            x,
            np.array(axes, np.int64 if keep else np.int32),
        )
        assert got.dtype == x.dtype
        want = _norm(x, axes, keep)
        assert got.shape == want.shape
        if np.dtype(dtype).kind == "c":
            assert not got.imag.any()
            got = got.real
        eps = float(ml_dtypes.finfo(dtype).eps)
        np.testing.assert_allclose(got.astype(np.float64), want, rtol=20 * eps)


@pytest.mark.parametrize("dtype", op_table.INTEGERS)
def test_integers_are_rounded_down_and_wrap(dtype):
    x = np.array([[3, 4], [1, 1], [2, 2], [0, 0]]).astype(dtype)
    got = fed(gen_math_ops.euclidean_norm, x, np.int32([1]))
    np.testing.assert_array_equal(got, np.array([5, 1, 2, 0], dtype))
    got = fed(gen_math_ops.euclidean_norm, x.reshape(8, 1), np.int32([1]))
    np.testing.assert_array_equal(got, x.reshape(8))
    if np.dtype(dtype).itemsize == 1:
        # 10000 is 16 in a byte.
        got = fed(gen_math_ops.euclidean_norm, np.array([100, 100], dtype), np.int32(0))
        assert got == 5
    if dtype == np.int32:
        got = fed(gen_math_ops.euclidean_norm, np.int32([46341, 2]), np.int32(0))
        assert got == -(2**31)


def test_norms_of_infinite_numbers():
    x = np.float32([[np.inf, 1], [1e30, 1e30], [np.nan, 1], [-np.inf, np.inf]])
    got = fed(gen_math_ops.euclidean_norm, x, np.int32([1]))
    np.testing.assert_array_equal(got, [np.inf, np.inf, np.nan, np.inf])


def test_the_public_function_takes_all_axes():
    x = np.float64([[3, 4], [12, 0]])
    assert fed(tf.math.reduce_euclidean_norm, x) == 13
    got = fed(lambda x: tf.math.reduce_euclidean_norm(x, 1, keepdims=True), x)
    np.testing.assert_array_equal(got, [[5], [12]])


@pytest.mark.parametrize("axes", [[0], [1], [0, 2]])
def test_gradients(axes):
    rng = np.random.RandomState(2)
    x, step = rng.uniform(0.5, 1, [2, 3, 4]), 1e-6 * rng.normal(size=[2, 3, 4])
    g = rng.normal(size=_norm(x, axes, False).shape)

    def build(x):
        y = tf.math.reduce_euclidean_norm(x, axes)
        return tf.gradients(y, x, tf.constant(g))[0]

    moved = (g * (_norm(x + step, axes, False) - _norm(x - step, axes, False))).sum()
    np.testing.assert_allclose((fed(build, x) * 2 * step).sum(), moved, rtol=1e-6)


@pytest.mark.parametrize("axes", [[2], [-3], [0, 0], [[0]]])
def test_bad_axes(axes):
    with pytest.raises(tf.errors.InvalidArgumentError, match="reduction"):
        fed(gen_math_ops.euclidean_norm, np.zeros([2, 3]), np.int32(axes))
