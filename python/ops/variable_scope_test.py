# SPDX-License-Identifier: Apache-2.0
"""Variable scopes in their older form; the others are tested in variables_test.py."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import variable_scope

pytestmark = pytest.mark.usefixtures("fresh_graph")


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


@pytest.mark.parametrize(
    ("options", "trainable"),
    [
        ({}, True),
        ({"trainable": False}, False),
        ({"synchronization": tf.VariableSynchronization.ON_READ}, False),
    ],
)
def test_a_custom_getter_is_told_whether_a_variable_is_trained(options, trainable):
    told = []

    def getter(getter, name, **kwargs):
        told.append(kwargs["trainable"])
        return getter(name, **kwargs)

    with tf.variable_scope("told", custom_getter=getter):
        v = tf.get_variable("v", [], **options)
    assert told == [trainable] and v.trainable is trainable


def test_a_pure_scope_leaves_names_of_operations_as_they_are():
    with tf.variable_scope("outer"):
        scope = tf.get_variable_scope()
    with variable_scope._pure_variable_scope(scope, reuse=tf.AUTO_REUSE) as entered:
        v = tf.get_variable("v", [])
        assert tf.constant(1.0, name="c").op.name == "c"
        assert entered.reuse is tf.AUTO_REUSE and tf.get_variable("v", []) is v
    assert v.op.name == "outer/v"
    # The scope that is open is kept in a collection, where programs put others.
    (held,) = tf.get_collection(variable_scope._VARSCOPE_KEY)
    assert held is tf.get_variable_scope()
