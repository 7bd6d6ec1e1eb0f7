# SPDX-License-Identifier: Apache-2.0
"""Tests of contrib.graph_editor: graphs before and after an edit."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

ge = tf.contrib.graph_editor


@pytest.fixture
def graph():
    """a, b -> c = a + b -> e = c + d -> h = sqrt(e), g = square(e), in scopes."""

    class Parts:
        pass

    p = Parts()
    p.a = tf.constant([1.0, 1], name="a")
    with tf.name_scope("foo"):
        p.b = tf.constant([2.0, 2], name="b")
        p.c = tf.add(p.a, p.b, name="c")
        p.d = tf.constant([3.0, 3], name="d")
        with tf.name_scope("bar"):
            p.e = tf.add(p.c, p.d, name="e")
            p.h = tf.sqrt(p.e, name="h")
            with tf.control_dependencies([p.c.op]):
                p.g = tf.square(p.e, name="g")
    p.graph = tf.get_default_graph()
    return p


def run(t, feeds=None):
    with tf.Session(graph=t.graph) as session:
        return session.run(t, feeds)


def names(items):
    return sorted(i.name for i in items)


def test_selection_by_name(graph):
    assert names(ge.select_ops("^foo/bar/", graph=graph.graph)) == [
        "foo/bar/e",
        "foo/bar/g",
        "foo/bar/h",
    ]
    assert names(ge.select_ts("(?#ts)^foo/[bd]", graph=graph.graph)) == [
        "foo/b:0",
        "foo/bar/e:0",
        "foo/bar/g:0",
        "foo/bar/h:0",
        "foo/d:0",
    ]
    ops, ts = ge.select_ops_and_ts("^a$", "(?#ts)^foo/c:", graph=graph.graph)
    assert (names(ops), names(ts)) == (["a"], ["foo/c:0"])
    assert names(ge.get_name_scope_ops(graph.graph, "foo/bar/")) == names(
        ge.make_view_from_scope("foo/bar", graph.graph).ops
    )
    assert names(ge.filter_ops_from_regex(graph.graph, "^a$")) == ["a"]
    assert names(ge.filter_ts_from_regex(graph.graph, "^a:0$")) == ["a:0"]
    only = ge.select_ops(graph.graph, positive_filter=lambda op: op.type == "Sqrt")
    assert (
        only == [graph.h.op] == ge.filter_ops(graph.graph, lambda o: o.type == "Sqrt")
    )
    assert len(ge.filter_ts(graph.graph, True)) == len(ge.get_tensors(graph.graph)) == 7
    assert ge.can_be_regex("a") and not ge.can_be_regex(1)
    for wrong in (
        lambda: ge.select_ops("a"),
        lambda: ge.make_regex(3),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError, match="Wrong keywords"):
        ge.select_ops(graph.graph, color="red")


def test_walks(graph):
    assert names(ge.get_forward_walk_ops([graph.a])) == [
        "foo/bar/e",
        "foo/bar/g",
        "foo/bar/h",
        "foo/c",
    ]
    assert names(ge.get_forward_walk_ops(graph.a.op, inclusive=False)) == names(
        ge.get_forward_walk_ops([graph.a])
    )
    assert ge.get_forward_walk_ops([graph.a], stop_at_ts=[graph.c]) == [graph.c.op]
    back = ge.get_backward_walk_ops([graph.g.op], within_ops=[graph.g.op, graph.e.op])
    assert names(back) == ["foo/bar/e", "foo/bar/g"]
    between = ge.get_walks_intersection_ops([graph.c.op], [graph.h])
    assert names(between) == ["foo/bar/e", "foo/bar/h", "foo/c"]
    union = ge.get_walks_union_ops([graph.e.op], [graph.c.op])
    assert names(union) == [
        "a",
        "foo/b",
        "foo/bar/e",
        "foo/bar/g",
        "foo/bar/h",
        "foo/c",
    ]
    outputs = ge.ControlOutputs(graph.graph)
    assert outputs.get(graph.c.op) == (graph.g.op,)
    assert outputs.get_all() == {graph.c.op: [graph.g.op]}
    assert outputs.graph is graph.graph
    near = ge.get_ops_ios([graph.c.op], control_ios=outputs)
    assert names(near) == ["a", "foo/b", "foo/bar/e", "foo/bar/g"]
    inside = ge.get_within_boundary_ops(graph.graph, graph.c.op, [graph.e.op])
    assert names(inside) == ["a", "foo/b", "foo/bar/e", "foo/c"]
    with pytest.raises(ValueError, match="intersecting"):
        ge.get_within_boundary_ops(graph.graph, graph.c.op, graph.c.op)
    assert ge.check_cios(control_ios=outputs) == (True, outputs)
    with pytest.raises(TypeError):
        ge.check_cios(control_outputs=3)
    inputs, ends, inner = ge.compute_boundary_ts([graph.c.op, graph.e.op])
    assert [names(x) for x in (inputs, ends, inner)] == [
        ["a:0", "foo/b:0", "foo/d:0"],
        ["foo/bar/e:0"],
        ["foo/c:0"],
    ]


def test_lists(graph):
    assert ge.make_list_of_op(graph.a.op) == [graph.a.op]
    assert ge.make_list_of_t([graph.a, graph.b.op], ignore_ops=True) == [graph.a]
    assert ge.get_generating_ops([graph.c]) == [graph.c.op]
    assert names(ge.get_consuming_ops([graph.e])) == ["foo/bar/g", "foo/bar/h"]
    for wrong in (
        lambda: ge.make_list_of_op([graph.a]),
        lambda: ge.make_list_of_op(graph.graph, allow_graph=False),
        lambda: ge.make_list_of_t([3]),
        lambda: ge.get_tensors(3),
        lambda: ge.placeholder_name(3),
    ):
        with pytest.raises(TypeError):
            wrong()
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="one graph"):
        ge.make_list_of_t([graph.a, other])


def test_placeholders(graph):
    assert ge.placeholder_name(graph.c) == "foo/geph__c_0"
    assert ge.placeholder_name(graph.c, scope="x") == "x/geph__c_0"
    assert ge.placeholder_name() == "geph"
    made = ge.make_placeholder_from_tensor(graph.c)
    assert made.op.name == "foo/geph__c_0" and made.shape.as_list() == [2]
    other = ge.make_placeholder_from_dtype_and_shape(tf.int32, [3], scope="y")
    assert (other.dtype, other.op.name) == (tf.int32, "y/geph")


def test_views(graph):
    view = ge.make_view([graph.e.op, graph.g.op, graph.h.op])
    assert names(view.inputs) == ["foo/c:0", "foo/d:0"]
    assert names(view.outputs) == ["foo/bar/g:0", "foo/bar/h:0"]
    assert view.input_index(graph.d) == 1 and view.output_index(graph.h) == [
        t.name for t in view.outputs
    ].index("foo/bar/h:0")
    assert view.find_op_by_name("foo/bar/e") is graph.e.op and view.op(0) is graph.e.op
    turned = view.remap([1, 0], [graph.h])
    assert [t.name for t in turned.inputs] == ["foo/d:0", "foo/c:0"]
    assert turned.outputs == [graph.h]
    assert turned.remap_default().inputs == view.inputs
    assert view.remap_inputs([0]).inputs == view.inputs[:1]
    assert names(turned.remove_unused_ops().ops) == names(view.ops)
    twice = view.remap_outputs([0, 0])
    assert (
        len(twice.outputs) == 2 and len(twice.remap_outputs_make_unique().outputs) == 1
    )
    small = ge.make_view(graph.c.op)
    assert small.consumers() == [graph.e.op]
    assert (
        ge.make_view(graph.e.op).remap_outputs_to_consumers().outputs == [graph.e] * 2
    )
    passing = ge.SubGraphView(passthrough_ts=[graph.c])
    assert passing.is_passthrough(graph.c) and passing.connected_inputs == []
    assert passing.inputs == passing.outputs == passing.passthroughs == [graph.c]
    assert not ge.SubGraphView() and view.copy().ops == view.ops
    with pytest.raises(ValueError):
        view.input_index(graph.a)
    with pytest.raises(ValueError):
        view.remap_inputs([7])
    with pytest.raises(AssertionError):
        view.find_op_by_name("nothing")


def test_tensors_change_their_ends(graph):
    assert ge.reroute_ts([graph.d], [graph.a]) == 1
    np.testing.assert_array_equal(run(graph.c), [5, 5])
    assert ge.swap_ts([graph.c], [graph.d], can_modify=[graph.e.op]) == 2
    np.testing.assert_array_equal(run(graph.e), [8, 8])
    assert [t.name for t in graph.e.op.inputs] == ["foo/d:0", "foo/c:0"]
    assert ge.reroute_ts([graph.a], [graph.c], cannot_modify=[graph.e.op]) == 0
    with pytest.raises(ValueError, match="sizes"):
        ge.reroute_ts([graph.a], [graph.b, graph.d])
    with pytest.raises(ValueError, match="Shapes"):
        ge.reroute_ts([tf.zeros([3])], [graph.b])
    with pytest.raises(ValueError, match="Dtypes"):
        ge.swap_ts([tf.zeros([2], tf.int32)], [graph.b])


def test_views_change_their_inputs_and_outputs():
    x, y = tf.constant(2.0), tf.constant(5.0)
    one, two = tf.square(x), tf.negative(y)
    after_one, after_two = one + 100.0, two + 1000.0
    ge.swap_inputs(one.op, two.op)
    assert (run(one), run(two)) == (25, -2)
    ge.swap_outputs(one.op, two.op)
    assert (run(after_one), run(after_two)) == (98, 1025)
    ge.reroute_outputs(one.op, two.op)
    assert (run(after_one), run(after_two)) == (125, 1025)
    _, view = ge.reroute_inputs(one.op, two.op)
    assert view.inputs == [y] and run(two) == -5
    ge.swap_ios(one.op, two.op)
    ge.reroute_ios(one.op, two.op)
    assert run(one) == 25


def test_control_inputs(graph):
    ge.add_control_inputs(graph.h.op, [graph.a.op, graph.b.op])
    ge.remove_control_inputs(graph.h.op, graph.a.op)
    assert list(graph.h.op.control_inputs) == [graph.b.op]
    with pytest.raises(ValueError, match="not a control_input"):
        ge.remove_control_inputs(graph.h.op, graph.a.op)
    with pytest.raises(ValueError, match="already"):
        ge.add_control_inputs(graph.h.op, graph.b.op)
    ge.detach_control_inputs(graph.h.op)
    assert list(graph.h.op.control_inputs) == []
    ge.detach_control_outputs(graph.c.op, ge.ControlOutputs(graph.graph))
    assert list(graph.g.op.control_inputs) == []


def test_detach_connect_bypass(graph):
    view, inputs = ge.detach_inputs(graph.c.op)
    assert names(inputs) == ["foo/geph__b_0:0", "geph__a_0:0"] and view.inputs == inputs
    feeds = dict(zip(inputs, ([10.0, 20], [1.0, 1])))
    np.testing.assert_array_equal(run(graph.e, feeds), [14, 24])
    # Back again.
    ge.connect(ge.SubGraphView(passthrough_ts=[graph.a, graph.b]), view)
    np.testing.assert_array_equal(run(graph.e), [6, 6])
    _, outputs = ge.detach_outputs(graph.e.op)
    np.testing.assert_array_equal(run(graph.h, {outputs[0]: [4.0, 9]}), [2, 3])
    _, inputs, outputs = ge.detach(graph.h.op, control_inputs=True)
    assert len(inputs) == 1 and outputs == []
    square = tf.square(graph.d)
    cube = square * 10.0
    _, taken = ge.bypass(square.op)
    np.testing.assert_array_equal(run(cube), [30, 30])
    np.testing.assert_array_equal(run(square, {taken[0]: [5.0, 6]}), [25, 36])


def test_copies(graph):
    tf.add_to_collection("mine", graph.e)
    copied, info = ge.copy(
        ge.make_view_from_scope("foo/bar", graph.graph),
        dst_scope="new",
        src_scope="foo",
    )
    assert names(copied.ops) == ["new/bar/e", "new/bar/g", "new/bar/h"]
    assert copied.inputs == [graph.c, graph.d]
    twin = info.transformed(graph.h)
    assert info.original(twin) is graph.h and info.transformed("foo/bar/h") is twin.op
    assert info.transformed(graph.a) is None
    np.testing.assert_allclose(run(twin), run(graph.h))
    # The copy waits for the operations that its original waits for.
    assert list(info.transformed(graph.g).op.control_inputs) == [graph.c.op]
    assert tf.get_collection("new/mine") == [info.transformed(graph.e)]
    other = tf.Graph()
    copied, info = ge.copy([graph.e.op, graph.h.op], other)
    assert copied.graph is other
    feeds = dict(zip(copied.inputs, ([7.0, 1], [9.0, 3])))
    np.testing.assert_array_equal(run(info.transformed(graph.h), feeds), [4, 2])
    with pytest.raises(TypeError):
        ge.Transformer()([graph.e.op], "graph", "")
    with pytest.raises(ValueError, match="source scope"):
        ge.copy(graph.a.op, dst_scope="n", src_scope="foo")


def test_replacements(graph):
    ten = tf.constant([10.0, 20])
    h, d = ge.graph_replace([graph.h, graph.d], {graph.c: ten}, dst_scope="again")
    assert d is graph.d
    np.testing.assert_allclose(run(h), np.sqrt([13, 23]))
    np.testing.assert_allclose(run(graph.h), np.sqrt([6, 6]))
    with pytest.raises(ValueError, match="not connected"):
        ge.graph_replace(graph.a, {graph.b: ten})
    _, info = ge.copy_with_input_replacements([graph.c.op], {graph.a: ten})
    np.testing.assert_array_equal(run(info.transformed(graph.c)), [12, 22])


def test_loops_are_copied():
    start = tf.constant(1.0)
    _, end = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), [0, start])
    (twin,) = [ge.graph_replace(end, {start: tf.constant(5.0)})]
    assert run(end) == 8 and run(twin) == 40


def test_a_handler_of_ones_own(graph):
    transformer = ge.Transformer()
    transformer.transform_external_input_handler = ge.replace_t_with_placeholder_handler

    def negative_for_square(info, op):
        if op.type == "Square":
            made = tf.negative(info.inputs_of(op)[0])
            return made.op, [made]
        return ge.copy_op_handler(info, op)

    transformer.transform_op_handler = negative_for_square
    copied, info = transformer([graph.e.op, graph.g.op], graph.graph, "t")
    feeds = dict(zip(copied.inputs, ([7.0, 1], [9.0, 3])))
    np.testing.assert_array_equal(run(info.transformed(graph.g), feeds), [-16, -4])
