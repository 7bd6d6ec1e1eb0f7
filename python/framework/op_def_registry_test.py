# SPDX-License-Identifier: Apache-2.0
"""Ops are registered from protos for graphs alone.  Each test has a process of its own, whose registry it changes."""

import subprocess
import sys

_PROLOGUE = """
import tensorwright as tf
from google.protobuf import text_format
from tensorwright.core.framework import op_def_pb2
from tensorwright.python.framework import op_def_registry

def register(text):
    op_def_registry.register_op_list(text_format.Parse(text, op_def_pb2.OpList()))

def imported(text, *elements):
    graph_def = text_format.Parse(text, tf.GraphDef())
    return tf.import_graph_def(graph_def, return_elements=elements)
"""
_PAIR = """
op { name: 'Pair' output_arg { name: 'a' type: DT_INT32 } output_arg { name: 'b' type_attr: 'T' }
     attr { name: 'T' type: 'type' default_value { type: DT_HALF } } }
op { name: 'TakesFloat' input_arg { name: 'a' type: DT_FLOAT } }
"""


def run(code):
    program = f"{_PROLOGUE}\nPAIR = '''{_PAIR}'''\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_graph_holds_an_op_that_is_only_declared():
    assert run("""
register(PAIR)
register(PAIR + "op { name: 'NoOp' }")
b, default, takes = imported('''
node { name: 'A' op: 'Pair' attr { key: 'T' value { type: DT_FLOAT } } }
node { name: 'B' op: 'TakesFloat' input: 'A:1' }
node { name: 'C' op: 'Pair' }''', "A:1", "C:1", "B")
print(b.dtype.name, b.shape, default.dtype.name, takes.inputs[0] is b)
print([n.op for n in tf.get_default_graph().as_graph_def().node])
""") == [
        "float32",
        "<unknown>",
        "float16",
        "True",
        "['Pair',",
        "'TakesFloat',",
        "'Pair']",
    ]


def test_an_op_that_is_only_declared_does_not_run():
    assert (
        run("""
register(PAIR)
(a,) = imported("node { name: 'A' op: 'Pair' }", "A:0")
try:
    tf.Session().run(a)
except tf.errors.OpError as error:
    print(type(error).__name__, "Pair" in error.message)
""")[1]
        == "True"
    )


def test_a_declaration_that_is_not_valid_is_refused():
    assert run("""
for text in ("op { name: 'small' }", "op { name: 'A' input_arg { name: 'a' } }"):
    try:
        register(text)
    except ValueError as error:
        print("refused")
""") == ["refused", "refused"]
