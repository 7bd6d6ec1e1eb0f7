# SPDX-License-Identifier: Apache-2.0
"""tensorwright.cluster.ray: clusters whose processes Ray starts and watches."""

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import ray

from tensorwright.cluster._ray.progress import Progress
from tensorwright.cluster._ray.records import TaskRecord
from tensorwright.cluster.ray import ClusterError, TrainCluster


@pytest.fixture(scope="module", autouse=True)
def one_ray(tmp_path_factory):
    """One Ray for all tests here, which takes seconds to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")
        # Ray keeps here the token by which its processes know each other.
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.delenv("RAY_ADDRESS", raising=False)
        ray.init(
            address="local",
            num_cpus=4,
            include_dashboard=False,
            object_store_memory=100 << 20,
        )
        yield
        ray.shutdown()


def _fit(last_step, pause=0.0):
    """A function that fits a line, `last_step` steps for all workers together, of `pause` seconds each."""

    def fit(context):
        import time

        import numpy as np

        import tensorwright as tf

        random = np.random.default_rng(context.index)
        with tf.device(context.device_setter()):
            step_count = tf.train.get_or_create_global_step()
            x = tf.placeholder(tf.float32, [None, 3])
            w = tf.get_variable("w", initializer=tf.zeros([3]))
            error = tf.reduce_sum(x * (w - [1.0, -2.0, 3.0]), axis=1)
            loss = tf.reduce_mean(tf.square(error))
            step = tf.train.GradientDescentOptimizer(0.05).minimize(loss, step_count)

        def feeds():
            return {x: random.normal(size=(32, 3))}

        taken = 0
        with context.session(
            total=last_step,
            loss=loss,
            hooks=[tf.train.StopAtStepHook(last_step=last_step)],
            save_checkpoint_secs=2,
        ) as session:
            while not session.should_stop():
                session.run(step, feeds())
                taken += 1
                time.sleep(pause)
        with tf.Session(context.target, config=context.config()) as session:
            return context.index, context.attempt, taken, session.run(w).tolist()

    return fit


def _when(cluster, condition, do):
    """Does something once, when a condition of the tasks holds, while the cluster runs."""

    def wait():
        while not (cluster.tasks() and condition(cluster.tasks())):
            time.sleep(0.05)
        do(cluster.tasks())

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def _kill(job, index):
    def kill(tasks):
        (task,) = [t for t in tasks if (t.job, t.index) == (job, index)]
        os.kill(task.place.pid, signal.SIGKILL)

    return kill


def _ahead(step):
    return lambda tasks: max(t.report.get("step", 0) for t in tasks) >= step


def test_training_survives_the_death_of_a_worker_and_says_so():
    output = io.StringIO()
    with TrainCluster(workers=2, ps=1, name="worker_dies", output=output) as cluster:
        killer = _when(cluster, _ahead(20), _kill("worker", 1))
        results = cluster.run(_fit(400, pause=0.02))
        assert not killer.is_alive()
        restarts = {task.name: task.restarts for task in cluster.tasks()}
    assert restarts == {"ps 0": 0, "worker 0": 0, "worker 1": 1}
    assert [index for index, *_ in results] == [0, 1]
    assert [attempt for _, attempt, *_ in results] == [0, 1]
    for *_, w in results:
        np.testing.assert_allclose(w, [1, -2, 3], atol=0.05)
    said = output.getvalue()
    assert re.search(r"worker 1 died \(process \d+ on \S+\): Ray starts it again", said)
    assert re.search(r"worker 1 is back after \d+\.\d s \(process \d+", said)
    assert re.search(r"cluster: .*\d of 2 workers", said)


def test_a_parameter_server_that_dies_gets_its_variables_from_the_checkpoint(tmp_path):
    with TrainCluster(
        workers=1, ps=1, name="ps_dies", checkpoint_dir=str(tmp_path), output=None
    ) as cluster:

        def saved(tasks):
            files = tmp_path.glob("model.ckpt-*.index")
            steps = [int(re.search(r"ckpt-(\d+)", file.name)[1]) for file in files]
            return max(steps, default=0) > 20

        killer = _when(cluster, saved, _kill("ps", 0))
        ((_, _, taken, w),) = cluster.run(_fit(200, pause=0.03))
        assert not killer.is_alive()
        assert [task.restarts for task in cluster.tasks() if task.job == "ps"] == [1]
    np.testing.assert_allclose(w, [1, -2, 3], atol=0.05)
    # It took again those since the checkpoint, about two seconds', and not all.
    assert 200 <= taken < 380, taken


def test_scaling_starts_all_tasks_anew_from_the_checkpoint():
    output = io.StringIO()

    def count(context):
        import time

        import tensorwright as tf

        with tf.device(context.device_setter()):
            step_count = tf.train.get_or_create_global_step()
        with tf.colocate_with(step_count):
            step = tf.assign_add(step_count, 1)
        first = None
        with context.session(
            total=400,
            hooks=[tf.train.StopAtStepHook(last_step=400)],
            save_checkpoint_secs=2,
        ) as session:
            while not session.should_stop():
                value = session.run(step)
                first = value if first is None else first
                time.sleep(0.02)
        return context.num_workers, int(first)

    with TrainCluster(workers=1, ps=1, name="scaled", output=output) as cluster:
        grower = _when(cluster, _ahead(150), lambda tasks: cluster.scale(workers=2))
        results = cluster.run(count)
        assert not grower.is_alive()
    assert [workers for workers, _ in results] == [2, 2]
    # No worker began at the beginning.
    assert min(first for _, first in results) > 20, results
    assert (
        "the cluster is to have 2 worker, 1 ps: all tasks begin anew"
        in output.getvalue()
    )


def test_a_function_that_fails_ends_the_cluster_with_its_traceback():
    def fail(context):
        raise KeyError(f"nothing in worker {context.index}")

    with (
        TrainCluster(workers=1, name="fails", output=None) as cluster,
        pytest.raises(ClusterError, match="(?s)worker 0 failed.*nothing in worker 0"),
    ):
        cluster.run(fail)


def test_a_task_that_dies_too_often_ends_the_cluster():
    def die(context):
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)

    with (
        TrainCluster(workers=1, name="dies", max_restarts=1, output=None) as cluster,
        pytest.raises(ClusterError, match="worker 0 died 2 times"),
    ):
        cluster.run(die)


def test_what_cannot_be_a_cluster_is_refused():
    with pytest.raises(ValueError, match="workers >= 1"):
        TrainCluster(workers=0)
    with pytest.raises(ValueError, match="'ps' and 'worker', got .'master'"):
        TrainCluster(resources={"master": {"CPU": 1}})
    with pytest.raises(ValueError, match=r"resources\['CPU'\] must be a number >= 0"):
        TrainCluster(resources={"CPU": -1})
    with (
        TrainCluster(workers=9, name="too_large", timeout=2, output=None) as cluster,
        pytest.raises(ClusterError, match="did not start the cluster within 2 s"),
    ):
        cluster.run(lambda context: None)


def test_a_name_is_taken_while_its_cluster_runs():
    with (
        TrainCluster(name="mine", output=None),
        pytest.raises(ValueError, match="mine"),
    ):
        TrainCluster(name="mine", output=None)


PROGRAM = """
import json, os, sys, time
import tensorwright as tf
config = json.loads(os.environ["TF_CONFIG"])
cluster, task = tf.train.ClusterSpec(config["cluster"]), config["task"]
server = tf.train.Server(cluster, task["type"], task["index"])
if task["type"] == "ps":
    server.join()
print("hello of", task["type"], task["index"], *sys.argv[1:], flush=True)
with tf.device("/job:ps/task:0"):
    v = tf.get_variable("v", initializer=tf.constant(41.0))
    result = v + 1
with tf.train.MonitoredTrainingSession(
    server.target, is_chief=task["index"] == 0
) as session:
    print("it is", session.run(result), flush=True)
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.1)
"""


def _tw(*arguments, **keywords):
    command = [sys.executable, "-m", "tensorwright.tools.tw.main", "cluster"]
    environment = {
        **os.environ,
        "RAY_ADDRESS": ray.get_runtime_context().gcs_address,
    }
    return subprocess.Popen(
        [*command, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **keywords,
    )


def _says(*arguments):
    process = _tw(*arguments)
    said, _ = process.communicate(timeout=200)
    return process.returncode, said


def test_tw_runs_a_program_shows_it_and_ends_it(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    stop = tmp_path / "stop"
    up = _tw("up", "--workers", "2", "--ps", "1", str(program), str(stop))
    try:
        deadline = time.time() + 240
        while "it is 42.0" not in (logs := _says("logs"))[1]:
            if up.poll() is not None:
                raise AssertionError(up.communicate()[0])
            assert time.time() < deadline, logs
        assert f"worker 1 | hello of worker 1 {stop}" in _says("logs", "worker", "1")[1]
        code, status = _says("status")
        assert code == 0
        rows = [row.split()[:4] for row in status.splitlines()]
        assert ["ps", "0", "running", "0"] in rows, status
        assert ["worker", "1", "running", "0"] in rows, status
        assert _says("down")[0] == 0
        said, _ = up.communicate(timeout=200)
        assert up.returncode == 1
        assert "stopped, as was asked for" in said
        code, said = _says("status")
        assert (code, "no cluster 'train' runs" in said) == (1, True)
    finally:
        up.kill()
        up.wait()


def test_the_progress_line_says_steps_loss_workers_and_restarts():
    records = [
        TaskRecord("ps", 0, state="running", restarts=1),
        TaskRecord("worker", 0, state="running", report={"step": 3, "loss": 0.5}),
        TaskRecord("worker", 1, state="restarting", report={"step": 4, "total": 9}),
    ]
    output = io.StringIO()
    progress = Progress(output)
    progress.show(records)
    progress.say("worker 1 died")
    line = "step 4/9  loss 0.5  1 of 2 workers  1 restart"
    assert output.getvalue() == f"cluster: {line}\ncluster: worker 1 died\n"
    assert progress.line == line
