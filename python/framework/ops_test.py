# SPDX-License-Identifier: Apache-2.0
"""Tests of graph construction: names, scopes, elements, collections, conversion."""

import gc
import unittest
import weakref

import numpy as np

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    gradient_registry,
    ops,
    tensor_shape,
)
from tensorwright.python.framework.op_def_library import apply_op


def _const(value, name="Const"):
    return constant_op.constant(value, name=name)


def _add(x, y, name=None):
    return apply_op("Add", name, (x, y), {}).outputs[0]


class GraphTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()
        self.graph = ops.get_default_graph()

    def test_operations_are_listed_in_the_order_they_came(self):
        self.assertEqual(self.graph.operations, [])
        a, b = _const(1, "a"), _const(2, "b")
        self.assertEqual(self.graph.operations, [a.op, b.op])
        self.assertEqual(self.graph.num_operations(), 2)

    def test_names_get_suffixes_and_scopes_prefixes(self):
        self.assertEqual(_const(1, "a").op.name, "a")
        self.assertEqual(_const(1, "a").op.name, "a_1")
        with ops.name_scope("s") as scope:
            self.assertEqual(scope, "s/")
            self.assertEqual(_const(1, "a").op.name, "s/a")
            with ops.name_scope("t"):
                self.assertEqual(_const(1, "a").op.name, "s/t/a")
            with ops.name_scope(None):
                self.assertEqual(_const(1, "a").op.name, "a_2")
        with ops.name_scope("s"):
            self.assertEqual(_const(1, "a").op.name, "s_1/a")
        with ops.name_scope("s/"):
            self.assertEqual(_const(1, "a").op.name, "s/a_1")
        self.assertEqual(self.graph.unique_name("a", mark_as_used=False), "a_3")
        self.assertEqual(self.graph.unique_name("a"), "a_3")

    def test_constants_made_of_inputs_are_in_the_ops_scope(self):
        total = _add(_const(1.0), 2.0, name="sum")
        self.assertEqual(total.op.inputs[1].name, "sum/y:0")
        self.assertEqual(total.name, "sum:0")

    def test_bad_names_are_value_errors(self):
        for name in ("_a", "a b", "a:0", "ä"):
            with self.subTest(name=name), self.assertRaises(ValueError):
                _const(1, name)
        with self.assertRaises(ValueError):
            with ops.name_scope("a:b"):
                pass
        self.assertEqual(self.graph._scope, "")

    def test_elements_are_found_by_name(self):
        t = _const(1, "c")
        self.assertIs(self.graph.get_tensor_by_name("c:0"), t)
        self.assertIs(self.graph.get_operation_by_name("c"), t.op)
        self.assertIs(self.graph.as_graph_element("c:0"), t)
        self.assertIs(self.graph.as_graph_element(t.op), t.op)
        for call, error in (
            (lambda: self.graph.get_tensor_by_name("d:0"), KeyError),
            (lambda: self.graph.get_tensor_by_name("c:1"), KeyError),
            (lambda: self.graph.get_tensor_by_name("c"), ValueError),
            (lambda: self.graph.get_operation_by_name("c:0"), ValueError),
            (lambda: self.graph.get_operation_by_name("d"), KeyError),
            (lambda: self.graph.get_operation_by_name(3), TypeError),
            (lambda: self.graph.as_graph_element(3), TypeError),
            (lambda: ops.Graph().as_graph_element(t), ValueError),
        ):
            with self.assertRaises(error):
                call()

    def test_handles_are_the_same_objects_everywhere(self):
        a, b = _const(1.0), _const(2.0)
        c = _add(a, b)
        self.assertIs(c.op.inputs[0], a)
        self.assertIs(c.op.outputs[0], c)
        self.assertEqual(a.consumers(), [c.op])
        self.assertEqual(self.graph.get_operations(), [a.op, b.op, c.op])
        named = {op.name: op for op in (a.op, b.op, c.op)}
        self.assertEqual(self.graph._nodes_by_name, named)
        self.assertIs(c.graph, self.graph)
        self.assertEqual(self.graph.version, 3)

    def test_a_graph_is_freed_with_its_operations(self):
        graph = ops.Graph()
        with graph.as_default():
            _add(_const(1.0), 2.0)
        ref = weakref.ref(graph)
        del graph
        gc.collect()
        self.assertIsNone(ref())

    def test_default_graphs_nest(self):
        g1, g2 = ops.Graph(), ops.Graph()
        with g1.as_default():
            self.assertIs(ops.get_default_graph(), g1)
            with g2.as_default():
                self.assertIs(ops.get_default_graph(), g2)
                with self.assertRaises(AssertionError):
                    ops.reset_default_graph()
            self.assertIs(ops.get_default_graph(), g1)
        self.assertIs(ops.get_default_graph(), self.graph)

    def test_ops_go_to_the_graph_of_their_inputs(self):
        other = ops.Graph()
        with other.as_default():
            a = _const(1.0)
        self.assertIs(_add(a, 2.0).graph, other)
        with self.assertRaisesRegex(ValueError, "same graph"):
            _add(a, _const(1.0))

    def test_a_finalized_graph_takes_no_ops(self):
        self.graph.finalize()
        with self.assertRaisesRegex(RuntimeError, "finalized"):
            _const(1)
        with self.assertRaises(RuntimeError):
            self.graph.add_to_collection("c", 1)

    def test_control_dependencies(self):
        a = _const(1.0, "a")
        with ops.control_dependencies([a]):
            b = _const(2.0, "b")
            c = _add(b, 1.0, "c")
            d = _add(a, 1.0, "d")
            with ops.control_dependencies(None):
                e = _const(1.0, "e")
        self.assertEqual(b.op.control_inputs, [a.op])
        self.assertEqual(c.op.control_inputs, [])  # b waits for a already.
        self.assertEqual(d.op.control_inputs, [])
        self.assertEqual(e.op.control_inputs, [])
        with self.assertRaises(TypeError):
            ops.control_dependencies([3])

    def test_init_scope_leaves_dependencies_and_loops(self):
        a = _const(1, "a")
        context = object()
        with ops.name_scope("s"), ops.device("/device:CPU:1"):
            with self.graph.control_dependencies([a]):
                self.graph._set_control_flow_context(context)
                with ops.init_scope():
                    self.assertIsNone(self.graph._get_control_flow_context())
                    b = _const(2, "b")
                self.assertIs(self.graph._get_control_flow_context(), context)
                self.graph._set_control_flow_context(None)
                c = _const(3, "c")
        self.assertEqual((b.op.name, b.op.device), ("s/b", "/device:CPU:1"))
        self.assertEqual(b.op.control_inputs, [])
        self.assertEqual(c.op.control_inputs, [a.op])

    def test_device_scopes_merge(self):
        with ops.device("/job:worker/gpu:1"):
            self.assertEqual(_const(1).op.device, "/job:worker/device:GPU:1")
            with ops.device("/cpu:0"):
                self.assertEqual(_const(1).op.device, "/job:worker/device:CPU:0")
            with ops.device(None):
                self.assertEqual(_const(1).op.device, "")
            with ops.device(lambda op: "/task:3" if op.type == "Const" else ""):
                self.assertEqual(_const(1).op.device, "/job:worker/task:3/device:GPU:1")
        self.assertEqual(_const(1).op.device, "")
        with self.assertRaises(ValueError):
            with ops.device("/nonsense"):
                pass

    def test_colocation(self):
        with ops.device("/cpu:1"):
            a = _const(1.0, "a")
        with ops.device("/cpu:0"), ops.colocate_with(a.op):
            b = _const(1.0, "b")
        self.assertEqual(b.op.colocation_groups(), [b"loc:@a"])
        self.assertEqual(b.op.device, a.op.device)
        self.assertEqual(a.op.colocation_groups(), [b"loc:@a"])

    def test_collections(self):
        t = _const(1, "in/a")
        ops.add_to_collection("k", t)
        ops.add_to_collections(["k", "l", "l"], 3)
        self.assertEqual(ops.get_collection("k"), [t, 3])
        self.assertEqual(ops.get_collection("l"), [3])
        self.assertEqual(ops.get_collection("k", scope="in/"), [t])
        self.assertEqual(ops.get_collection("none"), [])
        ops.get_collection_ref("m").append(1)
        self.assertEqual(ops.get_collection("m"), [1])
        self.graph.clear_collection("k")
        self.assertEqual(sorted(self.graph.get_all_collection_keys()), ["l", "m"])

    def test_gradient_override_and_kernel_labels(self):
        with self.graph.gradient_override_map({"Add": "CustomAdd"}):
            c = _add(_const(1.0), 2.0)
        self.assertEqual(c.op.get_attr("_gradient_op_type"), b"CustomAdd")
        with self.graph._kernel_label_map({"Const": "v2"}):
            self.assertEqual(_const(1).op.get_attr("_kernel"), b"v2")

    def test_control_flow_context_hears_of_new_ops(self):
        seen = []

        class Context:
            def AddOp(self, op):
                seen.append(op)

        context = Context()
        self.graph._set_control_flow_context(context)
        a = _const(1)
        self.graph._set_control_flow_context(None)
        _const(2)
        self.assertEqual(seen, [a.op])
        self.assertIs(a.op._get_control_flow_context(), context)

    def test_tracebacks_say_where_an_op_was_made(self):
        t = _const(1)
        file, line, function = t.op.traceback[-3 if len(t.op.traceback) > 2 else -1]
        self.assertTrue(any("ops_test.py" in frame[0] for frame in t.op.traceback))
        self.assertIn("ops_test.py:", t.op._defined_at())

    def test_create_op_takes_plain_attrs(self):
        a = _const([1.0, 2.0])
        op = self.graph.create_op("Identity", [a], [dtypes.float32], name="i")
        self.assertEqual(op.name, "i")
        self.assertEqual(op.outputs[0].dtype, dtypes.float32)
        with self.assertRaises(TypeError):
            self.graph.create_op("Identity", [1.0], [dtypes.float32])

    def test_graph_def_round_trip(self):
        _add(_const(1.0, "a"), 2.0, "b")
        graph_def = self.graph.as_graph_def()
        self.assertEqual([n.name for n in graph_def.node], ["a", "b/y", "b"])
        self.assertEqual(list(graph_def.node[2].input), ["a", "b/y"])
        part = self.graph.as_graph_def(from_version=2)
        self.assertEqual([n.name for n in part.node], ["b"])
        shapes = self.graph.as_graph_def(add_shapes=True).node[0]
        self.assertIn("_output_shapes", shapes.attr)


class TensorTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()

    def test_shapes_are_known_and_can_be_refined(self):
        x = apply_op("Placeholder", "x", (), {"dtype": dtypes.float32}).outputs[0]
        self.assertIsNone(x.shape.ndims)
        x.set_shape([None, 3])
        x.set_shape([2, None])
        self.assertEqual(x.get_shape().as_list(), [2, 3])
        with self.assertRaises(ValueError):
            x.set_shape([3, 3])

    def test_tensors_are_no_bools_and_not_iterable(self):
        t = _const([1, 2])
        for bad in (lambda: bool(t), lambda: list(t), lambda: len(t)):
            with self.assertRaises(TypeError):
                bad()
        self.assertEqual(len({t, t}), 1)
        self.assertEqual(str(t), 'Tensor("Const:0", shape=(2,), dtype=int32)')

    def test_conversion_functions_by_priority(self):
        class Celsius:
            pass

        ops.register_tensor_conversion_function(
            Celsius, lambda v, dtype=None, name=None, as_ref=False: NotImplemented, 50
        )
        ops.register_tensor_conversion_function(
            Celsius, lambda v, dtype=None, name=None, as_ref=False: _const(36.6), 60
        )
        self.assertEqual(ops.convert_to_tensor(Celsius()).dtype, dtypes.float32)

    def test_convert_to_tensor_types(self):
        convert = ops.convert_to_tensor
        self.assertEqual(convert(1).dtype, dtypes.int32)
        self.assertEqual(convert(2**40).dtype, dtypes.int64)
        self.assertEqual(convert(1.0).dtype, dtypes.float32)
        self.assertEqual(convert([True]).dtype, dtypes.bool)
        self.assertEqual(convert("a").dtype, dtypes.string)
        self.assertEqual(convert(np.zeros(3)).dtype, dtypes.float64)
        self.assertEqual(convert(np.float16(1)).dtype, dtypes.float16)
        self.assertEqual(convert([1, 2.5]).dtype, dtypes.float32)
        self.assertEqual(convert(1j).dtype, dtypes.complex128)
        self.assertEqual(
            convert(1, preferred_dtype=dtypes.float64).dtype, dtypes.float64
        )
        self.assertEqual(
            convert("a", preferred_dtype=dtypes.float64).dtype, dtypes.string
        )
        shape = tensor_shape.TensorShape([2, 3])
        self.assertEqual(convert(shape).dtype, dtypes.int32)
        with self.assertRaises(ValueError):
            convert(None)
        with self.assertRaises(ValueError):
            convert(convert(1), dtype=dtypes.float32)
        with self.assertRaises(ValueError):
            convert([[1, 2], [3]])
        with self.assertRaises(TypeError):
            convert("a", dtype=dtypes.int32)
        with self.assertRaises(TypeError):
            convert(1.5, dtype=dtypes.int32)

    def test_registered_gradients_are_found(self):
        @ops.RegisterGradient("OpsTestOnly")
        def _gradient(op, grad):
            return grad

        where = gradient_registry.lookup_location("OpsTestOnly")
        self.assertIs(where.function, _gradient)
        self.assertTrue(where.file.endswith("ops_test.py"))
        ops.NotDifferentiable("OpsTestNone")
        self.assertIsNone(gradient_registry.lookup_location("OpsTestNone").function)
        with self.assertRaises(KeyError):
            ops.NotDifferentiable("OpsTestNone")


if __name__ == "__main__":
    unittest.main()
