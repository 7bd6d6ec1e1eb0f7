# SPDX-License-Identifier: Apache-2.0
"""Clients and servers of tensorwright and TensorFlow drive each other over gRPC.

Usage: ./run tools/dev/cluster_interop.py

Needs //core/distributed_runtime:libtensorwright_distributed.so.  A server of either, and as its client a process of
either: TensorFlow's once as version 1 behaves and once with the resource variables and control flow of version 2.  The
client makes and extends graphs, feeds and fetches every dtype, runs partial steps and callables, trains, causes errors,
cancels, resets, and brings a cluster of its own along.  At last each side's master is given a worker of the other, and ours must refuse it.
"""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

import checkpoint_round_trips as checkpoints
import numpy as np

DTYPES = (
    "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 bool complex64 "
    "complex128"
).split()
# The versions whose behaviour the client has.
MODES = {"tensorwright": ["v1"], "tensorflow": ["v1", "v2"]}


def library(name: str, mode: str):
    if name == "tensorwright" or mode == "v1":
        return checkpoints.library(name)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    tf.enable_resource_variables()
    tf.enable_control_flow_v2()
    tf.logging.set_verbosity(tf.logging.ERROR)
    return tf


def serve(name: str, cluster: str, task: str) -> None:
    tf = library(name, "v1")
    spec = {"worker": cluster.split(",")}
    server = tf.train.Server(spec, job_name="worker", task_index=int(task))
    print("ready", server.target, flush=True)
    sys.stdin.read()  # Until whoever started it is done.
    os._exit(0)


# Clients, each with a graph of its own. --------------------------------------------------------------------------


def runs_and_extends(tf, target: str) -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.matmul(x, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    value = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    with tf.Session(target) as session:
        got, shape = session.run([y, tf.shape(y)], {x: value})
        np.testing.assert_allclose(got, value @ [[1, 2], [3, 4]])
        assert shape.tolist() == [3, 2]
        # These nodes take inputs that the master has already.
        with tf.control_dependencies([y]):
            more = tf.reduce_sum(y) + 1
        assert session.run(more, {x: value}) == got.sum() + 1
        assert session.list_devices()


def every_dtype(tf, target: str) -> None:
    rng = np.random.default_rng(0)
    feeds, fetches = {}, []
    for dtype in DTYPES:
        for shape in ((), (0, 2), (3, 5), (400, 300)):
            value = rng.integers(0, 2 if dtype == "bool" else 100, shape)
            x = tf.placeholder(tf.as_dtype(dtype), shape)
            feeds[x] = np.asarray(value).astype(dtype)
            fetches.append(tf.identity(x))
    text = tf.placeholder(tf.string, [3])
    feeds[text] = np.array([b"", b"a\0b", b"x" * 5000], object)
    fetches.append(tf.identity(text))
    with tf.Session(target) as session:
        for got, want in zip(session.run(fetches, feeds), feeds.values(), strict=True):
            np.testing.assert_array_equal(got, want)
            assert np.asarray(got).dtype == want.dtype or want.dtype == object


def partial_runs_and_callables(tf, target: str) -> None:
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    first, second = a + 1, a * b
    with tf.Session(target) as session:
        handle = session.partial_run_setup([first, second], [a, b])
        assert session.partial_run(handle, first, {a: 2.0}) == 3
        assert session.partial_run(handle, second, {b: 5.0}) == 10
        call = session.make_callable(second, [a, b])
        assert call(3.0, 4.0) == 12
        assert call(5.0, 4.0) == 20


def trains(tf, target: str) -> None:
    rng = np.random.default_rng(1)
    data = rng.normal(size=(64, 4)).astype(np.float32)
    wanted = np.array([1, -2, 3, 0.5], np.float32)
    x = tf.placeholder(tf.float32, [None, 4])
    w = tf.get_variable("weights", [4], initializer=tf.zeros_initializer())
    error = tf.reduce_sum(x * w, axis=1) - tf.reduce_sum(x * wanted, axis=1)
    loss = tf.reduce_mean(tf.square(error))
    step = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, step], {x: data})[0] for _ in range(200)]
        assert losses[-1] < 1e-4 < losses[0], losses[::50]
    with tf.Session(target) as session:
        np.testing.assert_allclose(session.run(w), wanted, atol=0.05)
    # A graph may not say the variable's value of its own: it is the server's.
    tf.Session.reset(target)
    with tf.Session(target) as session:
        try:
            session.run(w)
        except tf.errors.FailedPreconditionError:
            pass
        else:
            raise AssertionError("a variable outlived reset")


def control_flow(tf, target: str) -> None:
    n = tf.placeholder(tf.int32, [])
    _, total = tf.while_loop(
        lambda i, _: i < n, lambda i, t: (i + 1, t + i * i), [tf.constant(0)] * 2
    )
    branch = tf.cond(n > 5, lambda: tf.constant("many"), lambda: tf.constant("few"))
    with tf.Session(target) as session:
        assert session.run([total, branch], {n: 10}) == [285, b"many"]
        assert session.run([total, branch], {n: 3}) == [5, b"few"]


def errors_and_cancellation(tf, target: str) -> None:
    x = tf.placeholder(tf.int32, [])
    bad = tf.gather(tf.constant([1, 2, 3]), x, name="look_up")
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    get = queue.dequeue()
    with tf.Session(target) as session:
        try:
            session.run(bad, {x: 9})
        except tf.errors.InvalidArgumentError as error:
            assert error.op is not None and "look_up" in error.op.name, error.op
        else:
            raise AssertionError("no error")
        assert session.run(bad, {x: 1}) == 2
        try:
            session.run(get, options=tf.RunOptions(timeout_in_ms=200))
        except tf.errors.DeadlineExceededError:
            pass
        else:
            raise AssertionError("no timeout")
        failures = []

        def wait():
            try:
                session.run(get)
            except tf.errors.OpError as error:
                failures.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.3)
        session.close()
        thread.join(20)
        assert failures and isinstance(
            failures[0], (tf.errors.CancelledError, tf.errors.AbortedError)
        ), failures


def metadata(tf, target: str) -> None:
    a = tf.random_normal([3, 3])
    b = tf.matmul(a, a, name="product")
    found = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session(target) as session:
        session.run(b, options=options, run_metadata=found)
    names = {n.node_name for d in found.step_stats.dev_stats for n in d.node_stats}
    assert "product" in names, names


def brings_its_cluster(tf, target: str, other: str) -> None:
    """Two servers that were not told of each other, as tasks of the cluster that the session describes."""
    # A name of its own: TensorFlow's master takes the one that it was started with for itself.
    addresses = [other.removeprefix("grpc://"), target.removeprefix("grpc://")]
    config = tf.ConfigProto()
    cluster = tf.train.ClusterSpec({"trainer": addresses})
    config.cluster_def.CopyFrom(cluster.as_cluster_def())
    with tf.device("/job:trainer/task:0"):
        x = tf.placeholder(tf.float32, [None])
        doubled = x * 2
        v = tf.get_variable("theirs", initializer=tf.constant(3.0))
    with tf.device("/job:trainer/task:1"):
        total = tf.reduce_sum(doubled) + v
    with tf.Session(target, config=config) as session:
        names = {device.name for device in session.list_devices()}
        wanted = "/job:trainer/replica:0/task:{}/device:CPU:0"
        assert names >= {wanted.format(0), wanted.format(1)}, names
        session.run(tf.global_variables_initializer())
        assert session.run(total, {x: np.arange(1000)}) == 999003
    # Sessions with a cluster of their own have variables of their own.
    with tf.Session(target, config=config) as session:
        try:
            session.run(v)
        except tf.errors.FailedPreconditionError:
            pass
        else:
            raise AssertionError("a variable outlived its session")
    filtered = tf.ConfigProto(device_filters=["/job:trainer/task:1"])
    filtered.cluster_def.CopyFrom(config.cluster_def)
    with tf.Graph().as_default(), tf.Session(target, config=filtered) as session:
        assert session.run(tf.constant(1)) == 1
        names = {device.name for device in session.list_devices()}
        assert not any("task:0" in name for name in names), names


WORK = [
    runs_and_extends,
    every_dtype,
    partial_runs_and_callables,
    trains,
    control_flow,
    errors_and_cancellation,
    metadata,
]


def drive(name: str, mode: str, target: str, other: str) -> None:
    """`other`: a server of the same kind, in a cluster of its own."""
    tf = library(name, mode)
    failed = 0
    for work in [*WORK, brings_its_cluster]:
        targets = (target, other) if work is brings_its_cluster else (target,)
        try:
            with tf.Graph().as_default():
                work(tf, *targets)
            print(f"  {work.__name__}: ok", flush=True)
        except Exception as error:
            failed += 1
            print(f"  {work.__name__}: {type(error).__name__}: {error}", flush=True)
    sys.stdout.flush()
    os._exit(1 if failed else 0)


def refused(target: str) -> None:
    """A session on our server, whose cluster has a worker of TensorFlow's."""
    tf = library("tensorwright", "v1")
    try:
        with tf.Session(target) as session:
            session.run(tf.constant(1))
    except tf.errors.FailedPreconditionError as error:
        assert "does not run tensorwright" in str(error)
        os._exit(0)
    os._exit(1)


# The processes. --------------------------------------------------------------------------------------------------


def free_ports(n: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


@contextlib.contextmanager
def server(python: str, name: str, cluster: str, task: int):
    command = [python, os.path.abspath(__file__), "serve", name, cluster, str(task)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        for line in process.stdout:
            if line.startswith("ready"):
                break
        yield line.split()[1]
    finally:
        process.kill()
        process.wait()


def main() -> int:
    if len(sys.argv) > 1:
        do, *arguments = sys.argv[1:]
        {"serve": serve, "drive": drive, "refused": refused}[do](*arguments)
        return 0
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "difftest"))
    import peer_venv

    pythons = {"tensorwright": sys.executable, "tensorflow": peer_venv.python()}
    failed = 0
    for served_by in pythons:
        for client, python in pythons.items():
            if served_by == client == "tensorflow":
                continue
            for mode in MODES[client]:
                own, other = (f"localhost:{port}" for port in free_ports(2))
                with (
                    server(pythons[served_by], served_by, own, 0) as target,
                    server(pythons[served_by], served_by, other, 0) as beside,
                ):
                    print(f"{client} ({mode}) drives {served_by}:", flush=True)
                    command = [python, os.path.abspath(__file__), "drive", client, mode]
                    failed += subprocess.run([*command, target, beside]).returncode != 0
    cluster = ",".join(f"localhost:{port}" for port in free_ports(2))
    with (
        server(pythons["tensorwright"], "tensorwright", cluster, 0) as target,
        server(pythons["tensorflow"], "tensorflow", cluster, 1),
    ):
        command = [sys.executable, os.path.abspath(__file__), "refused", target]
        code = subprocess.run(command, timeout=100).returncode
        print(f"a cluster of both is refused: {'ok' if code == 0 else 'NO'}")
        failed += code != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
