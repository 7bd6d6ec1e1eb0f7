# SPDX-License-Identifier: Apache-2.0
"""tf.raw_ops: ops by their own names and the names of their arguments."""

import inspect

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_an_op_is_a_function_of_its_inputs_and_attrs():
    x = tf.raw_ops.MatMul(a=[[1.0, 2.0]], b=[[3.0, 4.0]], transpose_b=True, name="p")
    assert x.op.type == "MatMul" and x.op.name == "p"
    values, indices = tf.raw_ops.TopKV2(input=[3, 9, 4], k=2)
    with tf.Session() as sess:
        assert sess.run(x) == [[11.0]]
        assert [a.tolist() for a in sess.run([values, indices])] == [[9, 4], [1, 2]]
        assert np.array_equal(sess.run(tf.raw_ops.Pack(values=[1, 2], axis=0)), [1, 2])


def test_an_op_without_outputs_is_an_operation():
    assert isinstance(tf.raw_ops.NoOp(), tf.Operation)


def test_arguments_are_given_by_name():
    with pytest.raises(TypeError):
        tf.raw_ops.Neg(1.0)
    with pytest.raises(TypeError, match="x"):
        tf.raw_ops.Neg()
    with pytest.raises(TypeError, match="no_such"):
        tf.raw_ops.Neg(x=1.0, no_such=2)


def test_the_signature_has_inputs_then_attrs():
    parameters = inspect.signature(tf.raw_ops.BiasAdd).parameters
    assert list(parameters) == ["value", "bias", "data_format", "name"]
    assert parameters["bias"].default is inspect.Parameter.empty
    assert parameters["bias"].kind is inspect.Parameter.KEYWORD_ONLY


def test_all_registered_ops_are_there_and_no_others():
    names = dir(tf.raw_ops)
    assert {"Add", "Conv2D", "VariableV2"} <= set(names) and len(names) > 719
    assert not any(name.startswith("_") for name in names)
    assert not hasattr(tf.raw_ops, "NoSuchOp") and not hasattr(tf.raw_ops, "_Send")
