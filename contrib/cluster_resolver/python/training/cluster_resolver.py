# SPDX-License-Identifier: Apache-2.0
"""Resolvers tell the tasks of a cluster and the address of its master."""

from __future__ import annotations

import abc
import collections
from typing import TYPE_CHECKING, Any

from tensorwright.python.client.session import Session
from tensorwright.python.framework import device, ops
from tensorwright.python.training.server_lib import ClusterSpec

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto


__all__ = ["ClusterResolver", "SimpleClusterResolver", "UnionClusterResolver"]


def format_master_url(master: str, rpc_layer: str | None = None) -> str:
    """ "grpc://host:port" of both, or the address alone."""
    return f"{rpc_layer}://{master}" if rpc_layer else master


class ClusterResolver(abc.ABC):
    """A subclass tells a cluster's tasks, which may change with time, and the target of sessions.

    `task_type`, `task_id` and `rpc_layer` are those of this process; None if they are not known.
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The tasks as they are now."""

    @abc.abstractmethod
    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The target of sessions of a task, or of the master; "" for this process."""

    @property
    def environment(self) -> str:
        """The place that the cluster runs at: "google" or ""."""
        return ""

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: ConfigProto | None = None,
    ) -> dict[str, int]:
        """How many devices other than CPUs a task has, by their type; asks the task's session for its devices."""
        target = self.master(task_type, task_id)
        with ops.Graph().as_default(), Session(target, config=config_proto) as session:
            names = [d.name for d in session.list_devices()]
        counts: collections.Counter[str] = collections.Counter()
        for name in names:
            spec = device.DeviceSpec.from_string(name)
            if task_type is not None and (spec.job, spec.task) != (task_type, task_id):
                continue
            if spec.device_type not in ("CPU", "XLA_CPU"):
                counts[str(spec.device_type)] += 1
        return dict(counts)


class SimpleClusterResolver(ClusterResolver):
    """A cluster that is given and stays.

    Args:
        cluster_spec: a ClusterSpec.
        master: the target of sessions.
        task_type, task_id: the name of this process.
        environment: where the cluster runs.
        num_accelerators: by type; None: each task is asked.
        rpc_layer: the protocol, "grpc".

    Raises:
        TypeError: `cluster_spec` is no ClusterSpec.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ):
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a ClusterSpec.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._cluster_spec = cluster_spec
        self._master = master
        self.task_type, self.task_id = task_type, task_id
        self._environment = environment
        self._num_accelerators = num_accelerators
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        return self._cluster_spec

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The address of a task, if both of its parts are given; else the master that was given."""
        if task_type is not None and task_id is not None:
            address = self._cluster_spec.task_address(task_type, task_id)
        else:
            address = self._master
        if not address:
            return ""
        return format_master_url(address, rpc_layer or self.rpc_layer)

    @property
    def environment(self) -> str:
        return self._environment

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: ConfigProto | None = None,
    ) -> dict[str, int]:
        if self._num_accelerators is None:
            return super().num_accelerators(task_type, task_id, config_proto)
        return self._num_accelerators


class UnionClusterResolver(ClusterResolver):
    """Several clusters as one: jobs of one name are put together, task after task.

    Args:
        args: ClusterResolvers; the first tells the master, and this process unless that is given.
        kwargs: `task_type`, `task_id` and `rpc_layer` of this process.

    Raises:
        TypeError: something else among them.
        ValueError: none, or another keyword.
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any):
        for resolver in args:
            if not isinstance(resolver, ClusterResolver):
                raise TypeError(
                    "All arguments must be a sub-class of `ClusterResolver.`"
                )
        if not args:
            raise ValueError(
                "At least one ClusterResolver must be specified in UnionClusterResolver."
            )
        first = args[0]
        self._resolvers = args
        self.rpc_layer = kwargs.pop("rpc_layer", first.rpc_layer)
        self.task_type = kwargs.pop("task_type", first.task_type)
        self.task_id = kwargs.pop("task_id", first.task_id)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")

    def cluster_spec(self) -> ClusterSpec:
        """All tasks.  A job whose tasks are numbered in one cluster is numbered, and numbers must differ.

        Raises:
            KeyError: two clusters have one task, and one of both numbers its tasks.
        """
        numbered: set[str] = set()
        specs = [r.cluster_spec() for r in self._resolvers]
        for spec in specs:
            for job in spec.jobs:
                indices = spec.task_indices(job)
                if indices != list(range(len(indices))):
                    numbered.add(job)
        merged: dict[str, dict[int, str]] = {}
        for spec in specs:
            for job in spec.jobs:
                tasks = merged.setdefault(job, {})
                offset = 0 if job in numbered else len(tasks)
                for index in spec.task_indices(job):
                    if index + offset in tasks:
                        raise KeyError(
                            f"Duplicate keys detected when merging two ClusterSpecs: task {index} of job {job!r}"
                        )
                    tasks[index + offset] = spec.task_address(job, index)
        return ClusterSpec(
            {
                job: tasks if job in numbered else [tasks[i] for i in sorted(tasks)]
                for job, tasks in merged.items()
            }
        )

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The address of a task, if both of its parts are given; else the first cluster's master."""
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return format_master_url(address, rpc_layer or self.rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    @property
    def environment(self) -> str:
        return self._resolvers[0].environment

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: ConfigProto | None = None,
    ) -> dict[str, int]:
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)
