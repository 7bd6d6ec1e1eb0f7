# SPDX-License-Identifier: Apache-2.0
"""Scatter and ScatterNd ops of variables, and of values, against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import rounding
from tensorwright.python.ops import (
    array_ops,
    gen_resource_variable_ops,
    gen_state_ops,
)
from tensorwright.python.testing.op_testing import (
    NUMBERS,
    fed,
    gradient_error,
    values,
)


def run_on_variable(start, build):
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable(start)
        sess.run(variable.initializer)
        got = sess.run(build(variable))
        np.testing.assert_array_equal(got, sess.run(variable))
        return got


def divide(a, b):
    """Divides in the dtype of the variable; integers are rounded towards zero, as in C++."""
    return np.trunc(a / b) if np.issubdtype(a.dtype, np.integer) else a / b


UPDATES = {
    tf.scatter_update: lambda a, b: b,
    tf.scatter_add: lambda a, b: a + b,
    tf.scatter_sub: lambda a, b: a - b,
    tf.scatter_mul: lambda a, b: a * b,
    tf.scatter_div: divide,
}
ORDERED = {tf.scatter_min: np.minimum, tf.scatter_max: np.maximum}


@pytest.mark.parametrize("dtype", [*NUMBERS, np.uint32, np.uint64])
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
def test_rows_of_variables_behind_handles(dtype, index_dtype):
    start = values([4, 2], dtype) + dtype(3)
    rows, updates = [3, 0, 3], np.array([[5, 2], [1, 9], [7, 4]], dtype)
    functions = {**UPDATES, **({} if dtype in COMPLEX else ORDERED)}
    with tf.Graph().as_default(), tf.Session() as sess:
        for function, update in functions.items():
            v = tf.Variable(start, use_resource=True)
            name = f"resource_{function.__name__}"
            op = getattr(gen_resource_variable_ops, name)
            sess.run(v.initializer)
            sess.run(op(v.handle, np.array(rows, index_dtype), updates))
            want = start.copy()
            for row, x in zip(rows, updates):
                want[row] = update(want[row], x)
            np.testing.assert_allclose(sess.run(v), want, rounding(dtype, 4))


@pytest.mark.parametrize("name, update", [("min", 1), ("max", 50)])
def test_each_update_counts_that_is_beyond_what_there_is(name, update):
    start = values([4, 2], np.float32) + 10
    updates = update + np.arange(6, dtype=np.float32).reshape(3, 2)
    op = getattr(gen_resource_variable_ops, f"resource_scatter_{name}")
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(start, use_resource=True)
        sess.run(v.initializer)
        sess.run(op(v.handle, [3, 0, 2], updates))
        start[[3, 0, 2]] = updates
        np.testing.assert_array_equal(sess.run(v), start)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("scalar", [False, True])
@pytest.mark.parametrize(
    ("shape", "indices"),
    [([5], [4, 1, 4]), ([3, 2], [[0], [2]]), ([4, 3, 2], 1), ([3], [])],
)
def test_rows_of_variables(dtype, index_dtype, scalar, shape, indices):
    start = values(shape, dtype) + dtype(3)
    indices = np.array(indices, index_dtype)
    updates = values([] if scalar else list(indices.shape) + shape[1:], dtype)
    updates = updates % dtype(3) + dtype(1) if dtype not in COMPLEX else updates + 1
    functions = dict(UPDATES)
    if dtype in (np.float32, np.float64, np.int32, np.int64):
        functions.update(ORDERED)
    for function, update in functions.items():
        want = start.copy()
        flat = np.broadcast_to(updates, indices.shape + tuple(shape[1:]))
        flat = flat.reshape([-1, *shape[1:]])
        for i, row in zip(indices.reshape(-1), flat):
            want[i] = update(want[i], row).astype(dtype)
        for use_locking in (True, False):
            got = run_on_variable(
                start,
                lambda v, f=function, lock=use_locking: f(v, indices, updates, lock),
            )
            np.testing.assert_allclose(got, want, rtol=rounding(dtype, 4))


COMPLEX = (np.complex64, np.complex128)


def test_rows_of_strings_are_replaced():
    got = run_on_variable(
        np.array([b"a", b"b"], object), lambda v: tf.scatter_update(v, [1], [b"c"])
    )
    assert got.tolist() == [b"a", b"c"]


def test_integers_do_not_divide_by_zero():
    def build(divisor):
        return lambda v: tf.scatter_div(v, [0], np.array([divisor], np.int32))

    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        run_on_variable(np.array([1, 2], np.int32), build(0))
    lowest = np.iinfo(np.int32).min
    got = run_on_variable(np.array([lowest, 2], np.int32), build(-1))
    assert got.tolist() == [lowest, 2]


@pytest.mark.parametrize("function", list(UPDATES))
@pytest.mark.parametrize(
    ("indices", "updates", "words"),
    [
        ([3], [[1.0, 1.0]], r"indices\[0\] = 3 is not in \[0, 3\)"),
        ([-1], [[1.0, 1.0]], "is not in"),
        ([0], [[1.0, 1.0, 1.0]], "equal|updates.shape"),
        ([0, 1], [[1.0, 1.0]], "equal|updates.shape"),
    ],
)
def test_bad_rows_are_refused(function, indices, updates, words):
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable(np.zeros([3, 2], np.float32))
        sess.run(variable.initializer)
        i, u = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            sess.run(function(variable, i, u), {i: indices, u: updates})


ND = {
    tf.scatter_nd_update: lambda a, b: b,
    tf.scatter_nd_add: lambda a, b: a + b,
    tf.scatter_nd_sub: lambda a, b: a - b,
}
ND_ORDERED = {
    gen_state_ops.scatter_nd_min: np.minimum,
    gen_state_ops.scatter_nd_max: np.maximum,
}
COORDINATES = [
    ([5], [[4], [1], [4]]),
    ([3, 2], [[2, 1], [0, 0]]),
    ([3, 2], [[2], [0]]),
    ([4, 3, 2], [[[3, 1]], [[0, 2]]]),
    ([4, 3, 2], np.zeros([1, 0])),
    ([3], np.zeros([0, 1])),
]


@pytest.mark.parametrize("dtype", [*NUMBERS, np.uint32, np.uint64])
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize(("shape", "indices"), COORDINATES)
def test_slices_at_coordinates(dtype, index_dtype, shape, indices):
    start = values(shape, dtype) + dtype(7)
    indices = np.array(indices, index_dtype)
    depth = indices.shape[-1]
    updates = values(list(indices.shape[:-1]) + shape[depth:], dtype)
    updates = updates * dtype(5)  # On either side of what is there.
    functions = {**ND, **({} if dtype in COMPLEX else ND_ORDERED)}
    for function, update in functions.items():
        want = start.copy()
        for at in np.ndindex(*indices.shape[:-1]):
            i = tuple(indices[at])
            want[i] = update(want[i], updates[at])
        got = run_on_variable(start, lambda v, f=function: f(v, indices, updates))
        np.testing.assert_array_equal(got, want)
        if function is tf.scatter_nd_add:
            got = fed(array_ops.scatter_nd_non_aliasing_add, start, indices, updates)
            np.testing.assert_array_equal(got, want)


def test_methods_of_variables():
    def slices(rows):
        return tf.IndexedSlices(tf.constant(rows), tf.constant([0, 2]))

    start = np.array([4.0, 5.0, 6.0], np.float32)
    for name, want in [
        ("add", [5, 5, 8]),
        ("sub", [3, 5, 4]),
        ("mul", [4, 5, 12]),
        ("div", [4, 5, 3]),
        ("min", [1, 5, 2]),
        ("max", [4, 5, 6]),
        ("update", [1, 5, 2]),
    ]:
        got = run_on_variable(
            start, lambda v, n=name: getattr(v, "scatter_" + n)(slices([1.0, 2.0]))
        )
        np.testing.assert_array_equal(got, want)
    for name, want in [("add", [5, 5, 8]), ("sub", [3, 5, 4]), ("update", [1, 5, 2])]:
        got = run_on_variable(
            start,
            lambda v, n=name: getattr(v, "scatter_nd_" + n)([[0], [2]], [1.0, 2.0]),
        )
        np.testing.assert_array_equal(got, want)


def test_rows_within_batches():
    start = values([2, 3, 2])
    indices, updates = [[2, 0], [1, 1]], values([2, 2, 2]) + 50
    want = start.copy()
    for b in range(2):
        for i in range(2):
            want[b, indices[b][i]] = updates[b, i]
    got = run_on_variable(start, lambda v: tf.batch_scatter_update(v, indices, updates))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("function", [*ND, *ND_ORDERED])
@pytest.mark.parametrize(
    ("indices", "updates", "words"),
    [
        ([[3, 0]], [1.0], r"indices\[0\] = \[3, 0\] does not index"),
        ([[0, -1]], [1.0], "does not index"),
        ([[0, 0, 0]], [1.0], "last dimension of indices"),
        ([[0, 0]], [1.0, 2.0], "must match"),
        ([[0]], [[1.0, 2.0, 3.0]], "must match"),
        (0, [1.0], "rank"),
    ],
)
def test_bad_coordinates_are_refused(function, indices, updates, words):
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable(np.zeros([3, 2], np.float32))
        sess.run(variable.initializer)
        i, u = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
        feed = {i: indices, u: updates}
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            sess.run(function(variable, i, u), feed)
        add = array_ops.scatter_nd_non_aliasing_add(np.zeros([3, 2], np.float32), i, u)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            sess.run(add, feed)


def test_variables_without_a_value_are_refused():
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable([1.0, 2.0])
        for update in (
            tf.scatter_mul(variable, [0], [1.0]),
            tf.scatter_nd_update(variable, [[0]], [1.0]),
            variable[0].assign(1.0),
        ):
            with pytest.raises(tf.errors.FailedPreconditionError):
                sess.run(update)


def test_gradient_of_adding_to_a_value():
    error = gradient_error(
        lambda x, u: array_ops.scatter_nd_non_aliasing_add(x, [[1], [0], [1]], u),
        [3, 2],
        [3, 2],
    )
    assert error < 1e-9
