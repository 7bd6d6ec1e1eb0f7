# SPDX-License-Identifier: Apache-2.0
"""Generation: the processes of a cluster from one ClusterSpec to the next."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from tensorwright.cluster._ray.records import Place, TaskRecord
from tensorwright.cluster._ray.task import Task


class ClusterError(RuntimeError):
    """A cluster that could not be started, or could not go on."""


def resources_of(
    job: str, resources: Mapping[str, float | Mapping[str, float]] | None
) -> dict[str, float]:
    """Returns the resources that one task of `job` needs, by Ray's names.

    `resources` are those of every task, as {"CPU": 2}, or of jobs, as {"worker": {"CPU": 2}}; a task for which they say
    nothing needs one CPU.

    Raises ValueError if `resources` have neither form.
    """
    given: dict[str, Any] = dict(resources or {})
    if any(isinstance(value, Mapping) for value in given.values()):
        unknown = set(given) - {"ps", "worker"}
        if unknown:
            raise ValueError(
                f"TrainCluster: resources are of 'ps' and 'worker', got {sorted(unknown)}"
            )
        given = dict(given.get(job, {}))
    needs = {"CPU": 1.0, **given}
    for name, amount in needs.items():
        if not isinstance(amount, (int, float)) or not 0 <= amount < math.inf:
            raise ValueError(
                f"TrainCluster: resources[{name!r}] must be a number >= 0, got {amount!r}"
            )
    return {name: float(amount) for name, amount in needs.items() if amount}


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def connect(address: str | None, cpus: float) -> bool:
    """Connects this process to Ray, unless it is connected; whether Ray was started for that.

    Without an `address` here or in RAY_ADDRESS, Ray is started on this machine, with room for `cpus`.
    """
    if ray.is_initialized():
        return False
    quiet = {"log_to_driver": True, "logging_level": "warning"}
    if address or os.environ.get("RAY_ADDRESS"):
        ray.init(address=address, **quiet)
        return False
    # The processes that Ray starts find the modules that this one finds.
    paths = os.pathsep.join(path for path in sys.path if path)
    with _environment(
        PYTHONPATH=paths,
        RAY_USAGE_STATS_ENABLED="0",
        # Ray's own is 15: beside any other program they would starve.
        RAY_worker_niceness="0",
        RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0",
    ):
        ray.init(
            address="local",
            num_cpus=max(os.cpu_count() or 1, math.ceil(cpus)),
            include_dashboard=False,
            # Tensors go from server to server, not through Ray.
            object_store_memory=100 << 20,
            **quiet,
        )
    return True


class Generation:
    """Processes with one ClusterSpec.  Ray starts again, at its place, one that dies."""

    def __init__(
        self,
        counts: Mapping[str, int],
        resources: Mapping[str, float | Mapping[str, float]] | None,
        strategy: str,
        max_restarts: int,
        timeout: float,
    ):
        needs = {job: resources_of(job, resources) for job in counts}
        jobs = [job for job in sorted(counts) for _ in range(counts[job])]
        self._group = placement_group([needs[job] for job in jobs], strategy=strategy)
        self.records: list[TaskRecord] = []
        try:
            self._wait(self._group.ready(), timeout, needs, counts)
            for job in sorted(counts):
                for index in range(counts[job]):
                    actor = self._actor(job, index, needs[job], max_restarts)
                    self.records.append(TaskRecord(job, index, actor))
            for record in self.records:
                self.place(record, self._wait(record.actor.where.remote(), timeout))
        except BaseException:
            self.close()
            raise
        self.cluster = self._cluster()

    def _wait(self, ref: Any, timeout: float, *needs: Any) -> Any:
        try:
            return ray.get(ref, timeout=timeout)
        except ray.exceptions.GetTimeoutError:
            what = f"; it was asked for {needs}" if needs else ""
            raise ClusterError(
                f"Ray did not start the cluster within {timeout:g} s{what}; it has "
                f"{ray.available_resources()} left"
            ) from None

    def _actor(
        self, job: str, index: int, needs: Mapping[str, float], max_restarts: int
    ) -> Any:
        rest = dict(needs)
        made = ray.remote(
            num_cpus=rest.pop("CPU", 0),
            num_gpus=rest.pop("GPU", 0),
            memory=rest.pop("memory", None),
            resources=rest,
            max_restarts=max_restarts,
            # `run` has the thread of its own group; a call to the others never waits for it.
            concurrency_groups={"run": 1},
            scheduling_strategy=PlacementGroupSchedulingStrategy(
                self._group, placement_group_bundle_index=len(self.records)
            ),
        )(Task)
        return made.remote(job, index)

    def place(self, record: TaskRecord, place: Place) -> None:
        """Notes where a task's process is."""
        record.place = place
        record.logs += [path for path in place.logs if path not in record.logs]

    def _one_machine(self) -> bool:
        return len({record.place.node for record in self.records}) == 1

    def address(self, record: TaskRecord) -> str:
        """A task's address: of the loopback interface where all tasks are on one machine."""
        place = record.place
        return f"{'localhost' if self._one_machine() else place.ip}:{place.port}"

    def _cluster(self) -> dict[str, list[str]]:
        cluster: dict[str, list[str]] = {}
        for record in self.records:
            cluster.setdefault(record.job, []).append(self.address(record))
        return cluster

    @property
    def one_machine(self) -> bool:
        return self._one_machine()

    def is_where_it_was(self, record: TaskRecord) -> bool:
        """Whether the others find a task that was started again."""
        return self.cluster[record.job][record.index] == self.address(record)

    def close(self) -> None:
        """Ends the processes, for good."""
        for record in self.records:
            ray.kill(record.actor, no_restart=True)
        remove_placement_group(self._group)
