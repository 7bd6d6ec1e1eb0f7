# SPDX-License-Identifier: Apache-2.0
"""Functions of a graph."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import function

pytestmark = pytest.mark.usefixtures("fresh_graph")


def run(*tensors):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(list(tensors))


def test_calls_are_ops():
    @function.Defun(tf.float32, tf.float32, func_name="AddTwice")
    def add_twice(x, y):
        return x + 2 * y

    z = add_twice(1.0, 2.0, name="z")
    assert z.op.type == "AddTwice"
    assert z.op.name == "z"
    assert run(z) == [5]
    library = tf.get_default_graph().as_graph_def().library
    assert [f.signature.name for f in library.function] == ["AddTwice"]


def test_calls_return_an_operation_a_tensor_or_a_list():
    @function.Defun(tf.float32)
    def none(x):
        tf.identity(x)

    @function.Defun(tf.float32, out_names=["a", "b"])
    def two(x):
        return x + 1, [1, 2]

    assert isinstance(none(1.0), tf.Operation)
    a, b = two(1.0)
    assert (a.dtype, b.dtype, b.shape.as_list()) == (tf.float32, tf.int32, [2])
    assert [o.name for o in two.definition.signature.output_arg] == ["a", "b"]
    with tf.Session() as session:
        assert session.run(a) == 2


def test_what_is_around_is_captured():
    c = tf.constant([5.0])

    @function.Defun(tf.float32)
    def outer(x):
        @function.Defun(tf.float32)
        def inner(y):
            return y * c

        v = tf.get_variable("v", [], initializer=tf.constant_initializer(7.0))
        return inner(x) + v

    z = outer([2.0])
    assert [t.op.name for t in outer.captured_inputs][0] == c.op.name
    assert run(z)[0].tolist() == [17]
    assert [v.op.name for v in tf.global_variables()] == ["v"]


def test_stateful_ops_run():
    seen = []

    @function.Defun(tf.int32)
    def noisy(x):
        tf.py_func(lambda v: seen.append(int(v)), [x], [])
        return x + 1

    assert noisy.stateful_ops[0][1] == "PyFunc"
    assert noisy.definition.signature.is_stateful
    assert run(noisy(3)) == [4]
    assert seen == [3]


def test_types_may_follow_from_the_calls():
    @function.Defun()
    def double(x):
        return x + x

    assert run(double(2), double(1.5)) == [4, 3]
    names = {
        f.signature.name for f in tf.get_default_graph().as_graph_def().library.function
    }
    assert len(names) == 2


def test_gradients_of_ones_own():
    @function.Defun(tf.float32, tf.float32)
    def backward(x, dy):
        return 10 * dy * x

    @function.Defun(tf.float32, grad_func=backward)
    def forward(x):
        return x * x

    @function.Defun(tf.float32, python_grad_func=lambda op, dy: 100 * dy)
    def other(x):
        return x * x

    x = tf.constant(3.0)
    assert run(tf.gradients(forward(x), x)[0], tf.gradients(other(x), x)[0]) == [
        30,
        100,
    ]


def test_gradients_reach_what_is_captured():
    w = tf.Variable([2.0, 3.0])

    @function.Defun(tf.float32)
    def scaled(x):
        return tf.reduce_sum(x * w)

    x = tf.constant([1.0, 4.0])
    got = run(*tf.gradients(scaled(x), [x, w]))
    np.testing.assert_array_equal(got, [[2, 3], [1, 4]])


def test_graphs_are_written_and_read():
    @function.Defun(tf.float32)
    def square(x):
        return x * x

    x = tf.constant(3.0, name="x")
    y = square(x, name="y")
    gradient = tf.gradients(y, x)[0]
    definition = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default():
        got = tf.import_graph_def(
            definition, return_elements=["x:0", "y:0", gradient.name], name="in"
        )
        assert run(*got) == [3, 9, 6]
        assert run(*tf.gradients(got[1], got[0])) == [6]


def test_declared_functions():
    declared = function.Declare("Later", [("x", tf.float32)], [("y", tf.float32)])
    y = declared(2.0)

    @function.Defun(tf.float32, func_name="Later", out_names=["y"])
    def later(x):
        return x * 3

    later.add_to_graph(tf.get_default_graph())
    assert run(y) == [6]


def test_what_is_wrong_is_said():
    @function.Defun(tf.float32)
    def one(x):
        return x

    with pytest.raises(ValueError, match="1 arguments"):
        one(1.0, 2.0)
    with pytest.raises(ValueError, match="2 types"):
        function.Defun(tf.float32, tf.float32)(lambda x: x)
    with pytest.raises(ValueError, match="callable"):
        function.Defun(tf.float32)(3)

    @function.Defun(tf.float32)
    def bad(x):
        return None, x

    with pytest.raises(ValueError, match="return None"):
        bad(1.0)

    @function.Defun(tf.float32, func_name="Same")
    def first(x):
        return x

    @function.Defun(tf.float32, func_name="Same")
    def second(x):
        return x + 1

    first(1.0)
    with pytest.raises(ValueError, match="another one of that name"):
        second(1.0)


def test_shape_functions():
    @function.Defun(tf.float32, shape_func=lambda op: [op.inputs[0].shape])
    def same(x):
        return tf.py_func(lambda v: v, [x], tf.float32)

    assert same(tf.zeros([2, 3])).shape.as_list() == [2, 3]


def test_random_numbers_go_on():
    @function.Defun()
    def draw():
        return tf.random_uniform([])

    y = draw()
    with tf.Session() as session:
        assert len({session.run(y).item() for _ in range(10)}) == 10
