# SPDX-License-Identifier: Apache-2.0
"""The horizon of forward compatibility: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.util.compat import (
    forward_compatibility_horizon as forward_compatibility_horizon,
    forward_compatible as forward_compatible,
)
