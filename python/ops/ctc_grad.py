# SPDX-License-Identifier: Apache-2.0
"""Gradient of the CTC loss; its decoders have none."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops


@ops.RegisterGradient("CTCLoss")
def _ctc_loss_grad(op: ops.Operation, grad_loss: Any, unused_grad: Any) -> Any:
    """Inputs: g softmax(x) less the probability of each class at each step, given the labels; kept by the op."""
    kept = array_ops.prevent_gradient(
        op.outputs[1], message="second derivatives of ctc_loss are not defined"
    )
    row = array_ops.expand_dims(array_ops.expand_dims(grad_loss, 0), -1)
    return [row * kept, None, None, None]


ops.NotDifferentiable("CTCGreedyDecoder")
ops.NotDifferentiable("CTCBeamSearchDecoder")
