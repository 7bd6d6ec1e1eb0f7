# SPDX-License-Identifier: Apache-2.0
"""Tests of import_graph_def, with graphs that are wrong in every way too."""

import unittest

from google.protobuf import text_format

from tensorwright.core.framework import graph_pb2
from tensorwright.python.client import session
from tensorwright.python.framework import constant_op, dtypes, errors, importer, ops
from tensorwright.python.framework.op_def_library import apply_op


def _graph_def(text):
    return text_format.Parse(text, graph_pb2.GraphDef())


_ADD = """
  node { name: 'a' op: 'Const'
    attr { key: 'dtype' value { type: DT_FLOAT } }
    attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {}
                                         float_val: 2 } } } }
  node { name: 'b' op: 'Add' input: 'a' input: 'a:0'
    attr { key: 'T' value { type: DT_FLOAT } } }
"""


class ImportTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()

    def _import(self, text, **kwargs):
        return importer.import_graph_def(_graph_def(text), **kwargs)

    def test_nodes_run_under_the_import_scope(self):
        (b,) = self._import(_ADD, return_elements=["b:0"])
        self.assertEqual(b.name, "import/b:0")
        with session.Session() as sess:
            self.assertEqual(sess.run(b), 4.0)

    def test_names_can_be_chosen(self):
        a, b = self._import(_ADD, return_elements=["a", "b"], name="")
        self.assertEqual((a.name, b.name), ("a", "b"))
        # Names that are taken get a number, as those of other operations do.
        again, twice = self._import(_ADD, return_elements=["a", "b"], name="")
        self.assertEqual((again.name, twice.name), ("a_1", "b_1"))
        self.assertEqual([t.op for t in twice.inputs][0], again)
        (b,) = self._import(_ADD, return_elements=["b"], name="x/y")
        self.assertEqual(b.name, "x/y/b")

    def test_inputs_can_be_replaced(self):
        (b,) = self._import(
            _ADD, input_map={"a:0": constant_op.constant(5.0)}, return_elements=["b:0"]
        )
        with session.Session() as sess:
            self.assertEqual(sess.run(b), 10.0)
        (b,) = self._import(_ADD, input_map={"a": 3.0}, return_elements=["b:0"])
        with session.Session() as sess:
            self.assertEqual(sess.run(b), 6.0)
        with self.assertRaises(ValueError):
            self._import(_ADD, input_map={"nothing:0": constant_op.constant(1.0)})
        with self.assertRaises(ValueError):  # Another dtype.
            self._import(_ADD, input_map={"a:0": constant_op.constant(1)})

    def test_what_we_export_can_be_imported(self):
        x = apply_op(
            "Placeholder", "x", (), {"dtype": dtypes.float32, "shape": [None, 2]}
        ).outputs[0]
        apply_op("Neg", "y", (x,), {})
        graph_def = ops.get_default_graph().as_graph_def()
        with ops.Graph().as_default() as graph:
            importer.import_graph_def(graph_def, name="")
            self.assertEqual(graph.get_tensor_by_name("y:0").shape.as_list(), [None, 2])
            self.assertEqual(graph.as_graph_def(), graph_def)

    def test_functions_come_along_run_and_are_written_again(self):
        library = """
          library { function {
            signature { name: 'Twice'
              input_arg { name: 'x' type: DT_FLOAT }
              output_arg { name: 'y' type: DT_FLOAT } }
            node_def { name: 'sum' op: 'Add' input: 'x' input: 'x'
              attr { key: 'T' value { type: DT_FLOAT } } }
            ret { key: 'y' value: 'sum:z:0' } } }
          node { name: 'c' op: 'Twice' input: 'b' }"""
        (c,) = self._import(_ADD + library, return_elements=["c:0"])
        with session.Session() as sess:
            self.assertEqual(sess.run(c), 8.0)
        written = ops.get_default_graph().as_graph_def()
        self.assertEqual(written.library, _graph_def(library).library)
        with self.assertRaisesRegex(ValueError, "another function"):
            self._import(_ADD + library.replace("'Add'", "'Sub'"), name="again")
        with ops.Graph().as_default():
            importer.import_graph_def(written, name="")
            with session.Session() as sess:
                self.assertEqual(sess.run("import/c:0"), 8.0)

    def test_wrong_arguments_are_type_errors(self):
        for kwargs in (
            {"graph_def": "text"},
            {"graph_def": graph_pb2.GraphDef(), "input_map": [1]},
            {"graph_def": graph_pb2.GraphDef(), "input_map": {1: 2}},
            {"graph_def": graph_pb2.GraphDef(), "return_elements": [7]},
            {"graph_def": graph_pb2.GraphDef(), "return_elements": "a"},
        ):
            with self.subTest(**kwargs), self.assertRaises(TypeError):
                importer.import_graph_def(**kwargs)

    def test_wrong_graphs_are_value_errors_and_add_nothing(self):
        float_attr = "attr { key: 'T' value { type: DT_FLOAT } }"
        cases = {
            "unknown op": "node { name: 'a' op: 'NoSuchOp' }",
            "unknown input": f"node {{ name: 'b' op: 'Neg' input: 'z' {float_attr} }}",
            "missing attr": "node { name: 'b' op: 'Placeholder' }",
            "unknown attr": "node { name: 'b' op: 'NoOp' "
            "attr { key: 'zz' value { i: 1 } } }",
            "too many inputs": _ADD.replace("input: 'a:0'", "input: 'a:0' input: 'a'"),
            "too few inputs": _ADD.replace("input: 'a:0'", ""),
            "output index": _ADD.replace("a:0", "a:1"),
            "wrong type": _ADD.replace(
                "key: 'T' value { type: DT_FLOAT }", "key: 'T' value { type: DT_INT32 }"
            ),
            "duplicate name": _ADD + "node { name: 'a' op: 'NoOp' }",
            "bad name": "node { name: ':a' op: 'NoOp' }",
            "cycle": f"node {{ name: 'p' op: 'Neg' input: 'q' {float_attr} }}"
            f"node {{ name: 'q' op: 'Neg' input: 'p' {float_attr} }}",
            "own input": f"node {{ name: 'p' op: 'Neg' input: 'p' {float_attr} }}",
            "control cycle": "node { name: 'p' op: 'NoOp' input: '^q' }"
            "node { name: 'q' op: 'NoOp' input: '^p' }",
            "shapes": "node { name: 'm' op: 'Const' "
            "attr { key: 'dtype' value { type: DT_FLOAT } } "
            "attr { key: 'value' value { tensor { dtype: DT_FLOAT "
            "tensor_shape { dim { size: 3 } } float_val: 1 } } } }"
            "node { name: 'n' op: 'MatMul' input: 'm' input: 'm' " + float_attr + "}",
            "huge constant": "node { name: 'm' op: 'Const' "
            "attr { key: 'dtype' value { type: DT_FLOAT } } "
            "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { "
            "dim { size: 4611686018427387904 } dim { size: 4 } } } } } }",
        }
        for case, text in cases.items():
            with self.subTest(case), self.assertRaises(ValueError):
                self._import(text)
        self.assertEqual(ops.get_default_graph().get_operations(), [])
        with session.Session() as sess:
            self.assertEqual(sess.run(constant_op.constant(1)), 1)

    def test_a_truncated_graph_def_is_no_graph_def(self):
        data = _graph_def(_ADD).SerializeToString()
        graph = ops.get_default_graph()
        rejected = 0
        for size in range(1, len(data)):
            try:
                graph._import(data[:size], f"t{size}", {}, [], "")
            except errors.OpError:
                rejected += 1
        self.assertGreater(rejected, len(data) // 2)

    def test_return_elements_must_exist(self):
        for name in ("z", "z:0", "b:1", "b:x"):
            with self.subTest(name=name), self.assertRaises(ValueError):
                self._import(_ADD, return_elements=[name], name=f"i{name[0]}")


if __name__ == "__main__":
    unittest.main()
