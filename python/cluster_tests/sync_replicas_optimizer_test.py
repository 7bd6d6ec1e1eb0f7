# SPDX-License-Identifier: Apache-2.0
"""SyncReplicasOptimizer: two workers on one parameter server take every step together."""

import contextlib
import socket
import threading

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

RATE = 0.5


@pytest.fixture
def cluster():
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(3)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        ps, *workers = [f"localhost:{s.getsockname()[1]}" for s in sockets]
    spec = {"ps": [ps], "worker": workers}
    tasks = [("ps", 0), ("worker", 0), ("worker", 1)]
    servers = {
        (job, i): tf.train.Server(spec, job_name=job, task_index=i) for job, i in tasks
    }
    yield servers
    for server in servers.values():
        server.stop()


def _replica(task, sparse=False):
    """Builds a graph in which the gradient of `w` is fed, and the operations to run in it."""
    setter = tf.train.replica_device_setter(
        ps_tasks=1, worker_device=f"/job:worker/task:{task}"
    )
    graph = tf.Graph()
    with graph.as_default(), tf.device(setter):
        step = tf.train.create_global_step()
        given = tf.placeholder(tf.float32, [2] if sparse else [3])
        w = tf.get_variable(
            "w", initializer=tf.zeros([3, 2] if sparse else [3]), use_resource=False
        )
        rows = tf.gather(w, [task]) if sparse else w
        sync = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(RATE), replicas_to_aggregate=2
        )
        train = sync.minimize(tf.reduce_sum(rows * given), global_step=step)
        return graph, sync, train, given, w, step


def _train(cluster, sparse, gradients):
    """The values of `w` after each step, of the replica with task 0, and the last global step."""
    found, failures = {}, []
    built = [_replica(task, sparse) for task in range(2)]
    together = threading.Barrier(2)

    def work(task):
        graph, sync, train, given, w, step = built[task]
        try:
            with graph.as_default():
                config = tf.ConfigProto(
                    device_filters=["/job:ps", f"/job:worker/task:{task}"]
                )
                with tf.train.MonitoredTrainingSession(
                    cluster["worker", task].target,
                    is_chief=task == 0,
                    hooks=[sync.make_session_run_hook(task == 0, num_tokens=0)],
                    config=config,
                ) as session:
                    values = []
                    for grad in gradients[task]:
                        session.run(train, {given: grad})
                        together.wait(60)
                        values.append(session.run(w))
                        together.wait(60)
                    found[task] = values, session.run(step)
                    together.wait(60)
        except Exception as error:
            together.abort()
            failures.append(error)

    threads = [threading.Thread(target=work, args=(task,)) for task in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failures, failures
    return found


def test_each_step_applies_the_mean_of_both_gradients(cluster):
    rng = np.random.default_rng(0)
    gradients = rng.normal(size=(2, 5, 3)).astype(np.float32)
    found = _train(cluster, False, gradients)
    wanted = -RATE * np.cumsum(gradients.mean(axis=0), axis=0)
    for task in range(2):
        np.testing.assert_allclose(found[task][0], wanted, atol=1e-5)
        assert found[task][1] == 5


def test_each_step_applies_the_mean_of_each_row(cluster):
    gradients = np.ones((2, 3, 2), np.float32) * np.array([1, 2])[:, None, None]
    found = _train(cluster, True, gradients)
    # The mean of a row is that of the replicas that have it.
    np.testing.assert_allclose(
        found[0][0][-1], -RATE * 3 * np.array([[1, 1], [2, 2], [0, 0]]), atol=1e-5
    )


def test_bad_arguments_are_refused():
    opt = tf.train.GradientDescentOptimizer(1.0)
    with pytest.raises(ValueError, match="variables_to_average"):
        tf.train.SyncReplicasOptimizer(
            opt, 2, variable_averages=tf.train.ExponentialMovingAverage(0.9)
        )
    sync = tf.train.SyncReplicasOptimizer(opt, 4, total_num_replicas=2)
    v = tf.Variable(1.0)
    with pytest.raises(ValueError, match="lobal step"):
        sync.apply_gradients([(tf.constant(1.0), v)])
    with pytest.raises(ValueError, match="variable"):
        sync.apply_gradients([], tf.train.create_global_step())
    with pytest.raises(ValueError, match="after"):
        sync.get_init_tokens_op()
    sync.minimize(v * 2, tf.train.get_global_step())
    with pytest.raises(ValueError, match="Too few tokens"):
        sync.get_init_tokens_op(1)
