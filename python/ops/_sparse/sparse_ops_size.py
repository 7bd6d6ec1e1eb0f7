# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors with dimensions added, elements left out, and other bounds."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    gen_sparse_ops,
    math_ops,
)
from tensorwright.python.ops._sparse.sparse_ops_argument import Sparse, as_sparse
from tensorwright.python.util import compat


def sparse_expand_dims(
    sp_input: Sparse,
    axis: TensorLike | None = None,
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """`sp_input` with a dimension of 1 in front of `axis`; negative ones count from the end, None is -1.

    Raises:
        TypeError: where `sp_input` is not sparse.
        ValueError: where `axis` is known to be out of [-rank - 1, rank].
    """
    sp_input = as_sparse("sparse_expand_dims", sp_input)
    with ops.name_scope(name, "sparse_expand_dims", [sp_input.values]):
        rank = sp_input.dense_shape.get_shape().with_rank(1).as_list()[0]
        axis = -1 if axis is None else axis
        if rank is not None and isinstance(axis, compat.integral_types):
            if not -rank - 1 <= axis <= rank:
                raise ValueError(
                    f"sparse_expand_dims: axis must be in [{-rank - 1}, {rank}], got {axis}"
                )
            place = axis + rank + 1 if axis < 0 else axis
        else:
            known = array_ops.size(sp_input.dense_shape)
            axis = math_ops.cast(axis, dtypes.int32)
            place = array_ops.where(axis < 0, axis + known + 1, axis)
        indices, shape = sp_input.indices, sp_input.dense_shape
        column = array_ops.zeros([array_ops.shape(indices)[0], 1], dtypes.int64)
        one = array_ops.ones([1], dtypes.int64)
        return sparse_tensor.SparseTensor(
            array_ops.concat([indices[:, :place], column, indices[:, place:]], 1),
            sp_input.values,
            array_ops.concat([shape[:place], one, shape[place:]], 0),
        )


def sparse_retain(
    sp_input: Sparse,
    to_retain: TensorLike,
) -> sparse_tensor.SparseTensor:
    """Keeps the elements of `sp_input` for which `to_retain`, a vector of bools, holds; the shape stays.

    Raises:
        TypeError: `sp_input` is not sparse.
        ValueError: `to_retain` is known not to be a vector as long as the elements; if only the run knows, it raises
            InvalidArgumentError.
    """
    sp_input = as_sparse("sparse_retain", sp_input)
    with ops.name_scope(None, "sparse_retain", [sp_input.values]):
        kept = math_ops.cast(to_retain, dtypes.bool)
        shapes = kept.get_shape().with_rank(1), sp_input.values.get_shape()
        shapes[0].assert_is_compatible_with(shapes[1])
        if not all(shape.is_fully_defined() for shape in shapes):
            check = check_ops.assert_equal(
                array_ops.shape(kept),
                array_ops.shape(sp_input.values),
                message="sparse_retain: to_retain must be as long as there are elements.",
            )
            kept = control_flow_ops.with_dependencies([check], kept)
        places = array_ops.squeeze(array_ops.where(kept), [1])
        return sparse_tensor.SparseTensor(
            array_ops.gather(sp_input.indices, places),
            array_ops.gather(sp_input.values, places),
            array_ops.identity(sp_input.dense_shape),
        )


def sparse_reset_shape(
    sp_input: Sparse,
    new_shape: TensorLike | None = None,
) -> sparse_tensor.SparseTensor:
    """Gives `sp_input` another shape, with the same elements.

    `new_shape` has the same rank and is smaller in no dimension; None stands for the least that holds all elements.

    Raises:
        TypeError: `sp_input` is not sparse.
        ValueError: `new_shape` is known to have another rank or to be smaller; if only the run knows it, the run raises
            InvalidArgumentError.
    """
    sp_input = as_sparse("sparse_reset_shape", sp_input)
    with ops.name_scope(None, "sparse_reset_shape", [sp_input.values, new_shape]):
        indices = array_ops.identity(sp_input.indices)
        values = array_ops.identity(sp_input.values)
        if new_shape is None:
            # Without elements, the maximum of the indices is the least integer.
            last = math_ops.reduce_max(indices, axis=0)
            shape = math_ops.maximum(last, -1) + 1
        else:
            shape = _not_smaller(sp_input.dense_shape, new_shape)
        return sparse_tensor.SparseTensor(indices, values, shape)


def _not_smaller(shape: ops.Tensor, new_shape: Any) -> ops.Tensor:
    """`new_shape` as int64, which has the length of `shape` and no lesser size."""
    new_shape = ops.convert_to_tensor(new_shape, dtype_hint=dtypes.int64)
    new_shape = math_ops.cast(new_shape, dtypes.int64)
    new_shape.get_shape().with_rank(1).merge_with(shape.get_shape())
    known = [tensor_util.constant_value(t) for t in (shape, new_shape)]
    message = "sparse_reset_shape: new_shape must be >= the shape of sp_input"
    if all(value is not None for value in known):
        if (known[1] < known[0]).any():
            raise ValueError(f"{message}, got {known[1]} and {known[0]}")
        return new_shape
    ranks = check_ops.assert_equal(
        array_ops.shape(new_shape),
        array_ops.shape(shape),
        message="sparse_reset_shape: new_shape must have the rank of sp_input.",
    )
    with ops.control_dependencies([ranks]):
        new_shape = array_ops.identity(new_shape)
    sizes = check_ops.assert_greater_equal(new_shape, shape, message=f"{message}.")
    return control_flow_ops.with_dependencies([sizes], new_shape)


def sparse_fill_empty_rows(
    sp_input: Sparse, default_value: TensorLike, name: str | None = None
) -> tuple[sparse_tensor.SparseTensor, ops.Tensor]:
    """Puts `default_value` at the start of each row (first coordinate) that has no element.

    Returns:
        (a SparseTensor of the shape of `sp_input`, in order of rows; bool [rows]: which rows were empty).

    Raises:
        TypeError: `sp_input` is not sparse.
        InvalidArgumentError: in the run, for indices outside of the rows.
    """
    sp_input = as_sparse("sparse_fill_empty_rows", sp_input)
    with ops.name_scope(name, "SparseFillEmptyRows", [sp_input.values]):
        default_value = ops.convert_to_tensor(
            default_value, dtype=sp_input.values.dtype.base_dtype
        )
        indices, values, empty, _ = gen_sparse_ops._sparse_fill_empty_rows(
            sp_input.indices, sp_input.values, sp_input.dense_shape, default_value
        )
        return sparse_tensor.SparseTensor(indices, values, sp_input.dense_shape), empty
