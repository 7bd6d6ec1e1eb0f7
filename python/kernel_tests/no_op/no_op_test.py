# SPDX-License-Identifier: Apache-2.0
"""NoOp and ControlTrigger: they compute nothing, and order what does."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_control_flow_ops

OPS = {"no_op": tf.no_op, "trigger": gen_control_flow_ops.control_trigger}


@pytest.mark.parametrize("name", list(OPS))
def test_computes_nothing(name):
    with tf.Graph().as_default(), tf.Session() as session:
        op = OPS[name]()
        assert (list(op.inputs), list(op.outputs)) == ([], [])
        assert session.run(op) is None


@pytest.mark.parametrize("name", list(OPS))
def test_runs_after_its_control_inputs_and_before_what_waits_for_it(name):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        with tf.control_dependencies([v.assign(5.0)]):
            between = OPS[name]()
        with tf.control_dependencies([between]):
            after = v.read_value()
        assert session.run(after) == 5


def test_takes_no_input():
    node = tf.NodeDef(name="n", op="NoOp", input=["x"])
    graph_def = tf.GraphDef(node=[tf.NodeDef(name="x", op="Placeholder"), node])
    graph_def.node[0].attr["dtype"].type = 1
    with tf.Graph().as_default(), pytest.raises(ValueError, match="NoOp|input"):
        tf.import_graph_def(graph_def)
