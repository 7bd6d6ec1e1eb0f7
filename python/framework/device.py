# SPDX-License-Identifier: Apache-2.0
"""Device names: "/job:worker/replica:0/task:1/device:GPU:0" and parts of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorwright.python.framework.operation import Operation


_TYPES = ("CPU", "GPU")
_ATTRIBUTES = ("job", "replica", "task", "device")


class DeviceSpec:
    """A full or partial device name; a field that is None is not fixed."""

    __slots__ = ("_job", "_replica", "_task", "_device_type", "_device_index")

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ):
        self._job = job or None
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        self._device_type = _type_name(device_type) if device_type else None
        self._device_index = None if device_index is None else int(device_index)

    @property
    def job(self) -> str | None:
        return self._job

    @job.setter
    def job(self, value: str | None) -> None:
        self._job = str(value) if value is not None else None

    @property
    def replica(self) -> int | None:
        return self._replica

    @replica.setter
    def replica(self, value: int | None) -> None:
        self._replica = int(value) if value is not None else None

    @property
    def task(self) -> int | None:
        return self._task

    @task.setter
    def task(self, value: int | None) -> None:
        self._task = int(value) if value is not None else None

    @property
    def device_type(self) -> str | None:
        return self._device_type

    @device_type.setter
    def device_type(self, value: str | None) -> None:
        self._device_type = _type_name(value) if value is not None else None

    @property
    def device_index(self) -> int | None:
        return self._device_index

    @device_index.setter
    def device_index(self, value: int | None) -> None:
        self._device_index = int(value) if value is not None else None

    def _fields(self) -> tuple:
        return tuple(getattr(self, slot) for slot in self.__slots__)

    def parse_from_string(self, spec: str) -> "DeviceSpec":
        """Replaces all fields by those of `spec`; ValueError if it is malformed."""
        self.__init__()
        for part in spec.split("/")[1:] if spec.startswith("/") else spec.split("/"):
            if part:
                self._parse_part(part, spec)
        return self

    def _parse_part(self, part: str, spec: str) -> None:
        fields = part.split(":")
        kind = fields[0] if fields[0] != "device" else "".join(fields[1:2])
        if _type_name(kind) in _TYPES and self._device_type is not None:
            raise ValueError(f"Cannot specify multiple device types: {spec}")
        try:
            match fields:
                case ["job", job]:
                    self.job = job
                case ["replica", index]:
                    self.replica = int(index)
                case ["task", index]:
                    self.task = int(index)
                case ["device", kind, index]:
                    self._set_device_part(kind, index)
                case [kind, index] if _type_name(kind) in _TYPES:
                    self._set_device_part(kind, index)
                case _:
                    raise ValueError
        except ValueError:
            raise ValueError(
                f"Unknown attribute: {fields[0]!r} in {spec!r}"
                if fields[0] not in _ATTRIBUTES and _type_name(fields[0]) not in _TYPES
                else f"Malformed part {part!r} in device name {spec!r}"
            ) from None

    def _set_device_part(self, kind: str, index: str) -> None:
        if self._device_type is not None:
            raise ValueError("Cannot specify multiple device types")
        self.device_type = kind
        self.device_index = None if index == "*" else int(index)

    def merge_from(self, dev: "DeviceSpec") -> None:
        """Takes every field that `dev` fixes."""
        for slot in self.__slots__:
            value = getattr(dev, slot)
            if value is not None:
                setattr(self, slot, value)

    def make_merged_spec(self, dev: "DeviceSpec") -> "DeviceSpec":
        """A spec with the fields of `dev` over those of this one."""
        merged = DeviceSpec(*self._fields())
        merged.merge_from(dev)
        return merged

    def replace(self, **kwargs: object) -> "DeviceSpec":
        fields = {slot[1:]: getattr(self, slot) for slot in self.__slots__}
        fields.update(kwargs)
        return DeviceSpec(**fields)

    def to_string(self) -> str:
        parts = []
        if self._job is not None:
            parts.append(f"/job:{self._job}")
        if self._replica is not None:
            parts.append(f"/replica:{self._replica}")
        if self._task is not None:
            parts.append(f"/task:{self._task}")
        if self._device_type is not None:
            index = "*" if self._device_index is None else self._device_index
            parts.append(f"/device:{self._device_type}:{index}")
        return "".join(parts)

    @staticmethod
    def from_string(spec: str) -> "DeviceSpec":
        return DeviceSpec().parse_from_string(spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"DeviceSpec({self.to_string()!r})"


DeviceSpecV1 = DeviceSpec


def _type_name(device_type: str) -> str:
    upper = device_type.upper()
    return upper if upper in _TYPES else device_type


def check_valid(spec: str) -> None:
    """Raises ValueError if `spec` is no device name."""
    DeviceSpec.from_string(spec)


def canonical_name(device: str | DeviceSpec | None) -> str:
    """The full spelling of a name: "/cpu:0" -> "/device:CPU:0"."""
    if device is None:
        return ""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    return DeviceSpec.from_string(device).to_string()


def device_string(device: str | DeviceSpec) -> str:
    """The text of a name or spec, as nodes carry it."""
    return canonical_name(device)


def merge_strings(outer: str, inner: str) -> str:
    """The name that `inner` gives within a scope for `outer`."""
    if not outer:
        return canonical_name(inner)
    spec = DeviceSpec.from_string(outer)
    return spec.make_merged_spec(DeviceSpec.from_string(inner)).to_string()


def merge_device(spec: str | DeviceSpec | None) -> Callable[[Operation], str]:
    """A device function that fills in what an operation's own device leaves open."""
    outer = canonical_name(spec)

    def device_function(op: Any) -> str:
        return merge_strings(outer, op.device or "")

    return device_function
