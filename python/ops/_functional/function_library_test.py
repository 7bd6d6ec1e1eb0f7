# SPDX-License-Identifier: Apache-2.0
"""Functions that are made of their protos."""

import pytest

import tensorwright as tf
from tensorwright.core.framework import function_pb2
from tensorwright.python.framework import function

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _library():
    """The library of a function that calls another, and has a gradient that is not its derivative."""

    @function.Defun(tf.float32, func_name="Double")
    def double(x):
        return 2 * x

    @function.Defun(tf.float32, tf.float32, func_name="TenTimes")
    def ten_times(x, dy):
        del x
        return 10 * dy

    @function.Defun(tf.float32, func_name="DoubleAndOne", grad_func=ten_times)
    def double_and_one(x):
        return double(x) + 1

    with tf.Graph().as_default() as graph:
        double_and_one(tf.constant(0.0))
        return graph.as_graph_def().library


def test_a_definition_can_be_called():
    definition = next(f for f in _library().function if f.signature.name == "Double")
    double = function._from_definition(definition)
    assert double.name == "Double" and double.definition == definition
    assert double.declared_input_types == [tf.float32]
    assert double.captured_inputs == [] and double.stateful_ops == []
    y = double(3.0)
    assert y.op.type == "Double"
    with tf.Session() as session:
        assert session.run(y) == 6
    with pytest.raises(ValueError, match="Expected 1 arguments"):
        double(1.0, 2.0)


def test_functions_of_a_library_bring_those_that_they_call_and_their_gradients():
    library = _library()
    functions = {f.name: f for f in function._from_library(library)}
    assert list(functions) == [f.signature.name for f in library.function]
    assert functions["DoubleAndOne"].grad_func_name == "TenTimes"
    x = tf.constant(3.0)
    y = functions["DoubleAndOne"](x)
    (dx,) = tf.gradients(y, x)
    with tf.Session() as session:
        assert session.run([y, dx]) == [7, 10]


def test_a_library_without_a_function_that_it_names_is_refused():
    library = function_pb2.FunctionDefLibrary()
    library.CopyFrom(_library())
    library.gradient.add(function_name="Double", gradient_func="Elsewhere")
    with pytest.raises(ValueError, match="has no function 'Elsewhere'"):
        function._from_library(library)


def test_functions_that_are_each_others_gradients_are_refused():
    library = function_pb2.FunctionDefLibrary()
    library.CopyFrom(_library())
    library.gradient.add(function_name="TenTimes", gradient_func="DoubleAndOne")
    with pytest.raises(ValueError, match="each other's gradients"):
        function._from_library(library)


def test_arguments_need_types():
    definition = function_pb2.FunctionDef()
    definition.signature.name = "Generic"
    definition.signature.input_arg.add(name="x", type_attr="T")
    with pytest.raises(TypeError):
        function._from_definition(definition)
