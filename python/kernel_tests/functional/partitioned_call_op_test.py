# SPDX-License-Identifier: Apache-2.0
"""PartitionedCall, StatefulPartitionedCall and RemoteCall."""

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

X = np.array([0.5, -1.0, 2.0])


@function.Defun(tf.float64, tf.float64)
def both(x, y):
    return x * y, tf.sin(x) + y


def test_a_call_gives_what_the_function_gives():
    outputs = functional_ops.partitioned_call([X, 2 * X], both)
    assert outputs[0].op.type == "PartitionedCall"
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(outputs), [2 * X * X, np.sin(X) + 2 * X])


def test_gradients():
    x, y = tf.constant(X), tf.constant(3 * X)
    a, b = functional_ops.partitioned_call([x, y], both)
    with tf.Session():
        for z in (a, b, a * b):
            assert tf.test.compute_gradient_error(x, [3], z, [3], X) < 1e-5
            assert tf.test.compute_gradient_error(y, [3], z, [3], 3 * X) < 1e-5
        dx = tf.gradients(b, x)[0]
        np.testing.assert_allclose(tf.gradients(dx, x)[0].eval(), -np.sin(X))


@pytest.mark.parametrize("stateful", [False, True])
def test_every_argument_has_its_own_gradient(stateful):
    @function.Defun(*[tf.float64] * 5)
    def products(a, b, c, d, e):
        return a * b + c * d * e, tf.stack([a, b, c, d, e])

    values = [X, X + 1, X - 2, 3 * X, 0.5 - X]
    inputs = [tf.constant(v) for v in values]
    products.add_to_graph(tf.get_default_graph())
    op = gen_functional_ops.partitioned_call
    if stateful:
        op = gen_functional_ops.stateful_partitioned_call
    f = attr_value_pb2.NameAttrList(name=products.name)
    y, stacked = op(inputs, [tf.float64] * 2, f)
    a, b, c, d, e = values
    with tf.Session() as session:
        got = session.run(tf.gradients(y, inputs))
        np.testing.assert_allclose(got, [b, a, d * e, c * e, c * d])
        np.testing.assert_array_equal(session.run(stacked), values)


def test_a_call_with_effects():
    v = tf.Variable([1.0], use_resource=True)

    @function.Defun(tf.resource)
    def add_one(handle):
        gen_resource_variable_ops.assign_add_variable_op(handle, [1.0])
        return tf.constant(7)

    out = functional_ops.partitioned_call([v.handle], add_one)[0]
    assert out.op.type == "StatefulPartitionedCall"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(out) == 7
        assert session.run(out) == 7
        np.testing.assert_array_equal(session.run(v), [3])


def test_a_captured_tensor_is_passed_along():
    factor = tf.constant(3.0, tf.float64)

    @function.Defun(tf.float64)
    def scaled(x):
        return x * factor

    with tf.Session() as session:
        out = functional_ops.partitioned_call([X], scaled)[0]
        np.testing.assert_allclose(session.run(out), 3 * X)


def test_a_remote_call_runs_on_a_device_of_the_process():
    target = tf.placeholder(tf.string, [])
    out = functional_ops.remote_call([X, X], [tf.float64] * 2, both, target)
    with tf.Session() as session:
        for name in ("/cpu:0", "/job:localhost/replica:0/task:0/device:CPU:0"):
            got = session.run(out, {target: name})
            np.testing.assert_allclose(got, [X * X, np.sin(X) + X])
        for name in ("/gpu:0", "/job:worker/task:3/cpu:0", "nonsense"):
            with pytest.raises(tf.errors.InvalidArgumentError, match="target"):
                session.run(out, {target: name})
