# SPDX-License-Identifier: Apache-2.0
"""Side effects run before the users of a tensor."""

import pytest

import tensorwright as tf
from tensorwright.python.framework.subscribe import (
    _is_subscribed_identity,
    subscribe,
)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def noting(log, tag=None):
    def note(value):
        log.append(value.tolist() if tag is None else tag)

    return lambda tensor: [tf.py_func(note, [tensor], [])]


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


def test_what_uses_a_tensor_waits_for_the_side_effects():
    log = []
    c = tf.constant(1.0, name="c")
    d = tf.add(c, c)
    with tf.control_dependencies([c]):
        e = tf.constant(3.0)
    result = subscribe(c, noting(log))
    assert result.op.name == "c/subscription/Identity"
    assert list(d.op.inputs) == [result, result]
    assert run(d) == 2 and log == [1]
    assert run(e) == 3 and log == [1, 1], "what waits for the operation waits, too"
    assert run(c) == 1 and log == [1, 1], "the tensor itself has no side effects"


def test_a_second_subscription_goes_to_the_first():
    log = []
    c = tf.constant(1.0)
    d = c + 1
    first = subscribe(c, noting(log, "a"))
    assert subscribe(c, [noting(log, "b"), noting(log, "c")]) is first
    assert subscribe(first, noting(log, "d")) is first
    assert run(d) == 2 and sorted(log) == ["a", "b", "c", "d"]


def test_structures_of_tensors():
    log = []
    a, b = tf.constant(1), tf.constant(2)
    total = a + b
    results = subscribe({"a": a, "b": [b]}, noting(log))
    assert set(results) == {"a", "b"} and results["b"][0].op.inputs[0] is b
    assert run(total) == 3 and sorted(log) == [1, 2]
    with pytest.raises(TypeError, match="is not a tensor"):
        subscribe([a, "b"], noting(log))


def test_a_variable_stands_for_its_value():
    log = []
    v, w = tf.Variable(0.0), tf.Variable(4.0)
    total = v + w
    assign = v.assign(3.0)
    subscribed = subscribe(v, noting(log))
    assert isinstance(subscribed, tf.Tensor)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(total) == 4 and log == [0]
        session.run(assign)
        assert session.run(total) == 7 and log == [0, 3]
        assert session.run(subscribed) == 3 and log == [0, 3, 3]


def test_a_resource_has_no_value_to_subscribe_to():
    log = []
    array = tf.TensorArray(tf.float32, 1).write(0, 5.0)
    read = array.read(0)
    handle = subscribe(array.handle, noting(log))
    assert handle is array.handle and not _is_subscribed_identity(handle)
    assert _is_subscribed_identity(subscribe(read, noting(log)))
    assert run(read) == 5 and log == []


def test_side_effects_in_a_loop_come_in_each_iteration():
    log, inside = [], []

    def body(i):
        inside.append(i * 10)
        return i + inside[0] // 10 * 0 + 1

    last = tf.while_loop(lambda i: i < 3, body, [0])
    subscribe(inside[0], noting(log))
    assert run(last) == 3 and log == [0, 10, 20]
