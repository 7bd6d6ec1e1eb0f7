# SPDX-License-Identifier: Apache-2.0
"""DeviceAttributes: the description of a device that `Session.list_devices` returns."""

from __future__ import annotations

from typing import Any


class _DeviceAttributes:
    """One device of a session."""

    def __init__(self, proto: Any):
        self._name = proto.name
        self._device_type = proto.device_type
        self._memory_limit_bytes = proto.memory_limit
        self._incarnation = proto.incarnation

    @property
    def name(self) -> str:
        return self._name

    @property
    def device_type(self) -> str:
        return self._device_type

    @property
    def memory_limit_bytes(self) -> int:
        return self._memory_limit_bytes

    @property
    def incarnation(self) -> int:
        return self._incarnation

    def __repr__(self) -> str:
        return (
            f"_DeviceAttributes({self._name}, {self._device_type}, "
            f"{self._memory_limit_bytes}, {self._incarnation})"
        )
