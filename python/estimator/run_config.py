# SPDX-License-Identifier: Apache-2.0
"""Settings of an estimator's runs: where it runs, which files it saves, and how often."""

from __future__ import annotations

import copy
import json
import os
from typing import TYPE_CHECKING, Any

from tensorwright.core.protobuf import config_pb2
from tensorwright.python.training import server_lib

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.training.server_lib import ClusterSpec


__all__ = ["RunConfig", "TaskType"]

_USE_DEFAULT = object()
_DEFAULT_SAVE_SECS = 600
_REPLACEABLE = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "device_fn",
    "protocol",
)


class TaskType:
    """The roles of a cluster's processes."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


class RunConfig:
    """Settings of an estimator; which process of which cluster this is, is read from the variable TF_CONFIG.

    Args:
        model_dir: where all is written.
        tf_random_seed: the seed of the graphs that the estimator makes; None: a new one each time.
        save_summary_steps: how often summaries are written; None or 0: never.
        save_checkpoints_steps: how often checkpoints are; or
        save_checkpoints_secs: ... in seconds, by default 600.  Both None: never.
        session_config: a ConfigProto.
        keep_checkpoint_max: how many checkpoints are kept; None or 0: all.
        keep_checkpoint_every_n_hours: one more is kept so often.
        log_step_count_steps: how often the loss and the speed are logged.
        device_fn: the device of each operation; None: `tf.train.replica_device_setter` in a cluster.
        protocol: the protocol of servers; None: "grpc".

    Raises:
        ValueError: a number that is negative, both forms of how often checkpoints are saved, a TF_CONFIG that is wrong.
    """

    def __init__(
        self,
        model_dir: str | os.PathLike | None = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: Any = _USE_DEFAULT,
        save_checkpoints_secs: Any = _USE_DEFAULT,
        session_config: ConfigProto | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        device_fn: Callable[[Operation], str] | None = None,
        protocol: str | None = None,
    ):
        steps_given = save_checkpoints_steps not in (_USE_DEFAULT, None)
        secs_given = save_checkpoints_secs not in (_USE_DEFAULT, None)
        if steps_given and secs_given:
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        if save_checkpoints_secs is _USE_DEFAULT:
            default = save_checkpoints_steps is _USE_DEFAULT
            save_checkpoints_secs = _DEFAULT_SAVE_SECS if default else None
        if save_checkpoints_steps is _USE_DEFAULT:
            save_checkpoints_steps = None
        environment = json.loads(os.environ.get("TF_CONFIG") or "{}")
        self._model_dir = _folder(model_dir, environment)
        self._tf_random_seed = tf_random_seed
        self._save_summary_steps = save_summary_steps
        self._save_checkpoints_steps = save_checkpoints_steps
        self._save_checkpoints_secs = save_checkpoints_secs
        self._session_config = session_config
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._log_step_count_steps = log_step_count_steps
        self._device_fn = device_fn
        self._protocol = protocol
        self._check()
        self._read_cluster(environment)

    def _check(self) -> None:
        for name, rule, least in (
            ("save_summary_steps", ">= 0", 0),
            ("save_checkpoints_steps", ">= 0", 0),
            ("save_checkpoints_secs", ">= 0", 0),
            ("keep_checkpoint_max", ">= 0", 0),
            ("log_step_count_steps", ">= 0", 0),
        ):
            value = getattr(self, f"_{name}")
            if value is not None and value < least:
                raise ValueError(f"{name} should be {rule}, got {value}")
        if not self._keep_checkpoint_every_n_hours > 0:
            raise ValueError("keep_checkpoint_every_n_hours should be > 0")
        seed = self._tf_random_seed
        if seed is not None and (isinstance(seed, bool) or int(seed) != seed):
            raise ValueError(f"tf_random_seed must be integer, got {seed!r}")
        config = self._session_config
        if config is not None and not isinstance(config, config_pb2.ConfigProto):
            raise ValueError("session_config must be instance of ConfigProto")
        if self._device_fn is not None and not callable(self._device_fn):
            raise ValueError("device_fn must be callable with exactly one argument")

    def _read_cluster(self, environment: dict[str, Any]) -> None:
        self._cluster_spec = server_lib.ClusterSpec(environment.get("cluster", {}))
        self._service = environment.get("service")
        task = environment.get("task", {})
        jobs = self._cluster_spec.as_dict()
        if not jobs:
            self._read_local_task(task)
            return
        for job in (TaskType.CHIEF, TaskType.MASTER):
            if len(jobs.get(job, ())) > 1:
                raise ValueError(f'The "cluster" in TF_CONFIG must have only one {job}')
        if TaskType.CHIEF not in jobs and TaskType.MASTER not in jobs:
            raise ValueError(
                'If "cluster" is set in TF_CONFIG, it must have one "chief" node.'
            )
        if "type" not in task or "index" not in task:
            raise ValueError(
                'If "cluster" is set in TF_CONFIG, "type" and "index" of its "task" '
                f"must be set, got {task}"
            )
        self._task_type = str(task["type"])
        self._task_id = int(task["index"])
        if self._task_id < 0:
            raise ValueError("Task index must be non-negative number.")
        self._evaluation_master = ""
        self._num_ps_replicas = len(jobs.get(TaskType.PS, ()))
        self._num_worker_replicas = sum(
            len(jobs.get(job, ()))
            for job in (TaskType.WORKER, TaskType.CHIEF, TaskType.MASTER)
        )
        if self._task_type == TaskType.EVALUATOR:
            # An evaluator stands beside the cluster.
            self._master, self._is_chief = "", False
            self._num_ps_replicas = self._num_worker_replicas = 0
            self._global_id = None
            self._cluster_spec = server_lib.ClusterSpec({})
            return
        addresses = jobs.get(self._task_type)
        if addresses is None:
            raise ValueError(
                f"{self._task_type} is not a valid task_type in the cluster_spec: {jobs}"
            )
        if self._task_id >= len(addresses):
            raise ValueError(
                f"{self._task_id} is not a valid task_id for task_type {self._task_type} "
                f"in the cluster_spec: {jobs}"
            )
        self._master = f"{self._protocol or 'grpc'}://{addresses[self._task_id]}"
        self._is_chief = self._task_type in (TaskType.CHIEF, TaskType.MASTER)
        self._global_id = self._place_among(jobs)

    def _place_among(self, jobs: dict[str, Any]) -> int | None:
        order = (TaskType.CHIEF, TaskType.MASTER, TaskType.WORKER, TaskType.PS)
        before = 0
        for job in order:
            if job == self._task_type:
                return before + self._task_id
            before += len(jobs.get(job, ()))
        return None

    def _read_local_task(self, task: dict[str, Any]) -> None:
        self._task_type = str(task.get("type", TaskType.WORKER))
        self._task_id = int(task.get("index", 0))
        if self._task_type not in (
            TaskType.WORKER,
            TaskType.EVALUATOR,
        ):
            raise ValueError(
                f'If "cluster" is not set in TF_CONFIG, task type must be '
                f"{TaskType.WORKER}, got {self._task_type}"
            )
        if self._task_type == TaskType.WORKER and self._task_id != 0:
            raise ValueError(
                'If "cluster" is not set in TF_CONFIG, task index must be 0.'
            )
        self._master = self._evaluation_master = ""
        self._is_chief = self._task_type != TaskType.EVALUATOR
        self._num_ps_replicas = 0
        self._num_worker_replicas = 0 if self._task_type == TaskType.EVALUATOR else 1
        self._global_id = None if self._task_type == TaskType.EVALUATOR else 0

    @property
    def cluster_spec(self) -> ClusterSpec:
        return self._cluster_spec

    @property
    def service(self) -> Any:
        """The value of "service" in TF_CONFIG."""
        return self._service

    @property
    def evaluation_master(self) -> str:
        return self._evaluation_master

    @property
    def is_chief(self) -> bool:
        """Whether this process initializes and saves."""
        return self._is_chief

    @property
    def master(self) -> str:
        """The target of sessions."""
        return self._master

    @property
    def num_ps_replicas(self) -> int:
        return self._num_ps_replicas

    @property
    def num_worker_replicas(self) -> int:
        """The number of processes that train, with the chief."""
        return self._num_worker_replicas

    @property
    def task_id(self) -> int:
        return self._task_id

    @property
    def global_id_in_cluster(self) -> int | None:
        """This process's place among chief, workers and parameter servers; None for an evaluator."""
        return self._global_id

    @property
    def task_type(self) -> str:
        return self._task_type

    @property
    def tf_random_seed(self) -> int | None:
        return self._tf_random_seed

    @property
    def save_summary_steps(self) -> int | None:
        return self._save_summary_steps

    @property
    def save_checkpoints_secs(self) -> float | None:
        return self._save_checkpoints_secs

    @property
    def save_checkpoints_steps(self) -> int | None:
        return self._save_checkpoints_steps

    @property
    def session_config(self) -> ConfigProto | None:
        return self._session_config

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
    def device_fn(self) -> Callable[[Operation], str] | None:
        return self._device_fn

    @property
    def protocol(self) -> str | None:
        return self._protocol

    def replace(self, **kwargs: object) -> RunConfig:
        """A copy with other values of some properties.

        One of `save_checkpoints_steps` and `save_checkpoints_secs` takes the other's place.

        Raises:
            ValueError: a property that cannot be replaced, or as of the constructor.
        """
        for name in kwargs:
            if name not in _REPLACEABLE:
                raise ValueError(
                    f"Replacing {name} is not supported. Allowed properties are "
                    f"{list(_REPLACEABLE)}."
                )
        steps, secs = "save_checkpoints_steps", "save_checkpoints_secs"
        if kwargs.get(steps) is not None and kwargs.get(secs) is not None:
            raise ValueError(f"`{steps}` and `{secs}` cannot be both set.")
        if steps in kwargs and secs not in kwargs:
            kwargs[secs] = None
        elif secs in kwargs and steps not in kwargs:
            kwargs[steps] = None
        found = copy.deepcopy(self)
        for name, value in kwargs.items():
            setattr(found, f"_{name}", value)
        found._check()
        return found


def _folder(given: Any, environment: dict[str, Any]) -> str | None:
    if given is not None:
        given = os.fspath(given)
        if not given:
            raise ValueError("model_dir should be non-empty")
    named = environment.get("model_dir")
    if named is not None and not named:
        raise ValueError("model_dir in TF_CONFIG should be non-empty.")
    if given and named and given != named:
        raise ValueError(
            "`model_dir` provided in RunConfig construct, if set, must have the same "
            "value as the model_dir in TF_CONFIG. "
            f"model_dir: {given}\nTF_CONFIG[model_dir]: {named}."
        )
    return given or named
