# SPDX-License-Identifier: Apache-2.0
"""Array functions of later TensorFlow versions against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    run,
    values,
)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(
    ("shape", "to"),
    [
        ([], []),
        ([], [2, 3]),
        ([3], [3]),
        ([3], [2, 3]),
        ([2, 1], [2, 3]),
        ([1, 3, 1], [4, 2, 3, 5]),
        ([1], [0]),
        ([0, 1], [0, 3]),
        ([40, 1], [40, 70]),
    ],
)
def test_broadcast_to(known, dtype, shape, to):
    x = values(shape, dtype)
    for index_dtype in (np.int32, np.int64):
        sizes = np.array(to, index_dtype)
        want = np.broadcast_to(x, to)
        got = fed(lambda x, s=sizes: tf.broadcast_to(x, s), x, known=known)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(fed(tf.broadcast_to, x, sizes), want)


@pytest.mark.parametrize(("shape", "to"), [([2], [3]), ([2, 1], [1]), ([3], [-1])])
def test_broadcast_to_refuses_what_does_not_fit(shape, to):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.broadcast_to, values(shape), np.array(to, np.int32))


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(
    ("shape", "shift", "axis"),
    [
        ([5], 2, 0),
        ([5], -7, 0),
        ([5], 0, -1),
        ([3, 4], [1, -2], [0, 1]),
        ([3, 4], [1, 1], [0, 0]),
        ([3, 4, 2], 1, 1),
        ([3, 4, 2], [2, 3], [0, -1]),
        ([0, 4], 1, 0),
        ([3, 4], [], []),
        ([60, 70], [2**31 - 1, -5], [0, 1]),
    ],
)
def test_roll(dtype, shape, shift, axis):
    x = values(shape, dtype)
    want = np.roll(x, shift, axis) if np.size(shift) else x
    for index_dtype in (np.int32, np.int64):
        got = fed(tf.roll, x, np.array(shift, index_dtype), np.array(axis, np.int32))
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("shape", "shift", "axis"),
    [([], 1, 0), ([3], 1, 1), ([3], 1, -2), ([3], [1, 2], [0]), ([3], [[1]], [[0]])],
)
def test_roll_refuses_bad_axes(shape, shift, axis):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.roll, values(shape), np.array(shift, np.int32), np.array(axis, np.int32))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("indices", "dims"), [([0, 5, 3], [2, 3]), (4, [2, 3]), ([], [2]), ([7], [2, 2, 2])]
)
def test_unravel_index(dtype, indices, dims):
    indices, dims = np.array(indices, dtype), np.array(dims, dtype)
    want = np.array(np.unravel_index(indices, dims))
    np.testing.assert_array_equal(fed(tf.unravel_index, indices, dims), want)


@pytest.mark.parametrize(
    ("indices", "dims"),
    [([6], [2, 3]), ([-1], [2]), ([0], [0]), ([0], [-2]), ([[0]], [2]), ([0], [[2]])],
)
def test_unravel_index_refuses_what_is_outside(indices, dims):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.unravel_index, np.array(indices, np.int32), np.array(dims, np.int32))


UPDATES = {
    "update": lambda a, b: b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "min": np.minimum,
    "max": np.maximum,
}


@pytest.mark.parametrize("name", list(UPDATES))
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.int64])
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


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("out_type", [tf.int32, tf.int64])
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize(("n", "m"), [(0, 3), (1, 1), (5, 0), (50, 70)])
def test_searchsorted(side, out_type, dtype, n, m):
    rng = np.random.RandomState(n)
    rows = np.sort(rng.randint(0, 20, [3, n]), 1).astype(dtype)
    wanted = rng.randint(-2, 22, [3, m]).astype(dtype)
    want = [np.searchsorted(r, w, side) for r, w in zip(rows, wanted)]
    got = fed(lambda s, v: tf.searchsorted(s, v, side, out_type), rows, wanted)
    assert got.dtype == out_type.as_numpy_dtype
    np.testing.assert_array_equal(got, want)
    got = run(lambda: tf.searchsorted(rows[0], wanted[0], side))
    np.testing.assert_array_equal(got, want[0])


def test_searchsorted_refuses_other_rows():
    with pytest.raises(ValueError, match="side"):
        tf.searchsorted([1], [1], "middle")
    with pytest.raises(tf.errors.InvalidArgumentError, match="equal"):
        fed(tf.searchsorted, values([2, 3]), values([3, 3]))


@pytest.mark.parametrize(
    ("shape", "repeats", "axis"),
    [
        ([3], 2, None),
        ([3], [1, 0, 2], 0),
        ([2, 3], [1, 2], 0),
        ([2, 3], [0, 2, 1], -1),
        ([2, 3], 3, None),
        ([2, 3], [2], 1),
        ([0], 2, 0),
    ],
)
def test_repeat(shape, repeats, axis):
    x = values(shape)
    got = run(lambda: tf.repeat(x, repeats, axis))
    np.testing.assert_array_equal(got, np.repeat(x, repeats, axis))


def test_batch_gather():
    x, indices = values([2, 3, 2]), np.array([[2, 0], [1, 1]], np.int32)
    got = fed(tf.batch_gather, x, indices, known=True)
    np.testing.assert_array_equal(got, [x[b][indices[b]] for b in range(2)])


def test_ensure_shape():
    x = values([2, 3])
    np.testing.assert_array_equal(fed(lambda x: tf.ensure_shape(x, [None, 3]), x), x)
    np.testing.assert_array_equal(fed(tf.guarantee_const, x), x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible|equal"):
        fed(lambda x: tf.ensure_shape(x, [2, 4]), x)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="equal"):
        tf.ensure_shape(x, [2, 4])


def test_sparse_placeholders_are_fed_whole():
    value = tf.SparseTensorValue([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
    for shape in (None, [2, 3], [None, 3]):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.sparse_placeholder(tf.float32, shape)
            values_ = sess.run(x.values * 2, {x: value})
            np.testing.assert_array_equal(values_, [2, 4])


def test_sparse_mask_drops_rows():
    with tf.Graph().as_default(), tf.Session() as sess:
        slices = tf.IndexedSlices(tf.constant(values([3, 2])), tf.constant([4, 7, 9]))
        kept = tf.sparse_mask(slices, [7, 1])
        indices, rows = sess.run([kept.indices, kept.values])
    np.testing.assert_array_equal(indices, [4, 9])
    np.testing.assert_array_equal(rows, values([3, 2])[[0, 2]])


_SHORT = np.array([[2], [0]], np.uint16)


@pytest.mark.parametrize(
    ("build", "shapes"),
    [
        (lambda x: tf.broadcast_to(x, [2, 3, 4]), [[3, 1]]),
        (lambda x: tf.broadcast_to(x, [2]), [[]]),
        (lambda x: tf.roll(x, [1, -2], [0, 1]), [[3, 4]]),
        (lambda x: tf.ensure_shape(x, [3]), [[3]]),
        (lambda x, u: tf.tensor_scatter_nd_add(x, [[1], [1]], u), [[3], [2]]),
        (lambda x, u: tf.tensor_scatter_nd_sub(x, [[1], [1]], u), [[3], [2]]),
        (lambda x, u: tf.tensor_scatter_nd_update(x, [[2], [0]], u), [[3, 2], [2, 2]]),
        (lambda x, u: tf.tensor_scatter_nd_update(x, _SHORT, u), [[3, 2], [2, 2]]),
    ],
)
def test_gradients(build, shapes):
    assert gradient_error(build, *shapes) < 1e-9


@pytest.mark.parametrize("name", ["min", "max"])
def test_gradients_of_extrema_are_shared(name):
    with tf.Graph().as_default(), tf.Session() as sess:
        x, u = tf.constant([1.0, 5.0, 3.0]), tf.constant([2.0, 3.0])
        y = getattr(tf, "tensor_scatter_nd_" + name)(x, [[0], [2]], u)
        dx, du = sess.run(tf.gradients(y, [x, u]))
    first = [0, 1] if name == "max" else [1, 0]
    np.testing.assert_array_equal(dx, [first[0], 1, 0.5])
    np.testing.assert_array_equal(du, [first[1], 0.5])


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    "shapes",
    [
        ([2, 3], [2, 3], [2, 3]),
        ([2, 1], [3], [2, 3]),
        ([], [2, 1], [1, 3]),
        ([4, 2, 3], [], [3]),
        ([0, 1], [3], [1]),
    ],
)
def test_where_v2_broadcasts(known, shapes):
    condition = values(shapes[0], np.float32) > 0
    x, y = values(shapes[1], np.float32), -values(shapes[2], np.float32)
    got = fed(tf.where_v2, condition, x, y, known=known)
    np.testing.assert_array_equal(got, np.where(condition, x, y))


def test_where_v2_knows_the_shape_it_broadcasts_to():
    with tf.Graph().as_default():
        condition, x = tf.placeholder(tf.bool, [None, 1]), tf.zeros([3])
        assert tf.where_v2(condition, x, 0.0).shape.as_list() == [None, 3]
        assert tf.where_v2(tf.placeholder(tf.bool), x, x).shape.ndims is None
        with pytest.raises(ValueError, match="broadcast"):
            tf.where_v2([True, False], x, x)


def test_where_v2_gradient_adds_up_what_was_broadcast():
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([[4.0], [5.0]])
        z = tf.where_v2([[True, False, False], [True, True, False]], x, y)
        dx, dy = session.run(tf.gradients(z, [x, y]))
    np.testing.assert_array_equal(dx, [2, 1, 0])
    np.testing.assert_array_equal(dy, [[2], [1]])


def test_where_v2_of_a_condition_alone():
    np.testing.assert_array_equal(
        run(lambda: tf.where_v2([True, False, True])), [[0], [2]]
    )
    with pytest.raises(ValueError, match="both"):
        tf.where_v2([True], x=[1])
