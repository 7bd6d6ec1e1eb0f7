# SPDX-License-Identifier: Apache-2.0
"""Which strategy is in force where a program builds its graph, and whether this is a replica's code."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tensorwright.python.distribute import distribute_lib
from tensorwright.python.distribute.distribute_lib import ReplicaContext, Strategy
from tensorwright.python.distribute.one_device_strategy import OneDeviceStrategy

__all__ = [
    "get_cross_replica_context",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]


class _DefaultStrategy(OneDeviceStrategy):
    """The one where no other is in force: whatever device the program is at."""

    def __init__(self) -> None:
        super().__init__("")

    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        with distribute_lib.entered(self, None):
            yield self


_default = _DefaultStrategy()
_default_replica = ReplicaContext(_default)


def has_strategy() -> bool:
    """Whether a strategy is in force."""
    items = distribute_lib.stack.items
    return bool(items) and items[-1][0] is not _default


def get_strategy() -> Strategy:
    """The strategy in force; one of the current device if there is none."""
    items = distribute_lib.stack.items
    return items[-1][0] if items else _default


def get_replica_context() -> ReplicaContext | None:
    """The replica whose code this is; None in a strategy's scope outside of replicas."""
    items = distribute_lib.stack.items
    return items[-1][1] if items else _default_replica


def get_cross_replica_context() -> Strategy | None:
    """The strategy in whose scope this is outside of replicas; else None."""
    return get_strategy() if get_replica_context() is None else None


def in_cross_replica_context() -> bool:
    """Whether this is in a strategy's scope outside of replicas."""
    return get_replica_context() is None
