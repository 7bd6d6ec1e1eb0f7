# SPDX-License-Identifier: Apache-2.0
"""Dual coordinate ascent is a training step: it is not differentiated."""

from __future__ import annotations

from tensorwright.python.framework import ops

for _name in ("SdcaFprint", "SdcaOptimizer", "SdcaShrinkL1"):
    ops.NotDifferentiable(_name)
