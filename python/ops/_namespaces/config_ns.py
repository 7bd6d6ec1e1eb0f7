# SPDX-License-Identifier: Apache-2.0
"""tf.config: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.framework.config import (
    LogicalDevice as LogicalDevice,
    LogicalDeviceConfiguration as LogicalDeviceConfiguration,
    PhysicalDevice as PhysicalDevice,
    get_logical_device_configuration as get_logical_device_configuration,
    get_soft_device_placement as get_soft_device_placement,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    set_logical_device_configuration as set_logical_device_configuration,
    set_soft_device_placement as set_soft_device_placement,
    set_visible_devices as set_visible_devices,
)
from tensorwright.python.ops._namespaces import (
    config_experimental_ns as experimental,
    config_optimizer_ns as optimizer,
    config_threading_ns as threading,
)
