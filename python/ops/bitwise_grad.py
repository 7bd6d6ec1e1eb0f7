# SPDX-License-Identifier: Apache-2.0
"""Bits have no gradients."""

from tensorwright.python.framework import ops

for _name in (
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Invert",
    "LeftShift",
    "PopulationCount",
    "RightShift",
):
    ops.NotDifferentiable(_name)
