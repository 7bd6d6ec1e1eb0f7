# SPDX-License-Identifier: Apache-2.0
"""Records of a cluster on Ray, and the actor by which other processes read them."""

from __future__ import annotations

import dataclasses
from typing import Any

import ray

# The namespace of named actors.
NAMESPACE = "tensorwright"


@dataclasses.dataclass
class Place:
    """The place where a task runs, as its process describes it at its start."""

    node: str
    ip: str
    port: int
    pid: int
    # Its standard output and its standard error, files of that node.
    logs: tuple[str, ...]


@dataclasses.dataclass
class TaskRecord:
    """One task of a cluster, as the process that supervises it last saw it.

    `state` is "starting", "running", "restarting", "done" or "failed".
    """

    job: str
    index: int
    actor: Any = None
    state: str = "starting"
    place: Place | None = None
    # Processes that it had before this one.
    restarts: int = 0
    # The task's last report: step, total, loss...
    report: dict[str, Any] = dataclasses.field(default_factory=dict)
    # The logs of all processes of the task.
    logs: list[str] = dataclasses.field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.job} {self.index}"


class Board:
    """An actor with a name: what a cluster's tasks do, and what people ask of the cluster."""

    def __init__(self, about: str):
        self._about = about
        self._records: list[TaskRecord] = []
        self._line = ""
        self._requests: list[dict[str, Any]] = []

    def update(self, records: list[TaskRecord], line: str) -> list[dict[str, Any]]:
        """Notes what is; what was asked since the last call."""
        self._records, self._line = records, line
        asked, self._requests = self._requests, []
        return asked

    def read(self) -> tuple[str, list[TaskRecord], str]:
        return self._about, self._records, self._line

    def ask(self, **request: object) -> None:
        self._requests.append(request)


def _actor_name(cluster: str) -> str:
    return f"tensorwright_cluster:{cluster}"


def make_board(cluster: str, about: str) -> Any:
    """The board of a cluster that begins.

    Raises ValueError if one of that name runs.
    """
    made = ray.remote(num_cpus=0)(Board).options(
        name=_actor_name(cluster), namespace=NAMESPACE
    )
    return made.remote(about)


def find_board(cluster: str) -> Any:
    """The board of a cluster that runs; ValueError if none of that name does."""
    return ray.get_actor(_actor_name(cluster), namespace=NAMESPACE)
