# SPDX-License-Identifier: Apache-2.0
"""Barriers: tuples that are put together under a key."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import data_flow_ops, gen_data_flow_ops

FIRST = -(1 << 63)


def barrier(**kwargs):
    return data_flow_ops.Barrier((tf.float32, tf.string), shapes=((), ()), **kwargs)


def test_tuples_are_ready_when_they_have_all_components():
    with tf.Graph().as_default(), tf.Session() as session:
        b = barrier()
        session.run(b.insert_many(0, ["k1", "k2"], [1.0, 2.0]))
        session.run(b.insert_many(0, ["k3"], [3.0]))
        assert session.run([b.ready_size(), b.incomplete_size()]) == [0, 3]
        session.run(b.insert_many(1, ["k3", "k2", "k1"], ["z", "y", "x"]))
        assert session.run([b.ready_size(), b.incomplete_size()]) == [3, 0]
        taken = b.take_many(3)
        assert taken[0].shape == [3] and taken[2][0].shape == [3]
        indices, keys, values = session.run(list(taken))
        assert indices.tolist() == [FIRST, FIRST, FIRST + 1]
        assert keys.tolist() == [b"k2", b"k1", b"k3"]
        assert values[0].tolist() == [2, 1, 3]
        assert values[1].tolist() == [b"y", b"x", b"z"]


def test_tuples_are_in_the_order_in_which_their_keys_came():
    with tf.Graph().as_default(), tf.Session() as session:
        b = barrier()
        # Inserts that complete a tuple, or insert nothing, do not change the order.
        for key in "ab":
            session.run(b.insert_many(0, [key], [1.0]))
            session.run(b.insert_many(1, [key], ["x"]))
            session.run(b.insert_many(0, np.array([], object), np.zeros([0])))
        session.run(b.insert_many(1, ["c", "d"], ["x", "y"]))
        session.run(b.insert_many(0, ["d", "c"], [2.0, 3.0]))
        indices, keys, _ = session.run(list(b.take_many(4)))
        assert indices.tolist() == [FIRST, FIRST + 1, FIRST + 2, FIRST + 2]
        assert keys.tolist() == [b"a", b"b", b"d", b"c"]


def test_who_takes_waits():
    with tf.Graph().as_default(), tf.Session() as session:
        b = barrier()
        keys = b.take_many(2)[1]
        got = []
        taker = threading.Thread(target=lambda: got.append(session.run(keys)))
        taker.start()
        session.run(b.insert_many(0, ["a", "b"], [1.0, 2.0]))
        session.run(b.insert_many(1, ["a"], ["x"]))
        time.sleep(0.02)
        assert taker.is_alive()
        session.run(b.insert_many(1, ["b"], ["x"]))
        taker.join(20)
        assert got[0].tolist() == [b"a", b"b"]
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(keys, options=tf.RunOptions(timeout_in_ms=20))


def test_a_closed_barrier_takes_no_new_keys():
    with tf.Graph().as_default(), tf.Session() as session:
        b = barrier()
        session.run(b.insert_many(0, ["a", "b", "c"], [1.0, 2.0, 3.0]))
        session.run(b.close())
        with pytest.raises(tf.errors.CancelledError, match="brand new key"):
            session.run(b.insert_many(0, ["d"], [1.0]))
        session.run(b.insert_many(1, ["b"], ["x"]))
        assert session.run(b.take_many(1)[1]).tolist() == [b"b"]
        with pytest.raises(
            tf.errors.OutOfRangeError, match="requested 3, total size 2"
        ):
            session.run(b.take_many(3)[1])
        session.run(b.insert_many(1, ["c"], ["x"]))
        assert session.run(b.take_many(5, allow_small_batch=True)[1]).tolist() == [b"c"]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(b.take_many(5, allow_small_batch=True)[1])
        with pytest.raises(tf.errors.CancelledError, match="already closed"):
            session.run(b.close())
        session.run(b.close(cancel_pending_enqueues=True))
        assert session.run(b.incomplete_size()) == 0
        with pytest.raises(tf.errors.CancelledError):
            session.run(b.insert_many(1, ["a"], ["x"]))


def test_components_of_any_shape():
    with tf.Graph().as_default(), tf.Session() as session:
        b = data_flow_ops.Barrier([tf.int64])
        rows = np.arange(6).reshape(3, 2)
        session.run(b.insert_many(0, ["a", "b", "c"], rows))
        np.testing.assert_array_equal(session.run(b.take_many(2)[2][0]), rows[:2])
        session.run(b.insert_many(0, ["d"], [[1, 2, 3]]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="one shape"):
            session.run(b.take_many(2)[1])


def test_wrong_use_is_refused():
    invalid = tf.errors.InvalidArgumentError
    with tf.Graph().as_default(), tf.Session() as session:
        b = barrier()
        session.run(b.insert_many(0, ["a"], [1.0]))
        x, n = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        insert = gen_data_flow_ops._barrier_insert_many
        cases = [
            (b.insert_many(0, ["a"], [1.0]), "already has a value"),
            (b.insert_many(0, ["a", "b"], x), "rows|equal|Dimension"),
            (insert(b.barrier_ref, ["a"], [1.0], 2), "out of range"),
            (insert(b.barrier_ref, ["a"], [1.0], 1), "component 1 must be string"),
            (b.take_many(n)[1], ">= 0"),
        ]
        for op, words in cases:
            with pytest.raises(invalid, match=words):
                session.run(op, {x: [1.0], n: -1})
        for capacity in (3, 0, -2):
            bounded = gen_data_flow_ops._barrier([tf.float32], [[]], capacity)
            with pytest.raises(invalid, match="capacity=-1"):
                session.run(gen_data_flow_ops._barrier_ready_size(bounded))
        for shapes in ([], [[], []]):
            some = gen_data_flow_ops._barrier([tf.float32], shapes)
            with pytest.raises(invalid, match="a shape for each"):
                session.run(gen_data_flow_ops._barrier_ready_size(some))


def test_without_shapes_components_may_have_any():
    with tf.Graph().as_default(), tf.Session() as session:
        b = data_flow_ops.Barrier((tf.float32, tf.int32))
        shapes = b.barrier_ref.op.get_attr("shapes")
        assert [shape.unknown_rank for shape in shapes] == [True, True]
        session.run(b.insert_many(0, ["a"], [[1.0, 2.0]]))
        session.run(b.insert_many(1, ["a"], [[[3]]]))
        _, keys, (floats, ints) = session.run(b.take_many(1))
        assert keys.tolist() == [b"a"]
        assert floats.tolist() == [[1, 2]] and ints.tolist() == [[[3]]]
