# SPDX-License-Identifier: Apache-2.0
"""tf.sets against Python's sets."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_set_ops

TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, object]
OPERATIONS = {
    "union": (tf.sets.union, lambda x, y: x | y),
    "intersection": (tf.sets.intersection, lambda x, y: x & y),
    "a-b": (tf.sets.difference, lambda x, y: x - y),
    "b-a": (lambda a, b: tf.sets.difference(a, b, aminusb=False), lambda x, y: y - x),
}
GROUPS = (2, 3)


def draw(dtype, n, seed):
    x = np.random.RandomState(seed).randint(0, 7, [*GROUPS, n])
    if dtype is object:
        return np.array([str(v).encode() for v in x.ravel()], object).reshape(x.shape)
    return x.astype(dtype)


def as_sparse(x):
    """Without the elements whose places add up to an odd number."""
    at = np.argwhere(np.indices(x.shape).sum(0) % 2 == 0)
    return tf.SparseTensor(at.astype(np.int64), tf.constant(x[tuple(at.T)]), x.shape)


def sets_of(x, sparse):
    found = {}
    for at in np.ndindex(x.shape):
        group = found.setdefault(at[:-1], set())
        if not sparse or sum(at) % 2 == 0:
            group.add(x[at])
    return found


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "kinds", [(False, False), (False, True), (True, False), (True, True)]
)
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name, kinds, dtype):
    op, python = OPERATIONS[name]
    arrays = [draw(dtype, 5, 0), draw(dtype, 4, 1)]
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [as_sparse(x) if s else tf.constant(x) for x, s in zip(arrays, kinds)]
        got = session.run(op(*inputs))
    first, second = (sets_of(x, s) for x, s in zip(arrays, kinds))
    want = {g: sorted(python(first[g], second[g])) for g in first}
    indices = [(*g, i) for g, values in want.items() for i in range(len(values))]
    np.testing.assert_array_equal(got.indices, np.array(indices).reshape(-1, 3))
    np.testing.assert_array_equal(
        got.values, [v for values in want.values() for v in values]
    )
    np.testing.assert_array_equal(
        got.dense_shape, [*GROUPS, max(map(len, want.values()))]
    )


@pytest.mark.parametrize("dtype", TYPES)
def test_the_size_of_a_set_counts_different_values(dtype):
    x = draw(dtype, 5, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        got = session.run(tf.sets.size(as_sparse(x)))
    want = np.zeros(GROUPS, np.int32)
    for group, values in sets_of(x, True).items():
        want[group] = len(values)
    np.testing.assert_array_equal(got, want)
    assert got.dtype == np.int32


def test_empty_sets():
    with tf.Graph().as_default(), tf.Session() as session:
        got = session.run(
            tf.sets.union(np.zeros([2, 0], np.int32), np.zeros([2, 0], np.int32))
        )
    assert got.values.size == 0
    np.testing.assert_array_equal(got.dense_shape, [2, 0])


def run(op, *arguments):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(op(*arguments))


def test_bad_input_is_refused():
    refused = pytest.raises((tf.errors.InvalidArgumentError, ValueError))
    one = np.ones([2, 3], np.int32)
    with refused:
        run(tf.sets.union, one, np.ones([3, 3], np.int32))
    with refused:
        run(tf.sets.union, one[0], one[0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="set_operation"):
        run(gen_set_ops.dense_to_dense_set_operation, one, one, "other")
    for indices in (
        [[0, 0], [5, 0]],
        [[0, -1], [0, 0]],
        [[1, 0], [0, 0]],
        [[0, 0], [0, 0]],
    ):
        x = tf.SparseTensorValue(np.array(indices, np.int64), np.array([1, 2]), [2, 3])
        with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
            run(lambda v=x: tf.sets.size(tf.SparseTensor(*v)))
    unordered = tf.SparseTensorValue(
        np.array([[1, 0], [0, 0]], np.int64), np.array([1, 2]), [2, 3]
    )
    got = run(lambda: tf.sets.size(tf.SparseTensor(*unordered), validate_indices=False))
    np.testing.assert_array_equal(got, [1, 1])
    huge = [1 << 40, 1 << 40, 2]
    with pytest.raises(
        (tf.errors.InvalidArgumentError, ValueError), match="count|many"
    ):
        run(
            lambda: tf.sets.size(
                tf.SparseTensor(
                    np.zeros([0, 3], np.int64), np.zeros([0], np.int32), huge
                )
            )
        )
    with pytest.raises(TypeError):
        tf.sets.union(np.ones([2, 2]), np.ones([2, 2]))
    with pytest.raises(TypeError):
        tf.sets.size(one)
