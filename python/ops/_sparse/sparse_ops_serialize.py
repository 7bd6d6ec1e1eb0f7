# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors as strings and as numbers of a map, which queues can hold."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_sparse_ops
from tensorwright.python.ops._sparse.sparse_ops_argument import Sparse, as_sparse


def serialize_sparse(
    sp_input: Sparse, name: str | None = None, out_type: DTypeLike = dtypes.string
) -> ops.Tensor:
    """Indices, values and shape as serialized TensorProtos, or as variants: [3].

    Raises:
        TypeError: `sp_input` is not sparse.
    """
    sp_input = as_sparse("serialize_sparse", sp_input)
    return gen_sparse_ops._serialize_sparse(
        sp_input.indices,
        sp_input.values,
        sp_input.dense_shape,
        out_type=out_type,
        name=name,
    )


def serialize_many_sparse(
    sp_input: Sparse, name: str | None = None, out_type: DTypeLike = dtypes.string
) -> ops.Tensor:
    """Each row (the first dimension) of a sparse tensor of rank 2 or more, as by `serialize_sparse`: [rows, 3].

    Raises:
        TypeError: `sp_input` is not sparse.
        InvalidArgumentError: in the run, for indices outside of the shape or out of order.
    """
    sp_input = as_sparse("serialize_many_sparse", sp_input)
    return gen_sparse_ops._serialize_many_sparse(
        sp_input.indices,
        sp_input.values,
        sp_input.dense_shape,
        out_type=out_type,
        name=name,
    )


def _joined(parts: Any, rank: Any) -> sparse_tensor.SparseTensor:
    """A SparseTensor whose rank is known to be `rank`, unless that is None."""
    indices, values, shape = parts
    if rank is not None:
        indices.set_shape([None, rank])
        shape.set_shape([rank])
    return sparse_tensor.SparseTensor(indices, values, shape)


def deserialize_sparse(
    serialized_sparse: TensorLike,
    dtype: DTypeLike,
    rank: int | None = None,
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """Reverses `serialize_sparse`: [..., 3] -> a SparseTensor [..., largest sizes].

    Args:
        serialized_sparse: strings or variants.
        dtype: the dtype of the values.
        rank: the rank of the serialized sparse tensors, if it is known.
        name: the op's name.

    Raises:
        InvalidArgumentError: in the run, an element cannot be read, has another dtype, or ranks differ.
    """
    parts = gen_sparse_ops.deserialize_sparse(serialized_sparse, dtype, name=name)
    return _joined(parts, rank)


def deserialize_many_sparse(
    serialized_sparse: TensorLike,
    dtype: DTypeLike,
    rank: int | None = None,
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """Reverses `serialize_many_sparse`: [rows, 3] -> a SparseTensor [rows, largest sizes].

    The arguments are those of `deserialize_sparse`.
    """
    parts = gen_sparse_ops._deserialize_many_sparse(serialized_sparse, dtype, name=name)
    return _joined(parts, None if rank is None else rank + 1)


def add_sparse_to_tensors_map(
    sp_input: Sparse,
    container: str | None = None,
    shared_name: str | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Keeps `sp_input` in a map, by default one of this op alone: its number, int64 []."""
    sp_input = as_sparse("add_sparse_to_tensors_map", sp_input)
    return gen_sparse_ops._add_sparse_to_tensors_map(
        sp_input.indices,
        sp_input.values,
        sp_input.dense_shape,
        container=container or "",
        shared_name=shared_name or "",
        name=name,
    )


def add_many_sparse_to_tensors_map(
    sp_input: Sparse,
    container: str | None = None,
    shared_name: str | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Keeps each row (the first dimension) of `sp_input` in a map: their numbers, int64 [rows]."""
    sp_input = as_sparse("add_many_sparse_to_tensors_map", sp_input)
    return gen_sparse_ops._add_many_sparse_to_tensors_map(
        sp_input.indices,
        sp_input.values,
        sp_input.dense_shape,
        container=container or "",
        shared_name=shared_name or "",
        name=name,
    )


def take_many_sparse_from_tensors_map(
    sparse_map_op: ops.Operation,
    sparse_handles: TensorLike,
    rank: int | None = None,
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """Takes sparse tensors out of the map of an op that added them: int64 [rows] -> a SparseTensor [rows, ...].

    Args:
        sparse_map_op: the op of one of the two functions above.
        sparse_handles: their numbers.
        rank: the rank of the sparse tensors in the map, if it is known.
        name: the op's name.

    Raises:
        TypeError: another op.
        InvalidArgumentError: in the run, for a number that is not there (any more).
    """
    if not isinstance(sparse_map_op, ops.Operation):
        raise TypeError("sparse_map_op be an Operation")
    if sparse_map_op.type not in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap"):
        raise TypeError(
            "sparse_map_op must be one of AddSparseToTensorsMap or "
            f"AddManySparseToTensorsMap, got {sparse_map_op.type}"
        )
    with ops.colocate_with(sparse_map_op):
        return take_many_sparse_from_map(
            sparse_handles,
            sparse_map_op.get_attr("T"),
            _text(sparse_map_op.get_attr("shared_name")) or sparse_map_op.name,
            rank,
            container=_text(sparse_map_op.get_attr("container")),
            name=name,
        )


def _text(attr: str | bytes) -> str:
    return attr.decode() if isinstance(attr, bytes) else attr


def take_many_sparse_from_map(
    sparse_handles: TensorLike,
    dtype: DTypeLike,
    map_name: str,
    rank: int | None = None,
    container: str = "",
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """As above, out of the map of that name."""
    parts = gen_sparse_ops._take_many_sparse_from_tensors_map(
        sparse_handles,
        dtype=dtype,
        container=container,
        shared_name=map_name,
        name=name,
    )
    return _joined(parts, None if rank is None else rank + 1)
