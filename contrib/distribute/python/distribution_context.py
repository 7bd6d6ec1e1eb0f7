# SPDX-License-Identifier: Apache-2.0
"""Strategies, and which one is in force where a program builds its graph."""

from __future__ import annotations

import abc
import contextlib
import enum
import threading
from collections.abc import Callable, Iterator
from typing import Any

__all__ = [
    "ReduceOp",
    "ReplicaContext",
    "Strategy",
    "get_cross_replica_context",
    "get_cross_tower_context",
    "get_distribution_strategy",
    "get_replica_context",
    "get_strategy",
    "get_tower_context",
    "has_distribution_strategy",
    "has_strategy",
    "in_cross_replica_context",
    "in_cross_tower_context",
]


class ReduceOp(enum.Enum):
    """How values of replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


class _Stack(threading.local):
    """The strategies of the `with` blocks around; None stands for a replica's own code."""

    def __init__(self) -> None:
        self.items: list[tuple[Strategy, ReplicaContext | None]] = []


_stack = _Stack()


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
    _stack.items.append((strategy, replica))
    try:
        yield replica or strategy
    finally:
        _stack.items.pop()


class _DefaultStrategy(Strategy):
    """The one where no other is in force: the current device."""

    @property
    def worker_devices(self) -> list[str]:
        return [""]

    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        with entered(self, None):
            yield self


_default = _DefaultStrategy()
_default_replica = ReplicaContext(_default)


def has_strategy() -> bool:
    """Whether a strategy is in force."""
    return bool(_stack.items) and _stack.items[-1][0] is not _default


def get_strategy() -> Strategy:
    """The strategy in force; one of the current device if there is none."""
    return _stack.items[-1][0] if _stack.items else _default


def get_replica_context() -> ReplicaContext | None:
    """The replica whose code this is; None in a strategy's scope outside of replicas."""
    return _stack.items[-1][1] if _stack.items else _default_replica


def get_cross_replica_context() -> Strategy | None:
    """The strategy in whose scope this is outside of replicas; else None."""
    return get_strategy() if get_replica_context() is None else None


def in_cross_replica_context() -> bool:
    """Whether this is in a strategy's scope outside of replicas."""
    return get_replica_context() is None


has_distribution_strategy = has_strategy
get_distribution_strategy = get_strategy
get_tower_context = get_replica_context
get_cross_tower_context = get_cross_replica_context
in_cross_tower_context = in_cross_replica_context
