# SPDX-License-Identifier: Apache-2.0
"""ConfigProto.graph_options: graph passes change a run as they should, and nothing else."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import config_pb2, rewriter_config_pb2
from tensorwright.python.client.plan_testutil import (
    UNOPTIMIZED,
    make_config,
    ops_of,
    random_values,
    run_both_ways,
    run_with_plan,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

OFF = rewriter_config_pb2.RewriterConfig.OFF


@pytest.mark.parametrize("config", [UNOPTIMIZED, make_config()])
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


@pytest.mark.parametrize("config", [UNOPTIMIZED, make_config()])
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
        plain, fused, _ = run_both_ways([i, y, z, g], {x: value})
        np.testing.assert_allclose(fused, plain, rtol=1e-5)


def test_a_dead_branch_does_not_kill_what_is_shared():
    x = tf.placeholder(tf.float32, [])
    p = tf.placeholder(tf.bool, [])
    shared = tf.exp(x) * 2.0
    z = tf.cond(p, lambda: shared * x + 1.0, lambda: tf.tanh(shared) - 1.0)
    for condition in (True, False):
        plain, fused, _ = run_both_ways([z, shared], {x: 0.3, p: condition})
        np.testing.assert_allclose(fused, plain, rtol=1e-6)


def test_variables_are_read_when_their_time_has_come():
    v = tf.Variable(1.0)
    before = v * 2.0 + 1.0
    with tf.control_dependencies([before]):
        update = tf.assign_add(v, 10.0)
    with tf.control_dependencies([update]):
        after = v.read_value() * 2.0 + 1.0
    for config in (UNOPTIMIZED, make_config()):
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


def test_constants_are_folded_and_equal_nodes_are_one():
    x = tf.placeholder(tf.float32, [2, 3])
    c = tf.reduce_sum(tf.ones([2, 3])) + tf.cast(tf.size(x), tf.float32)
    y = tf.matmul(x, x, transpose_b=True) * c
    y += tf.matmul(x, x, transpose_b=True) * c
    plain, optimized, nodes = run_both_ways([y], {x: random_values(2, 3)})
    np.testing.assert_allclose(optimized[0], plain[0], rtol=1e-6)
    assert ops_of(nodes).count("MatMul") == 1
    assert set(ops_of(nodes)) <= {"Const", "MatMul", "_FusedElementwise", "Mul", "Add"}


def test_switches_turn_passes_off():
    x = tf.placeholder(tf.float32, [2, 3])
    y = tf.exp(tf.tanh(x) * (tf.constant(1.0) + 2.0))

    def ops(config):
        with tf.Session(config=config) as session:
            return ops_of(run_with_plan(session, y, {x: np.zeros((2, 3))})[1])

    assert ops(make_config()) == ["Const", "_FusedElementwise"]
    assert ops(UNOPTIMIZED) == ["Add", "Const", "Const", "Exp", "Mul", "Tanh"]
    assert ops(make_config(remapping=OFF)) == ["Const", "Exp", "Mul", "Tanh"]
    assert ops(make_config(disable_meta_optimizer=True)) == ops(UNOPTIMIZED)


def test_passes_run_unless_they_are_turned_off():
    x = tf.placeholder(tf.float32, [2, 3])
    y = tf.exp(tf.tanh(x) * (tf.constant(1.0) + 2.0))
    with tf.Session() as session:
        _, nodes = run_with_plan(session, y, {x: np.zeros((2, 3))})
    assert ops_of(nodes) == ["Const", "_FusedElementwise"]
    config = config_pb2.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = -1
    with tf.Session(config=config) as session:
        _, nodes = run_with_plan(session, y, {x: np.zeros((2, 3))})
    assert ops_of(nodes) == ["Const", "Exp", "Mul", "Tanh"]


def test_what_draws_numbers_is_drawn_each_time():
    image = tf.constant(random_values(1, 30, 30, 1))
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
    nodes = run_with_plan(tf.Session(), draws)[1]
    assert ops_of(nodes).count("RandomUniform") == 2


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
    w, b = tf.constant(random_values(7, 6)), tf.constant(random_values(6, seed=1))
    image = tf.placeholder(tf.float32, [2, 6, 6, 3])
    kernel, shift = (
        tf.constant(random_values(3, 3, 3, 4)),
        tf.constant(random_values(4, seed=1)),
    )
    dense = tf.nn.bias_add(tf.matmul(x, w), b)
    conv = tf.nn.conv2d(image, kernel, strides=[1, 1, 1, 1], padding="SAME")
    conv = tf.nn.bias_add(conv, shift)
    if activation is not None:
        dense, conv = activation(dense), activation(conv)
    feed = {x: random_values(5, 7, seed=2), image: random_values(2, 6, 6, 3, seed=3)}
    plain, fused, nodes = run_both_ways([dense, conv], feed)
    for p, f in zip(plain, fused, strict=True):
        np.testing.assert_allclose(f, p, rtol=1e-5, atol=1e-5)
    assert {"_FusedMatMul", "_FusedConv2D"} < set(ops_of(nodes))


def test_fused_products_keep_nan_and_name_what_fails():
    x, b = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [None])
    biased = tf.nn.bias_add(tf.matmul(x, tf.ones([3, 2])), b, name="biased")
    y = tf.nn.relu(biased)
    values = random_values(2, 3)
    values[1, 1] = np.nan
    for config in (UNOPTIMIZED, make_config()):
        with tf.Session(config=config) as session:
            got = session.run(y, {x: values, b: [0.0, 1.0]})
            assert np.isnan(got[1]).all() and np.isfinite(got[0]).all()
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(y, {x: values, b: [0.0, 1.0, 2.0]})
            assert caught.value.op is biased.op


def test_training_goes_the_same_way():
    x = tf.placeholder(tf.float32, [None, 4])
    labels = tf.placeholder(tf.int32, [None])
    w = tf.Variable(random_values(4, 8))
    b = tf.Variable(random_values(8, seed=1))
    h = tf.nn.tanh(tf.matmul(x, w) + b)
    v = tf.Variable(random_values(8, 3, seed=2))
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=tf.matmul(h, v)
        )
    ) + 0.01 * tf.add_n([tf.nn.l2_loss(p) for p in (w, v)])
    step = tf.train.AdamOptimizer(0.01).minimize(loss)
    feed = {x: random_values(16, 4, seed=5), labels: np.arange(16) % 3}
    losses = []
    for config in (UNOPTIMIZED, make_config()):
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            losses.append([session.run([step, loss], feed)[1] for _ in range(20)])
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)


def test_run_metadata_names_the_nodes_of_the_user():
    x = tf.placeholder(tf.float32, [8])
    y = tf.exp(tf.tanh(x) * 2.0, name="named")
    metadata = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
    with tf.Session(config=make_config()) as session:
        session.run(y, {x: np.zeros(8)}, options=options, run_metadata=metadata)
    stats = [n for d in metadata.step_stats.dev_stats for n in d.node_stats]
    (fused,) = (n for n in stats if n.node_name == "named")
    assert "Tanh" in fused.timeline_label and "named" in fused.timeline_label
