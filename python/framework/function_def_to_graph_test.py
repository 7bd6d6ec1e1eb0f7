# SPDX-License-Identifier: Apache-2.0
"""Bodies of functions as graphs."""

import pytest

import tensorwright as tf
from tensorwright.python.framework import function, function_def_to_graph as to_graph


@pytest.fixture
def definition():
    @function.Defun(tf.float32, tf.float32, func_name="Scaled")
    def scaled(x, factor):
        return tf.multiply(x, factor, name="product"), tf.shape(x)

    with tf.Graph().as_default():
        return scaled.definition


def test_a_body_has_its_inputs_outputs_and_shapes(definition):
    with tf.Graph().as_default():
        body = to_graph.function_def_to_graph(definition, [[2, None], []])
        free = to_graph.function_def_to_graph(definition)
    assert [t.shape.as_list() for t in body.inputs] == [[2, None], []]
    assert body.outputs[0].shape.as_list() == [2, None]
    assert free.outputs[0].shape.ndims is None
    assert body.get_operation_by_name("product").type == "Mul"
    with tf.Session(graph=body) as session:
        x, factor = body.inputs
        product, shape = session.run(body.outputs, {x: [[1.0], [2.0]], factor: 3.0})
    assert product.tolist() == [[3], [6]] and shape.tolist() == [2, 1]


def test_shapes_are_as_many_as_arguments(definition):
    with pytest.raises(ValueError, match="Length of input_shapes must match"):
        to_graph.function_def_to_graph(definition, [[2]])
