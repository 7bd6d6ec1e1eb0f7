# SPDX-License-Identifier: Apache-2.0
"""The clusters of cluster_faults.py: processes that are restarted when they die, and their surroundings.

A plain cluster is on this machine's loopback interface; that of CutCluster has its parameter server in a network
namespace, that of SmallDiskCluster its checkpoints on a small disk: both need root.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable

import cluster_faults_task
from cluster_faults_task import LOST_SECONDS, MAX_SESSIONS, PACE_SECONDS, STEPS

PROGRAM = os.path.abspath(cluster_faults_task.__file__)

# Waits until a condition holds, restarting processes that die; raises Hang when it is too late.
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
        command = [*c.prefix(self.job, self.index), sys.executable, PROGRAM, "work"]
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
                # The whole session can be killed, with the programs that start the task.
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
        """Returns the beginning of a task's command."""
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
        command = [*prefix, sys.executable, PROGRAM, "measure", *arguments]
        out = subprocess.run(
            command, capture_output=True, text=True, timeout=100, check=False
        )
        if out.returncode:
            raise RuntimeError(f"measuring: {out.stderr[-2000:]}")
        return json.loads(out.stdout.splitlines()[-1])

    def stop(self) -> None:
        for task in self.tasks.values():
            task.kill()


class CutCluster(Cluster):
    """The parameter server is alone in a network namespace, behind a veth."""

    def __init__(self, folder: pathlib.Path, seed: int, sync: bool):
        super().__init__(folder, seed, sync)
        self.name = f"tw{os.getpid() % 100000}"
        a, b = f"{self.name}a", f"{self.name}b"
        net = f"10.{200 + os.getpid() % 50}.{random.randrange(250)}"
        ip(f"netns add {self.name}")
        ip(f"link add {a} type veth peer name {b} netns {self.name}")
        ip(f"addr add {net}.1/24 dev {a}")
        ip(f"link set {a} up")
        ip(f"-n {self.name} addr add {net}.2/24 dev {b}")
        ip(f"-n {self.name} link set {b} up")
        ip(f"-n {self.name} link set lo up")
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


def ip(command: str) -> None:
    subprocess.run(["ip", *command.split()], check=True)


class SmallDiskCluster(Cluster):
    """Its checkpoints are on a file system of 8 MB."""

    def __init__(self, folder: pathlib.Path, seed: int, sync: bool):
        super().__init__(folder, seed, sync)
        command = f"mount -t tmpfs -o size=8m none {self.checkpoints}"
        subprocess.run(command.split(), check=True)

    def stop(self) -> None:
        super().stop()
        subprocess.run(["umount", str(self.checkpoints)], check=False)
