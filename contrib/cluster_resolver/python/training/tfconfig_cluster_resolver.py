# SPDX-License-Identifier: Apache-2.0
"""A cluster that the environment variable TF_CONFIG describes."""

from __future__ import annotations

import json
import os
from typing import Any

from tensorwright.contrib.cluster_resolver.python.training.cluster_resolver import (
    ClusterResolver,
    format_master_url,
)
from tensorwright.python.training.server_lib import ClusterSpec

__all__ = ["TFConfigClusterResolver"]


class TFConfigClusterResolver(ClusterResolver):
    """The cluster of TF_CONFIG, a JSON object with "cluster" and "task", read anew by each call.

    Args:
        task_type, task_id, rpc_layer, environment: in the place of those of TF_CONFIG.

    Example:
        TF_CONFIG='{"cluster": {"ps": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker", "index": 0}}'
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ):
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @staticmethod
    def _config() -> dict[str, Any]:
        return json.loads(os.environ.get("TF_CONFIG", "{}"))

    @property
    def task_type(self) -> str | None:  # type: ignore[override]
        if self._task_type is not None:
            return self._task_type
        found = self._config().get("task", {}).get("type")
        return None if found is None else str(found)

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:  # type: ignore[override]
        if self._task_id is not None:
            return self._task_id
        found = self._config().get("task", {}).get("index")
        return None if found is None else int(found)

    @task_id.setter
    def task_id(self, task_id: int | None) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> str | None:  # type: ignore[override]
        return self._rpc_layer or self._config().get("rpc_layer")

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str | None) -> None:
        self._rpc_layer = rpc_layer

    @property
    def environment(self) -> str:
        return self._environment or self._config().get("environment", "")

    def cluster_spec(self) -> ClusterSpec:
        """The tasks; none if TF_CONFIG has no cluster."""
        return ClusterSpec(self._config().get("cluster", {}))

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The address of a task, of this one by default; "" in a cluster of one task or none."""
        given = self._config().get("session_master")
        if given is not None:
            return given
        spec = self.cluster_spec()
        if sum(spec.num_tasks(job) for job in spec.jobs) <= 1:
            return ""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        address = spec.task_address(job, index or 0)
        return format_master_url(address, rpc_layer or self.rpc_layer)
