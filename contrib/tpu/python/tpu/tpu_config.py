# SPDX-License-Identifier: Apache-2.0
"""Settings of models for TPUs."""

from __future__ import annotations

import collections
import copy
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import run_config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.contrib.cluster_resolver.python.training.cluster_resolver import (
        ClusterResolver,
    )


__all__ = ["InputPipelineConfig", "RunConfig", "TPUConfig"]


class InputPipelineConfig:
    """For whom input functions are called."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4


class TPUConfig(
    collections.namedtuple(
        "TPUConfig",
        [
            "iterations_per_loop",
            "num_shards",
            "num_cores_per_replica",
            "per_host_input_for_training",
            "tpu_job_name",
            "initial_infeed_sleep_secs",
            "input_partition_dims",
        ],
    )
):
    """How a model runs on TPUs; kept for the model function, nothing here is distributed by it.

    Args:
        iterations_per_loop: steps of a loop on the TPU.
        num_shards: how many parts a batch has.
        num_cores_per_replica: cores of a copy of the model: 1, 2, 4, 8 or 16.
        per_host_input_for_training: True, False, or of InputPipelineConfig.
        tpu_job_name: the job of the TPU's workers.
        initial_infeed_sleep_secs: how long the input waits at first.
        input_partition_dims: into how many parts each dimension of the inputs is cut.

    Raises:
        ValueError: numbers that are not positive, or other cores.
    """

    def __new__(
        cls,
        iterations_per_loop: int = 2,
        num_shards: int | None = None,
        num_cores_per_replica: int | None = None,
        per_host_input_for_training: bool | int = True,
        tpu_job_name: str | None = None,
        initial_infeed_sleep_secs: float | None = None,
        input_partition_dims: Sequence[Sequence[int]] | None = None,
    ) -> TPUConfig:
        for name, value in (
            ("iterations_per_loop", iterations_per_loop),
            ("num_shards", num_shards),
            ("initial_infeed_sleep_secs", initial_infeed_sleep_secs),
        ):
            if value is not None and (value < 1 or int(value) != value):
                raise ValueError(f"{name} must be a positive integer, got {value!r}")
        if num_cores_per_replica not in (None, 1, 2, 4, 8, 16):
            raise ValueError(f"num_cores_per_replica must be 1, 2, 4, 8, or 16; got {num_cores_per_replica}")  # fmt: skip # noqa: E501
        if per_host_input_for_training is True:
            per_host_input_for_training = InputPipelineConfig.PER_HOST_V1
        elif per_host_input_for_training is False:
            per_host_input_for_training = InputPipelineConfig.PER_SHARD_V1
        return super().__new__(
            cls,
            iterations_per_loop=iterations_per_loop,
            num_shards=num_shards,
            num_cores_per_replica=num_cores_per_replica,
            per_host_input_for_training=per_host_input_for_training,
            tpu_job_name=tpu_job_name,
            initial_infeed_sleep_secs=initial_infeed_sleep_secs,
            input_partition_dims=input_partition_dims,
        )


class RunConfig(run_config.RunConfig):
    """Settings of an estimator, with those of TPUs.

    Args:
        tpu_config: a TPUConfig.
        evaluation_master, master: targets of sessions; None: as TF_CONFIG says.
        cluster: a ClusterResolver, which tells the master and the tasks in the place of TF_CONFIG.
        kwargs: as in `tf.estimator.RunConfig`.

    Raises:
        ValueError: both `cluster` and `master`.
    """

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: ClusterResolver | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._tpu_config = tpu_config or TPUConfig()
        self._cluster = cluster
        if cluster is not None:
            if master:
                raise ValueError("cannot specify both cluster and master")
            self._master = cluster.master()
            if cluster.cluster_spec():
                self._cluster_spec = cluster.cluster_spec()
        elif master is not None:
            self._master = master
        if evaluation_master is not None:
            self._evaluation_master = evaluation_master
        elif self._task_type != run_config.TaskType.EVALUATOR:
            # An evaluator has a session of its own, all others that of training.
            self._evaluation_master = self._master

    @property
    def tpu_config(self) -> TPUConfig:
        return self._tpu_config

    @property
    def cluster(self) -> ClusterResolver | None:
        return self._cluster

    def replace(self, **kwargs: object) -> RunConfig:
        """A copy with other values of some properties, `tpu_config` among them."""
        tpu_config = kwargs.pop("tpu_config", None)
        found = super().replace(**kwargs) if kwargs else copy.deepcopy(self)
        if tpu_config is not None:
            found._tpu_config = tpu_config  # type: ignore[attr-defined]
        return found  # type: ignore[return-value]
