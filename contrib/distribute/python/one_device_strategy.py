# SPDX-License-Identifier: Apache-2.0
"""The strategy of one device, at the place where TensorFlow 1.13 has it.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.python.distribute.one_device_strategy import OneDeviceStrategy
