# SPDX-License-Identifier: Apache-2.0
"""tf.estimator.train_and_evaluate in a cluster: each task is a process, which TF_CONFIG tells who it is."""

import json
import os

import pytest

import tensorwright as tf
from tensorwright.python.cluster_tests import processes

# Fits a line; prints how many steps this task took, and what the last evaluation says.
PROGRAM = """
    import sys, time
    import numpy as np
    import tensorwright as tf

    folder, steps, is_sync = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "sync"
    xs = np.linspace(-1, 1, 64).astype(np.float32)

    class Steps(tf.train.SessionRunHook):
        count = 0

        def after_run(self, context, values):
            self.count += 1
            time.sleep(0.02)

    def examples():
        data = tf.data.Dataset.from_tensor_slices((xs, 3 * xs + 1)).shuffle(64).repeat().batch(16)
        return data.make_one_shot_iterator().get_next()

    def once():
        return tf.data.Dataset.from_tensors((xs, 3 * xs + 1)).make_one_shot_iterator().get_next()

    def model(features, labels, mode, config):
        w, b = (tf.get_variable(name, [], initializer=tf.zeros_initializer()) for name in "wb")
        assert config.task_type in ("evaluator", "master") or w.device == "/job:ps/task:0", w.device
        loss = tf.losses.mean_squared_error(labels, w * features + b)
        optimizer, hooks = tf.train.GradientDescentOptimizer(0.1), []
        if is_sync:
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, config.num_worker_replicas)
        train = optimizer.minimize(loss, tf.train.get_global_step())
        if is_sync:
            hooks.append(optimizer.make_session_run_hook(config.is_chief))
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, training_hooks=hooks)

    estimator = tf.estimator.Estimator(model, folder, tf.estimator.RunConfig(save_checkpoints_steps=50))
    hook = Steps()
    done = tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(examples, max_steps=steps, hooks=[hook]),
        tf.estimator.EvalSpec(once, steps=None, start_delay_secs=0, throttle_secs=0),
    )
    print("done", hook.count, done and done[0], flush=True)
"""


def _run(folder, mode, steps, **jobs):
    """Runs a process a task, to the end of all but parameter servers; returns their last lines by (job, task)."""
    addresses = {job: processes.ports(n) for job, n in jobs.items()}
    tasks = [(job, i) for job, n in jobs.items() for i in range(n)]
    cluster = {job: a for job, a in addresses.items() if job != "evaluator"}
    started = {
        (job, i): processes.start(
            PROGRAM,
            folder,
            steps,
            mode,
            TF_CONFIG=json.dumps(
                {"cluster": cluster, "task": {"type": job, "index": i}}
            ),
        )
        for job, i in tasks
    }
    try:
        said = {}
        for (job, i), process in started.items():
            if job != "ps":
                out, _ = process.communicate(timeout=240)
                assert process.returncode == 0, (job, i, out)
                said[job, i] = out.splitlines()[-1]
        assert all(p.poll() is None for (job, _), p in started.items() if job == "ps")
        return said
    finally:
        for process in started.values():
            process.kill()
            process.wait()
            process.stdout.close()


def _steps(line):
    return int(line.split()[1])


def _trained(folder):
    path = tf.train.latest_checkpoint(folder)
    read = tf.train.NewCheckpointReader(path).get_tensor
    return read("w"), read("b"), read("global_step")


def _evaluations(folder):
    """The loss at each step that was evaluated."""
    return {
        event.step: value.simple_value
        for file in (folder / "eval").iterdir()
        for event in tf.train.summary_iterator(os.fspath(file))
        for value in event.summary.value
        if value.tag == "loss"
    }


def test_chief_and_worker_train_on_a_parameter_server_and_an_evaluator_watches(
    tmp_path,
):
    folder = os.fspath(tmp_path)
    said = _run(folder, "async", 500, ps=1, chief=1, worker=1, evaluator=1)
    w, b, step = _trained(folder)
    assert step >= 500
    assert abs(w - 3) < 1e-3 and abs(b - 1) < 1e-3
    chief, worker = _steps(said["chief", 0]), _steps(said["worker", 0])
    assert chief > 0 and worker > 0
    # Each step is one task's, but for those that were under way when the last one was counted.
    assert 500 <= chief + worker <= 503
    assert said["evaluator", 0] == "done 0 None"
    losses = _evaluations(tmp_path)
    assert len(losses) > 1 and max(losses) >= 500
    assert losses[max(losses)] < 1e-5 < losses[min(losses)]


def test_a_master_trains_and_evaluates(tmp_path):
    folder = os.fspath(tmp_path)
    said = _run(folder, "async", 100, ps=1, master=1)
    assert "'global_step': np.int64(100)" in said["master", 0]


def test_replicas_in_step_end_together(tmp_path):
    folder = os.fspath(tmp_path)
    said = _run(folder, "sync", 400, ps=1, chief=1, worker=1)
    step = _trained(folder)[2]
    assert step >= 400
    chief, worker = _steps(said["chief", 0]), _steps(said["worker", 0])
    assert chief > 0 and worker > 0
    # Each update is the mean of two gradients, whoever has computed them; the last few are left over.
    assert 2 * step - 4 <= chief + worker <= 2 * step + 8


@pytest.mark.parametrize(
    "job, device_filters",
    [
        ("chief", ["/job:ps", "/job:chief"]),
        ("worker", ["/job:ps", "/job:worker/task:1"]),
        ("ps", ["/job:ps", "/job:worker", "/job:chief", "/job:master"]),
    ],
)
def test_a_session_waits_for_no_other_worker(monkeypatch, job, device_filters):
    cluster = {"ps": ["a:1", "b:1"], "chief": ["c:1"], "worker": ["d:1", "e:1"]}
    task = {"type": job, "index": 0 if job == "chief" else 1}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task}))
    estimator = tf.estimator.Estimator(lambda features: None)
    config = estimator._session_config
    assert list(config.device_filters) == device_filters
    assert config.allow_soft_placement
    given = tf.ConfigProto(inter_op_parallelism_threads=3)
    settings = tf.estimator.RunConfig(session_config=given)
    asked = tf.estimator.Estimator(lambda features: None, config=settings)
    assert asked._session_config == given
