# SPDX-License-Identifier: Apache-2.0
"""Chains of elementwise ops that run as one kernel: the same results, whatever the shapes."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.client.plan_testutil import (
    make_config,
    ops_of,
    random_values,
    run_both_ways,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _smooth(x):
    return tf.tanh(2 * x + 1) * tf.exp(-x * x) + tf.sqrt(tf.abs(x))


@pytest.mark.parametrize(
    "shape", [(), (1,), (7,), (17, 1), (1000, 37), (3, 0), (2, 3, 5, 7)]
)
def test_a_chain_runs_as_one_kernel_with_the_same_result(shape):
    x = tf.placeholder(tf.float32)
    values = random_values(*shape)
    plain, fused, nodes = run_both_ways([_smooth(x)], {x: values})
    np.testing.assert_allclose(fused[0], plain[0], rtol=1e-6, atol=1e-6)
    assert ops_of(nodes).count("_FusedElementwise") == 1
    wide = values.astype(np.float64)
    want = np.tanh(2 * wide + 1) * np.exp(-wide * wide) + np.sqrt(np.abs(wide))
    np.testing.assert_allclose(fused[0], want, rtol=3e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [tf.float64, tf.float16, tf.int32, tf.int64])
def test_other_types_are_fused_too(dtype):
    x = tf.placeholder(dtype)
    values = np.arange(-50, 50).astype(dtype.as_numpy_dtype)
    y = tf.maximum(x * x - x, 3) + tf.cast(x > 7, dtype)
    plain, fused, nodes = run_both_ways([y], {x: values})
    np.testing.assert_array_equal(fused[0], plain[0])
    want = np.maximum(values * values - values, 3) + (values > 7)
    np.testing.assert_array_equal(fused[0], want.astype(values.dtype))
    assert "_FusedElementwise" in ops_of(nodes)


def test_the_backward_pass_is_fused():
    x, dy = tf.placeholder(tf.float32, [64, 33]), tf.placeholder(tf.float32, [64, 33])
    y = tf.tanh(x * 0.5 + 0.1) * tf.sigmoid(x) + tf.nn.relu(x - 0.2)
    y += tf.nn.elu(x) + tf.nn.softplus(x)
    (dx,) = tf.gradients(y, x, dy)
    feed = {x: random_values(64, 33), dy: random_values(64, 33, seed=1)}
    plain, fused, nodes = run_both_ways([dx, y], feed)
    for a, b in zip(fused, plain):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert set(ops_of(nodes)) <= {"_FusedElementwise", "Const"}


def test_every_way_of_broadcasting():
    """Random shapes of three operands against NumPy."""
    a, b, c = (tf.placeholder(tf.float32) for _ in range(3))
    row = tf.exp(b * 0.1) - 1.0
    outputs = [tf.abs(a - row) * c + b, row, (a + b) * c, tf.square(c) * 2.0]
    rng = np.random.RandomState(3)
    with tf.Session(config=make_config()) as session:
        for _ in range(150):
            rank = rng.randint(0, 5)
            full = rng.choice([1, 2, 3, 5, 40], size=rank)
            shapes = []
            for _ in range(3):
                keep = rng.rand(rank) < 0.6
                shape = np.where(keep, full, 1)[rng.randint(0, rank + 1) :]
                shapes.append(tuple(int(n) for n in shape))
            x, y, z = (rng.standard_normal(s).astype(np.float32) for s in shapes)
            got = session.run(outputs, {a: x, b: y, c: z})
            r = np.exp(y * np.float32(0.1)) - np.float32(1)
            want = [np.abs(x - r) * z + y, r, (x + y) * z, z * z * 2]
            for g, w in zip(got, want, strict=True):
                assert g.shape == w.shape, shapes
                np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-5)


def test_rows_and_columns_longer_than_a_tile():
    a, b, c = (tf.placeholder(tf.float32) for _ in range(3))
    y = tf.nn.relu(a * b + c) / (tf.abs(c) + 1.0)
    x, row, column = (
        random_values(3, 70001),
        random_values(70001, seed=1),
        random_values(3, 1, seed=2),
    )
    with tf.Session(config=make_config()) as session:
        got = session.run(y, {a: x, b: row, c: column})
    want = np.maximum(x * row + column, 0) / (np.abs(column) + 1)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_select_takes_a_condition_of_each_kind():
    x = tf.placeholder(tf.float32)
    p = tf.placeholder(tf.bool)
    y = tf.exp(tf.where(p, x * 2.0, -x))
    values = random_values(6, 5)
    with tf.Session(config=make_config()) as session:
        for condition in (values > 0, np.arange(6) % 2 == 0, np.bool_(True)):
            shown = condition[:, None] if np.ndim(condition) == 1 else condition
            want = np.exp(np.where(shown, values * 2, -values))
            got = session.run(y, {x: values, p: condition})
            np.testing.assert_allclose(got, want, rtol=1e-5)


def test_sums_of_many_and_biases():
    x, y, b = (tf.placeholder(tf.float32) for _ in range(3))
    total = tf.add_n([x, y, tf.exp(x), x * y])
    biased = tf.nn.bias_add(total, b) * 2.0
    feed = {
        x: random_values(9, 4),
        y: random_values(9, 4, seed=1),
        b: random_values(4, seed=2),
    }
    plain, fused, nodes = run_both_ways([biased, total], feed)
    for p, f in zip(plain, fused, strict=True):
        np.testing.assert_allclose(f, p, rtol=1e-5, atol=1e-6)
    assert "AddN" not in ops_of(nodes) and ops_of(nodes).count("_FusedElementwise") == 1


@pytest.mark.parametrize("reduce_", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize(
    "shape,axis",
    [
        ((7, 5), -1),
        ((7, 5), [0, 1]),
        ((3, 4, 5), [1, 2]),
        ((2, 50000), 1),
        ((100000,), 0),
        ((0, 5), 1),
        ((5, 0), 1),
        ((300, 33), 1),
    ],
)
def test_a_trailing_reduction_comes_along(reduce_, shape, axis):
    x = tf.placeholder(tf.float32, [None] * len(shape))
    y = tf.square(x - 0.25) * 2.0
    reduced = getattr(tf, f"reduce_{reduce_}")(y, axis)
    values = random_values(*shape)
    plain, fused, nodes = run_both_ways([reduced], {x: values})
    assert ops_of(nodes).count("_FusedElementwise") == 1
    assert not {"Sum", "Mean", "Max", "Min"} & set(ops_of(nodes))
    assert fused[0].shape == plain[0].shape
    np.testing.assert_allclose(fused[0], plain[0], rtol=2e-6)


def test_a_reduction_of_leading_dimensions_stays_outside():
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.exp(x) * 2.0
    plain, fused, nodes = run_both_ways([tf.reduce_sum(y, 0)], {x: random_values(9, 4)})
    np.testing.assert_allclose(fused[0], plain[0], rtol=1e-6)
    assert "Sum" in ops_of(nodes)


def test_a_reduction_does_not_depend_on_threads():
    x = tf.placeholder(tf.float32, [None])
    y = tf.reduce_sum(tf.exp(x) * 2.0)
    feed = {x: random_values(1 << 20)}
    results = set()
    for threads in (1, 2, 4):
        config = make_config()
        config.intra_op_parallelism_threads = threads
        with tf.Session(config=config) as session:
            results.add(float(session.run(y, feed)))
    assert len(results) == 1


def _every_link(np_or_tf, x, row, other, relu):
    """Steps of each kind that follow each other, with scalars and arrays on both sides."""
    y = x * 0.5 + 0.25
    y = 3.0 - y * other
    y = np_or_tf.abs(y) / 2.0 - row
    y = 1.5 / (np_or_tf.square(-y) + other * other + 1.0)
    y = np_or_tf.sqrt(y) * x - other
    y = relu(np_or_tf.maximum(y, row) - 0.125)
    y = np_or_tf.exp(-np_or_tf.tanh(y * 2.0 + 1.0) * row) - other
    return (x - np_or_tf.minimum(y, other)) * 0.75


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("n", [1, 7, 16, 127, 128, 129, 1000])
def test_steps_in_one_loop(dtype, n):
    x, row, other = (tf.placeholder(dtype) for _ in range(3))
    y = _every_link(tf, x, row, other, tf.nn.relu)
    gate = tf.sigmoid(x * 3.0 - other) * row
    # Longer than one chain.
    long = x
    for k in range(50):
        long = tf.maximum(long - 0.1 * k, other) * 0.5
    as_type = dtype.as_numpy_dtype
    a, b, c = (
        random_values(*s, seed=i).astype(as_type)
        for i, s in enumerate([(3, n), (n,), (3, n)])
    )
    plain, fused, nodes = run_both_ways([y, long, gate], {x: a, row: b, other: c})
    assert set(ops_of(nodes)) <= {"_FusedElementwise", "Const"}
    for p, f in zip(plain, fused, strict=True):
        np.testing.assert_allclose(f, p, rtol=2e-6, atol=1e-6)
    want = _every_link(np, a, b, c, lambda v: np.maximum(v, 0))
    np.testing.assert_allclose(fused[0], want, rtol=1e-5, atol=1e-6)
    want = b / (1 + np.exp(c - 3 * a))
    np.testing.assert_allclose(fused[2], want, rtol=1e-5, atol=1e-6)


def test_steps_in_one_loop_keep_nan():
    x, other = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.minimum(tf.maximum(x * 2.0, other) + 1.0, other)
    values = np.array([np.nan, 1.0, np.inf, -np.inf] * 50, np.float32)
    others = np.array([1.0, np.nan, 0.0, np.nan] * 50, np.float32)
    smooth = [f(x * 2.0) + 1.0 for f in (tf.exp, tf.tanh, tf.sigmoid)]
    outputs = [y, tf.nn.relu(-x) * 2.0, *smooth]
    plain, fused, _ = run_both_ways(outputs, {x: values, other: others})
    for p, f in zip(plain, fused, strict=True):
        np.testing.assert_array_equal(f, p)


def test_a_thousand_dependent_scalars():
    x = tf.placeholder(tf.float32, [])
    y = x
    for _ in range(1000):
        y = y + x
    plain, fused, nodes = run_both_ways([y], {x: 1.0})
    assert plain == fused == [1001.0]
    assert ops_of(nodes) == ["_FusedElementwise"]


def test_feeding_and_fetching_inside_a_chain():
    x = tf.placeholder(tf.float32, [2])
    a = tf.exp(x)
    b = a * 2.0
    c = tf.tanh(b)
    with tf.Session(config=make_config()) as session:
        values = session.run([c, a, b, c], {x: [0.0, 1.0]})
        np.testing.assert_allclose(values[1], np.exp([0.0, 1.0]), rtol=1e-6)
        np.testing.assert_allclose(values[2], 2 * values[1], rtol=1e-6)
        np.testing.assert_array_equal(values[0], values[3])
        np.testing.assert_allclose(
            session.run(c, {b: [1.0, 2.0]}), np.tanh([1.0, 2.0]), rtol=1e-6
        )
        session.run([a.op, c.op], {x: [0.0, 1.0]})


def test_inputs_are_not_overwritten():
    x = tf.placeholder(tf.float32, [1000])
    v = tf.Variable(np.ones(1000, np.float32))
    y = tf.exp(x) * v + x
    values = random_values(1000)
    with tf.Session(config=make_config()) as session:
        session.run(tf.global_variables_initializer())
        kept = values.copy()
        first = session.run(y, {x: values})
        np.testing.assert_array_equal(values, kept)
        np.testing.assert_array_equal(session.run(v), np.ones(1000))
        np.testing.assert_array_equal(session.run(y, {x: values}), first)
