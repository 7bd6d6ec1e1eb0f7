# SPDX-License-Identifier: Apache-2.0
"""_Send and _Recv: edges between two devices of a process."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import DTYPES, values


@pytest.fixture
def two():
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        yield session


def crossed(x):
    """x of the second device, by the first and the second again."""
    with tf.device("/cpu:1"):
        y = tf.identity(x)
    with tf.device("/cpu:0"):
        z = tf.identity(y)
    with tf.device("/cpu:1"):
        return tf.identity(z)


def executed(session, fetches, feed=None):
    """The values, and {device: names of the ops that ran there}."""
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    result = session.run(fetches, feed, options, metadata)
    ran = {
        s.device: [n.timeline_label or n.node_name for n in s.node_stats]
        for s in metadata.step_stats.dev_stats
    }
    return result, ran


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize("shape", [[], [0], [1], [7], [3, 5], [1001]])
def test_a_value_crosses_unchanged(two, dtype, shape):
    x = values(shape, dtype)
    fed_ = tf.placeholder(tf.string if dtype is object else tf.as_dtype(x.dtype))
    for _ in range(2):
        np.testing.assert_array_equal(two.run(crossed(fed_), {fed_: x}), x)


def test_the_edge_is_a_send_and_a_receive(two):
    x = tf.placeholder(tf.float32, [])
    result, ran = executed(two, crossed(x), {x: 3.0})
    assert result == 3
    assert {name[-5:] for name in ran} == {"CPU:0", "CPU:1"}
    text = str(ran).lower()
    assert "send" in text and "recv" in text


def test_a_control_edge_crosses(two):
    with tf.device("/cpu:0"):
        v = tf.Variable(1.0)
        change = v.assign(7.0)
    two.run(v.initializer)
    with tf.device("/cpu:1"), tf.control_dependencies([change]):
        after = tf.no_op()
    two.run(after)
    assert two.run(v) == 7


def test_each_iteration_of_a_loop_sends_its_own_value(two):
    def body(i, total):
        with tf.device("/cpu:1"):
            square = i * i
        with tf.device("/cpu:0"):
            return i + 1, total + square

    n = tf.placeholder(tf.int32)
    _, total = tf.while_loop(lambda i, _: i < n, body, (0, 0))
    for count in (0, 1, 7, 100):
        assert two.run(total, {n: count}) == sum(i * i for i in range(count))


def test_an_error_of_the_sender_ends_the_receiver(two):
    x = tf.placeholder(tf.float32)
    with tf.device("/cpu:1"):
        checked = tf.check_numerics(x, "from the other side")
    with tf.device("/cpu:0"):
        y = checked + 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="from the other side"):
        two.run(y, {x: np.nan})
    assert two.run(y, {x: 1.0}) == 2
