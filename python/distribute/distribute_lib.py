# SPDX-License-Identifier: Apache-2.0
"""Strategies, the replicas of their code, and the stack of those in force where a program builds its graph."""

from __future__ import annotations

import abc
import contextlib
import enum
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import T

__all__ = [
    "InputContext",
    "ReduceOp",
    "ReplicaContext",
    "Strategy",
    "entered",
    "reduction",
]


class ReduceOp(enum.Enum):
    """How values of replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


def reduction(reduce_op: object) -> ReduceOp:
    """The ReduceOp of a value, or of a name as older programs give it: "sum", "mean".

    Raises:
        ValueError: it is neither.
    """
    name = str(getattr(reduce_op, "value", reduce_op)).upper()
    if name not in ReduceOp.__members__:
        raise ValueError(f"reduce_op must be SUM or MEAN, got {reduce_op!r}")
    return ReduceOp[name]


class _Stack(threading.local):
    """The strategies of the `with` blocks around; None stands for a replica's own code."""

    def __init__(self) -> None:
        self.items: list[tuple[Strategy, ReplicaContext | None]] = []


# Read by distribution_strategy_context.py.
stack = _Stack()


class ReplicaContext:
    """A replica, to the code that a strategy runs for it.

    Args:
        strategy: the strategy.
        replica_id: which one it is.
    """

    def __init__(self, strategy: Strategy, replica_id: int = 0):
        self._strategy = strategy
        self._replica_id = replica_id

    @property
    def distribution_strategy(self) -> Strategy:
        return self._strategy

    strategy = distribution_strategy

    @property
    def num_replicas_in_sync(self) -> int:
        return self._strategy.num_replicas_in_sync

    @property
    def num_towers(self) -> int:
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id(self) -> int:
        return self._replica_id

    tower_id = replica_id
    replica_id_in_sync_group = replica_id

    @property
    def devices(self) -> list[str]:
        """The device of the replica."""
        return [self._strategy.worker_devices[self._replica_id]]

    device = devices

    def all_reduce(self, reduce_op: object, value: T) -> T:
        """The sum or mean over all replicas of a tensor or a structure of them: the value itself where one replica is.

        Raises:
            ValueError: another `reduce_op` than SUM or MEAN.
            NotImplementedError: there are several replicas.
        """
        reduction(reduce_op)
        if self.num_replicas_in_sync > 1:
            raise NotImplementedError(
                f"all_reduce is of one replica, got {self.num_replicas_in_sync}"
            )
        return value

    def merge_call(
        self, merge_fn: Callable[..., object], *args: Any, **kwargs: Any
    ) -> object:
        """Calls `merge_fn(strategy, *args, **kwargs)` outside of the replica."""
        if kwargs and set(kwargs) <= {"args", "kwargs"} and not args:
            args, kwargs = (
                tuple(kwargs.get("args", ())),
                dict(kwargs.get("kwargs") or {}),
            )
        with entered(self._strategy, None):
            return merge_fn(self._strategy, *args, **kwargs)


class Strategy(abc.ABC):
    """A subclass says on which devices code runs, and how values go between them."""

    @property
    @abc.abstractmethod
    def worker_devices(self) -> list[str]:
        """The devices of the replicas."""

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return len(self.worker_devices)

    @property
    def num_towers(self) -> int:
        """The older name of `num_replicas_in_sync`."""
        return self.num_replicas_in_sync

    @property
    def extended(self) -> Strategy:
        """The strategy itself, by which later releases of TensorFlow name the less common methods."""
        return self

    @abc.abstractmethod
    def scope(self) -> contextlib.AbstractContextManager[Strategy]:
        """A scope that variables are made in, with the strategy in force."""


@contextlib.contextmanager
def entered(
    strategy: Strategy, replica: ReplicaContext | None
) -> Iterator[ReplicaContext | Strategy]:
    """The strategy, or a replica of it, is in force inside."""
    stack.items.append((strategy, replica))
    try:
        yield replica or strategy
    finally:
        stack.items.pop()


class InputContext:
    """Tells an input function how many pipelines and replicas there are, and which of them it feeds.

    Args:
        num_input_pipelines: how often the function is called.
        input_pipeline_id: which of these calls it is, from 0.
        num_replicas_in_sync: how many replicas share a step.
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """A replica's share of a batch.

        Raises:
            ValueError: the batch has no such number of equal parts.
        """
        share, rest = divmod(global_batch_size, self.num_replicas_in_sync)
        if rest:
            raise ValueError(
                f"global_batch_size must be divisible by the {self.num_replicas_in_sync} replicas, "
                f"got {global_batch_size}"
            )
        return share
