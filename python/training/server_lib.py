# SPDX-License-Identifier: Apache-2.0
"""ClusterSpec: the jobs of a cluster, and where their tasks are.  Server: one of these tasks."""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.core.protobuf import cluster_pb2, config_pb2, tensorflow_server_pb2
from tensorwright.python import _pywrap
from tensorwright.python.framework import cluster_library
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.protobuf.cluster_pb2 import ClusterDef
    from tensorwright.core.protobuf.tensorflow_server_pb2 import ServerDef


class ClusterSpec:
    """Jobs by name, with the network addresses of their tasks.

    Args:
        cluster: job -> list of addresses, or dict of task index -> address; or a ClusterDef, or another ClusterSpec.

    Raises:
        TypeError: for anything else.

    Example:
        tf.train.ClusterSpec({"ps": ["ps0:2222"], "worker": {1: "worker1:2222"}})
    """

    def __init__(self, cluster: ClusterSpec | Message | Mapping[str, object]):
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_cluster_def()
        if isinstance(cluster, cluster_pb2.ClusterDef):
            self._jobs = {job.name: dict(job.tasks) for job in cluster.job}
        elif isinstance(cluster, dict):
            for job, tasks in cluster.items():
                self._add(job, tasks)
        else:
            raise TypeError(
                "ClusterSpec: cluster must be a dict of job names to addresses, a "
                f"ClusterDef or a ClusterSpec, got {cluster!r}"
            )

    def _add(self, job: Any, tasks: Any) -> None:
        if not isinstance(job, compat.bytes_or_text_types):
            raise TypeError(f"Job name {job!r} must be bytes or unicode")
        if isinstance(tasks, (list, tuple)):
            tasks = dict(enumerate(tasks))
        if not isinstance(tasks, dict):
            raise TypeError(
                f"ClusterSpec: job {job!r} must have a list of addresses, or a dict of "
                f"them by task, got {tasks!r}"
            )
        for address in tasks.values():
            if not isinstance(address, compat.bytes_or_text_types):
                raise TypeError(f"Task address {address!r} must be bytes or unicode")
        self._jobs[compat.as_str(job)] = {
            int(i): compat.as_str(address) for i, address in sorted(tasks.items())
        }

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"

    def as_dict(self) -> dict[str, list[str] | dict[int, str]]:
        """Job -> list of addresses; where indices are missing, dict of index -> address."""
        return {
            job: list(tasks.values()) if list(tasks) == [*range(len(tasks))] else tasks
            for job, tasks in ((job, dict(tasks)) for job, tasks in self._jobs.items())
        }

    def as_cluster_def(self) -> ClusterDef:
        """A ClusterDef, with the jobs in the order of their names."""
        proto = cluster_pb2.ClusterDef()
        for job, tasks in sorted(self._jobs.items()):
            proto.job.add(name=job).tasks.update(tasks)
        return proto

    @property
    def jobs(self) -> list[str]:
        return list(self._jobs)

    def _tasks(self, job_name: str) -> dict[int, str]:
        if job_name not in self._jobs:
            raise ValueError(f"No such job in cluster: {job_name!r}")
        return self._jobs[job_name]

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has; ValueError if there is none of that name, here as below."""
        return len(self._tasks(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The indices of a job's tasks, in order."""
        return sorted(self._tasks(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task; ValueError if there is none of that index."""
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks by index, None where there is no task."""
        tasks = self._tasks(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]


def _server_def(
    server_or_cluster_def: Any,
    job_name: str | None,
    task_index: int | None,
    protocol: str | None,
    config: Message | None,
) -> Any:
    """Returns the ServerDef for these arguments of a Server."""
    made = tensorflow_server_pb2.ServerDef()
    if isinstance(server_or_cluster_def, tensorflow_server_pb2.ServerDef):
        made.CopyFrom(server_or_cluster_def)
    else:
        try:
            cluster = ClusterSpec(server_or_cluster_def)
        except TypeError:
            raise TypeError(
                "Server: server_or_cluster_def must be a tf.train.ServerDef, "
                "tf.train.ClusterDef, tf.train.ClusterSpec or a dict, got "
                f"{server_or_cluster_def!r}"
            ) from None
        made.cluster.CopyFrom(cluster.as_cluster_def())
    if job_name is not None:
        made.job_name = job_name
    if task_index is not None:
        made.task_index = task_index
    if not made.job_name:
        jobs = [job.name for job in made.cluster.job]
        if len(jobs) != 1:
            raise ValueError(
                f"Server: job_name must be given, as the cluster has the jobs {jobs}"
            )
        made.job_name = jobs[0]
        tasks = [*made.cluster.job[0].tasks]
        if task_index is None and len(tasks) != 1:
            raise ValueError(
                f"Server: task_index must be given, as the job has the tasks {tasks}"
            )
    if protocol is not None:
        made.protocol = protocol
    made.protocol = made.protocol or "grpc"
    if config is not None:
        if not isinstance(config, config_pb2.ConfigProto):
            raise TypeError(f"Server: config must be a tf.ConfigProto, got {config!r}")
        made.default_session_config.MergeFrom(config)
    return made


# Those that run: they end before the interpreter does.
_running: weakref.WeakSet[Server] = weakref.WeakSet()


@atexit.register
def _stop_servers() -> None:
    for server in list(_running):
        server._core.stop()


class Server:
    """One task of a cluster: it runs its part of the steps of sessions on any of the cluster's servers.

    It listens on this machine alone if its address in the cluster is "localhost:PORT" (port 0: any that is free), else on
    that address.

    Args:
        server_or_cluster_def: a ServerDef, or the cluster: a ClusterSpec, ClusterDef or dict of it.
        job_name: the job of this task; may be left out where there is one job, or a ServerDef says it.
        task_index: its index there, likewise.
        protocol: "grpc".
        config: a ConfigProto, for sessions that have none of their own.
        start: whether it starts at once.

    Raises:
        TypeError, ValueError: the arguments name no task.
        OpError: InvalidArgumentError for a task that the cluster does not have, UnavailableError for an address that
            cannot be listened on.

    Example:
        cluster = tf.train.ClusterSpec({"ps": ["ps0:2222"], "worker": ["worker0:2222"]})
        server = tf.train.Server(cluster, job_name="worker", task_index=0)
        with tf.Session(server.target) as session: ...
    """

    def __init__(
        self,
        server_or_cluster_def: ClusterSpec | Message | Mapping[str, object],
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Message | None = None,
        start: bool = True,
    ):
        self._server_def = _server_def(
            server_or_cluster_def, job_name, task_index, protocol, config
        )
        cluster_library.load()
        self._core = _pywrap.ServerCore(self._server_def.SerializeToString())
        _running.add(self)
        if start:
            self.start()

    def start(self) -> None:
        """Begins to take calls; does nothing if it has.

        Raises FailedPreconditionError for a server that was stopped.
        """
        self._core.start()

    def join(self) -> None:
        """Waits until the server is stopped, if need be for ever."""
        # In slices: a Ctrl-C ends it.
        while not self._core.wait(0.2):
            pass

    def stop(self) -> None:
        """Ends the server's sessions and takes no more calls."""
        self._core.stop()

    @property
    def server_def(self) -> ServerDef:
        """The ServerDef that it was made with."""
        return self._server_def

    @property
    def target(self) -> str:
        """The target with which a Session is made to use this server."""
        return self._core.target

    @staticmethod
    def create_local_server(
        config: Message | None = None, start: bool = True
    ) -> Server:
        """A server that is a cluster by itself, on a free port of this machine."""
        return Server(
            {"local": ["localhost:0"]}, protocol="grpc", config=config, start=start
        )
