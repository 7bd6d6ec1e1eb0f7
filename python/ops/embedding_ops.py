# SPDX-License-Identifier: Apache-2.0
"""Rows of embedding tables."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, clip_ops, data_flow_ops, math_ops


def _clipped(rows: ops.Tensor, ids: ops.Tensor, max_norm: Any) -> ops.Tensor:
    """Rows scaled down to an l2 norm of at most `max_norm`."""
    if max_norm is None:
        return rows
    first, rank = ids.get_shape().ndims, rows.get_shape().ndims
    if first is None or rank is None:
        raise ValueError("embedding_lookup: max_norm needs tensors of known rank")
    axes = list(range(first, rank))
    return clip_ops.clip_by_norm(rows, max_norm, axes=axes)


def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
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
    given: Any = params
    is_list = isinstance(params, (list, tuple)) or hasattr(params, "_get_variable_list")
    parts = list(given) if is_list else [given]
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
            # The look-up runs where the table is, which may be at another task.
            with ops.colocate_with(parts[0].op):
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
    params: TensorLike,
    sp_ids: sparse_tensor.SparseTensor,
    sp_weights: sparse_tensor.SparseTensor | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> ops.Tensor:
    """Combines the rows of a table that each row of `sp_ids` names: [rows, n...] -> [d0, n...].

    Args:
        params: the table or its parts, as for embedding_lookup.
        sp_ids: a SparseTensor [d0, d1] of int32 or int64 with at least one id in each row.
        sp_weights: a SparseTensor with the indices of `sp_ids`, or None for all ones.
        partition_strategy: as for embedding_lookup.
        name: the op's name.
        combiner: "mean" (the default: the sum over the sum of weights), "sqrtn" (over the root
            of the sum of their squares) or "sum".
        max_norm: rows are scaled down to this l2 norm before they are combined.
        allow_fast_lookup: has no effect; lookups are as fast either way.

    Raises:
        TypeError: `sp_ids` or `sp_weights` is no SparseTensor.
        ValueError: another combiner.
    """
    del allow_fast_lookup
    combiner = checked_combiner(combiner)
    _check_sparse("sp_ids", sp_ids)
    if sp_weights is not None:
        _check_sparse("sp_weights", sp_weights)
    with ops.name_scope(name, "embedding_lookup_sparse", [sp_ids]) as scope:
        rows = math_ops.cast(sp_ids.indices[:, 0], dtypes.int32)
        found, weights = _weighted_rows(
            params,
            sp_ids.values,
            None if sp_weights is None else sp_weights.values,
            partition_strategy,
            max_norm,
        )
        total = math_ops.segment_sum(found, rows)
        if combiner == "sum":
            return array_ops.identity(total, name=scope)
        divisor = math_ops.segment_sum(_norm_term(weights, combiner), rows)
        return _divided(total, divisor, combiner, scope)


def checked_combiner(combiner: str | None) -> str:
    """The combiner, "mean" for None; ValueError for another than mean, sqrtn, sum."""
    if not combiner:
        return "mean"
    if combiner in ("mean", "sqrtn", "sum"):
        return combiner
    raise ValueError(f"combiner must be one of mean, sqrtn, sum, got {combiner!r}")


def _check_sparse(argument: str, value: Any) -> None:
    if not isinstance(value, sparse_tensor.SparseTensor):
        raise TypeError(f"{argument} must be SparseTensor, got {value!r}")


def _weighted_rows(
    params: Any, ids: ops.Tensor, weights: Any, strategy: str, max_norm: Any
) -> tuple[ops.Tensor, ops.Tensor]:
    """(the row of each id, multiplied with its weight: [n, ...]; the weights, ones without any: [n])."""
    once, places = array_ops.unique(ids)
    table = embedding_lookup(
        params, once, partition_strategy=strategy, max_norm=max_norm
    )
    found = array_ops.gather(table, places)
    if weights is None:
        return found, array_ops.ones_like(ids, dtype=found.dtype.base_dtype)
    weights = math_ops.cast(weights, found.dtype.base_dtype)
    return found * _spread(weights, found), weights


def _norm_term(weights: ops.Tensor, combiner: str) -> ops.Tensor:
    """Returns the terms that add up to the divisor, or to its square."""
    return weights if combiner == "mean" else math_ops.square(weights)


def _divided(
    total: ops.Tensor, divisor: ops.Tensor, combiner: str, name: str | None = None
) -> ops.Tensor:
    if combiner == "sqrtn":
        divisor = math_ops.sqrt(divisor)
    return math_ops.div(total, _spread(divisor, total), name=name)


def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: sparse_tensor.SparseTensor,
    sparse_weights: sparse_tensor.SparseTensor | None = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> ops.Tensor:
    """`embedding_lookup_sparse` of rows that may be empty: ids [d..., last] -> [d..., n...].

    Negative ids are left out, and, but for "sum", ids of weights that are not positive.

    Args:
        embedding_weights: a table [rows, n...] or its parts, as for embedding_lookup.
        sparse_ids: a SparseTensor of int32 or int64, of any order.
        sparse_weights: a SparseTensor with the indices of `sparse_ids`, or None for all ones.
        combiner: as for embedding_lookup_sparse.
        default_id: that of rows without ids; None gives them zeros.
        name: the name of the ops.
        partition_strategy: as for embedding_lookup.
        max_norm: as for embedding_lookup_sparse.
        allow_fast_lookup: has no effect; lookups are as fast either way.

    Raises:
        TypeError: `sparse_ids` or `sparse_weights` is no SparseTensor.
        ValueError: another combiner, or no table.
    """
    del allow_fast_lookup
    if embedding_weights is None or (
        isinstance(embedding_weights, (list, tuple)) and not embedding_weights
    ):
        raise ValueError("safe_embedding_lookup_sparse: needs a table")
    combiner = checked_combiner(combiner)
    _check_sparse("sparse_ids", sparse_ids)
    if sparse_weights is not None:
        _check_sparse("sparse_weights", sparse_weights)
    with ops.name_scope(name, "embedding_lookup", [sparse_ids]) as scope:
        shape = sparse_ids.dense_shape
        rows, count = _row_numbers(sparse_ids.indices, shape[:-1])
        ids = sparse_ids.values
        weights = None if sparse_weights is None else sparse_weights.values
        kept = ids >= 0
        if weights is not None and combiner != "sum":
            kept = math_ops.logical_and(kept, weights > 0)
        places = array_ops.where(array_ops.reshape(kept, [-1]))[:, 0]
        rows, ids = (array_ops.gather(t, places) for t in (rows, ids))
        if weights is not None:
            weights = array_ops.gather(weights, places)
        found, weights = _weighted_rows(
            embedding_weights, ids, weights, partition_strategy, max_norm
        )
        ones = array_ops.ones_like(rows)
        empty = math_ops.equal(math_ops.unsorted_segment_sum(ones, rows, count), 0)
        result = math_ops.unsorted_segment_sum(found, rows, count)
        if combiner != "sum":
            terms = _norm_term(weights, combiner)
            divisor = math_ops.unsorted_segment_sum(terms, rows, count)
            # An empty row is divided by 1: `where` drops its quotient, but the gradient of 0 / 0 would still be NaN.
            divisor += math_ops.cast(empty, divisor.dtype)
            result = _divided(result, divisor, combiner)
        if default_id is not None:
            default_ids = ops.convert_to_tensor([default_id], ids.dtype.base_dtype)
            default = embedding_lookup(
                embedding_weights, default_ids, partition_strategy, max_norm=max_norm
            )
            result = array_ops.where_v2(_spread(empty, result), default, result)
        outer = math_ops.cast(shape[:-1], dtypes.int32)
        sizes = array_ops.concat([outer, array_ops.shape(result)[1:]], 0)
        final = array_ops.reshape(result, sizes, name=scope)
        if result.get_shape().ndims is not None:
            known = sparse_ids.get_shape()[:-1].concatenate(result.get_shape()[1:])
            final.set_shape(known)
        return final


def _row_numbers(indices: ops.Tensor, outer: ops.Tensor) -> tuple[Any, Any]:
    """Returns (the row of each index, counted over all dimensions but the last; the number of rows), of int32."""
    steps = math_ops.cumprod(outer, exclusive=True, reverse=True)
    rows = math_ops.reduce_sum(indices[:, :-1] * steps, 1)
    count = math_ops.reduce_prod(outer)
    return math_ops.cast(rows, dtypes.int32), math_ops.cast(count, dtypes.int32)


def _spread(v: ops.Tensor, like: ops.Tensor) -> ops.Tensor:
    """[n] as [n, 1, ...] of the rank of `like`."""
    ones = array_ops.ones(
        array_ops.expand_dims(array_ops.rank(like) - 1, 0), dtypes.int32
    )
    shape = array_ops.concat([array_ops.shape(v), ones], 0)
    spread = array_ops.reshape(v, shape)
    rank = like.get_shape().ndims
    if rank is not None:
        spread.set_shape([v.get_shape()[0]] + [1] * (rank - 1))
    return spread
