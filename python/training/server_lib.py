# SPDX-License-Identifier: Apache-2.0
"""ClusterSpec: the jobs of a cluster, and where their tasks are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.core.protobuf import cluster_pb2
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from google.protobuf.message import Message


class ClusterSpec:
    """Jobs by name, with the network addresses of their tasks.

    Args:
        cluster: job -> list of addresses, or dict of task index -> address; or a ClusterDef, or another ClusterSpec.

    Raises:
        TypeError: for anything else.

    Example:
        tf.train.ClusterSpec({"ps": ["ps0:2222"], "worker": {1: "worker1:2222"}})
    """

    def __init__(self, cluster: ClusterSpec | Message | Mapping[str, Any]):
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

    def as_dict(self) -> dict[str, Any]:
        """Job -> list of addresses; where indices are missing, dict of index -> address."""
        return {
            job: list(tasks.values()) if list(tasks) == [*range(len(tasks))] else tasks
            for job, tasks in ((job, dict(tasks)) for job, tasks in self._jobs.items())
        }

    def as_cluster_def(self) -> Any:
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
