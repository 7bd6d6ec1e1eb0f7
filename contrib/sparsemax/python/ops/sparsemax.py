# SPDX-License-Identifier: Apache-2.0
"""Sparsemax: the point of the simplex that is nearest to logits (Martins and Astudillo 2016)."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops

__all__ = ["sparsemax"]


def sparsemax(logits: TensorLike, name: str | None = None) -> ops.Tensor:
    """max(z - tau(z), 0) of each row z, where tau makes the row's sum 1: [n, classes] of floats of that shape."""
    with ops.name_scope(name, "sparsemax", [logits]):
        logits = ops.convert_to_tensor(logits, name="logits")
        z = logits - math_ops.reduce_mean(logits, 1, keep_dims=True)
        count = array_ops.shape(z)[1]
        ordered, _ = nn_ops.top_k(z, k=count)
        sums = math_ops.cumsum(ordered, 1)
        ranks = math_ops.cast(math_ops.range(1, count + 1), z.dtype)
        # The support has as many classes as values that are above tau of themselves and greater ones.
        above = math_ops.cast(1.0 + ranks * ordered > sums, z.dtype)
        size = math_ops.reduce_sum(above, 1, keep_dims=True)
        last = math_ops.reduce_sum(ordered * above, 1, keep_dims=True)
        return math_ops.maximum(z - (last - 1.0) / size, 0.0)
