# SPDX-License-Identifier: Apache-2.0
"""Clusters in one process, for tests."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING, Any

from tensorwright.python.util.lazy_loader import LazyLoader

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.training.server_lib import Server

_server_lib: Any = LazyLoader(
    "_server_lib", globals(), "tensorwright.python.training.server_lib"
)


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Message | None = None,
    ps_config: Message | None = None,
) -> tuple[list[Server], list[Server]]:
    """Starts the servers of a cluster in this process, on free ports of this machine.

    The jobs are "worker" and "ps"; `worker_config` and `ps_config` are ConfigProtos of their servers.

    Returns:
        The workers' servers and the parameter servers', tf.train.Servers by their index.

    Raises:
        ValueError: if `num_workers` or `num_ps` is negative.
        NotFoundError: if the library of clusters is not installed.
    """
    if num_workers < 0 or num_ps < 0:
        raise ValueError(
            "create_local_cluster: num_workers and num_ps must be >= 0, got "
            f"{num_workers} and {num_ps}"
        )
    with contextlib.ExitStack() as stack:
        # Free, and no two alike: all are open at the same time.
        held = [
            stack.enter_context(socket.socket()) for _ in range(num_workers + num_ps)
        ]
        for s in held:
            s.bind(("127.0.0.1", 0))
        addresses = [f"localhost:{s.getsockname()[1]}" for s in held]
    jobs = {"worker": addresses[:num_workers], "ps": addresses[num_workers:]}
    cluster = _server_lib.ClusterSpec({k: v for k, v in jobs.items() if v})

    def servers(job: str, config: Any) -> list[Server]:
        return [
            _server_lib.Server(cluster, job, index, protocol=protocol, config=config)
            for index in range(len(jobs[job]))
        ]

    return servers("worker", worker_config), servers("ps", ps_config)
