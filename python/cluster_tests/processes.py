# SPDX-License-Identifier: Apache-2.0
"""A cluster whose tasks are processes of this machine."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import textwrap

SERVE = """
    import sys
    import tensorwright as tf
    job, task, ps, workers = sys.argv[1:5]
    spec = {"ps": ps.split(","), "worker": workers.split(",")}
    server = tf.train.Server(spec, job_name=job, task_index=int(task))
    print("ready", flush=True)
    server.join()
"""


def ports(n):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [f"localhost:{s.getsockname()[1]}" for s in sockets]


def start(program, *arguments, **environment):
    paths = os.pathsep.join(sys.path)
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )


class Cluster:
    """A server a task, each a process."""

    def __init__(self, ps, workers, **environment):
        addresses = ports(ps + workers)
        self.ps, self.workers = addresses[:ps], addresses[ps:]
        self.environment = environment
        self.processes = {}
        tasks = [("ps", i) for i in range(ps)] + [("worker", i) for i in range(workers)]
        for job, task in tasks:
            self.start(job, task)
        for job, task in tasks:
            self.wait(job, task)

    def start(self, job, task):
        where = ",".join(self.ps), ",".join(self.workers)
        self.processes[job, task] = start(SERVE, job, task, *where, **self.environment)

    def wait(self, job, task):
        assert self.processes[job, task].stdout.readline() == "ready\n"

    def kill(self, job, task):
        self.processes[job, task].send_signal(signal.SIGKILL)
        self.processes[job, task].wait()

    def target(self, task):
        return f"grpc://{self.workers[task]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.wait()
            process.stdout.close()
