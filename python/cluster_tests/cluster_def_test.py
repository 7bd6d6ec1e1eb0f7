# SPDX-License-Identifier: Apache-2.0
"""Sessions that bring their cluster along: ConfigProto.cluster_def."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import config_pb2
from tensorwright.python.framework import errors

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.fixture(scope="module")
def servers():
    """Three, none of which was told of the others."""
    made = [tf.train.Server.create_local_server() for _ in range(3)]
    yield made
    for server in made:
        server.stop()


@pytest.fixture(params=[False, True], ids=["in_process", "grpc"])
def by_rpc(request):
    return request.param


def _address(server):
    return server.target.removeprefix("grpc://")


def _config(by_rpc=False, share=False, device_filters=(), **jobs):
    config = tf.ConfigProto(device_filters=device_filters)
    config.rpc_options.use_rpc_for_inprocess_master = by_rpc
    config.experimental.share_session_state_in_clusterspec_propagation = share
    spec = {job: [_address(s) for s in tasks] for job, tasks in jobs.items()}
    config.cluster_def.CopyFrom(tf.train.ClusterSpec(spec).as_cluster_def())
    return config


def test_servers_become_tasks_of_the_clusters_that_sessions_bring(servers, by_rpc):
    a, b, c = servers
    config = _config(by_rpc, ps=[c], worker=[b, a])
    with tf.device("/job:ps/task:0"):
        x = tf.range(1000)
    with tf.device("/job:worker/task:1"):
        y = x * 2
    with tf.device("/job:worker/task:0"):
        z = tf.reduce_sum(y) + 1
    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
    metadata = config_pb2.RunMetadata()
    with tf.Session(a.target, config=config) as session:
        names = sorted(device.name for device in session.list_devices())
        assert names == [
            "/job:ps/replica:0/task:0/device:CPU:0",
            "/job:worker/replica:0/task:0/device:CPU:0",
            "/job:worker/replica:0/task:1/device:CPU:0",
        ]
        assert session.run(z) == 999001
        session.run(z, options=options, run_metadata=metadata)
    assert {d.device for d in metadata.step_stats.dev_stats} >= set(names)


def test_a_server_is_different_tasks_in_different_sessions(servers):
    a, b, _ = servers
    with tf.device("/job:worker/task:0"):
        x = tf.constant(20)
    with tf.device("/job:worker/task:1"):
        y = x + 1
    with (
        tf.Session(a.target, config=_config(worker=[a, b])) as one,
        tf.Session(a.target, config=_config(worker=[b, a])) as two,
        tf.Session(a.target) as three,
    ):
        for _ in range(3):
            assert one.run(y) == two.run(y) == 21
        # The server's own name, where the session brings no cluster.
        assert "job:local" in three.list_devices()[0].name
        with pytest.raises(errors.InvalidArgumentError, match="worker"):
            three.run(y)


def test_variables_are_the_sessions_own(servers):
    a, b, _ = servers
    with tf.device("/job:worker/task:1"):
        v = tf.get_variable("own", initializer=tf.constant([1.0, 2.0]))
    config = _config(worker=[a, b])
    with tf.Session(a.target, config=config) as session:
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(v + 1), [2, 3])
    with tf.Session(a.target, config=config) as session:
        with pytest.raises(errors.FailedPreconditionError):
            session.run(v)


def test_variables_are_shared_if_the_config_says_so(servers, by_rpc):
    a, b, _ = servers
    name = f"shared_{by_rpc}"
    with tf.device("/job:worker/task:1"):
        v = tf.get_variable(name, initializer=tf.constant([1.0, 2.0]))
    config = _config(by_rpc, share=True, worker=[a, b])
    with tf.Session(a.target, config=config) as session:
        session.run(v.initializer)
    with tf.Session(a.target, config=config) as session:
        np.testing.assert_array_equal(session.run(v + 1), [2, 3])
    # The job's name does not matter.
    with tf.Graph().as_default():
        with tf.device("/job:other/task:0"):
            same = tf.get_variable(name, shape=[2])
        config = _config(by_rpc, share=True, other=[b, a])
        with tf.Session(a.target, config=config) as session:
            np.testing.assert_array_equal(session.run(same), [1, 2])
    with tf.Graph().as_default(), tf.Session(b.target) as session:
        same = tf.get_variable(name, shape=[2])
        np.testing.assert_array_equal(session.run(same), [1, 2])


def test_an_iterator_that_is_shared_outlives_the_session_that_made_it(servers):
    a, b, _ = servers
    config = _config(share=True, worker=[a, b])
    with tf.device("/job:worker/task:1"):
        data = tf.data.Dataset.range(5).map(lambda x: x * 3)
        iterator = tf.data.make_initializable_iterator(data, shared_name="lent_rows")
        value = iterator.get_next()
    with tf.Session(a.target, config=config) as session:
        session.run(iterator.initializer)
        assert session.run(value) == 0
    with tf.Session(a.target, config=config) as session:
        assert [session.run(value) for _ in range(4)] == [3, 6, 9, 12]


def test_device_filters_leave_tasks_of_the_cluster_out(servers):
    a, b, c = servers
    filters = ["/job:ps", "/job:worker/task:0"]
    config = _config(device_filters=filters, ps=[b], worker=[a, c])
    with tf.Session(a.target, config=config) as session:
        names = sorted(device.name for device in session.list_devices())
        assert [name.split("/device")[0] for name in names] == [
            "/job:ps/replica:0/task:0",
            "/job:worker/replica:0/task:0",
        ]


def test_a_task_of_the_cluster_that_is_not_there_is_waited_for(servers):
    config = _config(worker=[servers[0]])
    config.cluster_def.job[0].tasks[1] = "localhost:1"
    config.operation_timeout_in_ms = 300
    with tf.Session(servers[0].target, config=config) as session:
        with pytest.raises(errors.DeadlineExceededError):
            session.run(tf.constant(1))


def test_a_cluster_without_the_master_is_refused(servers):
    a, b, c = servers
    with tf.Session(a.target, config=_config(worker=[b, c])) as session:
        with pytest.raises(errors.InvalidArgumentError, match="cluster_def"):
            session.run(tf.constant(1))
    with tf.Session(a.target, config=_config(worker=[a], ps=[a])) as session:
        with pytest.raises(errors.InvalidArgumentError, match="two tasks"):
            session.run(tf.constant(1))


def test_a_loop_and_a_dead_branch_cross_tasks_of_the_cluster(servers, by_rpc):
    a, b, _ = servers
    flag = tf.placeholder(tf.bool, [])
    with tf.device("/job:worker/task:0"):
        n = tf.constant(10)

    def body(i, total):
        with tf.device("/job:worker/task:1"):
            squared = i * i
        with tf.device("/job:worker/task:0"):
            return i + 1, total + squared

    with tf.device("/job:worker/task:0"):
        _, total = tf.while_loop(lambda i, _: i < n, body, [0, 0])
    with tf.device("/job:worker/task:1"):
        x = tf.cond(flag, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    with tf.device("/job:worker/task:0"):
        y = x * 10
    with tf.Session(a.target, config=_config(by_rpc, worker=[a, b])) as session:
        assert session.run(total) == sum(i * i for i in range(10))
        assert session.run([total, y], {flag: True}) == [285, 10]
        assert session.run(y, {flag: False}) == 20
