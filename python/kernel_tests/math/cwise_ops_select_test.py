# SPDX-License-Identifier: Apache-2.0
"""SelectV2 against NumPy's where."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import COMPLEXES, INTEGERS, REALS
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

# Shapes of the condition and of the two values.
SHAPES = [
    ([], [], []),
    ([5], [5], [5]),
    ([3, 4], [4], [3, 1]),
    ([3, 1], [1, 4], []),
    ([], [3], [2, 1]),
    ([2], [], []),
    ([1, 5, 1], [4, 1, 6], [5, 6]),
    ([2, 1, 3, 1, 2], [4, 1, 3, 1], [3, 2]),
    ([0, 3], [1, 3], [3]),
    ([200, 1], [1, 301], [200, 301]),
    ([200, 301], [], [301]),
]


def _drawn(shape, dtype, seed):
    return np.random.RandomState(seed).randint(0, 100, shape).astype(dtype)


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32, np.complex128])
def test_all_three_are_broadcast(shapes, dtype):
    condition = _drawn(shapes[0], np.int32, 1) % 2 == 0
    x, y = _drawn(shapes[1], dtype, 2), _drawn(shapes[2], dtype, 3)
    got = fed(gen_math_ops.select_v2, condition, x, y)
    want = np.where(condition, x, y)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(got, want)
    constants = [tf.constant(a) for a in (condition, x, y)]
    assert gen_math_ops.select_v2(*constants).shape == want.shape


@pytest.mark.parametrize("dtype", [*INTEGERS, *REALS, *COMPLEXES, np.bool_, np.object_])
def test_every_type_is_chosen_bit_by_bit(dtype):
    condition = np.array([[True], [False]])
    x = np.array([1, 0, 3]).astype(dtype)
    y = np.array([0, 1, 1]).astype(dtype)
    if dtype is np.object_:
        x, y = (np.array([str(v).encode() * 9 for v in a], object) for a in (x, y))
    got = fed(gen_math_ops.select_v2, condition, x, y)
    assert got.tolist() == [x.tolist(), y.tolist()]


def test_a_number_that_is_not_chosen_does_not_show():
    x = np.array([1.0, np.nan, np.inf], np.float32)
    got = fed(gen_math_ops.select_v2, np.array([True, False, False]), x, np.float32(2))
    assert got.tolist() == [1.0, 2.0, 2.0]


@pytest.mark.parametrize("shapes", SHAPES[:8])
def test_gradients_go_where_the_value_came_from(shapes):
    condition = _drawn(shapes[0], np.int32, 1) % 2 == 0
    x, y = _drawn(shapes[1], np.float64, 2), _drawn(shapes[2], np.float64, 3)
    with tf.Session() as session:
        tx, ty = tf.constant(x), tf.constant(y)
        out = gen_math_ops.select_v2(condition, tx, ty)
        g = _drawn(out.shape.as_list(), np.float64, 4)
        dx, dy = session.run(tf.gradients(out, [tx, ty], tf.constant(g)))

    def summed(grad, shape):
        grad = grad.sum(tuple(range(grad.ndim - len(shape))))
        axes = tuple(i for i, n in enumerate(shape) if n == 1)
        return grad.sum(axes, keepdims=True)

    np.testing.assert_array_equal(dx, summed(np.where(condition, g, 0), x.shape))
    np.testing.assert_array_equal(dy, summed(np.where(condition, 0, g), y.shape))


@pytest.mark.parametrize(
    "shapes", [([2], [3], [3]), ([2, 1], [3], [2]), ([4], [], [5])]
)
def test_shapes_that_do_not_broadcast_are_refused(shapes):
    arrays = [np.zeros(s, t) for s, t in zip(shapes, (bool, np.float32, np.float32))]
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError), match="ncompatible|equal"
    ):
        gen_math_ops.select_v2(*[tf.constant(a) for a in arrays])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="ncompatible|broadcastable"
    ):
        fed(gen_math_ops.select_v2, *arrays)


def test_where_v2_broadcasts_by_it():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.where_v2(x > 0, x, 0.0)
    assert y.op.type == "SelectV2"
    assert y.shape.as_list() == [None, 3]
    with tf.Session() as session:
        assert session.run(y, {x: [[1, -1, 2]]}).tolist() == [[1, 0, 2]]
