# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors in maps, and what puts them together again."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import gen_sparse_ops, sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.float32, np.int8, object])
@pytest.mark.parametrize("shape", [(4, 3), (3, 2, 4)])
def test_rows_come_back_in_any_order(shape, dtype):
    parts = drawn.draw(shape, dtype)
    order = np.random.RandomState(1).permutation(shape[0])

    def build(sp):
        handles = sparse_ops._add_many_sparse_to_tensors_map(sp)
        return sparse_ops._take_many_sparse_from_tensors_map(
            handles.op, tf.gather(handles, order), rank=len(shape) - 1
        )

    got = drawn.run(build, parts)
    np.testing.assert_array_equal(drawn.dense(got), drawn.dense(parts)[order])


def test_one_by_one():
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.sparse.placeholder(tf.float32)
        handle = sparse_ops._add_sparse_to_tensors_map(sparse)
        asked = tf.placeholder(tf.int64, [None])
        take = sparse_ops._take_many_sparse_from_tensors_map(handle.op, asked)
        parts = [drawn.draw((3, n), part=1.0) for n in (1, 4)]
        handles = [
            session.run(handle, {sparse: tf.SparseTensorValue(*p)}) for p in parts
        ]
        got = session.run(take, {asked: handles})
        np.testing.assert_array_equal(got.dense_shape, [2, 3, 4])
        np.testing.assert_array_equal(got.values, np.concatenate([p[1] for p in parts]))
        # Each is taken once.
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find"):
            session.run(take, {asked: handles})


def test_what_is_missing_takes_nothing():
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.SparseTensor([[0, 1]], [5.0], [1, 3])
        handles = sparse_ops._add_many_sparse_to_tensors_map(sparse)
        asked = tf.placeholder(tf.int64, [None])
        take = sparse_ops._take_many_sparse_from_tensors_map(handles.op, asked)
        (own,) = session.run(handles)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find"):
            session.run(take, {asked: [own, 99]})
        np.testing.assert_array_equal(session.run(take, {asked: [own]}).values, [5])


def test_bad_input():
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.SparseTensor([[1, 1], [0, 0]], [5.0, 6.0], [2, 3])
        handles = sparse_ops._add_many_sparse_to_tensors_map(sparse)
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
            session.run(handles)
        wrong = gen_sparse_ops._take_many_sparse_from_tensors_map(
            [0], dtype=tf.int32, shared_name="ints"
        )
        floats = gen_sparse_ops._add_sparse_to_tensors_map(
            [[0]], [1.0], [2], shared_name="ints"
        )
        session.run(floats)
        with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
            session.run(wrong)
        with pytest.raises(TypeError, match="sparse_map_op"):
            sparse_ops._take_many_sparse_from_tensors_map(tf.no_op(), handles)


def test_values_that_are_no_numbers_are_kept():
    values = np.float32([np.nan, 1])
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.SparseTensor([[0], [2]], tf.constant(values), [3])
        handle = sparse_ops._add_sparse_to_tensors_map(sparse)
        asked = tf.placeholder(tf.int64, [None])
        take = sparse_ops._take_many_sparse_from_tensors_map(handle.op, asked)
        got = session.run(take, {asked: [session.run(handle)]})
    np.testing.assert_array_equal(got.values, values)
