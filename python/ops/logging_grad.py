# SPDX-License-Identifier: Apache-2.0
"""Gradients of ops that report."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops


@ops.RegisterGradient("Print")
def _print_grad(op: ops.Operation, *grads: Any) -> Any:
    """The tensor that passes through gets g; the printed ones get none."""
    return [*grads, *[None] * (len(op.inputs) - 1)]


for _name in (
    "Assert", "ScalarSummary", "HistogramSummary", "ImageSummary", "AudioSummary",
    "AudioSummaryV2", "TensorSummary", "TensorSummaryV2", "MergeSummary", "Timestamp",
):  # fmt: skip
    ops.NotDifferentiable(_name)
