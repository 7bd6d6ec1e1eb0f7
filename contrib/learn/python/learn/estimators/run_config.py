# SPDX-License-Identifier: Apache-2.0
"""Settings of an estimator's runs: where it runs, which files it saves and how often."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tensorwright.core.protobuf import config_pb2
from tensorwright.python.estimator import run_config as core_run_config
from tensorwright.python.training import server_lib

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorwright.core.protobuf.config_pb2 import ConfigProto


__all__ = ["RunConfig"]

_USE_DEFAULT = object()


class RunConfig(core_run_config.RunConfig):
    """Settings of an estimator; the environment variable TF_CONFIG describes the cluster.

    Args:
        master: the target of sessions; None: from TF_CONFIG, or "".
        num_cores: threads of sessions; 0: as many as there are cores.
        log_device_placement: whether sessions log devices.
        gpu_memory_fraction: how much of a GPU's memory they take.
        tf_random_seed: the seed of graphs.
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
        session_config: ConfigProto | None = None,
    ):
        often: dict[str, Any] = {}
        if save_checkpoints_steps is not None:
            often["save_checkpoints_steps"] = save_checkpoints_steps
        if save_checkpoints_secs is not _USE_DEFAULT:
            often["save_checkpoints_secs"] = save_checkpoints_secs
        self._evaluation_master = evaluation_master
        self._asked_master = master
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            **often,
        )
        del self._asked_master  # The argument is no setting: `master` holds the result.
        self._tf_config = config_pb2.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
        )
        self._tf_config.gpu_options.per_process_gpu_memory_fraction = (
            gpu_memory_fraction
        )

    def _read_cluster(self, environment: dict[str, Any]) -> None:
        """Unlike `tf.estimator`'s, a cluster needs no chief here: its first worker is one."""
        self._cluster_spec = server_lib.ClusterSpec(environment.get("cluster", {}))
        self._service = environment.get("service")
        task = environment.get("task", {})
        self._task_type = task.get("type")
        self._task_id = int(task.get("index", 0))
        self._environment = environment.get("environment", "local")
        asked = self._asked_master
        self._master = self._own_address() if asked is None else asked
        jobs = self._cluster_spec.as_dict()
        chief = "master" if "master" in jobs else "worker"
        self._is_chief = not jobs or (self._task_type, self._task_id) == (chief, 0)
        self._num_ps_replicas = len(jobs.get("ps", ()))
        self._num_worker_replicas = len(jobs.get("worker", ()))
        self._global_id = None

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
    def environment(self) -> str:
        """The kind of place where the cluster runs, according to TF_CONFIG: "local" or "cloud"."""
        return self._environment

    @property
    def tf_config(self) -> ConfigProto:
        """The ConfigProto that the arguments describe."""
        return self._tf_config

    def uid(self, whitelist: Iterable[str] | None = None) -> str:
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
