# SPDX-License-Identifier: Apache-2.0
"""Trains the network of digits.py on a cluster: a parameter server and two workers, each a process of its own.

Usage: ./run examples/cluster_digits.py [--ray] [--steps N] [--workers N] [--ps N] [--kill SECONDS]

The program starts the processes on this machine, and restarts one that dies; with --kill it kills a worker itself,
so many seconds after the start.  With --ray, Ray places, starts and watches them, on this machine or on the cluster
that RAY_ADDRESS names.  If the environment has a TF_CONFIG (Kubernetes, Slurm), the program is one task of that
cluster instead:

    TF_CONFIG='{"cluster": {"ps": ["a:2222"], "worker": ["b:2222", "c:2222"]}, "task": {"type": "worker", "index": 0}}'

It exits with 1 if the accuracy on 360 digits that training never saw is below 97 %.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import digits
import numpy as np

import tensorwright as tf


def train(
    server: tf.train.Server, cluster: tf.train.ClusterSpec, args, progress=None
) -> int:
    """Runs a worker: it trains variables of the parameter servers, on digits that it draws itself."""
    index = server.server_def.task_index
    is_chief = index == 0
    images, labels = digits.load_digits()
    train_x, train_y = images[digits.TEST_SIZE :], labels[digits.TEST_SIZE :]
    test = images[: digits.TEST_SIZE], labels[: digits.TEST_SIZE]

    tf.set_random_seed(1)
    setter = tf.train.replica_device_setter(
        cluster=cluster, worker_device=f"/job:worker/task:{index}"
    )
    with tf.device(setter):
        step_count = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="images")
        y = tf.placeholder(tf.int32, [None], name="labels")
        logits = digits.network(x)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        )
        rate = tf.train.polynomial_decay(2e-3, step_count, args.steps, 1e-5)
        step = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step_count)
        correct = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), y)
        accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

    hooks = [tf.train.StopAtStepHook(last_step=args.steps)]
    if progress:
        hooks.append(progress(args.steps, loss))
    # Another worker's end, or its death, is not this one's business.
    filters = ["/job:ps", f"/job:worker/task:{index}"]
    random = np.random.RandomState([index, os.getpid()])
    start = shown = time.time()
    result = 0.0
    with tf.train.MonitoredTrainingSession(
        server.target,
        is_chief=is_chief,
        checkpoint_dir=args.checkpoints,
        save_checkpoint_secs=10,
        save_summaries_steps=None,
        log_step_count_steps=None,
        hooks=hooks,
        config=tf.ConfigProto(device_filters=filters),
    ) as session:
        while not session.should_stop():
            pick = random.randint(len(train_x), size=args.batch)
            feeds = {x: train_x[pick], y: train_y[pick]}
            _, value, count = session.run([step, loss, step_count], feeds)
            if time.time() - shown > 2:
                shown = time.time()
                took = shown - start
                print(
                    f"worker {index}: step {count:4}/{args.steps}  loss {value:.4f}  "
                    f"{took:.1f} s",
                    flush=True,
                )
    if not is_chief:
        return 0
    with tf.Session(
        server.target, config=tf.ConfigProto(device_filters=filters)
    ) as session:
        result = session.run(accuracy, dict(zip((x, y), test, strict=True)))
    print(
        f"test accuracy {result:.2%} of {digits.TEST_SIZE} digits "
        f"(target {digits.TARGET:.0%})",
        flush=True,
    )
    return 0 if result >= digits.TARGET else 1


def run_task(config: dict, args) -> int:
    """One task of a cluster."""
    cluster = tf.train.ClusterSpec(config["cluster"])
    task = config["task"]
    server = tf.train.Server(
        cluster, job_name=task["type"], task_index=int(task["index"])
    )
    if task["type"] == "ps":
        server.join()
    return train(server, cluster, args)


def run_on_ray(args) -> int:
    """The same tasks as processes of Ray's."""
    from tensorwright.cluster.ray import Context, TrainCluster

    def work(context: Context) -> int:
        args.checkpoints = args.checkpoints or context.checkpoint_dir
        assert context.server is not None  # As each worker has one.
        return train(context.server, context.cluster, args, context.progress_hook)

    with TrainCluster(workers=args.workers, ps=args.ps) as cluster:
        if args.kill:
            threading.Thread(
                target=kill_a_worker, args=(cluster, args.kill), daemon=True
            ).start()
        result = cluster.run(work)[0]
        restarts = sum(task.restarts for task in cluster.tasks())
        print(
            f"trained by {args.workers} workers and {args.ps} ps on Ray, with "
            f"{restarts} restarts",
            flush=True,
        )
        return result


def kill_a_worker(cluster, seconds: float) -> None:
    """Kills the last worker, so many seconds after its first step."""
    while not (cluster.tasks() and "step" in cluster.tasks()[-1].report):
        time.sleep(0.1)
    time.sleep(seconds)
    task = cluster.tasks()[-1]
    print(f"kill -9 {task.place.pid}, which is {task.name}", flush=True)
    os.kill(task.place.pid, signal.SIGKILL)


class Processes:
    """The tasks of a cluster on this machine.  One that dies is started again."""

    def __init__(self, jobs: dict[str, int], arguments: list[str]):
        with contextlib.ExitStack() as stack:
            addresses = {}
            for job, count in jobs.items():
                found = [stack.enter_context(socket.socket()) for _ in range(count)]
                for s in found:
                    s.bind(("127.0.0.1", 0))
                addresses[job] = [f"localhost:{s.getsockname()[1]}" for s in found]
        self._cluster = addresses
        self._arguments = arguments
        self.running: dict[tuple[str, int], subprocess.Popen] = {}
        for job, tasks in addresses.items():
            for index in range(len(tasks)):
                self.start(job, index)

    def start(self, job: str, index: int) -> None:
        task = {"cluster": self._cluster, "task": {"type": job, "index": index}}
        self.running[job, index] = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), *self._arguments],
            env={**os.environ, "TF_CONFIG": json.dumps(task)},
        )

    def kill(self, job: str, index: int) -> None:
        process = self.running[job, index]
        print(f"killing {job} {index} (process {process.pid})", flush=True)
        process.send_signal(signal.SIGKILL)

    def restart_what_died(self) -> None:
        for (job, index), process in list(self.running.items()):
            code = process.poll()
            if code is None or code >= 0:
                continue
            name = signal.Signals(-code).name
            print(f"{job} {index} died of {name}: starting it again", flush=True)
            self.start(job, index)

    def stop(self) -> None:
        for process in self.running.values():
            process.kill()
            process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ray", action="store_true", help="Ray starts the tasks")
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--ps", type=int, default=1)
    parser.add_argument("--kill", type=float, help="after so many seconds")
    parser.add_argument("--checkpoints", help="their folder; one of its own by default")
    args = parser.parse_args()
    config = os.environ.get("TF_CONFIG")
    if config:
        return run_task(json.loads(config), args)
    if args.ray:
        return run_on_ray(args)

    with tempfile.TemporaryDirectory() as folder:
        arguments = [f"--steps={args.steps}", f"--batch={args.batch}"]
        arguments.append(f"--checkpoints={args.checkpoints or folder}")
        processes = Processes({"ps": args.ps, "worker": args.workers}, arguments)
        kill_at = time.time() + args.kill if args.kill else float("inf")
        try:
            # The chief measures in the end.
            while (code := processes.running["worker", 0].poll()) is None or code < 0:
                if time.time() >= kill_at:
                    kill_at = float("inf")
                    processes.kill("worker", args.workers - 1)
                processes.restart_what_died()
                time.sleep(0.1)
            return code
        finally:
            processes.stop()


if __name__ == "__main__":
    sys.exit(main())
