# SPDX-License-Identifier: Apache-2.0
"""Tests of apply_op: conversion of inputs and attrs, and its errors."""

import unittest

import numpy as np

from tensorwright.core.framework import op_def_pb2
from tensorwright.python import pywrap_tensorflow
from tensorwright.python.framework import constant_op, dtypes, op_def_registry, ops
from tensorwright.python.framework.op_def_library import _op_def_lib, apply_op


class ApplyOpTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()

    def test_values_take_the_type_of_tensors_before_them(self):
        x = constant_op.constant([1.0, 2.0], dtype=dtypes.float64)
        op = apply_op("Mul", None, (x, 2), {})
        self.assertEqual(op.outputs[0].dtype, dtypes.float64)
        op = apply_op("Mul", None, (x, np.array([1, 2])), {})
        self.assertEqual(op.inputs[1].dtype, dtypes.float64)

    def test_arrays_of_types_that_an_op_does_not_take_are_cast_to_its_default(self):
        x = np.arange(8.0)
        for shape, dtype in [
            (np.array([4.0, 2.0]), dtypes.int32),
            (np.array([4, 2], np.int16), dtypes.int32),
            (np.array([4, 2], np.uint64), dtypes.int32),
            (np.array([4, 2]), dtypes.int64),
        ]:
            op = apply_op("Reshape", None, (x, shape), {})
            self.assertEqual(op.get_attr("Tshape"), dtype)
            self.assertEqual(op.outputs[0].shape.as_list(), [4, 2])
        sums = apply_op("Sum", None, (x, np.array([])), {})
        self.assertEqual(sums.outputs[0].shape.as_list(), [8])

    def test_lists_complex_numbers_and_ops_without_a_default_are_not_cast(self):
        x = np.arange(8.0)
        for op, values in [
            ("Reshape", (x, [4.0, 2.0])),
            ("Reshape", (x, np.array([4, 2], np.complex64))),
            ("Gather", (x, np.array([1.0]))),
        ]:
            with self.assertRaisesRegex(TypeError, "not in list of allowed values"):
                apply_op(op, None, values, {})

    def test_a_tensor_of_another_type_is_a_type_error(self):
        x = constant_op.constant(1.0)
        y = constant_op.constant(1)
        with self.assertRaisesRegex(
            TypeError,
            "Input 'y' of 'Add' Op has type int32 that does not match type float32 of "
            "argument 'x'",
        ):
            apply_op("Add", None, (x, y), {})
        with self.assertRaisesRegex(TypeError, "Expected float32.*'y'.*'Add'"):
            apply_op("Add", None, (x, "text"), {})

    def test_a_type_the_op_does_not_take_is_a_type_error(self):
        with self.assertRaisesRegex(TypeError, "not in list of allowed values"):
            apply_op("MatMul", None, ([["a"]], [["b"]]), {})

    def test_shapes_the_op_rejects_are_a_value_error(self):
        a = constant_op.constant(np.zeros([2, 3], np.float32))
        with self.assertRaisesRegex(ValueError, "MatMul"):
            apply_op("MatMul", None, (a, a), {})
        with self.assertRaises(ValueError):
            apply_op("MatMul", None, (a, 1.0), {})

    def test_a_failed_op_leaves_nothing_behind(self):
        a = constant_op.constant(np.zeros([2, 3], np.float32))
        before = ops.get_default_graph().version
        with self.assertRaises(ValueError):
            apply_op("MatMul", None, (a, a), {})
        self.assertEqual(ops.get_default_graph().version, before)
        self.assertEqual(ops.get_default_graph()._scope, "")

    def test_an_unknown_op_is_a_runtime_error(self):
        with self.assertRaisesRegex(RuntimeError, "Unrecognized Op name NoSuchOp"):
            apply_op("NoSuchOp", None, (), {})
        with self.assertRaisesRegex(RuntimeError, "Unrecognized Op name NoSuchOp"):
            _op_def_lib.apply_op("NoSuchOp")

    def test_lists_of_tensors(self):
        x = constant_op.constant(1.0)
        op = apply_op("AddN", None, ([x, 2.0, x],), {})
        self.assertEqual(len(op.inputs), 3)
        self.assertEqual(op.inputs[1].op.name, "AddN/inputs_1")
        with self.assertRaisesRegex(TypeError, "Expected list for 'inputs'"):
            apply_op("AddN", None, (x,), {})
        with self.assertRaisesRegex(ValueError, "minimum length 1"):
            apply_op("AddN", None, ([],), {})
        with self.assertRaisesRegex(TypeError, r"have types \[float32, int32\]"):
            apply_op("AddN", None, ([x, constant_op.constant(1)],), {})

    def test_attrs_are_checked(self):
        x = constant_op.constant([[1.0]])
        with self.assertRaisesRegex(TypeError, "Expected bool.*'transpose_a'"):
            apply_op("MatMul", None, (x, x), {"transpose_a": 1})
        with self.assertRaisesRegex(TypeError, "unexpected keyword"):
            apply_op("MatMul", None, (x, x), {"no_such_attr": 1})
        op = apply_op("MatMul", None, (x, x), {"transpose_a": True})
        self.assertIs(op.get_attr("transpose_a"), True)
        self.assertIs(op.get_attr("transpose_b"), False)
        self.assertEqual(op.get_attr("T"), dtypes.float32)
        with self.assertRaisesRegex(ValueError, "no attr named"):
            op.get_attr("missing")

    def test_a_name_with_a_slash_is_taken_as_it_is(self):
        x = constant_op.constant(1.0)
        with ops.name_scope("outer") as scope:
            self.assertEqual(apply_op("Neg", scope, (x,), {}).name, "outer")
            self.assertEqual(apply_op("Neg", "n", (x,), {}).name, "outer/n")

    def test_op_def_library_takes_keywords(self):
        y = _op_def_lib.apply_op("Add", x=1.0, y=2.0, name="sum")
        self.assertEqual(y.name, "sum:0")
        with self.assertRaisesRegex(TypeError, "No argument for input y"):
            _op_def_lib.apply_op("Add", x=1.0)
        with self.assertRaisesRegex(TypeError, "unexpected keyword"):
            _op_def_lib.apply_op("Add", x=1.0, y=1.0, z=1.0)


if __name__ == "__main__":
    unittest.main()


def test_the_extension_module_lists_all_ops():
    op_def_registry.sync()
    buffer = pywrap_tensorflow.TF_GetAllOpList()
    listed = op_def_pb2.OpList.FromString(pywrap_tensorflow.TF_GetBuffer(buffer))
    assert {op.name: op for op in listed.op} == op_def_registry.get_registered_ops()
    pywrap_tensorflow.TF_DeleteBuffer(buffer)
    assert pywrap_tensorflow.TF_GetBuffer(buffer) == b""
