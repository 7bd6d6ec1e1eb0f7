# SPDX-License-Identifier: Apache-2.0
"""Models spread over the tasks of a cluster: variables over servers, replicas over workers."""

import collections
import threading

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import test_util

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.fixture(scope="module")
def cluster():
    workers, servers = tf.test.create_local_cluster(num_workers=2, num_ps=2)
    yield workers, servers
    for server in [*workers, *servers]:
        server.stop()


@pytest.fixture(autouse=True)
def emptied(cluster):
    yield
    for server in [*cluster[0], *cluster[1]]:
        tf.Session.reset(server.target)


def test_a_local_cluster_has_its_tasks_and_configs():
    config = tf.ConfigProto(device_count={"CPU": 3})
    workers, servers = tf.test.create_local_cluster(1, 1, worker_config=config)
    try:
        assert [s.server_def.job_name for s in workers + servers] == ["worker", "ps"]
        with tf.Session(workers[0].target) as session:
            names = [device.name for device in session.list_devices()]
        count = collections.Counter(name.split("/")[1] for name in names)
        assert count == {"job:worker": 3, "job:ps": 1}, names
    finally:
        for server in workers + servers:
            server.stop()
    with pytest.raises(ValueError, match="got -1 and 0"):
        test_util.create_local_cluster(-1, 0)


def _spec(cluster):
    return tf.train.ClusterSpec(cluster[0][0].server_def.cluster)


def test_the_parts_of_a_variable_are_trained_on_several_servers(cluster):
    setter = tf.train.replica_device_setter(cluster=_spec(cluster))
    with tf.device(setter):
        table = tf.get_variable(
            "table",
            [10, 3],
            partitioner=tf.fixed_size_partitioner(4),
            initializer=tf.zeros_initializer(),
        )
    devices = [part.device for part in table]
    assert devices == [f"/job:ps/task:{i % 2}" for i in range(4)]
    ids = tf.placeholder(tf.int64, [None])
    with tf.device("/job:worker/task:1"):
        rows = tf.nn.embedding_lookup(table, ids, partition_strategy="div")
        step = tf.train.GradientDescentOptimizer(1.0).minimize(-tf.reduce_sum(rows))
    whole = tf.convert_to_tensor(table)
    with tf.Session(cluster[0][1].target) as session:
        session.run(tf.global_variables_initializer())
        session.run(step, {ids: [0, 3, 3, 9]})
        got = session.run(whole)
    want = np.zeros([10, 3])
    np.add.at(want, [0, 3, 3, 9], 1)
    np.testing.assert_array_equal(got, want)


def test_greedy_balancing_evens_out_the_bytes_of_servers(cluster):
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(
        2, tf.contrib.training.byte_size_load_fn
    )
    setter = tf.train.replica_device_setter(
        cluster=_spec(cluster), ps_strategy=strategy
    )
    sizes = [100, 10, 10, 60, 30]
    with tf.device(setter):
        made = [tf.get_variable(f"v{i}", [n]) for i, n in enumerate(sizes)]
    load = collections.Counter()
    for variable, size in zip(made, sizes, strict=True):
        load[variable.device] += size
    # Round-robin would have 140 and 70.
    assert load == {"/job:ps/task:0": 100, "/job:ps/task:1": 110}
    with tf.Session(cluster[0][0].target) as session:
        session.run(tf.global_variables_initializer())
        assert [len(v) for v in session.run(made)] == sizes


def test_replicas_in_one_graph_train_as_one_worker_on_all_examples(cluster):
    rng = np.random.default_rng(3)
    batch, answers = rng.normal(size=(8, 4)), rng.normal(size=8)
    with tf.device("/job:ps/task:0"):
        w = tf.get_variable("w", initializer=tf.zeros([4], tf.float64))
        x = tf.placeholder(tf.float64, [8, 4])
        y = tf.placeholder(tf.float64, [8])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    gradients = []
    halves = zip(tf.split(x, 2), tf.split(y, 2), strict=True)
    for task, (part, target) in enumerate(halves):
        with tf.device(f"/job:worker/task:{task}"), tf.name_scope(f"replica{task}"):
            error = tf.reduce_sum(part * w, axis=1) - target
            loss = tf.reduce_mean(tf.square(error))
            ((gradient, _),) = optimizer.compute_gradients(loss, [w])
            gradients.append(gradient)
    with tf.device("/job:ps/task:0"):
        step = optimizer.apply_gradients([(tf.add_n(gradients) / 2, w)])
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    want = np.zeros(4)
    with tf.Session(cluster[0][0].target) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(5):
            session.run(step, {x: batch, y: answers}, options, metadata)
            want -= 0.1 * 2 * batch.T @ (batch @ want - answers) / 8
        np.testing.assert_allclose(session.run(w), want, rtol=1e-6)
    used = {d.device.split("/device")[0] for d in metadata.step_stats.dev_stats}
    for task in range(2):
        assert f"/job:worker/replica:0/task:{task}" in used, used


def test_a_chief_makes_the_variables_for_a_worker_that_waits(cluster, tmp_path):
    ended = {}

    def work(index):
        with tf.Graph().as_default():
            setter = tf.train.replica_device_setter(
                cluster=_spec(cluster), worker_device=f"/job:worker/task:{index}"
            )
            with tf.device(setter):
                count = tf.train.get_or_create_global_step()
                v = tf.get_variable("v", initializer=tf.constant(0.0))
            with tf.device("/job:ps"):
                with tf.colocate_with(count, ignore_existing=True):
                    counted = tf.assign_add(count, 1)
                with tf.colocate_with(v, ignore_existing=True):
                    added = tf.assign_add(v, 1.0)
            step = tf.group(counted, added)
            with tf.train.MonitoredTrainingSession(
                cluster[0][index].target,
                is_chief=index == 0,
                checkpoint_dir=str(tmp_path) if index == 0 else None,
                hooks=[tf.train.StopAtStepHook(last_step=50)],
                config=tf.ConfigProto(
                    device_filters=["/job:ps", f"/job:worker/task:{index}"]
                ),
            ) as session:
                taken = 0
                while not session.should_stop():
                    session.run(step)
                    taken += 1
            ended[index] = taken

    # The worker first: it has nothing to train until the chief comes.
    threads = [threading.Thread(target=work, args=(index,)) for index in (1, 0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(ended) == [0, 1]
    assert 50 <= sum(ended.values()) <= 51, ended
    reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(str(tmp_path)))
    assert reader.get_tensor("global_step") >= 50
