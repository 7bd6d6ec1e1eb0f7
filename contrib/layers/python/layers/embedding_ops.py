# SPDX-License-Identifier: Apache-2.0
"""Look-ups of embeddings: safe ones, of distinct ids, and of embeddings that are scattered over one vector."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    data_flow_ops,
    embedding_ops,
    math_ops,
    sparse_ops,
    string_ops,
    variables,
)

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_partitioned import (
        PartitionedVariable,
    )


__all__ = [
    "embedding_lookup_sparse_with_distributed_aggregation",
    "embedding_lookup_unique",
    "hashed_embedding_lookup",
    "hashed_embedding_lookup_sparse",
    "safe_embedding_lookup_sparse",
    "scattered_embedding_lookup",
    "scattered_embedding_lookup_sparse",
]

# The key of the hash that scatters embeddings; two values of one row differ by the hashed text.
_SEED = (0x5EED, 0x2C1D)


safe_embedding_lookup_sparse = embedding_ops.safe_embedding_lookup_sparse


def embedding_lookup_unique(
    params: TensorLike | PartitionedVariable | Sequence[TensorLike],
    ids: TensorLike,
    name: str | None = None,
) -> ops.Tensor:
    """`tf.nn.embedding_lookup`, which looks each id up once: [d...] -> [d..., n...]."""
    with ops.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = ops.convert_to_tensor(ids)
        once, places = array_ops.unique(array_ops.reshape(ids, [-1]))
        found = embedding_ops.embedding_lookup(params, once)
        rows = array_ops.gather(found, places)
        sizes = array_ops.concat([array_ops.shape(ids), array_ops.shape(found)[1:]], 0)
        out = array_ops.reshape(rows, sizes)
        out.set_shape(ids.get_shape().concatenate(found.get_shape()[1:]))
        return out


def _scattered_places(
    values: ops.Tensor, dimension: int, slots: Any, hash_key: int | None
) -> ops.Tensor:
    """Returns the place, in a vector of `slots`, of each element of each value's embedding: [n, dimension] int64."""
    if values.dtype.base_dtype != dtypes.string:
        values = string_ops.as_string(values)
    key = "" if hash_key is None else str(hash_key)
    columns = [str(i) for i in range(dimension)]
    joined = _joined(values, columns, key)
    # Hashes of 63 bits, so that their remainders are nearly uniform.
    hashes = string_ops.string_to_hash_bucket_strong(joined, 2**62, key=list(_SEED))
    return math_ops.floormod(hashes, math_ops.cast(slots, dtypes.int64))


def _joined(values: ops.Tensor, columns: list[str], key: str) -> ops.Tensor:
    return array_ops.stack(
        [
            string_ops.string_join([values, ops.convert_to_tensor(f"\x01{key}\x01{c}")])
            for c in columns
        ],
        axis=1,
    )


def scattered_embedding_lookup(
    params: TensorLike | PartitionedVariable | Sequence[TensorLike],
    values: TensorLike,
    dimension: int,
    name: str | None = None,
    hash_key: int | None = None,
) -> ops.Tensor:
    """Embeddings whose elements are at hashed places of one vector (Chen et al. 2015): [d...] -> [d..., dimension].

    Args:
        params: a vector, or the parts of one.
        values: integers or strings of a known rank.
        dimension: size of an embedding.
        name: the name of the ops.
        hash_key: gives another scattering.

    Raises:
        ValueError: no dimension, or no parameters.
    """
    if dimension is None:
        raise ValueError("You must specify dimension.")
    if isinstance(params, variables.PartitionedVariable):
        params = list(params)
    if not isinstance(params, (list, tuple)):
        params = [params]
    if not params:
        raise ValueError("Missing params.")
    with ops.name_scope(name, "scattered_embedding_lookup", [*params, values]):
        values = ops.convert_to_tensor(values)
        flat = array_ops.reshape(values, [-1])
        slots = functools.reduce(
            math_ops.add, [array_ops.shape(p, out_type=dtypes.int64)[0] for p in params]
        )
        places = _scattered_places(flat, dimension, slots, hash_key)
        found = embedding_ops.embedding_lookup(
            params, places, partition_strategy="div" if len(params) > 1 else "mod"
        )
        sizes = array_ops.concat([array_ops.shape(values), [dimension]], 0)
        out = array_ops.reshape(found, sizes)
        out.set_shape(values.get_shape().concatenate(dimension))
        return out


def scattered_embedding_lookup_sparse(
    params: TensorLike | PartitionedVariable | Sequence[TensorLike],
    sparse_values: sparse_tensor.SparseTensor,
    dimension: int,
    combiner: str | None = None,
    default_value: TensorLike | None = None,
    name: str | None = None,
    hash_key: int | None = None,
) -> ops.Tensor:
    """`scattered_embedding_lookup` of the values of each row, combined: [rows, n] -> [rows, dimension].

    Args:
        params: a vector, or the parts of one.
        sparse_values: [rows, n] integers or strings.
        dimension: size of an embedding.
        combiner: "sum", "mean" (the default) or "sqrtn".
        default_value: that of empty rows; None: "" or 0.
        name: the name of the ops.
        hash_key: gives another scattering.

    Raises:
        TypeError: `sparse_values` is no SparseTensor.
        ValueError: another combiner.
    """
    combiner = embedding_ops.checked_combiner(combiner)
    if not isinstance(sparse_values, sparse_tensor.SparseTensor):
        raise TypeError("sparse_values must be SparseTensor")
    if default_value is None:
        text = sparse_values.values.dtype.base_dtype == dtypes.string
        default_value = "" if text else 0
    with ops.name_scope(name, "scattered_embedding_lookup_sparse", [sparse_values]):
        filled, _ = sparse_ops.sparse_fill_empty_rows(sparse_values, default_value)
        rows = math_ops.cast(filled.indices[:, 0], dtypes.int32)
        once, places = array_ops.unique(filled.values)
        found = scattered_embedding_lookup(params, once, dimension, hash_key=hash_key)
        segment = {
            "sum": math_ops.sparse_segment_sum,
            "mean": math_ops.sparse_segment_mean,
            "sqrtn": math_ops.sparse_segment_sqrt_n,
        }[combiner]
        return segment(found, places, rows)


hashed_embedding_lookup = scattered_embedding_lookup
hashed_embedding_lookup_sparse = scattered_embedding_lookup_sparse


def embedding_lookup_sparse_with_distributed_aggregation(
    params: TensorLike | PartitionedVariable | Sequence[TensorLike],
    sp_ids: sparse_tensor.SparseTensor,
    sp_weights: sparse_tensor.SparseTensor | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> ops.Tensor:
    """`tf.nn.embedding_lookup_sparse`, where each part adds up its own rows before they travel.

    Arguments as there.  The sums over one part are made on that part's device.
    """
    combiner = embedding_ops.checked_combiner(combiner)
    if isinstance(params, variables.PartitionedVariable):
        params = list(params)
    if not isinstance(params, (list, tuple)):
        params = [params]
    if len(params) == 1 or partition_strategy != "mod":
        return embedding_ops.embedding_lookup_sparse(
            params, sp_ids, sp_weights, partition_strategy, name, combiner, max_norm
        )
    if not isinstance(sp_ids, sparse_tensor.SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {sp_ids!r}")
    with ops.name_scope(name, "embedding_lookup_sparse", [sp_ids]) as scope:
        rows = math_ops.cast(sp_ids.indices[:, 0], dtypes.int32)
        ids, count = sp_ids.values, len(params)
        dtype = ops.convert_to_tensor(params[0]).dtype.base_dtype
        weights = (
            array_ops.ones_like(ids, dtype=dtype)
            if sp_weights is None
            else math_ops.cast(sp_weights.values, dtype)
        )
        owner = math_ops.cast(ids % count, dtypes.int32)
        split = [
            data_flow_ops.dynamic_partition(t, owner, count)
            for t in (ids // count, rows, weights)
        ]
        height = math_ops.reduce_max(rows) + 1
        sums = []
        for part, own_ids, own_rows, own_weights in zip(params, *split, strict=True):
            with ops.colocate_with(ops.convert_to_tensor(part).op):
                found = embedding_ops.embedding_lookup(part, own_ids, max_norm=max_norm)
                found *= array_ops.reshape(
                    own_weights,
                    array_ops.concat(
                        [
                            [-1],
                            array_ops.ones([array_ops.rank(found) - 1], dtypes.int32),
                        ],
                        0,
                    ),
                )
                sums.append(math_ops.unsorted_segment_sum(found, own_rows, height))
        total = math_ops.add_n(sums)
        if combiner == "sum":
            return array_ops.identity(total, name=scope)
        if combiner == "sqrtn":
            divisor = math_ops.sqrt(math_ops.segment_sum(weights * weights, rows))
        else:
            divisor = math_ops.segment_sum(weights, rows)
        sizes = [[-1], array_ops.ones([array_ops.rank(total) - 1], dtypes.int32)]
        spread = array_ops.reshape(divisor, array_ops.concat(sizes, 0))
        return math_ops.div(total, spread, name=scope)
