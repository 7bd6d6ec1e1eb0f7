# SPDX-License-Identifier: Apache-2.0
"""Tensors that a session keeps between runs, by handles."""

import gc

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_data_flow_ops, session_ops


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool, np.complex64, object])
def test_what_is_kept_comes_back(session, dtype):
    x = np.array([[1, 0], [1, 1]]).astype(dtype) if dtype is not object else None
    x = np.array([b"a", b"bc"], object) if x is None else x
    h = session.run(tf.get_session_handle(tf.constant(x)))
    np.testing.assert_array_equal(h.eval(), x)
    holder, value = tf.get_session_tensor(
        h.handle, x.dtype if dtype is not object else tf.string
    )
    np.testing.assert_array_equal(session.run(value, {holder: h.handle}), x)


def test_handles_in_nested_fetches(session):
    a, b = tf.constant(2.0), tf.constant(3.0)
    got = session.run({"h": [tf.get_session_handle(a)], "b": b})
    assert isinstance(got["h"][0], session_ops.TensorHandle)
    assert (got["h"][0].eval(), got["b"]) == (2.0, 3.0)


def test_a_handle_that_is_fed_is_the_tensor(session):
    x = tf.placeholder(tf.float32)
    y = tf.reduce_sum(x) * 2
    h = session.run(tf.get_session_handle(tf.constant([1.0, 2.0])))
    for _ in range(3):  # The second run goes by another way than the first.
        assert session.run(y, {x: h}) == 6.0
    assert session.run(y, {x: [5.0]}) == 10.0
    assert session.make_callable(y, [x])(h) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have type"):
        session.run(tf.placeholder(tf.int32, name="i") + 1, {"i:0": h})


def test_the_placeholder_of_get_session_tensor_takes_the_object_too(session):
    h = session.run(tf.get_session_handle(tf.constant(7.0)))
    holder, value = tf.get_session_tensor(h.handle, tf.float32)
    assert session.run(value, {holder: h}) == 7.0


def test_each_run_makes_a_handle_of_its_own(session):
    x = tf.placeholder(tf.float32)
    get = tf.get_session_handle(x)
    handles = [session.run(get, {x: i}) for i in range(5)]
    assert len({h.handle for h in handles}) == 5
    assert [h.eval() for h in handles] == [0, 1, 2, 3, 4]


def test_deleted_is_gone(session):
    h = session.run(tf.get_session_handle(tf.constant(1.0)))
    text = h.handle
    h.delete()
    holder, value = tf.get_session_tensor(text, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in the session"):
        session.run(value, {holder: text})
    with pytest.raises(TypeError, match="deleted"):
        h.eval()
    holder, deleter = tf.delete_session_tensor(text)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Failed to delete"):
        session.run(deleter, {holder: text})


def test_what_nobody_holds_goes_in_time(session):
    get = tf.get_session_handle(tf.constant(1.0))
    first = session.run(get).handle
    for _ in range(15):
        session.run(get)
        gc.collect()
    holder, value = tf.get_session_tensor(first, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in the session"):
        session.run(value, {holder: first})


def test_a_raw_handle_stays(session):
    get = tf.get_session_handle(tf.constant(1.0))
    first = session.run(get).get_raw_handle()
    for _ in range(15):
        session.run(get)
    holder, value = tf.get_session_tensor(first, tf.float32)
    assert session.run(value, {holder: first}) == 1.0


def test_a_handle_that_is_not_fetched_keeps_nothing(session):
    get = tf.get_session_handle(tf.constant(1.0))
    session.run(get.op)
    # The next one has another number; the first is unknown.
    h = session.run(get)
    name, number, device = h.handle.split(";")
    before = f"{name};{int(number) - 1};{device}"
    holder, value = tf.get_session_tensor(before, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in the session"):
        session.run(value, {holder: before})


def test_handles_of_a_run_in_pieces(session):
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    h1, h2 = tf.get_session_handle(x + 1), tf.get_session_handle(x * y)
    step = session.partial_run_setup([h1, h2], [x, y])
    first = session.partial_run(step, h1, {x: 2.0})
    second = session.partial_run(step, h2, {y: first})
    assert (first.eval(), second.eval()) == (3.0, 6.0)


def test_handles_are_of_their_session():
    with tf.Graph().as_default():
        with tf.Session() as one, tf.Session() as two:
            h = one.run(tf.get_session_handle(tf.constant(1.0)))
            holder, value = tf.get_session_tensor(h.handle, tf.float32)
            with pytest.raises(tf.errors.InvalidArgumentError, match="not in the"):
                two.run(value, {holder: h.handle})
            assert one.run(value, {holder: h.handle}) == 1.0
            h.get_raw_handle()


def test_the_dtype_must_be_that_of_the_tensor(session):
    h = session.run(tf.get_session_handle(tf.constant(1.0)))
    holder, value = tf.get_session_tensor(h.handle, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype must be that"):
        session.run(value, {holder: h.handle})


def test_bad_arguments(session):
    with pytest.raises(TypeError, match="Tensor"):
        tf.get_session_handle([1.0])
    x = tf.placeholder(tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(gen_data_flow_ops.get_session_tensor(x, tf.float32), {x: ["a"]})
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(gen_data_flow_ops.delete_session_tensor(x), {x: ["a"]})


def test_the_second_version_gives_a_resource(session):
    op = gen_data_flow_ops.get_session_handle_v2(tf.constant([1.0]))
    assert op.dtype == tf.resource and op.shape == []
    h = session.run(op)
    assert isinstance(h, session_ops.TensorHandle) and h.eval() == [1.0]


def test_what_is_no_number_is_kept(session):
    x = np.float32([1, np.nan])
    h = session.run(tf.get_session_handle(tf.constant(x)))
    np.testing.assert_array_equal(h.eval(), x)
