# SPDX-License-Identifier: Apache-2.0
"""If, StatelessIf, Case and StatelessCase: the function that is chosen, its gradient, bad types."""

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

X = np.array([0.5, -2.0, 3.0])


@function.Defun(tf.float64, tf.float64)
def product(x, y):
    return x * y, x


@function.Defun(tf.float64, tf.float64)
def sine(x, y):
    return tf.sin(x), y


@function.Defun(tf.float64, tf.float64)
def linear(x, y):
    return 3 * x, 2 * y


def func(defined):
    defined.add_to_graph(tf.get_default_graph())
    return attr_value_pb2.NameAttrList(name=defined.name)


@pytest.mark.parametrize(
    ("cond", "holds"),
    [
        (True, True), (False, False), (2.0, True), (0.0, False), (np.int64(-1), True),
        (np.int32(0), False), ("x", True), ("", False), ([], False), ([0.0], True),
        (np.uint8(3), True), (np.int8(0), False), (np.int16(7), True), (np.float64(0), False),
    ],
)  # fmt: skip
def test_the_condition_may_be_anything(cond, holds):
    x, y = tf.constant(X), tf.constant(2 * X)
    a, b = functional_ops.If(cond, [x, y], product, sine)
    stateless = gen_functional_ops.stateless_if(
        cond, [x, y], [tf.float64] * 2, func(product), func(sine)
    )
    expected = (X * 2 * X, X) if holds else (np.sin(X), 2 * X)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run([a, b]), expected)
        np.testing.assert_allclose(session.run(list(stateless)), expected)
        assert session.run(gen_functional_ops.to_bool(cond)) == holds


def test_a_complex_number_is_no_condition():
    made = functional_ops.If(tf.constant(1j), [X, X], product, sine)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="converted to bool"):
            session.run(made)


def test_the_index_chooses_or_else_the_last():
    index = tf.placeholder(tf.int32, [])
    branches = [func(f) for f in (product, sine, linear)]
    made = [
        op(index, [X, 2 * X], [tf.float64] * 2, branches)
        for op in (gen_functional_ops.case, gen_functional_ops.stateless_case)
    ]
    expected = [(2 * X * X, X), (np.sin(X), 2 * X), (3 * X, 4 * X)]
    with tf.Session() as session:
        for i, k in ((0, 0), (1, 1), (2, 2), (3, 2), (-1, 2)):
            for values in session.run(made, {index: i}):
                np.testing.assert_allclose(values, expected[k])


@pytest.mark.parametrize("cond", [True, False])
def test_gradients_are_those_of_the_branch(cond):
    x, y = tf.constant(X), tf.constant(2 * X)
    a, b = functional_ops.If(cond, [x, y], product, sine)
    z = tf.reduce_sum(a * a) + tf.reduce_sum(b)
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [3], z, [], X) < 1e-6
        assert tf.test.compute_gradient_error(y, [3], z, [], 2 * X) < 1e-6
        again = tf.gradients(tf.gradients(a, x)[0], x)[0]
        if again is not None:
            expected = -np.sin(X) if not cond else np.zeros(3)
            np.testing.assert_allclose(again.eval(), expected, atol=1e-12)


@pytest.mark.parametrize("index", [0, 1, 2])
@pytest.mark.parametrize("name", ["case", "stateless_case"])
def test_gradients_of_cases(name, index):
    x, y = tf.constant(X), tf.constant(2 * X)
    branches = [func(f) for f in (product, sine, linear)]
    op = getattr(gen_functional_ops, name)
    a, b = op(index, [x, y], [tf.float64] * 2, branches)
    z = a + b
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [3], z, [3], X) < 1e-6
        assert tf.test.compute_gradient_error(y, [3], z, [3], 2 * X) < 1e-6


@pytest.mark.parametrize("cond", [True, False])
def test_every_input_of_many_has_its_own_gradient(cond):
    @function.Defun(*[tf.float64] * 4)
    def weighted(a, b, c, d):
        return a + 2 * b + 3 * c + 4 * d

    @function.Defun(*[tf.float64] * 4)
    def products(a, b, c, d):
        return a * b + c * d

    a, b, c, d = values = [X, X + 1, X - 2, 3 * X]
    inputs = [tf.constant(v) for v in values]
    y = functional_ops.If(cond, inputs, weighted, products)[0]
    expected = [np.full(3, k) for k in (1, 2, 3, 4)] if cond else [b, a, d, c]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(tf.gradients(y, inputs)), expected)


def test_a_variable_in_a_branch_has_a_gradient():
    v = tf.Variable([2.0, 3.0], use_resource=True)

    @function.Defun(tf.resource, tf.float32)
    def times(handle, x):
        return gen_resource_variable_ops.read_variable_op(handle, tf.float32) * x

    @function.Defun(tf.resource, tf.float32)
    def same(handle, x):
        return x

    cond = tf.placeholder(tf.bool, [])
    x = tf.constant([5.0, 7.0])
    y = functional_ops.If(cond, [v.handle, x], times, same)[0]
    dv, dx = tf.gradients(y, [v, x])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(dv, {cond: True}), [5, 7])
        np.testing.assert_array_equal(session.run(dv, {cond: False}), [0, 0])
        np.testing.assert_array_equal(session.run(dx, {cond: True}), [2, 3])


def test_what_would_be_drawn_anew_has_no_gradient():
    @function.Defun(tf.float32)
    def noisy(x):
        return x * tf.random_uniform([2])

    x = tf.constant([1.0, 2.0])
    y = functional_ops.If(True, [x], noisy, noisy)[0]
    with pytest.raises(LookupError, match="RandomUniform"):
        tf.gradients(y, x)


def test_branches_must_take_and_give_the_same():
    wrong = gen_functional_ops.stateless_if(
        True, [tf.constant(1)], [tf.float64] * 2, func(product), func(sine)
    )
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="then_branch.*takes"):
            session.run(wrong)
    with pytest.raises(ValueError, match="output_shapes must have 2"):
        gen_functional_ops.stateless_if(
            True,
            [X, X],
            [tf.float64] * 2,
            func(product),
            func(sine),
            output_shapes=[[3]],
        )
    outer = tf.constant(1.0, tf.float64)

    @function.Defun(tf.float64, tf.float64)
    def capturing(x, y):
        return x + outer, y

    with pytest.raises(ValueError, match="from around it"):
        functional_ops.If(True, [X, X], capturing, sine)
