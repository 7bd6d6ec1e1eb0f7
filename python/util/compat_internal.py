# SPDX-License-Identifier: Apache-2.0
"""Paths as texts: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.util.compat import path_to_str as path_to_str
