# SPDX-License-Identifier: Apache-2.0
"""A cluster on the nodes that Slurm has given to a job."""

from __future__ import annotations

import collections
import os
import subprocess

from tensorwright.contrib.cluster_resolver.python.training.cluster_resolver import (
    ClusterResolver,
    format_master_url,
)
from tensorwright.python.training.server_lib import ClusterSpec

__all__ = ["SlurmClusterResolver"]


class SlurmClusterResolver(ClusterResolver):
    """The tasks of a job that `srun` started: ranks in order, dealt to the names of `jobs` in their order by name.

    Args:
        jobs: how many tasks each name has, such as {"ps": 1, "worker": 3}.
        port_base: the port of a node's first task; others have the next ones.
        gpus_per_node, gpus_per_task: GPUs.
        tasks_per_node: None: as many as the GPUs of a node make.
        auto_set_gpu: whether `cluster_spec` makes only the GPUs of this task visible to the process.
        rpc_layer: the protocol.

    Raises:
        RuntimeError: no Slurm step, or `jobs` that are not all of its tasks.
    """

    def __init__(
        self,
        jobs: dict[str, int],
        port_base: int = 8888,
        gpus_per_node: int = 1,
        gpus_per_task: int = 1,
        tasks_per_node: int | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ):
        if "SLURM_PROCID" not in os.environ:
            raise RuntimeError("SLURM_PROCID is not set: the process is no task of a Slurm step")  # fmt: skip
        self._rank = int(os.environ["SLURM_PROCID"])
        self._jobs = collections.OrderedDict(sorted(jobs.items()))
        self._port_base = port_base
        self._gpus_per_node = gpus_per_node
        self._gpus_per_task = gpus_per_task
        self._tasks_per_node = tasks_per_node or max(1, gpus_per_node // max(1, gpus_per_task))  # fmt: skip
        self._auto_set_gpu = auto_set_gpu
        self.rpc_layer = rpc_layer
        tasks = int(os.environ.get("SLURM_STEP_NUM_TASKS", sum(jobs.values())))
        if sum(jobs.values()) != tasks:
            raise RuntimeError(f"Requested {sum(jobs.values())} tasks by jobs {jobs}, and the Slurm step has {tasks}")  # fmt: skip # noqa: E501

    def _resolve_hostnames(self) -> list[str]:
        """The nodes of the job, which Slurm's own command spells out."""
        output = subprocess.check_output(["scontrol", "show", "hostname"])
        return output.decode().split()

    def cluster_spec(self) -> ClusterSpec:
        """The tasks; sets `task_type` and `task_id`, and CUDA_VISIBLE_DEVICES with `auto_set_gpu`.

        Raises:
            RuntimeError: the nodes have not places for all tasks.
        """
        places = [
            (f"{host}:{self._port_base + i}", self._gpus_of(i))
            for host in self._resolve_hostnames()
            for i in range(self._tasks_per_node)
        ]
        if sum(self._jobs.values()) > len(places):
            raise RuntimeError(f"The nodes have places for {len(places)} tasks, jobs {dict(self._jobs)} need more")  # fmt: skip # noqa: E501
        found: dict[str, list[str]] = {}
        first = 0
        for job, count in self._jobs.items():
            found[job] = [address for address, _ in places[first : first + count]]
            if first <= self._rank < first + count:
                self.task_type, self.task_id = job, self._rank - first
            first += count
        if self._auto_set_gpu:
            os.environ["CUDA_VISIBLE_DEVICES"] = places[self._rank][1]
        return ClusterSpec(found)

    def _gpus_of(self, place: int) -> str:
        first = place * self._gpus_per_task
        return ",".join(str(first + i) for i in range(self._gpus_per_task))

    def get_task_info(self) -> tuple[str | None, int | None]:
        """(job, index) of this process."""
        if self.task_type is None:
            self.cluster_spec()
        return self.task_type, self.task_id

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The address of a task, of this one by default."""
        spec = self.cluster_spec()
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        if job is None or index is None:
            return ""
        address = spec.task_address(job, index)
        return format_master_url(address, rpc_layer or self.rpc_layer)
