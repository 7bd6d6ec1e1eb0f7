# SPDX-License-Identifier: Apache-2.0
"""Trains on clusters that break, and asks whether training ends as it does on those that do not.

Usage: ./run tools/dev/cluster_faults.py [--only NAME]... [--runs N] [--kills N] [--seconds N] [--short] [--list]

Needs //core/distributed_runtime:libtensorwright_distributed.so.  A parameter server and two workers, each a process, train
a small network, asynchronously or by SyncReplicasOptimizer.  Undisturbed runs say what loss to expect, and how far seeds
lie apart.  Then workers are killed, a parameter server is killed and comes back empty, the network is cut (by network
namespaces, as root), delays and loses packets, a worker is ten times slower, the chief's disk is full (as root).  Each
run has to end in time, with a loss as good as those of the undisturbed runs, without losing steps older than the last
checkpoint, and without leaving a session at the parameter server.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np

HERE = os.path.abspath(__file__)
STEPS = 600
# A step takes this long at least, so that there is time for faults.
PACE_SECONDS = 0.01
# The parameter server's limit, and when it gives up a session whose client is gone.
MAX_SESSIONS = 12
LOST_SECONDS = 2


# The least and the largest loss of undisturbed runs with seeds 0 to 4, with which --short compares.
KNOWN = {"async": [0.0127, 0.0173], "sync": [0.0121, 0.0156]}


# What a task does. -----------------------------------------------------------------------------------------------


def examples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """What a fixed network makes of random inputs, with noise."""
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
        # Where it begins, after each start.
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


# The cluster. ----------------------------------------------------------------------------------------------------


# Waits until something is true, starting again what dies; raises Hang when it is too late.
Wait = Callable[[Callable[[], bool]], None]


class Task:
    """A process, which is started again when it dies."""

    def __init__(self, cluster: Cluster, job: str, index: int):
        self.cluster, self.job, self.index = cluster, job, index
        self.log = cluster.folder / f"{job}{index}.log"
        self.starts = 0
        self.ended_at: float | None = None
        self.start()

    def start(self) -> None:
        c = self.cluster
        pace = c.pace.get((self.job, self.index), PACE_SECONDS)
        arguments = [f"--cluster={json.dumps(c.spec)}", f"--job={self.job}"]
        arguments += [f"--task={self.index}", f"--steps={STEPS}", f"--pace={pace}"]
        arguments += [f"--checkpoints={c.checkpoints}", f"--seed={c.seed}"]
        arguments += ["--sync"] if c.sync else []
        command = [*c.prefix(self.job, self.index), sys.executable, HERE, "work"]
        environment = {
            "TENSORWRIGHT_CLUSTER_MAX_SESSIONS": str(MAX_SESSIONS),
            "TENSORWRIGHT_CLUSTER_LOST_SECONDS": str(LOST_SECONDS),
            "OMP_NUM_THREADS": "1",
        }
        with self.log.open("a") as log:
            log.write(f"--- start {self.starts}\n")
            log.flush()
            self.process = subprocess.Popen(
                [*command, *arguments],
                stdout=log,
                stderr=log,
                env={**os.environ, **environment},
                # With what it is started by.
                start_new_session=True,
            )
        self.starts += 1
        self.ended_at = None

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def lines(self) -> list[str]:
        return self.log.read_text().splitlines()

    def trains(self) -> bool:
        """Has it made a step since its last start?"""
        for line in reversed(self.lines()):
            if line.startswith("---"):
                return False
            if line.startswith("step"):
                return True
        return False


def free_ports(n: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


class Cluster:
    """A parameter server and two workers on this machine."""

    def __init__(self, folder: pathlib.Path, seed: int, sync: bool):
        self.folder, self.seed, self.sync = folder, seed, sync
        self.checkpoints = folder / "checkpoints"
        self.checkpoints.mkdir(exist_ok=True)
        self.pace: dict[tuple[str, int], float] = {}
        ps, *workers = [f"localhost:{port}" for port in free_ports(3)]
        self.spec = {"ps": [ps], "worker": workers}
        self.tasks: dict[tuple[str, int], Task] = {}

    def prefix(self, job: str, index: int) -> list[str]:
        """What a task's command begins with."""
        del job, index
        return []

    def start(self, wait: Wait) -> None:
        """The chief first: who finds nothing initialised looks again after half a minute."""
        self.tasks["ps", 0] = Task(self, "ps", 0)
        chief = self.tasks["worker", 0] = Task(self, "worker", 0)
        wait(lambda: any(line.startswith("begins") for line in chief.lines()))
        for index in range(1, len(self.spec["worker"])):
            self.tasks["worker", index] = Task(self, "worker", index)

    def restart_what_died(self) -> None:
        for task in self.tasks.values():
            code = task.process.poll()
            if code is None or (code == 0 and task.job != "ps"):
                continue
            # One that gave up by itself may do so again at once.
            if code > 0 and task.ended_at is None:
                task.ended_at = time.monotonic()
            if code <= 0 or time.monotonic() > task.ended_at + 1:
                task.start()

    def is_over(self) -> bool:
        return all(
            task.process.poll() == 0
            for task in self.tasks.values()
            if task.job == "worker"
        )

    def last_checkpoint(self) -> int:
        steps = [
            int(path.stem.rpartition("-")[2])
            for path in self.checkpoints.glob("model.ckpt-*.index")
        ]
        return max(steps, default=0)

    def measure(self) -> dict[str, float]:
        arguments = [f"--cluster={json.dumps(self.spec)}"]
        prefix = self.prefix("worker", 0)
        command = [*prefix, sys.executable, HERE, "measure", *arguments]
        out = subprocess.run(
            command, capture_output=True, text=True, timeout=100, check=False
        )
        if out.returncode:
            raise RuntimeError(f"measuring: {out.stderr[-2000:]}")
        return json.loads(out.stdout.splitlines()[-1])

    def stop(self) -> None:
        for task in self.tasks.values():
            task.kill()


@dataclasses.dataclass
class Result:
    loss: float
    step: int
    seconds: float
    kills: int = 0
    faults: list[str] = dataclasses.field(default_factory=list)


class Hang(Exception):
    pass


class LeftOut(Exception):
    """This machine cannot do that."""


def _wait(cluster: Cluster, until: Callable[[], bool], end: float) -> None:
    while not until():
        if time.monotonic() > end:
            raise Hang
        cluster.restart_what_died()
        time.sleep(0.02)


# A fault gets the cluster, draws, and a way to wait; it says how many processes it killed.
Fault = Callable[[Cluster, random.Random, Wait], int]


def run_once(cluster: Cluster, fault: Fault | None, seed: int, limit: float) -> Result:
    """One training.  `limit`: seconds after which it hangs."""
    begin = time.monotonic()
    result = Result(loss=float("nan"), step=0, seconds=0)

    def wait(until: Callable[[], bool]) -> None:
        _wait(cluster, until, begin + limit)

    try:
        cluster.start(wait)
        if fault is not None:
            wait(
                lambda: any(
                    t.trains() for t in cluster.tasks.values() if t.job == "worker"
                )
            )
            result.kills = fault(cluster, random.Random(seed), wait)
        wait(cluster.is_over)
        result.seconds = time.monotonic() - begin
        found = cluster.measure()
        result.loss, result.step = found["loss"], int(found["step"])
        if result.step < STEPS:
            result.faults.append(f"ended at step {result.step} of {STEPS}")
        if found["free"] < MAX_SESSIONS:
            leaked = MAX_SESSIONS - found["free"]
            result.faults.append(f"{leaked} sessions leaked at the parameter server")
    except Hang:
        tails = {t.log.name: t.lines()[-3:] for t in cluster.tasks.values()}
        result.faults.append(f"hangs after {limit:.0f} s: {tails}")
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        result.faults.append(str(error))
    finally:
        cluster.stop()
    return result


# The faults. -----------------------------------------------------------------------------------------------------


def steps_seen(cluster: Cluster) -> int:
    """The last that any worker has made."""
    last = [
        int(line.split()[1])
        for task in cluster.tasks.values()
        for line in task.lines()[-20:]
        if line.startswith("step ")
    ]
    return max(last, default=0)


def kill_workers(kills: int) -> Fault:
    def fault(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
        workers = [t for t in cluster.tasks.values() if t.job == "worker"]
        killed = 0
        while killed < kills and not cluster.is_over():
            pause = time.monotonic() + rng.uniform(0.05, 1.2)
            wait(lambda end=pause: time.monotonic() > end or cluster.is_over())
            task = rng.choice(workers)
            if task.process.poll() is not None:
                continue
            task.kill()
            killed += 1
        return killed

    return fault


def kill_ps(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
    wait(lambda: cluster.last_checkpoint() > 0)
    pause = time.monotonic() + rng.uniform(0, 0.5)
    wait(lambda: time.monotonic() > pause)
    saved = cluster.last_checkpoint()
    starts = {
        t.index: len(t.lines()) for t in cluster.tasks.values() if t.job == "worker"
    }
    cluster.tasks["ps", 0].kill()
    cluster.restart_what_died()
    # Training goes on from the checkpoint, not from the begin.
    chief = cluster.tasks["worker", 0]

    def goes_on() -> bool:
        lines = chief.lines()[starts[0] + 1 :]
        return cluster.is_over() or any(
            int(line.split()[1]) >= saved for line in lines if line.startswith("step ")
        )

    wait(goes_on)
    steps = [
        int(line.split()[1])
        for line in chief.lines()[starts[0] + 1 :]
        if line.startswith("step ")
    ]
    # The first lines may still be of before.
    if steps and min(steps) < saved:
        raise RuntimeError(f"step {min(steps)} after the checkpoint of {saved}")
    return 1


def slow_worker(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
    """Starts again as one that takes ten times as long for a step."""
    del rng, wait
    cluster.pace["worker", 1] = 10 * PACE_SECONDS
    cluster.tasks["worker", 1].kill()
    return 1


class CutCluster(Cluster):
    """The parameter server is alone in a network namespace, behind a veth."""

    def __init__(self, folder: pathlib.Path, seed: int, sync: bool):
        super().__init__(folder, seed, sync)
        self.name = f"tw{os.getpid() % 100000}"
        a, b = f"{self.name}a", f"{self.name}b"
        net = f"10.{200 + os.getpid() % 50}.{random.randrange(250)}"
        _ip(f"netns add {self.name}")
        _ip(f"link add {a} type veth peer name {b} netns {self.name}")
        _ip(f"addr add {net}.1/24 dev {a}")
        _ip(f"link set {a} up")
        _ip(f"-n {self.name} addr add {net}.2/24 dev {b}")
        _ip(f"-n {self.name} link set {b} up")
        _ip(f"-n {self.name} link set lo up")
        self.link = a
        self.spec = {
            "ps": [f"{net}.2:2222"],
            "worker": [f"{net}.1:{port}" for port in free_ports(2)],
        }

    def prefix(self, job: str, index: int) -> list[str]:
        del index
        return ["ip", "netns", "exec", self.name] if job == "ps" else []

    def stop(self) -> None:
        super().stop()
        subprocess.run(["ip", "netns", "del", self.name], check=False)


def _ip(command: str) -> None:
    subprocess.run(["ip", *command.split()], check=True)


def cut_network(seconds: float) -> Fault:
    def fault(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
        assert isinstance(cluster, CutCluster)
        pause = time.monotonic() + rng.uniform(0.2, 1)
        wait(lambda: time.monotonic() > pause)
        _ip(f"link set {cluster.link} down")
        back = time.monotonic() + seconds
        wait(lambda: time.monotonic() > back)
        _ip(f"link set {cluster.link} up")
        return 0

    return fault


def poor_network(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
    del rng, wait
    assert isinstance(cluster, CutCluster)
    command = f"tc qdisc add dev {cluster.link} root netem delay 5ms 2ms loss 1%"
    done = subprocess.run(command.split(), capture_output=True, text=True)
    if done.returncode:
        raise LeftOut(f"the kernel has no netem: {done.stderr.strip()}")
    return 0


class SmallDiskCluster(Cluster):
    """Its checkpoints are on a file system of 8 MB."""

    def __init__(self, folder: pathlib.Path, seed: int, sync: bool):
        super().__init__(folder, seed, sync)
        command = f"mount -t tmpfs -o size=8m none {self.checkpoints}"
        subprocess.run(command.split(), check=True)

    def stop(self) -> None:
        super().stop()
        subprocess.run(["umount", str(self.checkpoints)], check=False)


def full_disk(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
    wait(lambda: cluster.last_checkpoint() > 0)
    filler = cluster.checkpoints / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    back = time.monotonic() + rng.uniform(2, 4)
    starts = cluster.tasks["worker", 0].starts
    wait(lambda: time.monotonic() > back or cluster.is_over())
    filler.unlink()
    # The chief has noticed, if there was a checkpoint to write.
    return cluster.tasks["worker", 0].starts - starts


# The scenarios. --------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Scenario:
    fault: Fault
    cluster: type[Cluster] = Cluster
    seconds: float = 120
    needs_root: bool = False


def scenarios(kills: int) -> dict[str, Scenario]:
    return {
        "kill_workers": Scenario(kill_workers(kills)),
        "kill_ps": Scenario(kill_ps),
        "slow_worker": Scenario(slow_worker),
        "cut_network": Scenario(cut_network(10), CutCluster, 180, needs_root=True),
        "poor_network": Scenario(poor_network, CutCluster, 180, needs_root=True),
        "full_disk": Scenario(full_disk, SmallDiskCluster, needs_root=True),
    }


@contextlib.contextmanager
def _folder(keep: bool) -> Iterator[pathlib.Path]:
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cluster_faults"))
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def undisturbed(sync: bool, runs: int, limit: float, keep: bool) -> list[Result]:
    results = []
    for seed in range(runs):
        with _folder(keep) as folder:
            results.append(run_once(Cluster(folder, seed, sync), None, seed, limit))
    return results


def judge(losses: list[float], result: Result) -> None:
    """Adds what is wrong with the loss.  Lower is not wrong: a run that was disturbed has seen more."""
    spread = max(losses) - min(losses)
    most = max(losses) + spread
    if not result.loss <= most:
        result.faults.append(f"loss {result.loss:.4f}, at most {most:.4f} expected")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("do", nargs="?", choices=["work", "measure"])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--mode", choices=["async", "sync"], action="append")
    parser.add_argument("--runs", type=int, default=1, help="of each scenario and mode")
    parser.add_argument("--kills", type=int, default=10, help="of workers in a run")
    parser.add_argument("--baseline", type=int, default=5, help="undisturbed runs")
    parser.add_argument("--seconds", type=float, help="after which a run hangs")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="the folders with logs")
    parser.add_argument("--short", action="store_true", help="a run a mode")
    parser.add_argument("--list", action="store_true")
    for name in ("cluster", "job", "checkpoints"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    parser.add_argument("--task", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--steps", type=int, default=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--pace", type=float, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--sync", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.do:
        {"work": work, "measure": measure}[args.do](args)
        return 0
    if args.short:
        args.baseline, args.kills, args.only = 0, 4, ["kill_workers"]
    known = scenarios(args.kills)
    if args.list:
        print("\n".join(known))
        return 0
    failed = kills = runs = 0
    for mode in args.mode or ["async", "sync"]:
        sync = mode == "sync"
        calm = undisturbed(sync, args.baseline, args.seconds or 120, args.keep)
        losses = [r.loss for r in calm] or KNOWN[mode]
        failed += sum(bool(r.faults) for r in calm)
        if calm:
            print(
                f"{mode} undisturbed: loss {min(losses):.4f} to {max(losses):.4f}, "
                f"mean {statistics.mean(losses):.4f}, "
                f"{max(r.seconds for r in calm):.1f} s",
                *[fault for r in calm for fault in r.faults],
                flush=True,
            )
        for name in args.only or known:
            scenario = known[name]
            if scenario.needs_root and os.geteuid() != 0:
                print(f"{mode} {name}: left out, as it needs root")
                continue
            for run in range(args.runs):
                seed = args.first_seed + run
                try:
                    with _folder(args.keep) as folder:
                        cluster = scenario.cluster(folder, seed, sync)
                        limit = args.seconds or scenario.seconds
                        result = run_once(cluster, scenario.fault, seed, limit)
                except LeftOut as reason:
                    print(f"{mode} {name}: left out, {reason}", flush=True)
                    break
                judge(losses, result)
                runs, kills = runs + 1, kills + result.kills
                failed += bool(result.faults)
                ending = f"FAILED: {result.faults}" if result.faults else "ok"
                print(
                    f"{mode} {name} {seed}: loss {result.loss:.4f}, step {result.step}, "
                    f"{result.kills} processes died, {result.seconds:.1f} s, {ending}",
                    flush=True,
                )
    print(f"{runs} disturbed runs, {kills} processes died, {failed} runs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
