# SPDX-License-Identifier: Apache-2.0
"""Clusters, the devices of replicas, weighted moving averages."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.training import device_setter, moving_averages

JOBS = {"ps": ["a:1", "b:2"], "worker": {1: "c:3", 4: "d:4"}}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


CASES = [
    (
        {"ps_tasks": 2},
        ["ps/task:0", "ps/task:1", "worker", "worker/device:CPU:0", "ps/task:0/device:CPU:0", "foo"],
    ),
    (
        {"cluster": {"ps": ["a"], "worker": ["b"]}, "worker_device": "/job:worker/task:3"},
        ["ps/task:0", "ps/task:0", "worker/task:3", "worker/task:3/device:CPU:0", "ps/task:0/device:CPU:0", "foo"],
    ),
    (
        {"ps_tasks": 2, "ps_strategy": lambda op: 1},
        ["ps/task:1", "ps/task:1", "worker", "worker/device:CPU:0", "ps/task:1/device:CPU:0", "foo"],
    ),
    (
        {"ps_tasks": 2, "ps_ops": ["AddV2", "Add"]},
        ["worker", "worker", "ps/task:0", "worker/device:CPU:0", "worker/device:CPU:0", "foo"],
    ),
]  # fmt: skip


@pytest.mark.parametrize("arguments,want", CASES)
def test_variables_go_to_the_servers(arguments, want):
    with tf.device(tf.train.replica_device_setter(**arguments)):
        a, b = tf.Variable(1.0), tf.Variable(2.0)
        x = a + b
        with tf.device("/cpu:0"):
            y, c = x * 2, tf.Variable(3.0)
        with tf.device("/job:foo"):
            d = tf.Variable(4.0)
    assert [t.device for t in (a, b, x, y, c, d)] == [f"/job:{w}" for w in want]


def test_inner_devices_stand_where_they_are_not_merged():
    setter = tf.train.replica_device_setter(ps_tasks=1, merge_devices=False)
    with tf.device(setter):
        a = tf.Variable(1.0)
        with tf.device("/cpu:0"):
            b = tf.Variable(1.0)
    assert (a.device, b.device) == ("/job:ps/task:0", "/device:CPU:0")


def test_what_is_no_cluster_or_strategy_is_refused():
    assert tf.train.replica_device_setter() is None
    with pytest.raises(TypeError, match="cluster must be"):
        tf.train.replica_device_setter(cluster=3)
    with pytest.raises(TypeError, match="ps_strategy must be callable"):
        tf.train.replica_device_setter(ps_tasks=2, ps_strategy=3)


def test_clusters():
    cluster = tf.train.ClusterSpec(JOBS)
    assert cluster.as_dict() == JOBS and cluster.jobs == ["ps", "worker"]
    assert cluster == tf.train.ClusterSpec(cluster.as_cluster_def())
    assert cluster == tf.train.ClusterSpec(cluster)
    assert cluster != tf.train.ClusterSpec({"ps": ["a:1"]})
    assert cluster and not tf.train.ClusterSpec({})
    job = cluster.as_cluster_def().job[1]
    assert job.name == "worker" and dict(job.tasks) == {1: "c:3", 4: "d:4"}
    assert cluster.num_tasks("worker") == 2
    assert cluster.task_indices("worker") == [1, 4]
    assert cluster.job_tasks("worker") == [None, "c:3", None, None, "d:4"]
    assert cluster.task_address("ps", 1) == "b:2"
    assert repr(cluster) == f"ClusterSpec({JOBS})"
    assert tf.train.ClusterSpec({"w": {0: "a", 1: "b"}}).as_dict() == {"w": ["a", "b"]}


REFUSED = [
    (lambda: tf.train.ClusterSpec(3), TypeError, "cluster must be"),
    (lambda: tf.train.ClusterSpec({"a": 3}), TypeError, "job 'a' must have"),
    (lambda: tf.train.ClusterSpec({3: ["a"]}), TypeError, "Job name 3"),
    (lambda: tf.train.ClusterSpec({"a": [3]}), TypeError, "Task address 3"),
    (lambda: tf.train.ClusterSpec({"a": {"x": "b"}}), ValueError, "'x'"),
    (lambda: tf.train.ClusterSpec(JOBS).num_tasks("x"), ValueError, "No such job"),
    (
        lambda: tf.train.ClusterSpec(JOBS).task_address("ps", 7),
        ValueError,
        "No task with index 7 in job 'ps'",
    ),
]


@pytest.mark.parametrize("build,error,words", REFUSED)
def test_what_is_no_cluster_is_refused(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_weighted_moving_average():
    value, weight = tf.placeholder(tf.float64, [2]), tf.placeholder(tf.float64, [])
    average = moving_averages.weighted_moving_average(value, 0.5, weight)
    assert [v.op.name for v in tf.global_variables()] == [
        "WeightedMovingAvg/value_x_weight",
        "WeightedMovingAvg/weight",
    ]
    assert tf.trainable_variables() == []
    top, bottom = np.zeros(2), 0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for v, w in ([1, 2], 0.5), ([3, 5], 2), ([0, 1], 1):
            top, bottom = (top + np.multiply(v, w)) / 2, (bottom + w) / 2
            got = session.run(average, {value: v, weight: w})
            np.testing.assert_allclose(got, top / bottom)


def test_moving_averages_are_corrected_for_their_start_by_default():
    variable = tf.Variable(0.0, trainable=False)
    value = tf.placeholder(tf.float32, [])
    corrected = moving_averages.assign_moving_average(variable, value, 0.75)
    biased = 0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step, v in enumerate([4.0, 8.0, -2.0], 1):
            biased = 0.75 * biased + 0.25 * v
            got = session.run(corrected, {value: v})
            np.testing.assert_allclose(got, biased / (1 - 0.75**step), rtol=1e-5)


def test_the_setter_is_a_chooser_with_tasks_in_turn():
    turn = device_setter._RoundRobinStrategy(2)
    assert [turn(None) for _ in range(3)] == [0, 1, 0]
    chooser = device_setter._ReplicaDeviceChooser(
        2, "/job:ps", "/job:worker", True, device_setter.STANDARD_PS_OPS, turn
    )
    with tf.device(chooser.device_function):
        v = tf.Variable(1.0)
        w = tf.Variable(1.0)
        total = v + w
    devices = [v.op.device, w.op.device, total.op.device]
    assert devices == ["/job:ps/task:1", "/job:ps/task:0", "/job:worker"]
