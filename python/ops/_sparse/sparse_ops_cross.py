# SPDX-License-Identifier: Apache-2.0
"""Features of several columns in one: ids with values, and crosses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_sparse_ops, math_ops
from tensorwright.python.ops._sparse.sparse_ops_argument import Sparse, as_sparse
from tensorwright.python.ops._sparse.sparse_ops_layout import sparse_reorder

# Hashes start from this key if the caller gives none.
_DEFAULT_HASH_KEY = 0xDECAFCAFFE


def sparse_merge(
    sp_ids: Sparse | Sequence[Sparse],
    sp_values: Sparse,
    vocab_size: TensorLike,
    name: str | None = None,
    already_sorted: bool = False,
) -> sparse_tensor.SparseTensor:
    """Ids as last coordinates: ids [..., n], values [..., n] -> a sparse tensor [..., vocab_size].

    Args:
        sp_ids: a SparseTensor of int32 or int64, or a list of them for several last dimensions.
        sp_values: a SparseTensor with the same indices.
        vocab_size: a scalar above all ids, or a list of them.
        name: the name of the ops.
        already_sorted: ids ascend within each row.

    Raises:
        TypeError: an argument is not sparse, or only one of `sp_ids` and `vocab_size` is a list.
        ValueError: lists of different lengths.
    """
    if not isinstance(sp_ids, (list, tuple)) or sparse_tensor.is_sparse(sp_ids):
        all_ids: Any = [sp_ids]
        if isinstance(vocab_size, (list, tuple)):
            raise TypeError("vocab_size must be a scalar, as sp_ids is no list")
        vocab_size = [vocab_size]
    elif not isinstance(vocab_size, (list, tuple)):
        raise TypeError("vocab_size must be a list, as sp_ids is one")
    else:
        all_ids = sp_ids
    if len(vocab_size) != len(all_ids):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with ops.name_scope(name, "SparseMerge"):
        ids = [as_sparse("sparse_merge", sp) for sp in all_ids]
        sp_values = as_sparse("sparse_merge", sp_values)
        columns = [
            array_ops.expand_dims(math_ops.cast(sp.values, dtypes.int64), 1)
            for sp in ids
        ]
        sizes = [
            array_ops.reshape(math_ops.cast(v, dtypes.int64), [1]) for v in vocab_size
        ]
        first = ids[0]
        merged = sparse_tensor.SparseTensor(
            array_ops.concat([first.indices[:, :-1], *columns], 1),
            sp_values.values,
            array_ops.concat([first.dense_shape[:-1], *sizes], 0),
        )
        return merged if already_sorted else sparse_reorder(merged)


def _split_inputs(inputs: Sequence[Any]) -> tuple[list, list]:
    """(SparseTensors, dense tensors); integers as int64."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    if not all(sparse_tensor.is_sparse(i) or isinstance(i, ops.Tensor) for i in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    sparse = [
        as_sparse("sparse_cross", i) for i in inputs if sparse_tensor.is_sparse(i)
    ]
    dense = [i for i in inputs if not sparse_tensor.is_sparse(i)]

    def wide(t: ops.Tensor) -> ops.Tensor:
        if t.dtype.base_dtype == dtypes.string:
            return t
        return math_ops.cast(t, dtypes.int64)

    return [sp.with_values(wide(sp.values)) for sp in sparse], [wide(d) for d in dense]


def sparse_cross(
    inputs: Sequence[TensorLike],
    name: str | None = None,
    separator: TensorLike | None = None,
) -> sparse_tensor.SparseTensor:
    """Combines the features of all inputs, row by row, as strings: [batch, ?] each -> strings [batch, ?].

    Args:
        inputs: SparseTensors and Tensors of rank 2 with equal numbers of rows, of strings or integers.  A
            combination begins with the sparse inputs' features, and those of the last input change fastest.
        name: the op's name.
        separator: stands between the features; None for "_X_".

    Raises:
        TypeError: other inputs.
    """
    sparse, dense = _split_inputs(inputs)
    with ops.name_scope(name, "SparseCross", inputs) as scope:
        parts = gen_sparse_ops.sparse_cross_v2(
            indices=[sp.indices for sp in sparse],
            values=[sp.values for sp in sparse],
            shapes=[sp.dense_shape for sp in sparse],
            dense_inputs=dense,
            sep="_X_" if separator is None else separator,
            name=scope,
        )
        return sparse_tensor.SparseTensor(*parts)


def sparse_cross_hashed(
    inputs: Sequence[TensorLike],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """As `sparse_cross`, with an int64 hash in [0, num_buckets) of each combination.

    Args:
        inputs: as in `sparse_cross`.
        num_buckets: 0 for all non-negative integers.
        hash_key: the key from which hashes start.
        name: the op's name.

    Raises:
        TypeError: other inputs.
    """
    return _sparse_cross_internal(inputs, True, num_buckets, hash_key, name)


def _sparse_cross_internal(
    inputs: Sequence[TensorLike],
    hashed_output: bool = False,
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """`sparse_cross`, or `sparse_cross_hashed` if `hashed_output`, by the op of TensorFlow 1.x, SparseCross."""
    sparse, dense = _split_inputs(inputs)
    with ops.name_scope(name, "SparseCross", inputs) as scope:
        parts = gen_sparse_ops._sparse_cross(
            indices=[sp.indices for sp in sparse],
            values=[sp.values for sp in sparse],
            shapes=[sp.dense_shape for sp in sparse],
            dense_inputs=dense,
            hashed_output=hashed_output,
            num_buckets=num_buckets,
            hash_key=_DEFAULT_HASH_KEY if hash_key is None else hash_key,
            out_type=dtypes.int64 if hashed_output else dtypes.string,
            internal_type=dtypes.int64 if hashed_output else dtypes.string,
            name=scope,
        )
        return sparse_tensor.SparseTensor(*parts)
