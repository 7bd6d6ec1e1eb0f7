# SPDX-License-Identifier: Apache-2.0
"""Gradients under TensorFlow's module name: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.gradients_impl import AggregationMethod, gradients
