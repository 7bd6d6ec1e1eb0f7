# SPDX-License-Identifier: Apache-2.0
"""replica_device_setter: variables on parameter servers, the rest on a worker."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework.device import DeviceSpec
from tensorwright.python.training.server_lib import ClusterSpec

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.framework.node_def_pb2 import NodeDef
    from tensorwright.python.framework.operation import Operation

# The ops that keep state, by TensorFlow's names.
STANDARD_PS_OPS = (
    "Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp",
    "MutableHashTable", "MutableHashTableV2", "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2",
)  # fmt: skip


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: ClusterSpec | Message | Mapping[str, object] | None = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Operation], int] | None = None,
) -> Callable[[Operation], str] | None:
    """A function for `tf.device` that spreads variables over the tasks of a job.

    Args:
        ps_tasks: how many tasks that job has; 0 for no such job.
        ps_device: its device.
        worker_device: the device of all other operations.
        merge_devices: whether devices of inner scopes are completed; if not, they stay as they are.
        cluster: a ClusterSpec, or an argument for one, instead of `ps_tasks`: it has the number of tasks.
        ps_ops: types of operations that go to that job; those that keep state by default.
        ps_strategy: operation -> task; in turn by default.

    Returns:
        The function; None where there are no tasks.

    Raises:
        TypeError: if `cluster` is no cluster, or `ps_strategy` not callable.

    Example:
        with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
            a = tf.Variable(0)  # /job:ps/task:0
            b = tf.Variable(0)  # /job:ps/task:1
            c = a + b  # /job:worker
    """
    if cluster is not None:
        job = DeviceSpec.from_string(ps_device).job
        tasks = ClusterSpec(cluster).as_dict().get(job) if job else None
        if tasks:
            ps_tasks = len(tasks)
    if ps_tasks == 0:
        return None
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    return _ReplicaDeviceChooser(
        ps_tasks,
        ps_device,
        worker_device,
        merge_devices,
        STANDARD_PS_OPS if ps_ops is None else ps_ops,
        _RoundRobinStrategy(ps_tasks) if ps_strategy is None else ps_strategy,
    ).device_function


class _RoundRobinStrategy:
    """Gives operations the tasks 0, 1, ... in turn."""

    def __init__(self, num_tasks: int):
        self._turns = itertools.cycle(range(num_tasks))

    def __call__(self, unused_op: Operation) -> int:
        """The next task, whatever the operation."""
        return next(self._turns)


class _ReplicaDeviceChooser:
    """Gives operations their devices: `replica_device_setter` returns its `device_function`.

    Args: those of `replica_device_setter`, all of them given.
    """

    def __init__(
        self,
        ps_tasks: int,
        ps_device: str,
        worker_device: str,
        merge_devices: bool,
        ps_ops: Sequence[str],
        ps_strategy: Callable[[Any], int],
    ):
        self._ps_tasks = ps_tasks
        self._ps_device = ps_device
        self._worker_device = worker_device
        self._merge_devices = merge_devices
        self._ps_ops = frozenset(ps_ops)
        self._ps_strategy = ps_strategy

    def device_function(self, op: Operation | NodeDef) -> str:
        """The device of an operation."""
        if not self._merge_devices and op.device:
            return op.device
        # A NodeDef names its type `op`, an Operation `type`.
        kind = getattr(op, "type", None) or getattr(op, "op", None)
        current = DeviceSpec.from_string(op.device or "")
        if self._ps_tasks and self._ps_device and kind in self._ps_ops:
            server = DeviceSpec.from_string(self._ps_device)
            if server.job and current.job in (None, server.job):
                server.task = self._ps_strategy(op)
            return server.make_merged_spec(current).to_string()
        worker = DeviceSpec.from_string(self._worker_device or "")
        return worker.make_merged_spec(current).to_string()
