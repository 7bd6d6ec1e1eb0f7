# SPDX-License-Identifier: Apache-2.0
"""While, StatelessWhile and For: values, gradients, and loops that are stopped."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import attr_value_pb2
from tensorwright.python.framework import function
from tensorwright.python.ops import (
    functional_ops,
    gen_functional_ops,
    gen_resource_variable_ops,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@function.Defun(tf.int32, tf.float64, tf.float64)
def more(i, x, y):
    return i < 5


@function.Defun(tf.int32, tf.float64, tf.float64)
def step(i, x, y):
    return i + 1, x * y + tf.sin(x), y


@function.Defun(tf.int32)
def forever(i):
    return i >= 0


@function.Defun(tf.int32)
def same(i):
    return i


def reference(x, y, n=5):
    for _ in range(n):
        x = x * y + np.sin(x)
    return x


X, Y = np.array([0.5, -0.25]), np.array([0.75, 1.25])


@pytest.mark.parametrize("first", [0, 3, 5, 9])
def test_the_body_runs_while_the_condition_holds(first):
    i, x, y = functional_ops.While([first, X, Y], more, step)
    with tf.Session() as session:
        i, x, y = session.run([i, x, y])
        assert i == max(first, 5)
        np.testing.assert_allclose(x, reference(X, Y, max(0, 5 - first)))
        np.testing.assert_array_equal(y, Y)


def test_shapes_may_change():
    @function.Defun(tf.float32)
    def short(x):
        return tf.size(x) < 20

    @function.Defun(tf.float32)
    def twice(x):
        return tf.concat([x, x], 0)

    out = functional_ops.While([[1.0, 2.0, 3.0]], short, twice)[0]
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(out), [1, 2, 3] * 8)


def test_gradients_go_back_through_all_rounds():
    x, y = tf.constant(X), tf.constant(Y)
    out = functional_ops.While([0, x, y], more, step)[1]
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [2], out, [2], X, 1e-5) < 1e-7
        assert tf.test.compute_gradient_error(y, [2], out, [2], Y, 1e-5) < 1e-7


def test_gradients_of_gradients():
    x, y = tf.constant(X), tf.constant(Y)
    out = functional_ops.While([2, x, y], more, step)[1]
    dx = tf.gradients(out, x)[0]
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [2], dx, [2], X, 1e-5) < 1e-6
        assert tf.test.compute_gradient_error(y, [2], dx, [2], Y, 1e-5) < 1e-6


@pytest.mark.parametrize("stateless", [False, True])
def test_every_loop_variable_has_its_own_gradient(stateless):
    types = [tf.int32, *[tf.float64] * 7]

    @function.Defun(*types)
    def few(i, *x):
        return i < 2

    @function.Defun(*types)
    def rotate(i, *x):
        return i + 1, *(x[k - 1] * (k + 2) for k in range(7))

    inputs = [tf.constant(X * k) for k in range(7)]
    if stateless:
        cond, body = (attr_value_pb2.NameAttrList(name=f.name) for f in (few, rotate))
        few.add_to_graph(tf.get_default_graph())
        rotate.add_to_graph(tf.get_default_graph())
        outputs = gen_functional_ops.stateless_while([0, *inputs], cond, body)[1:]
    else:
        outputs = functional_ops.While([0, *inputs], few, rotate)[1:]
    y = sum(10.0**k * out for k, out in enumerate(outputs))
    # The variable at k ends, two places on, multiplied by the factors of those.
    expected = []
    for k in range(7):
        first, second = (k + 1) % 7, (k + 2) % 7
        expected.append(np.full(2, (first + 2) * (second + 2) * 10.0**second))
    with tf.Session() as session:
        got = session.run(tf.gradients(y, inputs))
        np.testing.assert_allclose(got, expected)


def test_a_loop_may_hold_a_matrix():
    @function.Defun(tf.int32, tf.int64)
    def few(i, x):
        return i < 3

    @function.Defun(tf.int32, tf.int64)
    def grow(i, x):
        return i + 1, x * 2 + 1

    x = np.arange(12).reshape(4, 3)
    out = functional_ops.While([0, x], few, grow)[1]
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(out), x * 8 + 7)


def test_no_round_has_the_gradient_of_nothing():
    x = tf.constant(X)
    out = functional_ops.While([7, x, Y], more, step)[1]
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(tf.gradients(out, x)[0]), [1, 1])


def test_a_variable_that_is_read_in_a_loop_has_a_gradient():
    v = tf.Variable(np.float64([2.0, 3.0]), use_resource=True)

    @function.Defun(tf.int32, tf.float64, tf.resource)
    def few(i, x, handle):
        return i < 3

    @function.Defun(tf.int32, tf.float64, tf.resource)
    def scale(i, x, handle):
        read = gen_resource_variable_ops.read_variable_op(handle, tf.float64)
        return i + 1, x * read, handle

    out = functional_ops.While([0, X, v.handle], few, scale)[1]
    dv = tf.gradients(out, v)[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(out), X * np.array([8, 27]))
        np.testing.assert_allclose(session.run(dv), X * 3 * np.array([4, 9]))


def test_for_counts():
    @function.Defun(tf.int32, tf.float32)
    def add(i, x):
        return x * 2 + tf.cast(i, tf.float32)

    with tf.Session() as session:
        for start, limit, delta in ((0, 4, 1), (3, -2, -2), (5, 5, 1), (1, 8, 3)):
            out = functional_ops.For(start, limit, delta, [1.0], add)[0]
            expected = 1.0
            for i in range(start, limit, delta):
                expected = expected * 2 + i
            assert session.run(out) == expected
        for start, limit, delta in ((0, 4, -1), (4, 0, 1), (0, 1, 0)):
            out = functional_ops.For(start, limit, delta, [1.0], add)[0]
            with pytest.raises(tf.errors.InvalidArgumentError, match="delta"):
                session.run(out)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_deadline_ends_a_loop(threads):
    out = functional_ops.While([1], forever, same)[0]
    config = tf.ConfigProto(inter_op_parallelism_threads=threads)
    with tf.Session(config=config) as session:
        begun = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(out, options=tf.RunOptions(timeout_in_ms=50))
        assert time.monotonic() - begun < 20
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(
                functional_ops.If(True, [out], same, same)[0],
                options=tf.RunOptions(timeout_in_ms=50),
            )


def test_closing_a_session_ends_a_loop():
    out = functional_ops.While([1], forever, same)[0]
    session = tf.Session()
    errors = []

    def run():
        try:
            session.run(out)
        except tf.errors.OpError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.1)
    session.close()
    thread.join(20)
    assert not thread.is_alive()
    assert isinstance(errors[0], tf.errors.CancelledError)


def test_a_long_loop_takes_no_stack():
    @function.Defun(tf.int32)
    def many(i):
        return i < 30000

    @function.Defun(tf.int32)
    def next_one(i):
        return i + 1

    for op in ("While", "StatelessWhile"):
        out = tf.get_default_graph()
        for f in (many, next_one):
            f.add_to_graph(out)
        made = (
            functional_ops.While([0], many, next_one)
            if op == "While"
            else gen_functional_ops.stateless_while(
                [tf.constant(0)],
                attr_value_pb2.NameAttrList(name=many.name),
                attr_value_pb2.NameAttrList(name=next_one.name),
            )
        )
        with tf.Session() as session:
            assert session.run(made[0]) == 30000


def test_an_error_in_the_body_names_it():
    @function.Defun(tf.int32)
    def broken(i):
        return tf.gather([1, 2, 3], i)

    out = functional_ops.While([7], forever, broken)[0]
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Function broken"):
            session.run(out)


def test_functions_must_keep_the_types():
    @function.Defun(tf.int32)
    def wrong(i):
        return tf.cast(i, tf.float32)

    @function.Defun(tf.int32)
    def two(i):
        return i, i

    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="body.*gives"):
            session.run(functional_ops.While([1], forever, wrong)[0])
        with pytest.raises(tf.errors.InvalidArgumentError, match="must give one"):
            session.run(functional_ops.While([1], two, same)[0])
