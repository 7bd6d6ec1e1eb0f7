# SPDX-License-Identifier: Apache-2.0
"""Scatters into tensors of any rank against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_state_ops
from tensorwright.python.testing.op_testing import (
    NUMBERS,
    fed,
    gradient_error,
    values,
)

_SHORT = np.array([[2], [0]], np.uint16)


UPDATES = {
    "update": lambda a, b: b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "min": np.minimum,
    "max": np.maximum,
}


@pytest.mark.parametrize("name", list(UPDATES))
@pytest.mark.parametrize(
    "dtype", [np.int8, np.float16, np.float32, np.int64, np.uint64]
)
@pytest.mark.parametrize(
    ("shape", "indices"),
    [([5], [[4], [1]]), ([3, 2], [[2, 1], [0, 0]]), ([3, 2], [[2], [0], [2]])],
)
def test_tensor_scatter(name, dtype, shape, indices):
    x, indices = values(shape, dtype) + dtype(3), np.array(indices, np.int32)
    updates = values(list(indices.shape[:-1]) + shape[indices.shape[-1] :], dtype)
    want = x.copy()
    for row, update in zip(indices, updates):
        want[tuple(row)] = UPDATES[name](want[tuple(row)], update)
    got = fed(getattr(tf, "tensor_scatter_nd_" + name), x, indices, updates)
    np.testing.assert_array_equal(got, want)
    # A tensor that somebody else needs stays as it is.
    both = fed(
        lambda x, i, u: [getattr(tf, "tensor_scatter_nd_" + name)(x * 1, i, u), x * 1],
        x,
        indices,
        updates,
    )
    np.testing.assert_array_equal(both[0], want)
    np.testing.assert_array_equal(both[1], x)


@pytest.mark.parametrize(
    ("indices", "updates"), [([[5]], [1.0]), ([[-1]], [1.0]), ([[0]], [1.0, 2.0])]
)
def test_tensor_scatter_refuses_bad_indices(indices, updates):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            tf.tensor_scatter_nd_update,
            values([5]),
            np.array(indices, np.int32),
            np.array(updates, np.float32),
        )


@pytest.mark.parametrize("name", ["min", "max"])
def test_gradients_of_extrema_are_shared(name):
    with tf.Graph().as_default(), tf.Session() as sess:
        x, u = tf.constant([1.0, 5.0, 3.0]), tf.constant([2.0, 3.0])
        y = getattr(tf, "tensor_scatter_nd_" + name)(x, [[0], [2]], u)
        dx, du = sess.run(tf.gradients(y, [x, u]))
    first = [0, 1] if name == "max" else [1, 0]
    np.testing.assert_array_equal(dx, [first[0], 1, 0.5])
    np.testing.assert_array_equal(du, [first[1], 0.5])


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float64, np.complex64])
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("indices", "shape"),
    [
        (np.zeros([0, 1]), [4]),
        ([[2]], [4]),
        ([[1], [3], [1]], [4, 3]),
        ([[0, 2], [2, 0], [0, 2]], [3, 3]),
        (np.arange(1000)[:, None] % 17, [17, 5]),
    ],
)
def test_scatter_nd_adds_up(dtype, index_dtype, indices, shape):
    indices = np.array(indices, index_dtype)
    rows = list(indices.shape[:-1]) + shape[indices.shape[-1] :]
    updates = (values(rows, np.int64) % 3).astype(dtype)
    want = np.zeros(shape, dtype)
    np.add.at(want, tuple(indices.T), updates)
    sizes = np.array(shape, index_dtype)
    got = fed(tf.scatter_nd, indices, updates, sizes)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("indices", "updates", "words"),
    [
        ([[4]], [1.0], r"indices\[0\] = \[4\]"),
        ([[-1]], [1.0], r"indices\[0\] = \[-1\]"),
        ([[0]], [1.0, 2.0], "updates"),
        ([[0, 0]], [1.0], "depth|rank|dimension"),
    ],
)
def test_scatter_nd_refuses_bad_indices(indices, updates, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(
            tf.scatter_nd,
            np.array(indices, np.int32),
            np.array(updates, np.float32),
            np.array([4], np.int32),
        )


@pytest.mark.parametrize("name", ["update", "add", "sub"])
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_scatter_nd_changes_a_variable(name, dtype):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(values([4, 3], dtype))
        session.run(tf.global_variables_initializer())
        want = values([4, 3], dtype)
        rows = np.array([[7, 8, 9], [1, 2, 3]], dtype)
        got = session.run(getattr(tf, "scatter_nd_" + name)(v, [[2], [0]], rows))
        for row, update in zip([2, 0], rows):
            want[row] = UPDATES[name](want[row], update)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(session.run(v), want)


@pytest.mark.parametrize("dtype", [bool, *NUMBERS])
def test_scatter_nd_changes_a_variable_behind_a_handle(dtype):
    signs = {"add": np.add, "sub": np.subtract}
    if dtype is bool:
        # The sum of two that are true is true, their difference is not.
        signs = {"add": np.logical_or, "sub": np.logical_xor}
    start = (values([4, 3]) % 3 == 0 if dtype is bool else values([4, 3])).astype(dtype)
    rows = np.array([[7, 0, 9], [1, 2, 0]]).astype(dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        for name, function in signs.items():
            v = tf.Variable(start, use_resource=True)
            op = getattr(gen_state_ops, f"resource_scatter_nd_{name}")
            session.run(v.initializer)
            session.run(op(v.handle, [[2], [0]], rows))
            want = start.copy()
            want[[2, 0]] = function(want[[2, 0]], rows)
            np.testing.assert_array_equal(session.run(v), want)


@pytest.mark.parametrize(
    ("build", "shapes"),
    [
        (lambda x, u: tf.tensor_scatter_nd_add(x, [[1], [1]], u), [[3], [2]]),
        (lambda x, u: tf.tensor_scatter_nd_sub(x, [[1], [1]], u), [[3], [2]]),
        (lambda x, u: tf.tensor_scatter_nd_update(x, [[2], [0]], u), [[3, 2], [2, 2]]),
        (lambda x, u: tf.tensor_scatter_nd_update(x, _SHORT, u), [[3, 2], [2, 2]]),
        (lambda u: tf.scatter_nd([[1], [1]], u, [3]), [[2]]),
    ],
)
def test_gradients(build, shapes):
    assert gradient_error(build, *shapes) < 1e-9
