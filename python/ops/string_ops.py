# SPDX-License-Identifier: Apache-2.0
"""Strings: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.gen_string_ops import string_join as string_join
