# SPDX-License-Identifier: Apache-2.0
"""Staging maps: tuples by key, whole and component by component."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import data_flow_ops, gen_data_flow_ops

TIMEOUT = tf.RunOptions(timeout_in_ms=20)


def area(**kwargs):
    return data_flow_ops.MapStagingArea(
        [tf.int32, tf.string], shapes=[[], []], **kwargs
    )


def sizes(session, a):
    return session.run([a.size(), a.incomplete_size()])


@pytest.mark.parametrize("ordered", [False, True])
def test_tuples_by_key(ordered):
    with tf.Graph().as_default(), tf.Session() as session:
        a = area(ordered=ordered)
        for key in (5, 2, 9):
            session.run(a.put(key, [key * 10, f"{key}"]))
        assert sizes(session, a) == [3, 0]
        assert session.run(a.peek(9)) == [90, b"9"]
        key, values = a.get(5)
        assert key == 5 and session.run(values) == [50, b"5"]
        got = [session.run(a.get()) for _ in range(2)]
        if not ordered:
            got.sort()
        assert got == [(2, [20, b"2"]), (9, [90, b"9"])]
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(a.get(), options=TIMEOUT)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(a.get(5)[1], options=TIMEOUT)
        session.run(a.put(1, [1, "x"]))
        session.run(a.clear())
        assert sizes(session, a) == [0, 0]


@pytest.mark.parametrize("ordered", [False, True])
def test_rows_come_out_as_they_were_put_in(ordered):
    with tf.Graph().as_default(), tf.Session() as session:
        a = data_flow_ops.MapStagingArea([tf.int32, tf.float32], ordered=ordered)
        session.run(a.put(4, [[1, 2, 3], [[1.0, 2.0], [3.0, 4.0]]]))
        key, (row, rows) = session.run(a.get())
        assert key == 4 and row.tolist() == [1, 2, 3]
        assert rows.tolist() == [[1, 2], [3, 4]]
        session.run(a.put(5, [[4, 5], [[5.0, 6.0], [7.0, 8.0]]]))
        for values in (a.peek(5), a.get(5)[1]):
            row, rows = session.run(values)
            assert row.tolist() == [4, 5]
            assert rows.tolist() == [[5, 6], [7, 8]]


@pytest.mark.parametrize("ordered", [False, True])
def test_components_come_and_go(ordered):
    with tf.Graph().as_default(), tf.Session() as session:
        a = area(ordered=ordered)
        session.run(a.put(3, [7], indices=[0]))
        assert sizes(session, a) == [0, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="already"):
            session.run(a.put(3, [7], indices=[0]))
        session.run(a.put(3, ["s"], indices=[1]))
        assert sizes(session, a) == [1, 0]
        assert session.run(a.get(3, [1])[1]) == [b"s"]
        assert sizes(session, a) == [1, 0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="been removed"):
            session.run(a.get(3, [1])[1])
        assert session.run(a.get(3, [0])[1]) == [7]
        assert sizes(session, a) == [0, 0]


def test_limits():
    with tf.Graph().as_default(), tf.Session() as session:
        a = area(capacity=1)
        session.run(a.put(1, [1, "a"]))
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(a.put(2, [2, "b"]), options=TIMEOUT)
        session.run(a.get(1)[1])
        session.run(a.put(2, [2, "b"]))
        small = area(memory_limit=10)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="memory limit"):
            session.run(small.put(1, [1, "a" * 100]))


def test_wrong_use_is_refused():
    invalid = tf.errors.InvalidArgumentError
    with tf.Graph().as_default(), tf.Session() as session:
        stage = gen_data_flow_ops.map_stage
        types = dict(dtypes=[tf.int32, tf.string], shared_name="m")
        for indices, values, words in (
            ([1, 0], [b"a", 1], "not strictly ordered"),
            ([2], [1], "of indices was out of bounds"),
            ([0], [b"a"], "component 0 must be int32"),
            ([0, 1], [1], "as many"),
        ):
            op = stage(tf.constant(1, tf.int64), indices, values, **types)
            with pytest.raises(invalid, match=words):
                session.run(op)
        key = tf.constant(1, tf.int64)
        session.run(stage(key, [0, 1], [1, b"a"], **types))
        for indices, dtypes, words in (
            ([0], [tf.float32], "dtypes must be"),
            ([1, 0], [tf.string, tf.int32], "not strictly ordered"),
            ([2], [tf.int32], "of indices was out of bounds"),
        ):
            get = gen_data_flow_ops.map_unstage(
                key, indices, dtypes=dtypes, shared_name="m"
            )
            with pytest.raises(invalid, match=words):
                session.run(get)


def test_who_takes_may_come_first():
    with tf.Graph().as_default(), tf.Session() as session:
        a = area()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(a.get(1, [1])[1], options=TIMEOUT)
        session.run(a.put(1, [1, "a"]))
        assert session.run(a.get(1, [1])[1]) == [b"a"]
