# SPDX-License-Identifier: Apache-2.0
"""DeviceSpec in the module where later versions of TensorFlow have it."""

# ruff: noqa: F401
from tensorwright.python.framework.device import (
    DeviceSpec as DeviceSpec,
    DeviceSpec as DeviceSpecV1,
)
