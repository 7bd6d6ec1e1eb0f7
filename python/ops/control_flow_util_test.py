# SPDX-License-Identifier: Apache-2.0
"""Questions about the operations of conds and loops."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import control_flow_util as util

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _of_type(*types):
    return [op for op in tf.get_default_graph().get_operations() if op.type in types]


def test_parts_of_a_cond_are_told_from_those_of_a_loop():
    x = tf.placeholder(tf.float32, [])
    tf.cond(x > 0, lambda: x + 1, lambda: x - 1)
    in_cond = _of_type("Add", "Sub", "AddV2")
    assert len(in_cond) == 2
    for op in in_cond:
        assert util.IsInCond(op) and not util.IsInWhileLoop(op)
        assert util.GetContainingWhileContext(op._get_control_flow_context()) is None
        assert util.GetWhileContext(op) is None
    switches = [op for op in _of_type("Switch") if op.inputs[0] is x]
    assert switches and all(util.IsCondSwitch(op) for op in switches)
    assert not any(util.IsLoopSwitch(op) for op in switches)
    (merge,) = _of_type("Merge")
    assert util.IsMerge(merge) and util.IsCondMerge(merge)
    assert not util.IsLoopMerge(merge)
    assert not util.IsInCond(x.op)


def test_parts_of_a_loop():
    limit = tf.placeholder(tf.int32, [])
    result = tf.while_loop(lambda i: i < limit, lambda i: i + 1, [tf.constant(0)])
    (merge,) = _of_type("Merge")
    assert util.IsLoopMerge(merge) and not util.IsCondMerge(merge)
    switches = _of_type("Switch")
    assert switches and all(util.IsLoopSwitch(op) for op in switches)
    assert not any(util.IsCondSwitch(op) for op in switches)
    assert util.IsLoopExit(result.op)
    context = util.GetWhileContext(merge)
    assert context.IsWhileContext() and util.OpInContext(merge, context)
    assert not util.OpInContext(limit.op, context)
    assert util.TensorInContext(merge.outputs[0], context)
    # A result of a loop is outside.
    assert util.GetOutputContext(result.op) is None
    enters = _of_type("Enter")
    constants = [op for op in enters if util.IsLoopConstantEnter(op)]
    assert [op.inputs[0] for op in constants] == [limit]
    assert util.GetLoopConstantEnter(constants[0].outputs[0]) is constants[0]
    assert util.GetLoopConstantEnter(merge.outputs[0]) is None


def test_what_is_inside_a_loop_may_not_be_used_outside_or_in_another():
    inside = []

    def body(i):
        inside.append(i + 1)
        return inside[-1]

    out = tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    first, second = (tensor.op for tensor in inside)
    plain = tf.constant(1).op
    util.CheckInputFromValidContext(plain, out.op)
    util.CheckInputFromValidContext(first, plain)
    util.CheckInputFromValidContext(first, first)
    with pytest.raises(ValueError, match="is in a while loop"):
        util.CheckInputFromValidContext(plain, first)
    with pytest.raises(ValueError, match="different while loops"):
        util.CheckInputFromValidContext(second, first)


def test_contexts_contain_those_inside_them():
    found = []

    def body(i):
        def add():
            found.append(i + 1)
            return found[-1]

        return tf.cond(i > 1, add, lambda: i + 2)

    tf.while_loop(lambda i: i < 5, body, [tf.constant(0)])
    branch = found[0].op._get_control_flow_context()
    loop = util.GetContainingWhileContext(branch)
    assert util.GetContainingCondContext(branch) is branch
    assert util.GetContainingCondContext(loop) is None
    assert util.IsContainingContext(branch, loop)
    assert not util.IsContainingContext(loop, branch)
    assert util.GetContainingWhileContext(branch, stop_ctxt=branch) is branch
    assert util.IsInCond(found[0].op) and util.IsInWhileLoop(found[0].op)


def test_nothing_is_functional_or_compiled():
    graph = tf.get_default_graph()
    assert not util.EnableControlFlowV2(graph) and not util.ENABLE_CONTROL_FLOW_V2
    assert not util.GraphOrParentsInXlaContext(graph)
    x = tf.constant(1)
    assert not util.IsInXLAContext(x.op)
    with graph._attr_scope({"_XlaCompile": tf.AttrValue(b=True)}):
        assert util.IsInXLAContext(tf.identity(x).op)
