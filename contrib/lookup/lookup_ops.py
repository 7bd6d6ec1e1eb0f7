# SPDX-License-Identifier: Apache-2.0
"""Tables under the names and arguments of tf.contrib; python/ops/lookup_ops.py implements them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import lookup_ops
from tensorwright.python.ops.lookup_ops import (
    FastHashSpec as FastHashSpec,
    HasherSpec as HasherSpec,
    HashTable as HashTable,
    IdTableWithHashBuckets as IdTableWithHashBuckets,
    InitializableLookupTableBase as InitializableLookupTableBase,
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    LookupInterface as LookupInterface,
    MutableDenseHashTable as MutableDenseHashTable,
    MutableHashTable as MutableHashTable,
    StrongHashSpec as StrongHashSpec,
    TableInitializerBase as TableInitializerBase,
    TextFileIdTableInitializer as TextFileIdTableInitializer,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
    TextFileStringTableInitializer as TextFileStringTableInitializer,
    index_table_from_file as index_table_from_file,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.tensor import Tensor


def index_table_from_tensor(
    mapping: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> LookupInterface:
    """Makes a table from the words of a vector to their positions, int64.

    Args:
        mapping: the words, strings or integers, each once.
        num_oov_buckets: how many ids other words share; 0: they have `default_value`.
        default_value: the value of words that are not in `mapping`.
        hasher_spec: says the bucket of a word.
        dtype: the dtype of the keys that are looked up.
        name: the name of the ops.

    Raises:
        ValueError: no mapping, or a negative number of buckets.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return lookup_ops.index_table_from_tensor(
        vocabulary_list=mapping,
        num_oov_buckets=num_oov_buckets,
        default_value=default_value,
        hasher_spec=hasher_spec,
        dtype=dtype,
        name=name,
    )


def string_to_index_table_from_file(
    vocabulary_file: TensorLike | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: str | None = None,
) -> LookupInterface:
    """`index_table_from_file` of strings."""
    return lookup_ops.index_table_from_file(
        vocabulary_file,
        num_oov_buckets,
        vocab_size,
        default_value,
        hasher_spec,
        key_dtype=dtypes.string,
        name=name,
    )


def string_to_index_table_from_tensor(
    mapping: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: str | None = None,
) -> LookupInterface:
    """`index_table_from_tensor` of strings."""
    with ops.name_scope(name, "string_to_index"):
        return index_table_from_tensor(
            mapping, num_oov_buckets, default_value, hasher_spec
        )


def string_to_index(
    tensor: TensorLike,
    mapping: TensorLike,
    default_value: int = -1,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """The positions of the strings of `tensor` in the vector `mapping`: int64; others have `default_value`.

    The table is to be initialized with `tf.tables_initializer()`.
    """
    table = index_table_from_tensor(
        mapping=mapping, default_value=default_value, name=name
    )
    return table.lookup(tensor)


def index_to_string_table_from_file(
    vocabulary_file: TensorLike,
    vocab_size: int | None = None,
    default_value: str | bytes = "UNK",
    name: str | None = None,
) -> HashTable:
    """Makes a table from line numbers, int64, to the lines of a file; other numbers have `default_value`."""
    return lookup_ops.index_to_string_table_from_file(
        vocabulary_file, vocab_size, default_value, name
    )


def index_to_string_table_from_tensor(
    mapping: TensorLike, default_value: str | bytes = "UNK", name: str | None = None
) -> HashTable:
    """Makes a table from positions, int64, to the strings of a vector; others have `default_value`.

    Raises:
        ValueError: no mapping.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return lookup_ops.index_to_string_table_from_tensor(
        vocabulary_list=mapping, default_value=default_value, name=name
    )


def index_to_string(
    tensor: TensorLike,
    mapping: TensorLike,
    default_value: str | bytes = "UNK",
    name: str | None = None,
) -> Tensor | SparseTensor:
    """The strings at the positions `tensor`, int64, of the vector `mapping`; of others `default_value`."""
    table = index_to_string_table_from_tensor(mapping, default_value, name)
    return table.lookup(tensor)
