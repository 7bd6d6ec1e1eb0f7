# SPDX-License-Identifier: Apache-2.0
"""The contexts of conditionals and loops: the values they keep, and their way through meta graphs."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import control_flow_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _loop_tensor():
    """A tensor of a loop's body, and what the loop returns."""
    inside = []

    def body(i):
        inside.append(i + 1)
        return inside[0]

    result = tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    return inside[0], result


def test_a_loops_tensor_is_refused_outside():
    inside, result = _loop_tensor()
    with pytest.raises(ValueError, match=r"^Cannot use 'while/\w+' as input to 'out' because 'while/\w+' is in a while loop\."):  # fmt: skip # noqa: E501
        tf.negative(inside, name="out")
    with tf.Session() as session:
        assert session.run(result * 2) == 6


def test_a_refused_operation_is_not_in_the_graph():
    inside, _ = _loop_tensor()
    before = len(tf.get_default_graph().get_operations())
    with pytest.raises(ValueError, match="is in a while loop"):
        tf.negative(inside, name="out")
    assert len(tf.get_default_graph().get_operations()) == before


def test_a_loops_tensor_is_refused_in_another_loop():
    inside, _ = _loop_tensor()
    with pytest.raises(ValueError, match="they are in different while loops"):
        tf.while_loop(lambda i: i < 3, lambda i: i + inside, [tf.constant(0)])


def test_a_loop_inside_uses_tensors_of_the_one_around_it():
    def body(i, total):
        square = i * i
        inner = tf.while_loop(
            lambda j, s: j < 2, lambda j, s: (j + 1, s + square), [0, 0]
        )
        return i + 1, total + inner[1]

    _, total = tf.while_loop(lambda i, _: i < 4, body, [0, 0])
    with tf.Session() as session:
        assert session.run(total) == 2 * (1 + 4 + 9)


def test_a_branchs_tensor_may_be_used_outside():
    inside = []

    def branch():
        inside.append(tf.constant(2.0) * 3.0)
        return inside[0]

    x = tf.placeholder(tf.bool, [])
    tf.cond(x, branch, lambda: tf.constant(0.0))
    outside = inside[0] + 1.0
    with tf.Session() as session:
        assert session.run(outside, {x: True}) == 7.0


@pytest.mark.parametrize("resource", [False, True])
def test_an_initial_value_made_in_a_context_is_refused(resource):
    def branch():
        value = tf.constant(1.0) + 1.0
        tf.Variable(value, use_resource=resource)
        return value

    with pytest.raises(ValueError, match="is from inside a control-flow construct"):
        tf.cond(tf.constant(True), branch, lambda: tf.constant(0.0))


def test_a_callable_makes_a_variable_in_a_context():
    made = []

    def branch():
        made.append(tf.Variable(lambda: tf.constant(4.0)))
        return made[0].read_value()

    result = tf.cond(tf.constant(True), branch, lambda: tf.constant(0.0))
    with tf.Session() as session:
        session.run(made[0].initializer)
        assert session.run(result) == 4.0


def _program(x):
    """A loop with a conditional and a loop inside."""

    def body(i, v):
        v = tf.cond(v[0] > 1.0, lambda: v * 0.5, lambda: tf.sin(v) + x)
        _, v = tf.while_loop(lambda j, _: j < 2, lambda j, w: (j + 1, w * 1.5), [0, v])
        return i + 1, v

    _, y = tf.while_loop(lambda i, _: i < 3, body, [0, x], name="outer")
    return tf.cond(y[1] > 0, lambda: y * y, lambda: -y, name="last")


@pytest.mark.parametrize("scope", [None, "imported"])
def test_an_imported_graph_has_the_same_gradients(scope):
    at = np.array([0.3, -0.7], np.float32)
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.identity(_program(x), name="y")
    with tf.Session() as session:
        wanted = session.run([y, tf.gradients(y, x)[0]], {x: at})
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.identity(_program(x), name="y")
        meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(meta, import_scope=scope)
        prefix = "" if scope is None else scope + "/"
        x, y = (graph.get_tensor_by_name(f"{prefix}{n}:0") for n in "xy")
        found = session.run([y, tf.gradients(y, x)[0]], {x: at})
        inside = [op for op in graph.get_operations() if "/mul" in op.name]
        assert inside
        with pytest.raises(ValueError, match="is in a while loop"):
            tf.negative(next(o for o in inside if "outer" in o.name).outputs[0])
    np.testing.assert_allclose(found[0], wanted[0])
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-6)


def test_contexts_go_to_protos_and_back():
    _program(tf.constant([0.3, 0.4]))
    [loop] = tf.get_collection(tf.GraphKeys.WHILE_CONTEXT)
    branches = tf.get_collection(tf.GraphKeys.COND_CONTEXT)
    assert [b.branch for b in branches] == [1, 0]
    proto = loop.to_proto()
    assert proto.parallel_iterations == 10
    kinds = [n.WhichOneof("ctxt") for n in proto.nested_contexts]
    assert kinds == ["cond_ctxt", "cond_ctxt", "while_ctxt"]
    assert len(proto.loop_enter_names) == len(proto.loop_exit_names) == 2
    again = control_flow_ops.WhileContext.from_proto(proto)
    assert again.to_proto() == proto
    assert control_flow_ops.CondContext.from_proto(branches[0].to_proto()).to_proto() == branches[0].to_proto()  # fmt: skip # noqa: E501
    assert loop.to_proto(export_scope="elsewhere") is None


def test_operations_of_a_compilation_context_are_marked_and_run():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.constant(2.0)
        with control_flow_ops.XLAControlFlowContext() as context:
            y = x * 3.0
            z = tf.cond(y > 5.0, lambda: y + 1.0, lambda: y)
        assert y.op._control_flow_context is context and context.IsXLAContext()
        assert isinstance(context, control_flow_ops.ControlFlowContext)
        assert graph._get_control_flow_context() is None
        assert session.run([z, tf.gradients(z, x)[0]]) == [7, 3]
