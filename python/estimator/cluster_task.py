# SPDX-License-Identifier: Apache-2.0
"""A process's part in a cluster that trains an estimator: its server, whom its sessions ask, and when it begins."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tensorwright.core.protobuf import config_pb2
from tensorwright.python.estimator.run_config import TaskType
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import server_lib

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.estimator.run_config import RunConfig

# Workers begin one after the other: gradients of the first steps, which are large, do not all come at once.
_SECS_PER_WORKER = 5
_MOST_SECS = 60


def session_config_of(config: RunConfig) -> ConfigProto | None:
    """The ConfigProto of the RunConfig; by default, in a cluster, one whose sessions need no other worker.

    A session waits for all tasks that its device filters allow: with these a worker that is late, or has ended, keeps
    nobody waiting.
    """
    if config.session_config is not None or not config.cluster_spec.jobs:
        return config.session_config
    own = {
        TaskType.CHIEF: ["/job:chief"],
        TaskType.MASTER: ["/job:master"],
        TaskType.WORKER: [f"/job:worker/task:{config.task_id}"],
        TaskType.PS: ["/job:worker", "/job:chief", "/job:master"],
    }
    filters = ["/job:ps", *own.get(config.task_type, [f"/job:{config.task_type}"])]
    return config_pb2.ConfigProto(allow_soft_placement=True, device_filters=filters)


def evaluates_alone(config: RunConfig) -> bool:
    """Whether sessions that evaluate are of this process alone, though it belongs to a cluster: no device of it is there."""
    return bool(config.cluster_spec.jobs) and not config.evaluation_master


def start_server(config: RunConfig) -> server_lib.Server:
    """Starts this process's server; it lives as long as what is returned, or the process.

    Raises:
        ImportError: the wheel of clusters is not installed.
        tf.errors.OpError: the address is taken, or belongs to another machine.
    """
    logging.info("Start Tensorflow server.")
    return server_lib.Server(
        config.cluster_spec,
        job_name=config.task_type,
        task_index=config.task_id,
        protocol=config.protocol,
        config=session_config_of(config),
    )


def wait_for_turn(config: RunConfig) -> None:
    """Waits before a worker trains: 5 seconds for each that comes first, and at most a minute."""
    if config.task_type != TaskType.WORKER:
        return
    seconds = min(_MOST_SECS, _SECS_PER_WORKER * (config.task_id + 1))
    logging.info("Waiting %d secs before starting training.", seconds)
    time.sleep(seconds)
