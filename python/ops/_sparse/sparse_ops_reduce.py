# SPDX-License-Identifier: Apache-2.0
"""Reductions of sparse tensors, with dense and with sparse results."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_sparse_ops, math_ops
from tensorwright.python.ops._sparse.sparse_ops_argument import Sparse, as_sparse
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup

Axes = TensorLike | None


def _arguments(
    function: str, sp_input: Any, axis: Any, keepdims: Any, axes: Any, keep_dims: Any
) -> dict[str, Any]:
    """The op's arguments, from the function's and their older names."""
    sp_input = as_sparse(function, sp_input)
    axis = deprecated_argument_lookup("axis", axis, "reduction_axes", axes)
    keepdims = deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    if axis is None:
        rank = sp_input.get_shape().ndims
        axis = math_ops.range(
            array_ops.size(sp_input.dense_shape) if rank is None else rank
        )
    return {
        "input_indices": sp_input.indices,
        "input_values": sp_input.values,
        "input_shape": sp_input.dense_shape,
        "reduction_axes": math_ops.cast(axis, dtypes.int32),
        "keep_dims": bool(keepdims),
    }


def sparse_reduce_sum(
    sp_input: Sparse,
    axis: Axes = None,
    keepdims: bool | None = None,
    reduction_axes: Axes = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """Sums the elements over `axis` to a dense tensor; 0 where there are none.

    Args:
        sp_input: a SparseTensor of numbers.
        axis: an int, or several; negative from the end; None: all.
        keepdims: reduced dimensions stay, of size 1.
        reduction_axes: `axis`, by its older name.
        keep_dims: `keepdims`, by its older name.

    Raises:
        TypeError: `sp_input` is not sparse.
        InvalidArgumentError: an axis out of range, or indices outside of the shape.
    """
    return gen_sparse_ops.sparse_reduce_sum(
        **_arguments(
            "sparse_reduce_sum", sp_input, axis, keepdims, reduction_axes, keep_dims
        )
    )


def sparse_reduce_sum_sparse(
    sp_input: Sparse,
    axis: Axes = None,
    keepdims: bool | None = None,
    reduction_axes: Axes = None,
    keep_dims: bool | None = None,
) -> sparse_tensor.SparseTensor:
    """As `sparse_reduce_sum`, but returns the groups that have elements as a SparseTensor."""
    return sparse_tensor.SparseTensor(
        *gen_sparse_ops.sparse_reduce_sum_sparse(
            **_arguments(
                "sparse_reduce_sum_sparse",
                sp_input,
                axis,
                keepdims,
                reduction_axes,
                keep_dims,
            )
        )
    )


def sparse_reduce_max(
    sp_input: Sparse,
    axis: Axes = None,
    keepdims: bool | None = None,
    reduction_axes: Axes = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """Returns the largest elements over `axis`, as a dense tensor; 0 where there are none.

    The arguments are those of `sparse_reduce_sum`; values are real.  Missing elements do not count: the largest of -1
    and missing elements is -1.
    """
    return gen_sparse_ops.sparse_reduce_max(
        **_arguments(
            "sparse_reduce_max", sp_input, axis, keepdims, reduction_axes, keep_dims
        )
    )


def sparse_reduce_max_sparse(
    sp_input: Sparse,
    axis: Axes = None,
    keepdims: bool | None = None,
    reduction_axes: Axes = None,
    keep_dims: bool | None = None,
) -> sparse_tensor.SparseTensor:
    """As `sparse_reduce_max`, but returns the groups that have elements as a SparseTensor."""
    return sparse_tensor.SparseTensor(
        *gen_sparse_ops.sparse_reduce_max_sparse(
            **_arguments(
                "sparse_reduce_max_sparse",
                sp_input,
                axis,
                keepdims,
                reduction_axes,
                keep_dims,
            )
        )
    )
