# SPDX-License-Identifier: Apache-2.0
"""Gradients of contrib's ops."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_contrib_ops


@ops.RegisterGradient("Resampler")
def _resampler_grad(op: ops.Operation, grad: Any) -> Any:
    """The image gets g times the weight of each pixel, a point g times the differences of the pixels around it."""
    data, warp = op.inputs
    return list(gen_contrib_ops.resampler_grad(data, warp, grad))


ops.NotDifferentiable("GatherTree")
ops.NotDifferentiable("SkipGramGenerateCandidates")
ops.NotDifferentiable("BytesInUse")
ops.NotDifferentiable("BytesLimit")
ops.NotDifferentiable("MaxBytesInUse")
ops.NotDifferentiable("WALSComputePartialLhsAndRhs")
ops.NotDifferentiable("MaskedMatmul")
