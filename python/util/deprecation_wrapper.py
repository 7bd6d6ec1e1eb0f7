# SPDX-License-Identifier: Apache-2.0
"""The module in front of another one under its older name: a re-export, no code."""

# ruff: noqa: F401
from tensorwright.python.util.module_wrapper import (
    TFModuleWrapper as DeprecationWrapper,
)
