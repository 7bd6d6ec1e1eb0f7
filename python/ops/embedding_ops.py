# SPDX-License-Identifier: Apache-2.0
"""Rows of embedding tables."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.ops import array_ops, clip_ops, data_flow_ops, math_ops


def _clipped(rows: ops.Tensor, ids: ops.Tensor, max_norm: Any) -> ops.Tensor:
    """Rows scaled down to an l2 norm of at most `max_norm`."""
    if max_norm is None:
        return rows
    first = ids.get_shape().ndims
    if first is None or rows.get_shape().ndims is None:
        raise ValueError("embedding_lookup: max_norm needs tensors of known rank")
    axes = list(range(first, rows.get_shape().ndims))
    return clip_ops.clip_by_norm(rows, max_norm, axes=axes)


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> ops.Tensor:
    """The rows `ids` of a table: [rows, n...], [i...] -> [i..., n...].

    Args:
        params: the table, or a list (or PartitionedVariable) of its parts.
        ids: int32 or int64.
        partition_strategy: how ids fall to parts: "mod" (id % parts) or "div" (equal
            contiguous ranges, the first ones one longer).
        max_norm: rows are scaled down to this l2 norm.

    Raises ValueError without parts or for another strategy.
    """
    del validate_indices
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError("Need at least one param")
    is_list = isinstance(params, (list, tuple)) or hasattr(params, "_get_variable_list")
    parts = list(params) if is_list else [params]
    with ops.name_scope(name, "embedding_lookup", [*parts, ids]) as scope:
        ids = ops.convert_to_tensor(ids, name="ids")
        # Variables stay: their rows are read without the whole.
        parts = [
            p
            if ops.is_dense_tensor_like(p)
            else ops.convert_to_tensor(p, name="params")
            for p in parts
        ]
        if len(parts) == 1:
            rows = array_ops.gather(parts[0], ids, name=scope)
            return array_ops.identity(_clipped(rows, ids, max_norm))
        flat = array_ops.reshape(ids, [-1])
        owner, local = _placed(parts, flat, partition_strategy)
        count = len(parts)
        owner = math_ops.cast(owner, dtypes.int32)
        local_ids = data_flow_ops.dynamic_partition(local, owner, count)
        places = data_flow_ops.dynamic_partition(
            math_ops.range(array_ops.size(flat)), owner, count
        )
        found = []
        for part, wanted in zip(parts, local_ids, strict=True):
            with ops.colocate_with(part.op):
                found.append(array_ops.gather(part, wanted))
        rows = data_flow_ops.dynamic_stitch(places, found)
        row_shape = array_ops.shape(parts[0])[1:]
        rows = array_ops.reshape(
            rows, array_ops.concat([array_ops.shape(ids), row_shape], 0)
        )
        static = parts[0].get_shape()[1:]
        rows.set_shape(ids.get_shape().concatenate(static))
        return _clipped(rows, ids, max_norm)


def _placed(parts: list, flat: ops.Tensor, strategy: str) -> tuple[Any, Any]:
    """(the part, the row in it) of each id."""
    count = len(parts)
    if strategy == "mod":
        return flat % count, flat // count
    if strategy != "div":
        raise ValueError("Unrecognized partition strategy: " + strategy)
    sizes = [p.get_shape().as_list()[0] for p in parts]
    if None in sizes:
        raise ValueError("embedding_lookup: the sizes of all parts must be known")
    each, extra = divmod(sum(sizes), count)
    owner = math_ops.maximum(flat // (each + 1), (flat - extra) // max(each, 1))
    in_long = math_ops.cast(owner < extra, flat.dtype)
    local = in_long * (flat % (each + 1)) + (1 - in_long) * (
        (flat - extra) % max(each, 1)
    )
    return owner, local


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> ops.Tensor:
    """Combines the rows of a table that each row of `sp_ids` names: [rows, n...] -> [d0, n...].

    Args:
        params: the table or its parts, as for embedding_lookup.
        sp_ids: a SparseTensor [d0, d1] of int32 or int64 with at least one id in each row.
        sp_weights: a SparseTensor with the indices of `sp_ids`, or None for all ones.
        partition_strategy: as for embedding_lookup.
        name: of the op.
        combiner: "mean" (the default: the sum over the sum of weights), "sqrtn" (over the root
            of the sum of their squares) or "sum".
        max_norm: rows are scaled down to this l2 norm before they are combined.
        allow_fast_lookup: has no effect; lookups are as fast either way.

    Raises:
        TypeError: `sp_ids` or `sp_weights` is no SparseTensor.
        ValueError: another combiner.
    """
    del allow_fast_lookup
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(
            f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}"
        )
    for argument, value in [("sp_ids", sp_ids), ("sp_weights", sp_weights)]:
        if not isinstance(value, (sparse_tensor.SparseTensor, type(None))):
            raise TypeError(f"{argument} must be SparseTensor, got {value!r}")
    if sp_ids is None:
        raise TypeError("sp_ids must be SparseTensor, got None")
    with ops.name_scope(name, "embedding_lookup_sparse", [sp_ids]) as scope:
        rows = math_ops.cast(sp_ids.indices[:, 0], dtypes.int32)
        ids, places = array_ops.unique(sp_ids.values)
        table = embedding_lookup(
            params, ids, partition_strategy=partition_strategy, max_norm=max_norm
        )
        found = array_ops.gather(table, places)
        if sp_weights is None:
            weights = array_ops.ones_like(rows, dtype=found.dtype.base_dtype)
        else:
            weights = math_ops.cast(sp_weights.values, found.dtype.base_dtype)
            found = found * _spread(weights, found)
        total = math_ops.segment_sum(found, rows)
        if combiner == "sum":
            return array_ops.identity(total, name=scope)
        if combiner == "mean":
            divisor = math_ops.segment_sum(weights, rows)
        else:
            divisor = math_ops.sqrt(
                math_ops.segment_sum(math_ops.square(weights), rows)
            )
        return math_ops.div(total, _spread(divisor, total), name=scope)


def _spread(v: ops.Tensor, like: ops.Tensor) -> ops.Tensor:
    """[n] as [n, 1, ...] of the rank of `like`."""
    ones = array_ops.ones(
        array_ops.expand_dims(array_ops.rank(like) - 1, 0), dtypes.int32
    )
    shape = array_ops.concat([array_ops.shape(v), ones], 0)
    spread = array_ops.reshape(v, shape)
    if like.get_shape().ndims is not None:
        spread.set_shape([v.get_shape()[0]] + [1] * (like.get_shape().ndims - 1))
    return spread
