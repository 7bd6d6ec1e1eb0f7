# SPDX-License-Identifier: Apache-2.0
"""SymbolicGradient: gradients of calls of functions."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import attr_value_pb2
from tensorwright.python.framework import function
from tensorwright.python.ops import gen_functional_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


@function.Defun(tf.float64, tf.float64)
def product(x, y):
    return x * y + tf.sin(x), tf.reduce_sum(y)


def test_gradients_of_a_call():
    x, y = tf.constant([1.0, 2.0], tf.float64), tf.constant([3.0, 4.0], tf.float64)
    z, total = product(x, y)
    assert z.op.type == product.name
    dx, dy = tf.gradients([z, total], [x, y])
    assert dx.op.type == "SymbolicGradient"
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(dx), [3 + np.cos(1), 4 + np.cos(2)])
        np.testing.assert_allclose(session.run(dy), [2, 3])
        np.testing.assert_allclose(
            session.run(
                tf.gradients(z, x, grad_ys=[tf.constant([2.0, 0.0], tf.float64)])[0]
            ),
            [2 * (3 + np.cos(1)), 0],
        )


def test_against_finite_differences():
    x = tf.constant(np.linspace(0.1, 1, 5))
    y = tf.constant(np.linspace(-1, 1, 5))
    z, _ = product(x, y)
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [5], z, [5]) < 1e-6
        assert tf.test.compute_gradient_error(y, [5], z, [5]) < 1e-6


def test_a_function_without_a_gradient_is_refused():
    out = gen_functional_ops._symbolic_gradient(
        [tf.constant(1.0)],
        Tout=[tf.float32],
        f=attr_value_pb2.NameAttrList(name="none"),
    )
    with tf.Session() as session:
        with pytest.raises(tf.errors.NotFoundError, match="names no gradient"):
            session.run(out)


def test_types_must_be_those_of_the_gradient():
    x = tf.constant([1.0], tf.float64)
    tf.gradients(product(x, x)[0], x)
    wrong = gen_functional_ops._symbolic_gradient(
        [x, x, x, x],
        Tout=[tf.float32, tf.float64],
        f=attr_value_pb2.NameAttrList(name=product.name),
    )
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Tout"):
            session.run(wrong)


def test_fake_params_have_the_shape():
    made = [
        gen_functional_ops.fake_param(dtype, shape)
        for dtype, shape in ((tf.float32, [2, 3]), (tf.string, [2]), (tf.int64, []))
    ]
    partial = gen_functional_ops.fake_param(tf.float32, [None, 3])
    with tf.Session() as session:
        zeros = session.run(made)
        assert [z.shape for z in zeros[:2]] == [(2, 3), (2,)]
        assert not zeros[0].any() and zeros[1].tolist() == [b"", b""] and zeros[2] == 0
        assert session.run(partial).shape == (0, 3)


def test_the_index_of_the_device():
    with tf.Session() as session:
        for names, index in ((["CPU", "GPU"], 0), (["GPU", "CPU"], 1), (["TPU"], 1)):
            assert session.run(gen_functional_ops.device_index(names)) == index


def test_bool_of_a_tensor():
    with tf.Session() as session:
        for value, holds in (([], False), ([0], True), (0, False), (3.5, True)):
            assert session.run(gen_functional_ops.to_bool(value)) == holds
