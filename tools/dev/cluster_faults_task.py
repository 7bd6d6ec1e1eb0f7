# SPDX-License-Identifier: Apache-2.0
"""The processes of cluster_faults.py: `work` is a task of its clusters, `measure` examines the trained model.

Both print lines that cluster_faults.py reads: "begins N" and "step N" of a worker, or the measurements, as JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time

import numpy as np

STEPS = 600
# Each step takes at least this long, so that there is time for faults.
PACE_SECONDS = 0.01
# The parameter server's limit, and when it gives up a session whose client is gone.
MAX_SESSIONS = 12
LOST_SECONDS = 2


def examples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns random inputs, and a fixed network's outputs for them, with noise."""
    fixed = np.random.default_rng(12345)
    hidden, out = fixed.normal(size=(8, 6)), fixed.normal(size=(6, 1))
    x = rng.normal(size=(n, 8))
    y = np.tanh(x @ hidden) @ out + 0.1 * rng.normal(size=(n, 1))
    return x.astype(np.float32), y.astype(np.float32)


def build(tf, seed: int):
    """Placeholders, loss and global step."""
    tf.set_random_seed(seed)
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 8])
    y = tf.placeholder(tf.float32, [None, 1])
    hidden = tf.layers.dense(x, 32, tf.nn.tanh, name="hidden")
    out = tf.layers.dense(hidden, 1, name="out")
    return x, y, tf.reduce_mean(tf.square(out - y)), step


def work(args) -> None:
    import tensorwright as tf

    spec = json.loads(args.cluster)
    cluster = tf.train.ClusterSpec(spec)
    server = tf.train.Server(cluster, job_name=args.job, task_index=args.task)
    print("ready", flush=True)
    if args.job == "ps":
        server.join()
    is_chief = args.task == 0
    setter = tf.train.replica_device_setter(
        cluster=cluster, worker_device=f"/job:worker/task:{args.task}"
    )
    hooks = [tf.train.StopAtStepHook(last_step=args.steps)]
    with tf.device(setter):
        x, y, loss, step = build(tf, args.seed)
        rate = tf.train.polynomial_decay(0.02, step, args.steps, 1e-4)
        optimizer = tf.train.AdamOptimizer(rate)
        if args.sync:
            workers = len(spec["worker"])
            optimizer = tf.train.SyncReplicasOptimizer(
                optimizer, replicas_to_aggregate=workers, total_num_replicas=workers
            )
            hooks.append(optimizer.make_session_run_hook(is_chief))
        train = optimizer.minimize(loss, global_step=step)
    filters = ["/job:ps", f"/job:worker/task:{args.task}"]
    rng = np.random.default_rng([args.seed, args.task, os.getpid()])
    with tf.train.MonitoredTrainingSession(
        server.target,
        is_chief=is_chief,
        checkpoint_dir=args.checkpoints,
        save_checkpoint_secs=None,
        save_checkpoint_steps=40,
        save_summaries_steps=None,
        log_step_count_steps=None,
        hooks=hooks,
        stop_grace_period_secs=1,
        config=tf.ConfigProto(device_filters=filters),
    ) as session:
        # Prints the first step after each start.
        print("begins", session.run(step), flush=True)
        while not session.should_stop():
            begin = time.monotonic()
            _, count = session.run(
                [train, step], dict(zip((x, y), examples(rng, 64), strict=True))
            )
            print("step", count, flush=True)
            left = args.pace - (time.monotonic() - begin)
            time.sleep(max(left, 0))
    print("done", flush=True)


def count_free(tf, target: str, config, step) -> int:
    """How many sessions the server takes."""
    with contextlib.ExitStack() as stack:
        for taken in range(MAX_SESSIONS):
            session = stack.enter_context(tf.Session(target, config=config))
            try:
                session.run(step)
            except tf.errors.ResourceExhaustedError:
                return taken
    return MAX_SESSIONS


def measure(args) -> None:
    """The loss of the parameter server's variables, its step, and whether all its sessions can be had."""
    import tensorwright as tf

    spec = json.loads(args.cluster)
    setter = tf.train.replica_device_setter(
        cluster=tf.train.ClusterSpec(spec), worker_device="/job:ps/task:0"
    )
    with tf.device(setter):
        x, y, loss, step = build(tf, 0)
    config = tf.ConfigProto(device_filters=["/job:ps"], operation_timeout_in_ms=20000)
    target = f"grpc://{spec['ps'][0]}"
    feeds = dict(zip((x, y), examples(np.random.default_rng(99), 4000), strict=True))
    with tf.Session(target, config=config) as session:
        found = [float(v) for v in session.run([loss, step], feeds)]
    # A session that was leaked would be missing.  One whose client could not be reached takes a while to be noticed.
    end = time.monotonic() + LOST_SECONDS + 40
    free = 0
    while free < MAX_SESSIONS and time.monotonic() < end:
        time.sleep(1)
        free = count_free(tf, target, config, step)
    print(json.dumps({"loss": found[0], "step": found[1], "free": free}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("do", choices=["work", "measure"])
    for name in ("cluster", "job", "checkpoints"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--task", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--pace", type=float, default=0)
    parser.add_argument("--sync", action="store_true")
    args = parser.parse_args()
    {"work": work, "measure": measure}[args.do](args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
