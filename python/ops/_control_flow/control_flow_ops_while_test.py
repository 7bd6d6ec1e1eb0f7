# SPDX-License-Identifier: Apache-2.0
"""while_loop: values, nesting, gradients, and what it refuses."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_data_flow_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


def test_loop_counts_and_sums():
    assert _run(
        tf.while_loop(lambda i, t: i < 10, lambda i, t: (i + 1, t + i), (0, 0))
    ) == (10, 45)


def test_a_loop_that_does_not_run_gives_its_start():
    assert _run(tf.while_loop(lambda i: i < 0, lambda i: i + 1, [3])) == 3


@pytest.mark.parametrize("parallel", [1, 10])
def test_iterations_see_the_values_of_the_one_before(parallel):
    out = tf.while_loop(
        lambda i, a, b: i < 20,
        lambda i, a, b: (i + 1, b, a + b),
        (0, 0, 1),
        parallel_iterations=parallel,
    )
    assert _run(out)[1] == 6765


def test_maximum_iterations_end_a_loop():
    loop = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0], maximum_iterations=4)
    assert _run(loop) == 4


def test_loop_variables_may_be_nested():
    i, (a, b) = tf.while_loop(
        lambda i, ab: i < 3, lambda i, ab: (i + 1, (ab[1], ab[0])), (0, (1.0, 2.0))
    )
    assert _run([i, a, b]) == [3, 2.0, 1.0]


def test_a_shape_may_grow_if_an_invariant_allows_it():
    x = tf.constant([1.0])
    out = tf.while_loop(
        lambda x: tf.size(x) < 8,
        lambda x: tf.concat([x, x], 0),
        [x],
        shape_invariants=[tf.TensorShape([None])],
    )
    assert out.get_shape().as_list() == [None]
    assert _run(out).shape == (8,)
    with pytest.raises(ValueError, match="not an invariant"):
        tf.while_loop(lambda x: tf.size(x) < 8, lambda x: tf.concat([x, x], 0), [x])


def test_loops_nest():
    def inner(i, total):
        return tf.while_loop(
            lambda j, t: j < i, lambda j, t: (j + 1, t + 1), [0, total]
        )[1]

    out = tf.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, inner(i, t)), [0, 0])
    assert _run(out[1]) == 10


def test_loop_refuses():
    with pytest.raises(ValueError, match="No loop variables"):
        tf.while_loop(lambda: True, lambda: None, [])
    with pytest.raises(TypeError, match="cond must be callable"):
        tf.while_loop(1, lambda i: i, [0])
    with pytest.raises(TypeError):
        tf.while_loop(lambda i: i < 1.0, lambda i: tf.cast(i, tf.int32), [0.0])
    with pytest.raises(ValueError, match="number of elements"):
        tf.while_loop(lambda i: i < 1, lambda i: (i, i), [0])


def test_an_error_in_a_loop_ends_the_run_and_the_session_lives_on():
    limit = tf.placeholder(tf.int32, [])

    def body(i):
        with tf.control_dependencies([tf.Assert(i < limit, ["too far", i])]):
            return i + 1

    out = tf.while_loop(lambda i: i < 10, body, [0])
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="too far"):
            session.run(out, {limit: 5})
        assert session.run(out, {limit: 10}) == 10


# --- Gradients of loops -------------------------------------------------------------


def _same_gradients(loop, unrolled, xs, feed=None):
    got, want = _run([tf.gradients(loop, xs), tf.gradients(unrolled, xs)], feed)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-5)


@pytest.mark.parametrize("parallel", [1, 10])
def test_gradient_of_a_loop_invariant(parallel):
    x = tf.constant(2.0)
    _, y = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, a * x),
        [0, x],
        parallel_iterations=parallel,
    )
    assert _run([y, *tf.gradients(y, x)]) == [16.0, 32.0]


def test_gradient_of_a_loop_of_data_dependent_length():
    x = tf.placeholder(tf.float32, [])
    y = tf.while_loop(lambda a: a < 100.0, tf.square, [x])
    (g,) = tf.gradients(y, x)
    with tf.Session() as session:
        assert session.run(g, {x: 2.0}) == 1024.0  # x^8
        assert session.run(g, {x: 5.0}) == 500.0  # x^4
        assert session.run(g, {x: 200.0}) == 1.0  # no iteration


def test_gradient_where_the_condition_depends_on_counter_and_value():
    x = tf.placeholder(tf.float64, [])
    _, root = tf.while_loop(
        lambda i, y: tf.logical_and(i < 100, tf.abs(y * y - x) > 1e-12 * x),
        lambda i, y: (i + 1, (y + x / y) / 2),
        (tf.constant(0), x),
    )
    np.testing.assert_allclose(_run(tf.gradients(root, x), {x: 9.0}), [1 / 6])


def test_gradient_of_a_recurrent_net_equals_the_unrolled_one():
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable([[0.5, -1.0], [0.3, 0.8]])

    def cell(h):
        return tf.tanh(tf.matmul(h, w) + x)

    _, loop = tf.while_loop(lambda i, h: i < 4, lambda i, h: (i + 1, cell(h)), [0, x])
    unrolled = x
    for _ in range(4):
        unrolled = cell(unrolled)
    _same_gradients(loop, unrolled, [w, x], {x: [[0.1, 0.2], [1.0, -1.0]]})


def test_gradient_of_a_cond_in_a_loop():
    x = tf.constant(2.0)

    def step(i, a):
        return tf.cond(tf.equal(i % 2, 0), lambda: a * x, lambda: a + x)

    _, loop = tf.while_loop(
        lambda i, a: i < 4, lambda i, a: (i + 1, step(i, a)), [0, x]
    )
    assert _run([loop, *tf.gradients(loop, x)]) == [14.0, 17.0]  # x^3 + x^2 + x


@pytest.mark.parametrize("value", [True, False])
def test_gradient_of_a_loop_in_a_cond(value):
    p, x = tf.placeholder(tf.bool, []), tf.constant(2.0)
    y = tf.cond(
        p,
        lambda: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])[
            1
        ],
        lambda: x * 3,
    )
    assert _run(tf.gradients(y, x), {p: value}) == [32.0 if value else 3.0]


def test_gradient_of_nested_loops():
    x = tf.constant(1.5)

    def inner(i, a):
        return tf.while_loop(
            lambda j, b: j < i, lambda j, b: (j + 1, tf.sin(b) * x), [0, a]
        )[1]

    _, loop = tf.while_loop(
        lambda i, a: i < 4, lambda i, a: (i + 1, inner(i, a) * a), [0, x]
    )
    unrolled = x
    for i in range(4):
        b = unrolled
        for _ in range(i):
            b = tf.sin(b) * x
        unrolled = b * unrolled
    _same_gradients(loop, unrolled, [x])


def test_gradients_through_some_loop_variables_only():
    x, y = tf.constant(2.0), tf.constant(3.0)
    out = tf.while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * x, a + b), [0, x, y]
    )
    gx, gy = tf.gradients(out[1], [x, y])
    assert gy is None
    assert _run(gx) == 32.0
    # b = y + x + x^2 + x^3.
    assert _run(tf.gradients(out[2], [x, y])) == [17.0, 1.0]


def test_gradient_slices_of_a_loop_invariant():
    v = tf.Variable(np.ones([4, 2], np.float32))
    _, total = tf.while_loop(
        lambda i, t: i < 3,
        lambda i, t: (i + 1, t + tf.reduce_sum(tf.gather(v, [i, 1]))),
        [0, tf.constant(0.0)],
    )
    dense = _run(tf.convert_to_tensor(tf.gradients(total, v)[0]))
    np.testing.assert_array_equal(dense[:, 0], [1, 4, 1, 0])


def test_no_gradient_without_back_prop():
    x = tf.constant(2.0)
    y = tf.while_loop(lambda a: a < 9.0, lambda a: a * x, [x], back_prop=False)
    assert tf.gradients(y, x) == [None]


def test_a_gradient_function_that_raises_leaves_no_loop_entered(monkeypatch):
    def fails(*_, **__):
        raise KeyError("no gradient today")

    graph = tf.get_default_graph()
    x = tf.constant([[2.0]])

    def squared(a):
        """a^8, in a loop of loops."""
        return tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * a), [0, a])[1]

    y = tf.while_loop(lambda i, _: i < 2, lambda i, a: (i + 1, squared(a)), [0, x])[1]
    for place in ("_stack_push", "_stack_pop", "_stack"):
        with monkeypatch.context() as patched:
            patched.setattr(gen_data_flow_ops, place, fails)
            with pytest.raises(KeyError, match="today"):
                tf.gradients(y, x)
        assert graph._get_control_flow_context() is None
    with monkeypatch.context() as patched:
        patched.setattr(ops, "get_gradient_function", lambda op: fails)
        with pytest.raises(KeyError, match="today"):
            tf.gradients(squared(x), x)
    assert graph._get_control_flow_context() is None


def test_second_order_gradients_through_a_loop_are_refused():
    x = tf.constant(2.0)
    y = tf.while_loop(lambda a: a < 9.0, lambda a: a * x, [x])
    (g,) = tf.gradients(y, x)
    with pytest.raises(TypeError, match="Second-order gradient"):
        tf.gradients(g, x)


def test_sparse_tensors_go_round():
    start = tf.SparseTensor([[0, 1]], [1.0], [2, 3])

    def grow(i, sparse):
        more = tf.SparseTensor([[1, 2]], tf.cast([i], tf.float32), [2, 3])
        return i + 1, tf.sparse_add(sparse, more)

    shapes = [tf.TensorShape([]), tf.TensorShape([2])]
    _, grown = tf.while_loop(
        lambda i, _: i < 4, grow, [tf.constant(0), start], shape_invariants=shapes
    )
    assert isinstance(grown, tf.SparseTensor)
    assert grown.indices.get_shape().as_list() == [None, 2]
    with tf.Session() as session:
        found = session.run(tf.sparse_tensor_to_dense(grown))
    np.testing.assert_array_equal(found, [[0, 1, 0], [0, 0, 6]])


def test_a_single_sparse_tensor_comes_back_alone():
    once = tf.while_loop(
        lambda s: tf.reduce_sum(s.values) < 10.0,
        lambda s: s * 2.0,
        [tf.SparseTensor([[0]], [1.0], [1])],
        maximum_iterations=3,
    )
    with tf.Session() as session:
        assert session.run(once).values.tolist() == [8.0]


def test_the_invariant_of_a_sparse_tensor_is_the_shape_of_its_dense_shape():
    with pytest.raises(ValueError, match="shape invariant"):
        tf.while_loop(
            lambda i, s: i < 2,
            lambda i, s: (i + 1, s),
            [tf.constant(0), tf.SparseTensor([[0, 0]], [1.0], [2, 2])],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([3])],
        )


def _twice(i, slices):
    def both(part):
        return tf.concat([part, part], 0)

    values, indices = both(slices.values), both(slices.indices)
    return i + 1, tf.IndexedSlices(values, indices, slices.dense_shape)


def test_slices_grow_if_their_invariant_allows_it():
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([5, 3]))
    variables = [tf.constant(0), slices]
    shapes = [tf.TensorShape([]), tf.TensorShape([None, 3])]
    _, grown = tf.while_loop(
        lambda i, _: i < 2, _twice, variables, shape_invariants=shapes
    )
    assert grown.values.get_shape().as_list() == [None, 3]
    assert grown.indices.get_shape().as_list() == [None]
    with tf.Session() as session:
        found = session.run(grown)
    assert found.values.shape == (8, 3) and found.indices.tolist() == [0, 1] * 4
    assert found.dense_shape.tolist() == [5, 3]
    with pytest.raises(ValueError, match="not an invariant"):
        tf.while_loop(lambda i, _: i < 2, _twice, variables)
    shapes[1] = tf.TensorShape([None, 4])
    with pytest.raises(ValueError, match="shape invariant"):
        tf.while_loop(lambda i, _: i < 2, _twice, variables, shape_invariants=shapes)
