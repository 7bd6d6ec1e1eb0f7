# SPDX-License-Identifier: Apache-2.0
"""Variable scopes in their older form; the others are tested in variables_test.py."""

import pytest

import tensorwright as tf
from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph


def test_variable_op_scope_has_the_arguments_of_variable_scope_in_another_order():
    x = tf.constant(1.0)
    getters = []

    def custom(getter, name, *args, **kwargs):
        getters.append(name)
        return getter(name, *args, **kwargs)

    with tf.variable_op_scope(
        [x], None, "default", tf.ones_initializer(), custom_getter=custom,
        dtype=tf.float64, use_resource=True,
    ) as scope:  # fmt: skip
        v = tf.get_variable("v", [2])
    assert scope.name == "default" and v.op.name == "default/v"
    assert v.dtype.base_dtype == tf.float64 and getters == ["default/v"]
    assert type(v).__name__ == "ResourceVariable"
    with tf.variable_op_scope([x], "default", reuse=True):
        assert tf.get_variable("v", [2], tf.float64) is v
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(v).tolist() == [1.0, 1.0]
    with tf.Graph().as_default() as other:
        y = tf.constant(1.0)
    with other.as_default(), pytest.raises(ValueError, match="graph"):
        with tf.variable_op_scope([x, y], "s"):
            pass
