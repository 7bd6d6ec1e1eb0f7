# SPDX-License-Identifier: Apache-2.0
"""Clusters of tensorwright beside those of tensorflow-cpu's gRPC: ./run benchmarks/cluster.py [--only CASE] [--samples N] [--scale N...].

Each library has a parameter server and two workers of its own on this machine, each a process that stays; a worker is
server and client in one, as in training.  Samples of the two libraries alternate.  Medians and their ratio are printed:
the time of an empty step (a no-op at the worker, by gRPC), and of one that uses the parameter server; of 1 KB and 100 MB
that go from the parameter server to a worker; and steps a second of two workers that train asynchronously, an MLP and
an embedding with sparse gradients.  With iperf3 (Debian's package), what the loopback interface carries is measured in
turn with them.  Needs //core/distributed_runtime:libtensorwright_distributed.so.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

HERE = pathlib.Path(__file__).resolve()
OURS, THEIRS = "tensorwright", "tensorflow"
LARGE_BYTES = 100_000_000
# Case -> whether more is better.
CASES = {
    "empty_step": False,
    "ps_step": False,
    "64_small_tensors": False,
    "1_KB": False,
    "100_MB": True,
    "mlp": True,
    "embedding": True,
}
TRAINING = ("mlp", "embedding")


# A task. ---------------------------------------------------------------------------------------------------------


def _load(name: str) -> Any:
    if name == OURS:
        import tensorwright as tf

        return tf
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    return tf


def _config(tf: Any, worker: int) -> Any:
    config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{worker}"])
    # A client beside its server would else not use the network.
    config.rpc_options.use_rpc_for_inprocess_master = True
    return config


def _transfer(
    tf: Any, session: Any, n_floats: int, tensors: int = 1
) -> Callable[[], Any]:
    """A step in which the worker reads variables of the parameter server."""
    with tf.device("/job:ps/task:0"):
        variables = [
            tf.get_variable(f"of_{n_floats}_{i}", initializer=tf.ones([n_floats]))
            for i in range(tensors)
        ]
        # Without the identity, the variable's own buffer would be sent.
        values = [tf.identity(v) for v in variables]
    with tf.device("/job:worker/task:0"):
        # Little work, of which the graph's optimisers take nothing away.
        used = tf.add_n([value[:1] for value in values])
    session.run(tf.variables_initializer(variables))
    return session.make_callable(used)


def _dense(tf: Any, x: Any, units: int, name: str) -> Any:
    shape = [x.shape[1], units]
    w = tf.get_variable(f"{name}_w", shape, initializer=tf.glorot_uniform_initializer())
    b = tf.get_variable(f"{name}_b", [units], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def _mlp(tf: Any, rng: Any) -> tuple[Any, Callable[[], dict]]:
    x = tf.placeholder(tf.float32, [32, 256])
    y = tf.placeholder(tf.int32, [32])
    h = x
    for i in range(3):
        h = tf.nn.relu(_dense(tf, h, 256, f"mlp_{i}"))
    logits = _dense(tf, h, 10, "mlp_out")
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    )
    return loss, lambda: {x: rng.normal(size=(32, 256)), y: rng.integers(0, 10, 32)}


def _embedding(tf: Any, rng: Any) -> tuple[Any, Callable[[], dict]]:
    ids = tf.placeholder(tf.int32, [128, 20])
    table = tf.get_variable(
        "table", [200_000, 64], initializer=tf.random_uniform_initializer(-1, 1)
    )
    rows = tf.reduce_mean(tf.nn.embedding_lookup(table, ids), axis=1)
    out = _dense(tf, rows, 1, "embedding_out")
    return tf.reduce_mean(tf.square(out)), lambda: {
        ids: rng.integers(0, 200_000, (128, 20))
    }


class _Worker:
    """Builds the parts of a case at its first sample."""

    def __init__(self, tf: Any, target: str, task: int):
        self._tf, self._target, self._task = tf, target, task
        self._calls: dict[str, Callable[[], Any]] = {}

    def _make(self, case: str) -> Callable[[], Any]:
        tf = self._tf
        graph = tf.Graph()
        with graph.as_default():
            session = tf.Session(self._target, config=_config(tf, self._task))
            if case == "empty_step":
                with tf.device(f"/job:worker/task:{self._task}"):
                    nothing = tf.no_op()
                return lambda: session.run(nothing)
            if case == "ps_step":
                with tf.device("/job:ps/task:0"):
                    nothing = tf.no_op()
                return lambda: session.run(nothing)
            if case == "all_tasks":
                # One step with a part for every task.
                session = tf.Session(self._target)
                parts = []
                for device in session.list_devices():
                    with tf.device(device.name):
                        parts.append(tf.no_op())
                return lambda: session.run(parts)
            if case == "64_small_tensors":
                return _transfer(tf, session, 16, tensors=64)
            if case == "1_KB":
                return _transfer(tf, session, 256)
            if case == "100_MB":
                return _transfer(tf, session, LARGE_BYTES // 4)
            return self._make_training(case, session)

    def _make_training(self, case: str, session: Any) -> Callable[[], Any]:
        import numpy as np

        tf = self._tf
        rng = np.random.default_rng(self._task)
        setter = tf.train.replica_device_setter(
            ps_tasks=1, worker_device=f"/job:worker/task:{self._task}"
        )
        with tf.device(setter):
            loss, feeds = {"mlp": _mlp, "embedding": _embedding}[case](tf, rng)
            train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        if self._task == 0:
            session.run(tf.global_variables_initializer())
        batches = [feeds() for _ in range(8)]
        state = {"next": 0}

        def step() -> None:
            state["next"] += 1
            session.run(train, batches[state["next"] % len(batches)])

        return step

    def ask(self, case: str, seconds: float) -> dict[str, float]:
        if case not in self._calls:
            self._calls[case] = self._make(case)
            if seconds == 0:
                return {}
        call = self._calls[case]
        call()
        begin, n = time.perf_counter(), 0
        while (spent := time.perf_counter() - begin) < seconds or n == 0:
            call()
            n += 1
        return {"calls": n, "seconds": spent}


def serve(name: str, spec: str, job: str, task: str) -> None:
    """A task; a worker also answers requests, a JSON line in, a JSON line out."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    tf = _load(name)
    server = tf.train.Server(json.loads(spec), job_name=job, task_index=int(task))
    answers.write("ready\n")
    answers.flush()
    worker = _Worker(tf, server.target, int(task))
    for line in sys.stdin:
        answers.write(json.dumps(worker.ask(**json.loads(line))) + "\n")
        answers.flush()
    os._exit(0)


# The clusters. ---------------------------------------------------------------------------------------------------


def free_ports(n: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


class Cluster:
    """A parameter server and workers of one library."""

    def __init__(self, name: str, python: str, workers: int = 2):
        ps, *rest = [f"localhost:{port}" for port in free_ports(1 + workers)]
        spec = json.dumps({"ps": [ps], "worker": rest})
        environment = dict(os.environ)
        if name == THEIRS:
            environment.pop("PYTHONPATH", None)
        tasks = [("ps", 0)] + [("worker", i) for i in range(workers)]
        self.processes = [
            subprocess.Popen(
                [python, str(HERE), "serve", name, spec, job, str(task)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if "BENCHMARK_LOGS" in os.environ else subprocess.DEVNULL,
                env=environment,
                text=True,
            )
            for job, task in tasks
        ]
        for process in self.processes:
            if process.stdout is None or process.stdout.readline() != "ready\n":
                raise RuntimeError(f"a server of {name} did not start")
        self.workers = self.processes[1:]
        self.prepared: set[str] = set()

    def _answers(self, workers: list[Any], case: str, seconds: float) -> list[dict]:
        for worker in workers:
            worker.stdin.write(json.dumps({"case": case, "seconds": seconds}) + "\n")
            worker.stdin.flush()
        lines = [worker.stdout.readline() for worker in workers]
        if not all(lines):
            raise RuntimeError(f"a worker ended at {case}")
        return [json.loads(line) for line in lines]

    def sample(self, case: str, seconds: float) -> float:
        """Seconds of a step, bytes a second, or steps a second of all workers."""
        workers = self.workers if case in TRAINING else self.workers[:1]
        if case not in self.prepared:
            # The first worker initialises variables before others use them.
            for worker in workers:
                self._answers([worker], case, 0)
            self.prepared.add(case)
        got = self._answers(workers, case, seconds)
        if case == "100_MB":
            return LARGE_BYTES * got[0]["calls"] / got[0]["seconds"]
        if case in TRAINING:
            return sum(one["calls"] / one["seconds"] for one in got)
        return got[0]["seconds"] / got[0]["calls"]

    def cpu_seconds(self) -> float:
        """Returns the CPU seconds of the first worker's process, which is client and master."""
        fields = pathlib.Path(f"/proc/{self.workers[0].pid}/stat").read_text()
        user, system = fields.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _iperf() -> Iterator[Callable[[float], float] | None]:
    """Samples the speed of the loopback interface, in bytes a second."""
    if shutil.which("iperf3") is None:
        yield None
        return
    port = str(free_ports(1)[0])
    server = subprocess.Popen(
        ["iperf3", "-s", "-B", "127.0.0.1", "-p", port], stdout=subprocess.DEVNULL
    )

    def sample(seconds: float) -> float:
        command = ["iperf3", "-c", "127.0.0.1", "-p", port, "-J"]
        command += ["-t", str(max(seconds, 0.5))]
        out = subprocess.run(command, capture_output=True, text=True, check=True)
        return json.loads(out.stdout)["end"]["sum_received"]["bits_per_second"] / 8

    try:
        time.sleep(0.5)
        yield sample
    finally:
        server.kill()
        server.wait()


def scale(tasks: list[int], seconds: float) -> None:
    """Prints the cost of a step that has a part at each of so many tasks, and nothing to do there."""
    print(f"{'tasks':>6}{'us a step':>12}{'CPU us of the chief':>22}{'for a task':>12}")
    for n in tasks:
        cluster = Cluster(OURS, sys.executable, workers=n - 1)
        cluster.sample("all_tasks", seconds)
        before = cluster.cpu_seconds()
        (got,) = cluster._answers(cluster.workers[:1], "all_tasks", seconds)
        spent = cluster.cpu_seconds() - before
        cluster.close()
        step, cpu = got["seconds"] / got["calls"] * 1e6, spent / got["calls"] * 1e6
        print(f"{n:6}{step:12.0f}{cpu:22.0f}{cpu / n:12.1f}", flush=True)


def _show(case: str, value: float) -> str:
    if case == "100_MB":
        return f"{value / 1e9:.2f} GB/s"
    if case in TRAINING:
        return f"{value:.0f} steps/s"
    return f"{value * 1e6:.0f} us"


def main() -> int:
    if sys.argv[1:2] == ["serve"]:
        serve(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=list(CASES))
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a sample")
    parser.add_argument("--json", help="a file for the figures")
    parser.add_argument(
        "--scale", type=int, nargs="+", help="steps over so many tasks, ours alone"
    )
    args = parser.parse_args()
    if args.scale:
        scale(args.scale, args.seconds)
        return 0
    from tensorwright.tools.difftest import peer_venv

    pythons = {OURS: sys.executable, THEIRS: peer_venv.python()}
    rows = []
    with contextlib.ExitStack() as stack:
        clusters = {}
        for name, python in pythons.items():
            clusters[name] = Cluster(name, python)
            stack.callback(clusters[name].close)
        iperf = stack.enter_context(_iperf())
        print(f"{'case':20}{OURS:>16}{THEIRS:>16}   ours / theirs")
        for case in args.only or CASES:
            found: dict[str, list[float]] = {name: [] for name in clusters}
            carried: list[float] = []
            for _ in range(args.samples):
                for name, cluster in clusters.items():
                    found[name].append(cluster.sample(case, args.seconds))
                if case == "100_MB" and iperf is not None:
                    carried.append(iperf(args.seconds))
            ours, theirs = (statistics.median(found[name]) for name in (OURS, THEIRS))
            row = {"case": case, "ours": ours, "theirs": theirs, "ratio": ours / theirs}
            line = f"{case:20}{_show(case, ours):>16}{_show(case, theirs):>16}"
            line += f"   {ours / theirs:.2f}"
            if carried:
                row["iperf3"] = statistics.median(carried)
                line += f"   iperf3 {row['iperf3'] / 1e9:.2f} GB/s, ours {ours / row['iperf3']:.0%} of it"
            print(line, flush=True)
            rows.append(row)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
