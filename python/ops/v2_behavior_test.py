# SPDX-License-Identifier: Apache-2.0
"""tf.enable_v2_behavior switches what graphs have; what needs eager execution says so."""

import logging

import pytest

import tensorwright as tf
from tensorwright.python.ops import resource_variable_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.fixture(autouse=True)
def undone():
    yield
    tf.disable_v2_behavior()


def test_variables_and_shapes_are_those_of_version_2(caplog):
    with caplog.at_level(logging.WARNING):
        tf.enable_v2_behavior()
    assert tf.resource_variables_enabled()
    v = tf.get_variable("v", [2, 3])
    assert isinstance(v, resource_variable_ops.ResourceVariable)
    shape = tf.placeholder(tf.float32, [None, 3]).shape
    assert shape[0] is None and type(shape[1]) is int
    tf.disable_v2_behavior()
    assert not tf.resource_variables_enabled()
    assert not isinstance(tf.get_variable("w", [1]), resource_variable_ops.ResourceVariable)  # fmt: skip # noqa: E501
    assert isinstance(tf.placeholder(tf.float32, [3]).shape[0], tf.Dimension)


def test_programs_stay_programs_of_graphs():
    tf.enable_v2_behavior()
    assert not tf.executing_eagerly()
    x = tf.constant([1.0, 2.0])
    assert x.graph is tf.get_default_graph()
    with pytest.raises(AttributeError, match="numpy"):
        x.numpy()
    with pytest.raises(TypeError, match="bool"):
        bool(x[0] > 0)
    with tf.Session() as session:
        assert session.run(x * 2).tolist() == [2, 4]


def test_it_says_that_there_is_no_eager_execution(monkeypatch):
    said = []
    monkeypatch.setattr(tf.logging, "warning", lambda *args: said.append(args[0]))
    tf.enable_v2_behavior()
    assert len(said) == 1 and "no eager execution" in said[0]


def test_disabling_undoes_each_part():
    tf.enable_control_flow_v2()
    tf.enable_resource_variables()
    tf.enable_v2_tensorshape()
    tf.disable_v2_behavior()
    assert not tf.control_flow_v2_enabled() and not tf.resource_variables_enabled()
    assert isinstance(tf.zeros([3]).shape[0], tf.Dimension)
