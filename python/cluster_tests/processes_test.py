# SPDX-License-Identifier: Apache-2.0
"""Clusters of several processes: training, processes that die, and bytes that are no calls."""

import contextlib
import socket

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.cluster_tests.processes import Cluster, start
from tensorwright.python.framework import errors

pytestmark = pytest.mark.usefixtures("fresh_graph")

TRAIN = """
    import sys
    import numpy as np
    import tensorwright as tf
    task, ps, workers, target = sys.argv[1:5]
    spec = tf.train.ClusterSpec({"ps": ps.split(","), "worker": workers.split(",")})
    setter = tf.train.replica_device_setter(
        cluster=spec, worker_device=f"/job:worker/task:{task}"
    )
    rng = np.random.default_rng(int(task))
    with tf.device(setter):
        tf.train.create_global_step()
        x = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", initializer=tf.zeros([3]))
        b = tf.get_variable("b", initializer=tf.constant(0.0))
        truth = tf.reduce_sum(x * [1.0, -2.0, 3.0], axis=1) + 0.5
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, axis=1) + b - truth))
        step = tf.train.GradientDescentOptimizer(0.05).minimize(
            loss, global_step=tf.train.get_global_step()
        )
    devices = {w.device, b.device}
    assert devices == {"/job:ps/task:0", "/job:ps/task:1"}, devices
    hooks = [tf.train.StopAtStepHook(last_step=300)]
    filters = ["/job:ps", f"/job:worker/task:{task}"]
    config = tf.ConfigProto(device_filters=filters)
    with tf.train.MonitoredTrainingSession(
        target, is_chief=task == "0", hooks=hooks, config=config
    ) as session:
        while not session.should_stop():
            session.run(step, {x: rng.normal(size=(32, 3))})
    print("done", flush=True)
"""


def test_two_workers_train_the_variables_of_two_parameter_servers():
    with Cluster(ps=2, workers=2) as cluster:
        where = ",".join(cluster.ps), ",".join(cluster.workers)
        trainers = [start(TRAIN, i, *where, cluster.target(i)) for i in range(2)]
        for trainer in trainers:
            out, _ = trainer.communicate(timeout=200)
            assert trainer.returncode == 0
            assert out.endswith("done\n")
        with tf.device("/job:ps/task:0"):
            step = tf.get_variable("global_step", shape=[], dtype=tf.int64)
        # In the order of their making: the step, w and b in turn.
        with tf.device("/job:ps/task:1"):
            w = tf.get_variable("w", shape=[3])
        with tf.Session(cluster.target(0)) as session:
            assert session.run(step) >= 300
            np.testing.assert_allclose(session.run(w), [1, -2, 3], atol=0.05)


def test_a_task_that_dies_fails_the_step_and_comes_back_empty():
    with Cluster(ps=1, workers=1) as cluster:
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("v", initializer=tf.constant(1.0))
        with tf.device("/job:worker/task:0"):
            y = v + 1
        init = tf.global_variables_initializer()
        with tf.Session(cluster.target(0)) as session:
            session.run(init)
            assert session.run(y) == 2
            cluster.kill("ps", 0)
            with pytest.raises((errors.UnavailableError, errors.AbortedError)):
                session.run(y)
            cluster.start("ps", 0)
            cluster.wait("ps", 0)
            # The new process has lost all that the session had registered.
            with pytest.raises((errors.AbortedError, errors.UnavailableError)):
                session.run(y)
        config = tf.ConfigProto(operation_timeout_in_ms=60000)
        with tf.Session(cluster.target(0), config=config) as session:
            with pytest.raises(errors.FailedPreconditionError):
                session.run(v)
            session.run(init)
            assert session.run(y) == 2


def test_bytes_that_are_no_calls_do_not_stop_the_server():
    rng = np.random.default_rng(0)
    with Cluster(ps=1, workers=1) as cluster:
        host, _, port = cluster.workers[0].rpartition(":")
        for size in (0, 1, 100, 10000):
            for head in (b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
                with socket.create_connection((host, int(port))) as s:
                    with contextlib.suppress(ConnectionError):
                        s.sendall(head + rng.bytes(size))
        with tf.Session(cluster.target(0)) as session:
            assert session.run(tf.constant(1)) == 1


def test_a_server_of_localhost_listens_on_the_loopback_interface_only():
    server = tf.train.Server.create_local_server()
    port = int(server.target.rpartition(":")[2])
    listening = {
        int(line.split()[1].split(":")[1], 16): line.split()[1].split(":")[0]
        for name in ("tcp", "tcp6")
        for line in open(f"/proc/net/{name}").readlines()[1:]
        if line.split()[3] == "0A"
    }
    # An IPv4 address in an IPv6 one, or by itself.
    assert listening[port].removeprefix("0000000000000000FFFF0000") == "0100007F"
    server.stop()
