# SPDX-License-Identifier: Apache-2.0
"""Counts of values, as sparse tensors."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.sparse_tensor import SparseTensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_sparse_ops


def sparse_bincount(
    values: TensorLike | SparseTensor,
    weights: TensorLike | SparseTensor | None = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Counts how often each of 0, 1, ... occurs in `values`; numbers that do not occur are left out.

    Args:
        values: int32 or int64 of any shape, or a SparseTensor; not negative.
        weights: summed instead, in the shape of `values`.
        axis: 0 or None: of all values, [size]; -1: of each row of a matrix, [rows, size].
        minlength: the least size.
        maxlength: the size, beyond which values do not count.
        binary_output: whether each number that occurs counts only once.
        name: the name of the ops.

    Raises:
        ValueError: both weights and binary_output are given, or a length is negative.
        NotImplementedError: `axis` is another one.
    """
    with ops.name_scope(name, "count", [values, weights]):
        if binary_output and weights is not None:
            raise ValueError(
                "Arguments `binary_output` and `weights` are mutually exclusive."
            )
        if axis not in (0, -1, None):
            raise NotImplementedError(f"axis must be 0, -1 or None, got {axis}")
        for what, length in (("minlength", minlength), ("maxlength", maxlength)):
            if length is not None and length < 0:
                raise ValueError(f"{what} must be >= 0, got {length}")
        attrs = {
            "minlength": -1 if minlength is None else minlength,
            "maxlength": -1 if maxlength is None else maxlength,
            "binary_output": binary_output,
        }
        if not isinstance(values, SparseTensor):
            values = ops.convert_to_tensor(values)
        if isinstance(values, SparseTensor) and axis == -1:
            if weights is None:
                counted = _no_weights(values)
            else:
                counted = (
                    weights.values if isinstance(weights, SparseTensor) else weights
                )
            return SparseTensor(
                *gen_sparse_ops.sparse_count_sparse_output(
                    values.indices, values.values, values.dense_shape, counted, **attrs
                )
            )
        rows, weighing = _plain(values), _plain(weights)
        if axis != -1:
            rows = array_ops.reshape(rows, [-1])
            if weighing is not None:
                weighing = array_ops.reshape(weighing, [-1])
        if weighing is None:
            weighing = _no_weights(ops.convert_to_tensor(rows))
        return SparseTensor(
            *gen_sparse_ops.dense_count_sparse_output(rows, weighing, **attrs)
        )


def _plain(x: TensorLike | SparseTensor | None) -> Any:
    return x.values if isinstance(x, SparseTensor) else x


def _no_weights(values: ops.Tensor | SparseTensor) -> ops.Tensor:
    """Counts have the dtype of `values`."""
    return array_ops.zeros([0], values.dtype)
