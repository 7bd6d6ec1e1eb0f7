# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.reduce_sum and reduce_max, dense and sparse, against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn

pytestmark = pytest.mark.usefixtures("fresh_graph")

_AXES = [None, (), 0, -1, (0, 1), (2, 0), (0, 1, 2), (1, 1)]
_REALS = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.uint32]


def _axes(axis):
    """As NumPy takes them: each once."""
    return tuple(sorted(set(axis))) if isinstance(axis, tuple) else axis


def _largest(parts, axis, keepdims):
    lowest = np.full(parts[2], -np.inf)
    lowest[tuple(parts[0].T)] = parts[1].astype(np.float64)
    most = np.max(lowest, axis=_axes(axis), keepdims=keepdims)
    return np.where(np.isinf(most), 0, most)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", _AXES)
@pytest.mark.parametrize("dtype", [*_REALS, np.complex64])
def test_sums_over_an_axis_are_numpys(dtype, axis, keepdims):
    rows, values, sizes = parts = drawn.draw((3, 4, 5), dtype)
    order = np.random.RandomState(3).permutation(len(rows))
    mixed = rows[order], values[order], sizes
    wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    exact = drawn.dense((rows, values.astype(wide), sizes))
    want = np.sum(exact, axis=_axes(axis), keepdims=keepdims)
    if np.dtype(dtype).kind in "iu":
        want = want.astype(np.int64).astype(dtype)
    near = {"rtol": 1e-2 if np.dtype(dtype).itemsize == 2 else 1e-6}
    for given in (parts, mixed):
        got = drawn.run(lambda sp: tf.sparse.reduce_sum(sp, axis, keepdims), given)
        np.testing.assert_allclose(got.astype(want.dtype), want, **near)
        own = drawn.run(
            lambda sp: tf.sparse.reduce_sum_sparse(sp, axis, keepdims), given
        )
        np.testing.assert_allclose(drawn.dense(own).astype(want.dtype), want, **near)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", _AXES)
@pytest.mark.parametrize("dtype", _REALS)
def test_the_largest_of_what_is_there(dtype, axis, keepdims):
    parts = drawn.draw((3, 4, 5), dtype, part=0.3)
    want = _largest(parts, axis, keepdims)
    got = drawn.run(lambda sp: tf.sparse.reduce_max(sp, axis, keepdims), parts)
    np.testing.assert_array_equal(got.astype(np.float64), want)
    own = drawn.run(lambda sp: tf.sparse.reduce_max_sparse(sp, axis, keepdims), parts)
    np.testing.assert_array_equal(drawn.dense(own).astype(np.float64), want)


@pytest.mark.parametrize("axis", [None, 0, (0, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_gradient(axis, keepdims):
    rows, values, _ = drawn.draw((2, 3, 4), np.float64)

    def build(x):
        sparse = tf.SparseTensor(rows, x, [2, 3, 4])
        return tf.sparse.reduce_sum(sparse, axis, keepdims)

    drawn.check_gradient(build, values)


@pytest.mark.parametrize(
    ("rows", "shape", "axis", "words"),
    [
        ([[0, 1]], [2, 3], 2, "Invalid reduction dimension"),
        ([[0, 1]], [2, 3], -3, "Invalid reduction dimension"),
        ([[0, 1]], [2, -3], 1, "."),
        ([[0, 9]], [2, 3], 1, "out of bounds"),
        ([[0, 1]], [1 << 40, 1 << 40], 1, "."),
    ],
)
def test_bad_input(rows, shape, axis, words):
    parts = np.array(rows), np.float32([1]), np.array(shape)
    for reduce in (tf.sparse.reduce_sum, tf.sparse.reduce_max):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            drawn.run(lambda sp, r=reduce: r(sp, axis), parts)
