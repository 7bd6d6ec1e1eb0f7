# SPDX-License-Identifier: Apache-2.0
"""tf.vectorized_map gives what a loop over the rows gives, without a loop."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import function

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _values(*shape, seed=0):
    return np.random.RandomState(seed).uniform(0.2, 0.8, shape).astype(np.float32)


def _check(fn, *arrays, rtol=1e-5):
    """Compares with map_fn; nothing may fall back."""
    elems = [tf.constant(a) for a in arrays]
    elems = elems[0] if len(elems) == 1 else tuple(elems)
    got = tf.vectorized_map(fn, elems, fallback_to_while_loop=False)
    flat = tf.contrib.framework.nest.flatten(got)
    types = tf.contrib.framework.nest.map_structure(lambda t: t.dtype, got)
    want = tf.contrib.framework.nest.flatten(tf.map_fn(fn, elems, dtype=types))
    loops = {"Enter", "Exit", "TensorArrayV3"}
    with tf.Session() as session:
        for a, b in zip(*session.run([flat, want]), strict=True):
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-6)
        for g, a in zip(flat, session.run(flat), strict=True):
            assert g.shape.is_compatible_with(a.shape)
    # Nothing that the first call added loops.
    graph = tf.Graph()
    with graph.as_default():
        elems = [tf.placeholder(a.dtype, [None, *a.shape[1:]]) for a in arrays]
        tf.vectorized_map(
            fn,
            elems[0] if len(elems) == 1 else tuple(elems),
            fallback_to_while_loop=False,
        )
    assert not loops & {op.type for op in graph.get_operations()}


W = _values(4, 3, seed=1)
M = _values(3, 4, seed=2)

CASES = {
    "unary": lambda x: tf.exp(tf.tanh(x)) + tf.sqrt(tf.abs(x)),
    "rows and a matrix": lambda x: x[0] * W.T + tf.reduce_max(x) - W.T,
    "scalars and matrices": lambda x: x * x[0, 0] + x[1],
    "fewer axes": lambda x: tf.maximum(x[0], W.T * 2) + x,
    "comparison": lambda x: tf.cast(x > 0.5, tf.int32) + tf.cast(x < x[0], tf.int32),
    "matmul": lambda x: tf.matmul(x, W),
    "matmul, left constant": lambda x: tf.matmul(W, x),
    "matmul of both": lambda x: tf.matmul(x, x, transpose_b=True),
    "matmul, transposed": lambda x: tf.matmul(x, M, transpose_a=True),
    "matmul, constant transposed": lambda x: tf.matmul(x, M, transpose_b=True),
    "batch matmul": lambda x: tf.matmul(tf.stack([x, x]), np.stack([W, W])),
    "reductions": lambda x: tf.reduce_sum(x, 0) + tf.reduce_mean(x, [0, -1]),
    "kept axes": lambda x: x / tf.reduce_prod(x, -1, keepdims=True),
    "argmax": lambda x: tf.argmax(x, -1) + tf.argmin(x, 1),
    "cumsum": lambda x: tf.cumsum(x, 1) + tf.cumprod(x, -1, reverse=True),
    "softmax": lambda x: tf.nn.softmax(x) + tf.nn.log_softmax(x),
    "cross entropy": lambda x: tf.nn.softmax_cross_entropy_with_logits(
        labels=tf.nn.softmax(x + 1), logits=x
    ),
    "sparse cross entropy": lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[0, 1, 3], logits=x
    ),
    "select": lambda x: tf.where(x > 0.5, x, tf.zeros_like(x)),
    "select by a scalar": lambda x: tf.where(x[0, 0] > 0.5, x, -x),
    "select by rows": lambda x: tf.where(x[:, 0] > 0.5, x, -x),
    "reshape": lambda x: tf.reshape(x, [2, -1]),
    "reshape by shape": lambda x: tf.reshape(x, [tf.size(x)]),
    "transpose": lambda x: tf.transpose(x) * 2,
    "expand and squeeze": lambda x: tf.squeeze(tf.expand_dims(x, -1)[:, :1]),
    "squeeze an axis": lambda x: tf.squeeze(tf.expand_dims(x, 1), [1]),
    "pack": lambda x: tf.stack([x, tf.constant(M), x * 2], 1),
    "unpack": lambda x: tf.add_n(tf.unstack(x, axis=-1)),
    "concat": lambda x: tf.concat([x, M], -1),
    "split": lambda x: tf.split(x, 2, 1)[1],
    "split by sizes": lambda x: tf.split(x, [1, 3], -1)[1],
    "slice": lambda x: tf.slice(x, [1, 0], [-1, 2]),
    "strided": lambda x: x[::-1, tf.newaxis, ..., 1:3] + x[0, 0],
    "gather": lambda x: tf.gather(x, [2, 0]),
    "gather of an axis": lambda x: tf.gather(x, [[1, 0]], axis=1),
    "gather by rows": lambda x: tf.gather(M, tf.cast(x[0] * 3, tf.int32)),
    "gather by columns": lambda x: tf.gather(M, tf.cast(x[0] * 3, tf.int32), axis=1),
    "gather of both": lambda x: tf.gather(x, tf.cast(x[0] * 3, tf.int32)),
    "gather_nd": lambda x: tf.gather_nd(M, tf.cast(x[:, :2] * 3, tf.int32))
    + tf.gather_nd(x, [[0, 1], [1, 1], [2, 3]]),
    "one_hot": lambda x: tf.one_hot(tf.cast(x * 5, tf.int32), 5, axis=0),
    "tile": lambda x: tf.tile(x, [2, 1]),
    "pad": lambda x: tf.pad(x, [[1, 0], [0, 2]]) + tf.pad(
        x, [[1, 0], [1, 1]], "REFLECT"
    ),
    "reverse": lambda x: tf.reverse(x, [-1]),
    "broadcast": lambda x: tf.broadcast_to(x[0], [2, 4]) + tf.fill([2, 4], x[0, 0]),
    "shapes": lambda x: x * tf.cast(tf.shape(x)[0] + tf.rank(x), tf.float32),
    "clip": lambda x: tf.clip_by_norm(x, 0.5) + tf.clip_by_value(x, 0.3, 0.6),
    "norm": lambda x: tf.nn.l2_loss(x) + tf.norm(x),
    "bias": lambda x: tf.nn.bias_add(x, x[0]) + tf.nn.bias_add(x, W[:, 0])
    + tf.nn.bias_add(tf.constant(M), x[1]),
    "layer": lambda x: tf.nn.relu(tf.nn.xw_plus_b(x, W, W[0])),
    "linear algebra": lambda x: tf.matrix_inverse(tf.matmul(x, x, transpose_b=True)
    + tf.eye(3)) + tf.matrix_band_part(x[:, :3], 0, -1),
    "constant": lambda x: tf.constant(M) * 2,
    "structure": lambda x: {"a": x + 1, "b": (x[0], [tf.reduce_sum(x)])},
    "gradient": lambda x: tf.gradients(tf.reduce_sum(tf.nn.relu(tf.matmul(x, W)) ** 2), x),
    "reference of nobody": lambda x: tf.stop_gradient(tf.identity(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_gives_what_a_loop_gives(name):
    _check(CASES[name], _values(5, 3, 4))


@pytest.mark.parametrize("name", ["matmul", "reshape", "strided", "gather", "pack"])
def test_no_rows_and_one(name):
    for count in (0, 1):
        _check(CASES[name], _values(count, 3, 4))


def test_images():
    filters = _values(2, 2, 3, 5, seed=3)

    def fn(images):
        y = tf.nn.conv2d(images, filters, [1, 1, 1, 1], "SAME")
        y = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        return tf.nn.avg_pool(y, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")

    _check(fn, _values(3, 2, 6, 6, 3), rtol=1e-4)


def test_gradients_of_each_example():
    xs, ys = _values(6, 4), _values(6)
    w = tf.constant(_values(4, seed=5))

    def fn(example):
        x, y = example
        loss = tf.square(tf.tensordot(w, x, 1) - y)
        return tf.gradients(loss, w)[0]

    got = tf.vectorized_map(
        fn, (tf.constant(xs), tf.constant(ys)), fallback_to_while_loop=False
    )
    with tf.Session() as session:
        got, weights = session.run([got, w])
    want = 2 * (xs @ weights - ys)[:, None] * xs
    np.testing.assert_allclose(got, want, rtol=1e-4)


def test_gradients_flow_through_the_map():
    x = tf.constant(_values(5, 3))
    w = tf.constant(_values(3, seed=1))
    y = tf.vectorized_map(lambda r: tf.reduce_sum(r * w) ** 2, x)
    dx, dw = tf.gradients(y, [x, w])
    with tf.Session() as session:
        dx, dw, x, w = session.run([dx, dw, x, w])
    np.testing.assert_allclose(dx, 2 * (x @ w)[:, None] * w, rtol=1e-5)
    np.testing.assert_allclose(dw, 2 * (x @ w) @ x, rtol=1e-5)


def test_variables_are_read():
    v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0]))
    r = tf.get_variable("r", initializer=tf.constant(3.0), use_resource=True)
    y = tf.vectorized_map(
        lambda x: x * v + r, tf.ones([3, 2]), fallback_to_while_loop=False
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [[4.0, 5.0]] * 3


def test_what_has_no_rule_falls_back(caplog):
    @function.Defun(tf.float32)
    def half(value):
        return value * 0.5

    x = tf.constant([2.0, 4.0])
    with pytest.raises(ValueError, match="no batching rule"):
        tf.vectorized_map(lambda e: half(e), x, fallback_to_while_loop=False)
    y = tf.vectorized_map(lambda e: half(e), x)
    with tf.Session() as session:
        assert session.run(y).tolist() == [1.0, 2.0]


def test_state_falls_back_so_that_rows_differ():
    x = tf.zeros([4, 2])

    def fn(row):
        return row + tf.random_uniform([2])

    with pytest.raises(ValueError, match="RandomUniform.* has state"):
        tf.vectorized_map(fn, x, fallback_to_while_loop=False)
    with tf.Session() as session:
        drawn = session.run(tf.vectorized_map(fn, x, warn=False))
    assert len(np.unique(drawn)) == 8


def test_branches_fall_back():
    x = tf.constant([-1.0, 3.0])
    y = tf.vectorized_map(lambda e: tf.cond(e > 0, lambda: e * 2, lambda: e - 1), x)
    with tf.Session() as session:
        assert session.run(y).tolist() == [-2.0, 6.0]


def test_refusals():
    with pytest.raises(TypeError, match="must be callable"):
        tf.vectorized_map(3, tf.zeros([2]))
    with pytest.raises(ValueError, match="must have rows, got the scalar"):
        tf.vectorized_map(tf.identity, tf.zeros([]))
    with pytest.raises(ValueError, match="equal numbers of rows"):
        tf.vectorized_map(lambda e: e[0], (tf.zeros([2]), tf.zeros([3])))
    with pytest.raises(ValueError, match="must have a tensor"):
        tf.vectorized_map(tf.identity, [])
    with pytest.raises(TypeError, match="must be a string"):
        tf.RegisterBatchingRule(tf.identity)
    with pytest.raises(KeyError, match="MatMul"):
        tf.RegisterBatchingRule("MatMul")(lambda op, inputs: None)


def test_a_rule_that_lies_is_told():
    @tf.user_op(inputs=["x: float"], outputs=["y: float"])
    def lying_op(x):
        return x

    @lying_op.shape
    def _(x):
        return x

    results = []
    lying_op.batching(lambda op, inputs: results[-1](inputs[0].tensor))
    x = tf.zeros([4, 2])
    for result, text in (
        (lambda t: t[:, :1], r"LyingOp gives shape \(4, 1\) where"),
        (lambda t: tf.cast(t, tf.int32), "gives int32 where the op gives float32"),
        (lambda t: [t, t], "returns 2 results, but the op has 1"),
    ):
        results.append(result)
        with pytest.raises(ValueError, match=text):
            tf.vectorized_map(lying_op, x)


def test_a_user_op_with_a_rule_is_called_once():
    calls = []

    @tf.user_op(inputs=["x: float"], outputs=["y: float"], attrs=["scale: float = 2.0"])
    def scaled_norm(x, scale):
        calls.append(x.shape)
        return np.sqrt(np.square(x).sum(-1)) * np.float32(scale)

    @scaled_norm.shape
    def _(x, scale):
        return x[:-1]

    x = _values(4, 3)
    want = np.sqrt(np.square(x).sum(-1)) * 3
    with pytest.raises(ValueError, match=r"ScaledNorm\) has no batching rule"):
        tf.vectorized_map(
            lambda r: scaled_norm(r, scale=3.0), x, fallback_to_while_loop=False
        )
    looped = tf.vectorized_map(lambda r: scaled_norm(r, scale=3.0), x)

    @scaled_norm.batching
    def _(op, inputs):
        return scaled_norm(inputs[0].tensor, scale=op.get_attr("scale"))

    once = tf.vectorized_map(
        lambda r: scaled_norm(r, scale=3.0) + 1.0, x, fallback_to_while_loop=False
    )
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(looped), want, rtol=1e-5)
        assert calls == [(3,)] * 4
        calls.clear()
        np.testing.assert_allclose(session.run(once), want + 1, rtol=1e-5)
        assert calls == [(4, 3)]
