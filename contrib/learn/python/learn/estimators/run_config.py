# SPDX-License-Identifier: Apache-2.0
"""How an estimator runs: where, what it saves and how often."""

from __future__ import annotations

import json
import os
from typing import Any

from tensorwright.core.protobuf import config_pb2
from tensorwright.python.training import server_lib

__all__ = ["RunConfig"]

_USE_DEFAULT = object()
_DEFAULT_SECS = 600


class RunConfig:
    """Settings of an estimator; what the cluster is comes from the environment variable TF_CONFIG.

    Args:
        master: the target of sessions; None: from TF_CONFIG, or "".
        num_cores: threads of sessions; 0: as many as there are cores.
        log_device_placement: whether sessions log devices.
        gpu_memory_fraction: how much of a GPU's memory they take.
        tf_random_seed: of graphs.
        save_summary_steps: how often summaries are written.
        save_checkpoints_secs, save_checkpoints_steps: how often checkpoints are: one of both.
        keep_checkpoint_max, keep_checkpoint_every_n_hours: which are kept.
        log_step_count_steps: how often the speed is logged.
        evaluation_master: the target of sessions that evaluate.
        model_dir: where all is written.
        session_config: a ConfigProto.
    """

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_secs: Any = _USE_DEFAULT,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: Any = None,
    ):
        environment = json.loads(os.environ.get("TF_CONFIG") or "{}")
        self._cluster_spec = server_lib.ClusterSpec(environment.get("cluster", {}))
        task = environment.get("task", {})
        self._task_type = task.get("type")
        self._task_id = int(task.get("index", 0))
        self._environment = environment.get("environment", "local")
        self._master = self._own_address() if master is None else master
        self._evaluation_master = evaluation_master
        self._tf_config = config_pb2.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
        )
        self._tf_config.gpu_options.per_process_gpu_memory_fraction = (
            gpu_memory_fraction
        )
        self._tf_random_seed = tf_random_seed
        self._save_summary_steps = save_summary_steps
        if save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_secs = None if save_checkpoints_steps is not None else _DEFAULT_SECS  # fmt: skip
        self._save_checkpoints_secs = save_checkpoints_secs
        self._save_checkpoints_steps = save_checkpoints_steps
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._log_step_count_steps = log_step_count_steps
        self._model_dir = model_dir
        self._session_config = session_config

    def _own_address(self) -> str:
        if not self._task_type or not self._cluster_spec.as_dict():
            return ""
        tasks = self._cluster_spec.as_dict().get(self._task_type)
        if not tasks:
            raise ValueError(f"{self._task_type} is not a valid task_type of the cluster {self._cluster_spec.as_dict()}")  # fmt: skip
        if self._task_id >= len(tasks):
            raise ValueError(f"{self._task_id} is not a valid task_id for {self._task_type}")  # fmt: skip
        return f"grpc://{tasks[self._task_id]}"

    @property
    def cluster_spec(self) -> Any:
        return self._cluster_spec

    @property
    def task_type(self) -> str | None:
        return self._task_type

    @property
    def task_id(self) -> int:
        return self._task_id

    @property
    def environment(self) -> str:
        return self._environment

    @property
    def master(self) -> str:
        return self._master

    @property
    def evaluation_master(self) -> str:
        return self._evaluation_master

    @property
    def is_chief(self) -> bool:
        """Whether this process initializes and saves."""
        jobs = self._cluster_spec.as_dict()
        if not jobs:
            return True
        chief = "master" if "master" in jobs else "worker"
        return self._task_type == chief and self._task_id == 0

    @property
    def num_ps_replicas(self) -> int:
        return len(self._cluster_spec.as_dict().get("ps", ()))

    @property
    def num_worker_replicas(self) -> int:
        return len(self._cluster_spec.as_dict().get("worker", ()))

    @property
    def tf_config(self) -> Any:
        """The ConfigProto that the arguments describe."""
        return self._tf_config

    @property
    def tf_random_seed(self) -> int | None:
        return self._tf_random_seed

    @property
    def save_summary_steps(self) -> int | None:
        return self._save_summary_steps

    @property
    def save_checkpoints_secs(self) -> int | None:
        return self._save_checkpoints_secs

    @property
    def save_checkpoints_steps(self) -> int | None:
        return self._save_checkpoints_steps

    @property
    def keep_checkpoint_max(self) -> int | None:
        return self._keep_checkpoint_max

    @property
    def keep_checkpoint_every_n_hours(self) -> float:
        return self._keep_checkpoint_every_n_hours

    @property
    def log_step_count_steps(self) -> int | None:
        return self._log_step_count_steps

    @property
    def model_dir(self) -> str | None:
        return self._model_dir

    @property
    def session_config(self) -> Any:
        return self._session_config

    def uid(self, whitelist: Any = None) -> str:
        """A text that tells settings apart, without names in `whitelist`, by default the folder and the addresses."""
        left_out = set(
            (
                "cluster_spec",
                "evaluation_master",
                "master",
                "model_dir",
                "task_id",
                "task_type",
            )  # fmt: skip
            if whitelist is None
            else whitelist
        )
        names = sorted(k.lstrip("_") for k in vars(self))
        kept = {n: str(getattr(self, f"_{n}")) for n in names if n not in left_out}
        return json.dumps(kept, sort_keys=True)

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other values of some properties."""
        found = RunConfig.__new__(type(self))
        found.__dict__.update(self.__dict__)
        for name, value in kwargs.items():
            if f"_{name}" not in self.__dict__:
                raise ValueError(f"RunConfig has no property {name}")
            setattr(found, f"_{name}", value)
        return found
