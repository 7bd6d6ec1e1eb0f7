# SPDX-License-Identifier: Apache-2.0
"""The mode that programs ask for: all is built into graphs, and nothing runs before a session runs it.

TensorFlow's names that make sense in graph mode are here; `eager_mode` and the like are not.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tensorwright.python.framework import config as device_config, default_stack

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto

GRAPH_MODE = 0
EAGER_MODE = 1
default_execution_mode = GRAPH_MODE


class Context:
    """The process's state as far as it is not a graph's: its mode, its devices and their settings."""

    def executing_eagerly(self) -> bool:
        """False."""
        return False

    @property
    def config(self) -> ConfigProto | None:
        """The ConfigProto of sessions that are given none, as `tf.config` was told."""
        return device_config.session_config()

    def num_gpus(self) -> int:
        """The number of GPUs of this process."""
        return len(device_config.list_physical_devices("GPU"))

    def devices(self) -> list[str]:
        """The names of the devices of this process."""
        return [device.name for device in device_config.list_logical_devices()]


_context = Context()


def context() -> Context:
    """The one context of this process."""
    return _context


def executing_eagerly() -> bool:
    """False: everything is built into graphs and run by sessions."""
    return False


in_eager_mode = executing_eagerly


def in_graph_mode() -> bool:
    """True."""
    return True


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A context in which nothing runs eagerly, as nowhere."""
    yield


def num_gpus() -> int:
    """The number of GPUs of this process."""
    return _context.num_gpus()


def list_devices() -> list[str]:
    """The names of the devices of this process."""
    return _context.devices()


def shared_name(name: str | None = None) -> str | None:
    """The `shared_name` of a resource: `name`, as a graph's resources live while a session does."""
    return name


def global_seed() -> int | None:
    """The seed of the default graph, or None."""
    return default_stack.get_default_graph().seed
