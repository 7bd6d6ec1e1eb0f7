# SPDX-License-Identifier: Apache-2.0
"""Small data sets: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.contrib.learn.python.learn.datasets import base, mnist
