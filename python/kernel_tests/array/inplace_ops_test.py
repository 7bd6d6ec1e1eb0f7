# SPDX-License-Identifier: Apache-2.0
"""Rows written over, copies and empty tensors against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import NUMBERS
from tensorwright.python.ops import gen_array_ops, inplace_ops
from tensorwright.python.testing.op_testing import fed, gradient_error, run, values

OTHERS = [np.bool_, object]
ROWS = [
    # shape of x, i
    ([3], [1]),
    ([5, 4], [0, 4, 2]),
    ([5, 2, 3], [2, 2, 0, 2]),
    ([4, 0], [1, 3]),
    ([3, 2], []),
    ([0, 2], []),
    ([3, 2], [-1, 4, 3]),
]


def _wanted(op, x, i, v):
    x = x.copy()
    for row, value in zip(i, v):
        at = row % len(x)
        if op == "update":
            x[at] = value
        elif op == "add":
            x[at] = (x[at] + value).astype(x.dtype)
        else:
            x[at] = (x[at] - value).astype(x.dtype)
    return x


OPS = {
    "add": gen_array_ops.inplace_add,
    "sub": gen_array_ops.inplace_sub,
    "update": gen_array_ops.inplace_update,
}


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize(("shape", "i"), ROWS)
def test_rows_change_one_after_the_other(op, shape, i):
    dtypes = [*NUMBERS, *OTHERS] if op == "update" else NUMBERS
    for dtype in dtypes:
        x = values(shape, dtype)
        v = values([len(i), *shape[1:]], dtype)[::-1]
        for known in (False, True):
            got = fed(OPS[op], x, np.int32(i), v, known=known)
            want = _wanted(op, x, i, v)
            if dtype is ml_dtypes.bfloat16:
                got, want = got.astype(np.float32), want.astype(np.float32)
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("op", OPS)
def test_what_else_reads_x_is_left_alone(op):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0, 3.0])
        y = OPS[op](x, [1], [10.0])
        again = OPS[op](y, [0], [5.0])
        with tf.control_dependencies([again]):
            late = tf.identity(x)
        for _ in range(3):
            a, b, c, d = session.run([x, y, again, late])
            np.testing.assert_array_equal(a, [1, 2, 3])
            np.testing.assert_array_equal(d, [1, 2, 3])
            want = _wanted(op, np.float32([1, 2, 3]), [1], [10.0])
            np.testing.assert_array_equal(b, want)
            np.testing.assert_array_equal(c, _wanted(op, want, [0], [5.0]))


@pytest.mark.parametrize("op", OPS)
def test_gradients(op):
    def build(x, v):
        return OPS[op](x, [2, 0, 2], v)

    assert gradient_error(build, [4, 3], [3, 3]) < 1e-9


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize(
    ("x", "i", "v", "words"),
    [
        (1.0, [0], [1.0], "at least rank 1|rank >= 1"),
        ([1.0], 0, [1.0], "rank 1|vector"),
        ([1.0], [0, 0], [1.0], "must be equal|each element of i"),
        ([[1.0, 2.0]], [0], [[1.0]], "must be equal|each element of i"),
        ([[1.0, 2.0]], [0], [1.0], "rank|each element of i"),
    ],
)
def test_bad_shapes(op, x, i, v, words):
    arrays = np.float32(x), np.int32(i), np.float32(v)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(OPS[op], *arrays)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        OPS[op](*arrays)


def test_no_rows_to_change():
    with pytest.raises(tf.errors.InvalidArgumentError, match="x must have rows"):
        fed(
            gen_array_ops.inplace_add,
            np.zeros([0, 2], np.float32),
            np.int32([1]),
            np.zeros([1, 2], np.float32),
        )


@pytest.mark.parametrize("dtype", [*NUMBERS, *OTHERS])
def test_deep_copies_are_equal(dtype):
    for shape in ([], [0], [7], [3, 5]):
        x = values(shape, dtype)
        got = fed(gen_array_ops.deep_copy, x)
        assert np.asarray(got, dtype).dtype == x.dtype
        assert np.all(got == x)


def test_deep_copies_have_the_gradient_of_x():
    assert gradient_error(gen_array_ops.deep_copy, [3, 2]) < 1e-9


@pytest.mark.parametrize("init", [True, False])
@pytest.mark.parametrize("dtype", [*NUMBERS, np.bool_])
def test_empty_has_the_shape(dtype, init):
    for shape in ([], [0], [7], [3, 0, 2], [200, 3]):
        got = fed(
            lambda s: gen_array_ops.empty(s, tf.as_dtype(dtype), init=init),
            np.int32(shape),
        )
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, np.zeros(shape, dtype))
        known = gen_array_ops.empty(shape, tf.as_dtype(dtype))
        assert known.shape == shape


def test_empty_strings():
    got = run(lambda: gen_array_ops.empty([3], tf.string))
    assert got.tolist() == [b""] * 3


@pytest.mark.parametrize(
    ("shape", "words"), [([-1], ">= 0"), (3, "rank 1|vector"), ([2**31 - 1] * 3, "")]
)
def test_empty_refuses_sizes(shape, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(lambda s: gen_array_ops.empty(s, tf.float32), np.int32(shape))


def test_functions_copy_or_take_x_over():
    def build():
        x = inplace_ops.empty([3, 2], tf.float32, init=True)
        x = inplace_ops.alias_inplace_add(x, [0, 2], [[1.0, 2.0], [3.0, 4.0]])
        x = inplace_ops.alias_inplace_update(x, 1, [7.0, 8.0])
        x = inplace_ops.alias_inplace_sub(x, None, tf.ones([3, 2]))
        copied = inplace_ops.inplace_update(x, [0], [[0.0, 0.0]])
        added = inplace_ops.inplace_add(copied, tf.constant(1), [1.0, 1.0])
        less = inplace_ops.inplace_sub(added, [1], [[2.0, 2.0]])
        like = inplace_ops.empty_like(x, init=True)
        return x, copied, added, less, like

    x, copied, added, less, like = run(build)
    np.testing.assert_array_equal(x, [[0, 1], [6, 7], [2, 3]])
    np.testing.assert_array_equal(copied, [[0, 0], [6, 7], [2, 3]])
    np.testing.assert_array_equal(added, [[0, 0], [7, 8], [2, 3]])
    np.testing.assert_array_equal(less, [[0, 0], [5, 6], [2, 3]])
    np.testing.assert_array_equal(like, np.zeros([3, 2]))
