# SPDX-License-Identifier: Apache-2.0
"""The loss whose gradient is sparsemax less the labels."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops

__all__ = ["sparsemax_loss"]


def sparsemax_loss(
    logits: TensorLike, sparsemax: TensorLike, labels: TensorLike, name: str | None = None
) -> ops.Tensor:  # fmt: skip
    """sum p (z - p / 2) + sum q (q / 2 - z) of each row: [n].

    Args:
        logits: z, [n, classes].
        sparsemax: p, the result of `sparsemax` for the logits.
        labels: q, probabilities of that shape.
        name: the name of the operations.
    """
    with ops.name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        logits = ops.convert_to_tensor(logits)
        p = ops.convert_to_tensor(sparsemax, logits.dtype)
        q = ops.convert_to_tensor(labels, logits.dtype)
        z = logits - math_ops.reduce_mean(logits, 1, keep_dims=True)
        zeros = array_ops.zeros_like(z)
        # A logit may be minus infinity where the probability is 0.
        of_p = array_ops.where(p > 0, p * (z - 0.5 * p), zeros)
        of_q = array_ops.where(math_ops.equal(q, 0), zeros, q * (0.5 * q - z))
        return math_ops.reduce_sum(of_p + of_q, 1)
