# SPDX-License-Identifier: Apache-2.0
"""tf.function in a graph: kinds of arguments, structures, variables, the order of effects, gradients."""

import gc
import weakref

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(fetches, *inits, **feeds):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for op in inits:
            session.run(op)
        return session.run(fetches, **feeds)


def test_a_call_is_one_op_and_computes():
    @tf.function
    def affine(x, y):
        return 2.0 * x + y

    x, y = tf.constant([1.0, 2.0]), tf.constant(1.0)
    before = tf.get_default_graph().get_operations()
    z = affine(x, y)
    assert z.op.type == "PartitionedCall"
    assert z.op.node_def.attr["f"].func.name.startswith("inference_affine")
    assert tf.get_default_graph().get_operations() == [*before, z.op]
    assert z.shape.as_list() == [2]
    np.testing.assert_array_equal(_run(z), [3, 5])


def test_python_runs_once_for_each_kind_of_arguments():
    traced = []

    @tf.function
    def power(x, n, scale=1.0):
        traced.append((x.dtype, x.shape.as_list(), n, scale))
        return scale * x**n

    x = tf.constant([1.0, 2.0])
    results = [
        power(x, 2),
        power(tf.constant([3.0, 4.0]), 2),
        power(x, 3),
        power(x, n=2),
        power(x, 2, scale=2.0),
        power(tf.constant([[1.0]]), 2),
        power(np.float64([5, 6]), 2),
    ]
    assert [t[2:] for t in traced] == [(2, 1.0), (3, 1.0), (2, 2.0), (2, 1.0), (2, 1.0)]
    assert traced[-1][0] == tf.float64
    values = [[1, 4], [9, 16], [1, 8], [1, 4], [2, 8], [[1]], [25, 36]]
    for got, wanted in zip(_run(results), values, strict=True):
        np.testing.assert_array_equal(got, wanted)
    assert power.experimental_get_tracing_count() == 5


def test_shapes_are_relaxed_when_asked_for():
    traced = []

    @tf.function(reduce_retracing=True)
    def total(x):
        traced.append(x.shape.as_list())
        return tf.reduce_sum(x)

    for n in (1, 2, 3, 4):
        assert _run(total(tf.ones([n, 2]))) == 2 * n
    assert traced == [[1, 2], [None, 2]]


def test_structures_go_in_and_out():
    @tf.function
    def swap(pair, options=None):
        a, b = pair["a"], pair["b"]
        return {"sum": a + b, "parts": (b, [a, None])}, options["k"] * a

    out, scaled = swap({"a": tf.constant(1.0), "b": tf.constant(2.0)}, {"k": 3})
    assert out["parts"][1][1] is None
    got = _run([out["sum"], out["parts"][0], out["parts"][1][0], scaled])
    assert got == [3, 2, 1, 3]


def test_tensors_from_around_are_captured():
    feed = tf.placeholder(tf.float32, [])

    @tf.function
    def add(x):
        return x + feed

    y = add(1.0 * tf.constant(2.0))
    assert add.get_concrete_function(tf.constant(0.0)).captured_inputs == [feed]
    assert _run(y, feed_dict={feed: 5.0}) == 7


def test_a_signature_has_one_function():
    traced = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def rows(x):
        traced.append(x.shape.as_list())
        return tf.shape(x)[0]

    assert _run([rows(np.ones([3, 2])), rows([[1, 2]])]) == [3, 1]
    assert traced == [[None, 2]]
    with pytest.raises(ValueError, match="input_signature allows"):
        rows(tf.ones([2, 3]))
    with pytest.raises((TypeError, ValueError)):
        rows(tf.constant("a"))
    concrete = rows.get_concrete_function()
    assert concrete.inputs[0].shape.as_list() == [None, 2]
    assert concrete.structured_outputs.dtype == tf.int32
    assert _run(concrete(tf.ones([4, 2]))) == 4


def test_effects_happen_in_the_order_of_python():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    @tf.function
    def step(x):
        v.assign_add(x)
        before = v.read_value()
        v.assign(v * 10.0)
        return before

    assert _run([step(tf.constant(2.0))])[0] == 3
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(step(tf.constant(2.0)))
        assert session.run(v) == 30


def test_a_call_without_results_is_an_operation():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    @tf.function
    def bump():
        v.assign_add(4.0)

    op = bump()
    assert isinstance(op, tf.Operation)
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(op)
        session.run(op)
        assert session.run(v) == 9


def test_variables_of_the_first_call_are_kept():
    class Model:
        def __init__(self):
            self.w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(3.0, name="w")
            return self.w * x

    one, other = Model(), Model()
    results = [
        one(tf.constant(2.0)),
        one(tf.constant([1.0, 2.0])),
        other(tf.constant(1.0)),
    ]
    assert one.w is not other.w and one.w.graph is tf.get_default_graph()
    assert len(tf.trainable_variables()) == 2
    got = _run(results)
    assert got[0] == 6 and got[1].tolist() == [3, 6] and got[2] == 3


def test_variables_of_scopes_are_shared():
    @tf.function
    def dense(x):
        with tf.variable_scope("dense", reuse=tf.AUTO_REUSE):
            w = tf.get_variable("w", initializer=2.0)
        w.assign_add(1.0)
        return w * x

    first, second = dense(tf.constant(1.0)), dense(tf.constant([1.0]))
    assert [v.name for v in tf.global_variables()] == ["dense/w:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(first) == 3
        assert session.run(second) == [4]


def test_variables_of_a_later_call_are_refused():
    @tf.function
    def new(x):
        return tf.Variable(1.0) * x

    new(tf.constant(1.0))
    with pytest.raises(ValueError, match="variables on non-first call"):
        new(tf.constant([1.0]))


def test_gradients_go_through_calls():
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)

    @tf.function
    def loss(x):
        return tf.reduce_sum(tf.square(w * x))

    x = tf.constant([3.0, 4.0])
    by_x, by_w = tf.gradients(loss(x), [x, w])
    got = _run([by_x, by_w])
    np.testing.assert_allclose(got[0], [2 * 3 * 1, 2 * 4 * 4])
    np.testing.assert_allclose(got[1], [2 * 9 * 1, 2 * 16 * 2])


def test_a_gradient_does_not_repeat_an_effect():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    @tf.function
    def count(x):
        v.assign_add(1.0)
        return x * x

    x = tf.constant(3.0)
    with pytest.raises(LookupError, match="AssignAddVariableOp.*something else"):
        tf.gradients(count(x), x)


def test_calls_inside_of_calls_and_loops():
    @tf.function
    def double(x):
        return x * 2.0

    @tf.function
    def twice(x):
        return double(double(x)) + 1.0

    looped = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, twice(x)), [0, 1.0])
    assert _run([twice(tf.constant(1.0)), looped[1]]) == [5, 85]


def test_each_graph_has_its_own():
    @tf.function
    def square(x):
        return x * x

    for value in (2.0, 3.0):
        with tf.Graph().as_default(), tf.Session() as session:
            assert session.run(square(tf.constant(value))) == value**2


def test_graphs_and_instances_are_let_go():
    class Scale:
        __hash__ = None

        @tf.function
        def by(self, x):
            return 2.0 * x

    scale, graph = Scale(), tf.Graph()
    with graph.as_default():
        assert scale.by is scale.by
        scale.by(tf.constant(1.0))
    gone = weakref.ref(graph), weakref.ref(scale)
    del graph, scale
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="must be callable"):
        tf.function(3)

    @tf.function
    def one(x):
        return x

    with pytest.raises(TypeError):
        one(tf.constant(1.0), tf.constant(2.0))
    with pytest.raises(TypeError, match="takes 1 tensors, got 2"):
        one.get_concrete_function(tf.constant(1.0))(tf.constant(1.0), tf.constant(2.0))
