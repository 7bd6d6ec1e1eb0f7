# SPDX-License-Identifier: Apache-2.0
"""ConfigProto.graph_options: what graph passes do to a run, and what they must not."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import config_pb2, rewriter_config_pb2
from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph


def _config(level=0, **rewrite):
    config = config_pb2.ConfigProto()
    config.graph_options.optimizer_options.opt_level = level
    for name, value in rewrite.items():
        setattr(config.graph_options.rewrite_options, name, value)
    return config


OFF = rewriter_config_pb2.RewriterConfig.OFF
UNOPTIMIZED = _config(level=-1)


def _plan(session, fetches, feed=None):
    """Runs and returns (values, nodes of the plan)."""
    metadata = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(output_partition_graphs=True)
    values = session.run(fetches, feed, options=options, run_metadata=metadata)
    nodes = [n for g in metadata.partition_graphs for n in g.node]
    return values, [n for n in nodes if n.op not in ("_Arg", "_Retval")]


def _ops(nodes):
    return sorted(n.op for n in nodes)


def _both(fetches, feed=None):
    """The values without and with optimization, and the nodes with it."""
    with tf.Session(config=UNOPTIMIZED) as session:
        plain = session.run(fetches, feed)
    with tf.Session(config=_config()) as session:
        optimized, nodes = _plan(session, fetches, feed)
        again = session.run(fetches, feed)
    for a, b in zip(optimized, again):
        np.testing.assert_array_equal(a, b)
    return plain, optimized, nodes


def _values(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def _smooth(x):
    return tf.tanh(2 * x + 1) * tf.exp(-x * x) + tf.sqrt(tf.abs(x))


@pytest.mark.parametrize(
    "shape", [(), (1,), (7,), (17, 1), (1000, 37), (3, 0), (2, 3, 5, 7)]
)
def test_a_chain_runs_as_one_kernel_with_the_same_result(shape):
    x = tf.placeholder(tf.float32)
    values = _values(*shape)
    plain, fused, nodes = _both([_smooth(x)], {x: values})
    np.testing.assert_allclose(fused[0], plain[0], rtol=1e-6, atol=1e-6)
    assert _ops(nodes).count("_FusedElementwise") == 1
    wide = values.astype(np.float64)
    want = np.tanh(2 * wide + 1) * np.exp(-wide * wide) + np.sqrt(np.abs(wide))
    np.testing.assert_allclose(fused[0], want, rtol=3e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [tf.float64, tf.float16, tf.int32, tf.int64])
def test_other_types_are_fused_too(dtype):
    x = tf.placeholder(dtype)
    values = np.arange(-50, 50).astype(dtype.as_numpy_dtype)
    y = tf.maximum(x * x - x, 3) + tf.cast(x > 7, dtype)
    plain, fused, nodes = _both([y], {x: values})
    np.testing.assert_array_equal(fused[0], plain[0])
    want = np.maximum(values * values - values, 3) + (values > 7)
    np.testing.assert_array_equal(fused[0], want.astype(values.dtype))
    assert "_FusedElementwise" in _ops(nodes)


def test_the_backward_pass_is_fused():
    x, dy = tf.placeholder(tf.float32, [64, 33]), tf.placeholder(tf.float32, [64, 33])
    y = tf.tanh(x * 0.5 + 0.1) * tf.sigmoid(x) + tf.nn.relu(x - 0.2)
    y += tf.nn.elu(x) + tf.nn.softplus(x)
    (dx,) = tf.gradients(y, x, dy)
    feed = {x: _values(64, 33), dy: _values(64, 33, seed=1)}
    plain, fused, nodes = _both([dx, y], feed)
    for a, b in zip(fused, plain):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert set(_ops(nodes)) <= {"_FusedElementwise", "Const"}


def test_every_way_of_broadcasting():
    """Random shapes of three operands against NumPy."""
    a, b, c = (tf.placeholder(tf.float32) for _ in range(3))
    row = tf.exp(b * 0.1) - 1.0
    outputs = [tf.abs(a - row) * c + b, row, (a + b) * c, tf.square(c) * 2.0]
    rng = np.random.RandomState(3)
    with tf.Session(config=_config()) as session:
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
    x, row, column = _values(3, 70001), _values(70001, seed=1), _values(3, 1, seed=2)
    with tf.Session(config=_config()) as session:
        got = session.run(y, {a: x, b: row, c: column})
    want = np.maximum(x * row + column, 0) / (np.abs(column) + 1)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_select_takes_a_condition_of_each_kind():
    x = tf.placeholder(tf.float32)
    p = tf.placeholder(tf.bool)
    y = tf.exp(tf.where(p, x * 2.0, -x))
    values = _values(6, 5)
    with tf.Session(config=_config()) as session:
        for condition in (values > 0, np.arange(6) % 2 == 0, np.bool_(True)):
            shown = condition[:, None] if np.ndim(condition) == 1 else condition
            want = np.exp(np.where(shown, values * 2, -values))
            got = session.run(y, {x: values, p: condition})
            np.testing.assert_allclose(got, want, rtol=1e-5)


def test_sums_of_many_and_biases():
    x, y, b = (tf.placeholder(tf.float32) for _ in range(3))
    total = tf.add_n([x, y, tf.exp(x), x * y])
    biased = tf.nn.bias_add(total, b) * 2.0
    feed = {x: _values(9, 4), y: _values(9, 4, seed=1), b: _values(4, seed=2)}
    plain, fused, nodes = _both([biased, total], feed)
    for p, f in zip(plain, fused, strict=True):
        np.testing.assert_allclose(f, p, rtol=1e-5, atol=1e-6)
    assert "AddN" not in _ops(nodes) and _ops(nodes).count("_FusedElementwise") == 1


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
    values = _values(*shape)
    plain, fused, nodes = _both([reduced], {x: values})
    assert _ops(nodes).count("_FusedElementwise") == 1
    assert not {"Sum", "Mean", "Max", "Min"} & set(_ops(nodes))
    assert fused[0].shape == plain[0].shape
    np.testing.assert_allclose(fused[0], plain[0], rtol=2e-6)


def test_a_reduction_of_leading_dimensions_stays_outside():
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.exp(x) * 2.0
    plain, fused, nodes = _both([tf.reduce_sum(y, 0)], {x: _values(9, 4)})
    np.testing.assert_allclose(fused[0], plain[0], rtol=1e-6)
    assert "Sum" in _ops(nodes)


def test_a_reduction_does_not_depend_on_threads():
    x = tf.placeholder(tf.float32, [None])
    y = tf.reduce_sum(tf.exp(x) * 2.0)
    feed = {x: _values(1 << 20)}
    results = set()
    for threads in (1, 2, 4):
        config = _config()
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
        _values(*s, seed=i).astype(as_type)
        for i, s in enumerate([(3, n), (n,), (3, n)])
    )
    plain, fused, nodes = _both([y, long, gate], {x: a, row: b, other: c})
    assert set(_ops(nodes)) <= {"_FusedElementwise", "Const"}
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
    plain, fused, _ = _both(outputs, {x: values, other: others})
    for p, f in zip(plain, fused, strict=True):
        np.testing.assert_array_equal(f, p)


def test_a_thousand_dependent_scalars():
    x = tf.placeholder(tf.float32, [])
    y = x
    for _ in range(1000):
        y = y + x
    plain, fused, nodes = _both([y], {x: 1.0})
    assert plain == fused == [1001.0]
    assert _ops(nodes) == ["_FusedElementwise"]


@pytest.mark.parametrize("config", [UNOPTIMIZED, _config()])
def test_an_error_names_the_users_node_and_line(config):
    a, b = tf.placeholder(tf.float32, name="a"), tf.placeholder(tf.float32, name="b")
    h = tf.tanh(a) * 2.0
    bad = tf.add(h, b, name="the_bad_one")
    y = tf.exp(bad)
    with tf.Session(config=config) as session:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(y, {a: np.zeros((2, 3)), b: np.zeros((4, 5))})
        assert caught.value.op is bad.op
        assert "the_bad_one" in str(caught.value)
        assert "graph_options_test.py" in str(caught.value)
        assert "[2,3]" in str(caught.value) and "[4,5]" in str(caught.value)
        # The session stays usable.
        ones = np.ones((2, 3), np.float32)
        assert session.run(y, {a: ones, b: ones}).shape == (2, 3)


@pytest.mark.parametrize("config", [UNOPTIMIZED, _config()])
def test_a_failing_element_names_its_node(config):
    a = tf.placeholder(tf.int32)
    quotient = tf.floordiv(a * 2, a - 1, name="quotient")
    with tf.Session(config=config) as session:
        assert session.run(quotient + 1, {a: [3, 5]}).tolist() == [4, 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match="division") as caught:
            session.run(quotient + 1, {a: [3, 1]})
        assert caught.value.op is quotient.op


def test_loops_and_branches_give_the_same():
    x = tf.placeholder(tf.float32, [])
    i, y = tf.while_loop(
        lambda i, y: i < 10, lambda i, y: (i + 1, tf.tanh(y * 2 + 1) * y), [0, x]
    )
    z = tf.cond(x > 0, lambda: tf.exp(x * 2 + 1) * 3, lambda: tf.tanh(x) - x * x)
    (g,) = tf.gradients(z, x)
    for value in (0.7, -0.7):
        plain, fused, _ = _both([i, y, z, g], {x: value})
        np.testing.assert_allclose(fused, plain, rtol=1e-5)


def test_a_dead_branch_does_not_kill_what_is_shared():
    x = tf.placeholder(tf.float32, [])
    p = tf.placeholder(tf.bool, [])
    shared = tf.exp(x) * 2.0
    z = tf.cond(p, lambda: shared * x + 1.0, lambda: tf.tanh(shared) - 1.0)
    for condition in (True, False):
        plain, fused, _ = _both([z, shared], {x: 0.3, p: condition})
        np.testing.assert_allclose(fused, plain, rtol=1e-6)


def test_variables_are_read_when_their_time_has_come():
    v = tf.Variable(1.0)
    before = v * 2.0 + 1.0
    with tf.control_dependencies([before]):
        update = tf.assign_add(v, 10.0)
    with tf.control_dependencies([update]):
        after = v.read_value() * 2.0 + 1.0
    for config in (UNOPTIMIZED, _config()):
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            assert session.run([before, after]) == [3.0, 23.0]
            assert session.run([before, after]) == [23.0, 43.0]


def test_a_value_computed_from_a_variable_stays_when_the_variable_changes():
    """x * 1 is x, but x itself is the variable's memory."""
    v, w = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable(tf.ones([2, 2]))
    turned = tf.transpose(tf.transpose(v, [1, 0]), [1, 0])
    values = [v * 1.0, -(-v), v / 1.0, tf.pow(v, 1.0), turned]
    with tf.control_dependencies(values):
        update = tf.assign(v, v * 10.0)
    with tf.control_dependencies([update]):
        later = [w + value for value in values]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for got in session.run(later):
            assert got.tolist() == [[2.0, 3.0], [4.0, 5.0]]


def test_feeding_and_fetching_inside_a_chain():
    x = tf.placeholder(tf.float32, [2])
    a = tf.exp(x)
    b = a * 2.0
    c = tf.tanh(b)
    with tf.Session(config=_config()) as session:
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
    values = _values(1000)
    with tf.Session(config=_config()) as session:
        session.run(tf.global_variables_initializer())
        kept = values.copy()
        first = session.run(y, {x: values})
        np.testing.assert_array_equal(values, kept)
        np.testing.assert_array_equal(session.run(v), np.ones(1000))
        np.testing.assert_array_equal(session.run(y, {x: values}), first)


def test_constants_are_folded_and_equal_nodes_are_one():
    x = tf.placeholder(tf.float32, [2, 3])
    c = tf.reduce_sum(tf.ones([2, 3])) + tf.cast(tf.size(x), tf.float32)
    y = tf.matmul(x, x, transpose_b=True) * c
    y += tf.matmul(x, x, transpose_b=True) * c
    plain, optimized, nodes = _both([y], {x: _values(2, 3)})
    np.testing.assert_allclose(optimized[0], plain[0], rtol=1e-6)
    assert _ops(nodes).count("MatMul") == 1
    assert set(_ops(nodes)) <= {"Const", "MatMul", "_FusedElementwise", "Mul", "Add"}


def test_switches_turn_passes_off():
    x = tf.placeholder(tf.float32, [2, 3])
    y = tf.exp(tf.tanh(x) * (tf.constant(1.0) + 2.0))

    def ops(config):
        with tf.Session(config=config) as session:
            return _ops(_plan(session, y, {x: np.zeros((2, 3))})[1])

    assert ops(_config()) == ["Const", "_FusedElementwise"]
    assert ops(UNOPTIMIZED) == ["Add", "Const", "Const", "Exp", "Mul", "Tanh"]
    assert ops(_config(remapping=OFF)) == ["Const", "Exp", "Mul", "Tanh"]
    assert ops(_config(disable_meta_optimizer=True)) == ops(UNOPTIMIZED)


def test_passes_run_unless_they_are_turned_off():
    x = tf.placeholder(tf.float32, [2, 3])
    y = tf.exp(tf.tanh(x) * (tf.constant(1.0) + 2.0))
    with tf.Session() as session:
        _, nodes = _plan(session, y, {x: np.zeros((2, 3))})
    assert _ops(nodes) == ["Const", "_FusedElementwise"]
    config = config_pb2.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = -1
    with tf.Session(config=config) as session:
        _, nodes = _plan(session, y, {x: np.zeros((2, 3))})
    assert _ops(nodes) == ["Const", "Exp", "Mul", "Tanh"]


def test_what_draws_numbers_is_drawn_each_time():
    image = tf.constant(_values(1, 30, 30, 1))
    draws = [
        tf.random_uniform([4], seed=1),
        tf.random_uniform([4], seed=1),
        tf.multinomial(tf.zeros([1, 1000]), 4),
        tf.nn.fractional_max_pool(image, [1.0, 1.4, 1.4, 1.0])[1],
    ]
    with tf.Session() as session:
        runs = [session.run(draws) for _ in range(10)]
    for values in zip(*runs):
        assert len({value.tobytes() for value in values}) > 1
    nodes = _plan(tf.Session(), draws)[1]
    assert _ops(nodes).count("RandomUniform") == 2


def test_resources_are_read_when_their_time_has_come():
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False)
    array = array.write(0, 1.0).write(1, 2.0)
    with tf.Session() as session:
        reads = [array.read(0), array.read(0), array.size(), array.stack()]
        assert session.run(reads[:3]) == [1.0, 1.0, 2]
        np.testing.assert_array_equal(session.run(reads[3]), [1.0, 2.0])


def test_a_result_can_be_written_to_without_harm():
    """Folded constants and merged nodes are the plan's, or shared; the caller's array is not."""
    x = tf.placeholder(tf.float32, [3])
    folded = tf.constant([1.0, 2.0, 3.0]) + 1.0
    one, same = tf.exp(x), tf.exp(tf.identity(x))
    with tf.Session() as session:
        for _ in range(2):
            fed = np.zeros(3, np.float32)
            a, b, c, d = session.run([folded, one, same, tf.identity(x)], {x: fed})
            np.testing.assert_array_equal(a, [2.0, 3.0, 4.0])
            a[:] = b[:] = d[:] = 7.0
            np.testing.assert_array_equal(c, np.ones(3))
            np.testing.assert_array_equal(fed, np.zeros(3))


@pytest.mark.parametrize(
    "activation", [None, tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.tanh, tf.sigmoid]
)
def test_products_take_their_bias_and_activation_along(activation):
    x = tf.placeholder(tf.float32, [5, 7])
    w, b = tf.constant(_values(7, 6)), tf.constant(_values(6, seed=1))
    image = tf.placeholder(tf.float32, [2, 6, 6, 3])
    kernel, shift = tf.constant(_values(3, 3, 3, 4)), tf.constant(_values(4, seed=1))
    dense = tf.nn.bias_add(tf.matmul(x, w), b)
    conv = tf.nn.conv2d(image, kernel, strides=[1, 1, 1, 1], padding="SAME")
    conv = tf.nn.bias_add(conv, shift)
    if activation is not None:
        dense, conv = activation(dense), activation(conv)
    feed = {x: _values(5, 7, seed=2), image: _values(2, 6, 6, 3, seed=3)}
    plain, fused, nodes = _both([dense, conv], feed)
    for p, f in zip(plain, fused, strict=True):
        np.testing.assert_allclose(f, p, rtol=1e-5, atol=1e-5)
    assert {"_FusedMatMul", "_FusedConv2D"} < set(_ops(nodes))


def test_fused_products_keep_nan_and_name_what_fails():
    x, b = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [None])
    biased = tf.nn.bias_add(tf.matmul(x, tf.ones([3, 2])), b, name="biased")
    y = tf.nn.relu(biased)
    values = _values(2, 3)
    values[1, 1] = np.nan
    for config in (UNOPTIMIZED, _config()):
        with tf.Session(config=config) as session:
            got = session.run(y, {x: values, b: [0.0, 1.0]})
            assert np.isnan(got[1]).all() and np.isfinite(got[0]).all()
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(y, {x: values, b: [0.0, 1.0, 2.0]})
            assert caught.value.op is biased.op


def test_training_goes_the_same_way():
    x = tf.placeholder(tf.float32, [None, 4])
    labels = tf.placeholder(tf.int32, [None])
    w = tf.Variable(_values(4, 8))
    b = tf.Variable(_values(8, seed=1))
    h = tf.nn.tanh(tf.matmul(x, w) + b)
    v = tf.Variable(_values(8, 3, seed=2))
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=tf.matmul(h, v)
        )
    ) + 0.01 * tf.add_n([tf.nn.l2_loss(p) for p in (w, v)])
    step = tf.train.AdamOptimizer(0.01).minimize(loss)
    feed = {x: _values(16, 4, seed=5), labels: np.arange(16) % 3}
    losses = []
    for config in (UNOPTIMIZED, _config()):
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            losses.append([session.run([step, loss], feed)[1] for _ in range(20)])
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)


def test_run_metadata_names_the_nodes_of_the_user():
    x = tf.placeholder(tf.float32, [8])
    y = tf.exp(tf.tanh(x) * 2.0, name="named")
    metadata = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
    with tf.Session(config=_config()) as session:
        session.run(y, {x: np.zeros(8)}, options=options, run_metadata=metadata)
    stats = [n for d in metadata.step_stats.dev_stats for n in d.node_stats]
    (fused,) = (n for n in stats if n.node_name == "named")
    assert "Tanh" in fused.timeline_label and "named" in fused.timeline_label
