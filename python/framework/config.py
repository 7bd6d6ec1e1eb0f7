# SPDX-License-Identifier: Apache-2.0
"""The devices of this process and the settings of sessions that are given no ConfigProto.

A session that is made with a `config` does not look here.  `list_logical_devices` ends the time in which devices and
threads can be set.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.util.lazy_protos import config_pb2, rewriter_config_pb2

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto


class PhysicalDevice(NamedTuple):
    """A device of the machine, as `list_physical_devices` gives it."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that operations run on: a physical one or a part of it."""

    name: str
    device_type: str


@dataclasses.dataclass(frozen=True)
class LogicalDeviceConfiguration:
    """One of the logical devices that a physical one is divided into.

    Attributes:
        memory_limit: its memory in megabytes; None for no limit, which is all that CPUs take.
        experimental_priority: a GPU's.
        experimental_device_ordinal: a GPU's.
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


@dataclasses.dataclass
class _Settings:
    """All that was set; None where nothing was."""

    intra_op_threads: int | None = None
    inter_op_threads: int | None = None
    soft_placement: bool | None = None
    jit: bool | None = None
    optimizer: dict[str, Any] = dataclasses.field(default_factory=dict)
    visible: list[PhysicalDevice] | None = None
    logical: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = dataclasses.field(
        default_factory=dict
    )
    fixed: bool = False


_settings = _Settings()
# Names of switches of the graph's rewriting; a session's ConfigProto has a field of each name.
_TOGGLES = frozenset(
    "layout_optimizer constant_folding shape_optimization remapping arithmetic_optimization "
    "dependency_optimization loop_optimization function_optimization debug_stripper "
    "scoped_allocator_optimization implementation_selector auto_mixed_precision".split()
)
_FLAGS = frozenset(["disable_model_pruning", "disable_meta_optimizer"])


def _require_open(subject: str, after: str = "initialization") -> None:
    if _settings.fixed:
        raise RuntimeError(f"{subject} cannot be modified after {after}.")


def _physical() -> list[PhysicalDevice]:
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")]


def _known(device: Any) -> PhysicalDevice:
    if device not in _physical():
        raise ValueError(f"Unrecognized device: {device!r}")
    return device


def _of_type(devices: Iterable[Any], device_type: str | None) -> list[Any]:
    return [d for d in devices if device_type in (None, d.device_type)]


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine that the library can use, of one type if it is given: "CPU", "GPU"."""
    return _of_type(_physical(), device_type)


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The physical devices that sessions may use."""
    visible = _settings.visible
    return _of_type(_physical() if visible is None else visible, device_type)


def set_visible_devices(
    devices: PhysicalDevice | Iterable[PhysicalDevice], device_type: str | None = None
) -> None:
    """Says which physical devices sessions may use.

    Args:
        devices: a PhysicalDevice or a list of them.
        device_type: if given, devices of other types stay as they are.

    Raises:
        ValueError: for a device that is not one of `list_physical_devices(device_type)`.
        RuntimeError: after `list_logical_devices`, if that would change something.
    """
    if isinstance(devices, PhysicalDevice) or not isinstance(devices, Iterable):
        devices = [devices]
    wanted = list(devices)
    for device in wanted:
        if device_type not in (None, _known(device).device_type):
            raise ValueError(f"Unrecognized device: {device!r}")
    if device_type is not None:
        others = [d for d in get_visible_devices() if d.device_type != device_type]
        wanted = others + wanted
    if wanted == get_visible_devices():
        return
    _require_open("Visible devices", "being initialized")
    _settings.visible = wanted


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Returns the devices that operations run on, in sessions that are given no config.

    From this call on, the settings of devices and threads cannot be changed.
    """
    _settings.fixed = True
    found = []
    for device in get_visible_devices():
        for index in range(len(_settings.logical.get(device, [None]))):
            kind = device.device_type
            found.append(LogicalDevice(f"/device:{kind}:{index}", kind))
    return _of_type(found, device_type)


def get_logical_device_configuration(
    device: PhysicalDevice,
) -> list[LogicalDeviceConfiguration] | None:
    """Returns the division of a physical device into logical ones; None if it is not divided.

    Raises ValueError for an unknown device.
    """
    found = _settings.logical.get(_known(device))
    return None if found is None else list(found)


def set_logical_device_configuration(
    device: PhysicalDevice,
    logical_devices: Sequence[LogicalDeviceConfiguration],
) -> None:
    """Divides a physical device: the first CPU is `/cpu:0`, the second `/cpu:1`.

    Raises:
        ValueError: for an unknown device, or a limit that CPUs do not take.
        RuntimeError: after `list_logical_devices`, if that would change something.
    """
    _known(device)
    for part in logical_devices:
        if part.memory_limit is not None:
            raise ValueError(
                "Setting memory limit on CPU virtual devices is currently not supported"
            )
        if part.experimental_priority is not None:
            raise ValueError(
                "Setting experimental_priority on CPU virtual devices is "
                "currently not supported"
            )
    if _settings.logical.get(device) == list(logical_devices):
        return
    _require_open("Virtual devices", "being initialized")
    _settings.logical[device] = list(logical_devices)


def get_device_details(device: PhysicalDevice) -> dict[str, str | tuple[int, int]]:
    """Details of a GPU's hardware: an empty dict for a CPU.

    Raises ValueError for an unknown device.
    """
    _known(device)
    return {}


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Whether a GPU's memory grows when it is needed.

    Raises ValueError for an unknown device, KeyError for a CPU, which has no such setting.
    """
    raise KeyError(_known(device))


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Says whether a GPU's memory grows when it is needed.

    Raises ValueError for an unknown device and for a CPU.
    """
    del enable
    _known(device)
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


def get_intra_op_parallelism_threads() -> int:
    """The threads that one operation may use; 0 lets the system choose."""
    return _settings.intra_op_threads or 0


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Says how many threads one operation may use; 0 lets the system choose.

    Raises RuntimeError after `list_logical_devices`, if that would change something.
    """
    if num_threads != get_intra_op_parallelism_threads():
        _require_open("Intra op parallelism")
        _settings.intra_op_threads = num_threads


def get_inter_op_parallelism_threads() -> int:
    """The threads that independent operations may use; 0 lets the system choose."""
    return _settings.inter_op_threads or 0


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Says how many threads independent operations may use; 0 lets the system choose.

    Raises RuntimeError after `list_logical_devices`, if that would change something.
    """
    if num_threads != get_inter_op_parallelism_threads():
        _require_open("Inter op parallelism")
        _settings.inter_op_threads = num_threads


def get_soft_device_placement() -> bool:
    """Whether an operation runs on another device if its own does not exist."""
    return bool(_settings.soft_placement)


def set_soft_device_placement(enabled: bool) -> None:
    """Says whether an operation runs on another device if its own does not exist."""
    _settings.soft_placement = enabled


def get_optimizer_jit() -> str:
    """ "autoclustering" if sessions may compile parts of graphs, else ""."""
    return "autoclustering" if _settings.jit else ""


def set_optimizer_jit(enabled: bool | str) -> None:
    """Says whether sessions may compile parts of graphs: True, False or "autoclustering"."""
    _settings.jit = enabled in (True, "autoclustering")


def get_optimizer_experimental_options() -> dict[str, bool]:
    """Returns the options of the graph's rewriting that were set, and those that are always on or off."""
    return dict.fromkeys(sorted(_FLAGS), False) | _settings.optimizer


def set_optimizer_experimental_options(options: Mapping[str, object]) -> None:
    """Sets options of the graph's rewriting, such as `{"constant_folding": False}`; unknown names are left out."""
    known = {k: v for k, v in options.items() if k in _TOGGLES | _FLAGS}
    _settings.optimizer.update(known)


def session_config() -> ConfigProto | None:
    """The ConfigProto of a session that is given none, from all that was set; None if nothing was."""
    if _settings == _Settings(fixed=_settings.fixed):
        return None
    made = config_pb2.ConfigProto(
        intra_op_parallelism_threads=_settings.intra_op_threads or 0,
        inter_op_parallelism_threads=_settings.inter_op_threads or 0,
        allow_soft_placement=bool(_settings.soft_placement),
    )
    for device in get_visible_devices():
        parts = len(_settings.logical.get(device, [None]))
        made.device_count[device.device_type] += parts
    if _settings.jit:
        made.graph_options.optimizer_options.global_jit_level = (
            config_pb2.OptimizerOptions.ON_1
        )
    rewrites = made.graph_options.rewrite_options
    fields = rewrites.DESCRIPTOR.fields_by_name
    toggle = rewriter_config_pb2.RewriterConfig
    for name, value in _settings.optimizer.items():
        if name in fields:
            setattr(rewrites, name, value if name in _FLAGS else toggle.ON if value else toggle.OFF)  # fmt: skip # noqa: E501
    return made
