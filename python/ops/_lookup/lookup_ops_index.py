# SPDX-License-Identifier: Apache-2.0
"""Vocabularies: from words to numbers and back, with buckets for words that are not known."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.framework import constant_op, dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_string_ops,
    math_ops,
)
from tensorwright.python.ops._lookup.lookup_ops_init import (
    KeyValueTensorInitializer,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
)
from tensorwright.python.ops._lookup.lookup_ops_tables import (
    HashTable,
    LookupInterface,
    check_key_dtype,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.ops._lookup.lookup_ops_tables import (
        InitializableLookupTableBase,
    )


class HasherSpec(NamedTuple):
    """Says which hash computes the bucket of a word: FastHashSpec, or a StrongHashSpec."""

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """A keyed hash, slower: an attacker without the key cannot choose words that fall into one bucket."""

    __slots__ = ()

    def __new__(cls, key: Sequence[int]) -> StrongHashSpec:
        """The hash of a key: two integers.

        Raises:
            ValueError: for more or fewer.
            TypeError: for others than integers.
        """
        if len(key) != 2:
            raise ValueError(f"key must have size 2, received size {len(key)}")
        if not all(isinstance(k, numbers.Integral) for k in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


def _hash_buckets(spec: HasherSpec, values: ops.Tensor, count: int) -> ops.Tensor:
    if values.dtype.base_dtype != dtypes.string:
        values = gen_string_ops.as_string(values)
    if spec.hasher == "fasthash":
        return gen_string_ops.string_to_hash_bucket_fast(
            values, num_buckets=count, name="hash_bucket"
        )
    return gen_string_ops.string_to_hash_bucket_strong(
        values, num_buckets=count, key=list(spec.key), name="hash_bucket"
    )


class IdTableWithHashBuckets(LookupInterface):
    """A table of ids; a key that is not in it gets the id of its hash's bucket, behind the table's ids.

    With 3 entries and 2 buckets, keys that are not in the table have id 3 or 4.
    """

    def __init__(
        self,
        table: InitializableLookupTableBase | None,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: DTypeLike | None = None,
    ):
        """The ids of a table and of buckets.

        Args:
            table: from int64 or string keys to int64 ids; None: buckets alone.
            num_oov_buckets: how many; 0: the table alone.
            hasher_spec: the hash.
            name: the name of the ops.
            key_dtype: the dtype of the keys, integer or string; None: the table's, else string.

        Raises:
            ValueError: for neither table nor buckets, or an unknown hash.
            TypeError: for dtypes that cannot be, or no HasherSpec.
        """
        if table is not None:
            key_dtype = table.key_dtype if key_dtype is None else key_dtype
            supported = (dtypes.int64, dtypes.string)
            if table.key_dtype not in supported:
                raise TypeError(
                    f"Invalid key dtype, expected one of {supported}, but received "
                    f"{table.key_dtype}."
                )
            as_text = dtypes.as_dtype(key_dtype) == dtypes.string
            if as_text != (table.key_dtype == dtypes.string):
                raise TypeError(
                    f"Invalid key dtype, expected {table.key_dtype} but got {key_dtype}."
                )
            if table.value_dtype != dtypes.int64:
                raise TypeError(
                    f"Invalid value dtype, expected {dtypes.int64} but got "
                    f"{table.value_dtype}."
                )
            name = name or table.name.split("/")[-1]
        elif num_oov_buckets <= 0:
            raise ValueError(
                f"table is None, so num_oov_buckets must be > 0, got {num_oov_buckets}."
            )
        key_dtype = dtypes.as_dtype(dtypes.string if key_dtype is None else key_dtype)
        if not key_dtype.is_integer and key_dtype != dtypes.string:
            raise TypeError(
                f"Invalid key_dtype, expected integer or string, got {key_dtype}."
            )
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(
                f"hasher_spec must be of type HasherSpec, got {hasher_spec}"
            )
        if hasher_spec.hasher not in ("fasthash", "stronghash"):
            raise ValueError(f"Unknown hasher {hasher_spec.hasher}")
        super().__init__(key_dtype, dtypes.int64, name or "hash_bucket")
        self._table = table
        self._num_oov_buckets = num_oov_buckets
        self._hasher_spec = hasher_spec

    @property
    def init(self) -> ops.Operation:
        """The table's."""
        if self._table is not None:
            return self._table.init
        with ops.name_scope(None, "init"):
            return control_flow_ops.no_op()

    def size(self, name: str | None = None) -> ops.Tensor:
        """The number of ids."""
        with ops.name_scope(name, f"{self.name}_Size") as scope:
            count = constant_op.constant(self._num_oov_buckets, dtypes.int64)
            if self._table is None:
                return array_ops.identity(count, name=scope)
            return math_ops.add(self._table.size(), count, name=scope)

    def lookup(self, keys: TensorLike | SparseTensor, name: str | None = None) -> Any:
        """The ids of `keys`, a Tensor or SparseTensor: int64, of the same shape.

        Raises:
            TypeError: for keys of another dtype.
        """
        if not isinstance(keys, (ops.Tensor, sparse_tensor.SparseTensor)):
            keys = ops.convert_to_tensor(keys, name="keys")
        check_key_dtype(self, keys)
        sparse = isinstance(keys, sparse_tensor.SparseTensor)
        values = keys.values if sparse else keys
        with ops.name_scope(name, f"{self.name}_Lookup", [values]) as scope:
            ids = self._ids(values, scope)
        if sparse:
            return sparse_tensor.SparseTensor(keys.indices, ids, keys.dense_shape)
        return ids

    def _ids(self, values: ops.Tensor, scope: str) -> ops.Tensor:
        if self._table is not None and self._table.key_dtype == dtypes.int64:
            values = math_ops.cast(values, dtypes.int64)
        if self._num_oov_buckets == 0:
            assert self._table is not None
            return self._table.lookup(values, name=scope)
        buckets = _hash_buckets(self._hasher_spec, values, self._num_oov_buckets)
        if self._table is None:
            return array_ops.identity(buckets, name=scope)
        ids = self._table.lookup(values)
        known = math_ops.not_equal(ids, self._table.default_value)
        return array_ops.where(
            known, ids, math_ops.add(buckets, self._table.size()), name=scope
        )


def _with_buckets(
    table: HashTable, num_oov_buckets: int, spec: HasherSpec, dtype: Any, scope: str
) -> Any:
    if not num_oov_buckets:
        return table
    return IdTableWithHashBuckets(
        table,
        num_oov_buckets=num_oov_buckets,
        hasher_spec=spec,
        name=scope.rstrip("/").split("/")[-1],
        key_dtype=dtype,
    )


def _check_key_dtype_of_vocabulary(dtype: dtypes.DType) -> None:
    if not dtype.is_integer and dtype.base_dtype != dtypes.string:
        raise TypeError("Only integer and string keys are supported.")


def index_table_from_file(
    vocabulary_file: TensorLike | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> LookupInterface:
    """Maps the words of a file, one a line, to their line numbers, int64.

    Args:
      vocabulary_file: the file's name.
      num_oov_buckets: the number of ids that other words share; 0: they have `default_value`.
      vocab_size: the number of lines to read; None: all.
      default_value: the value of words that are not in the file.
      hasher_spec: the hash that computes the bucket of a word.
        key_dtype: string, or an integer dtype for a file of numbers.
        name: the name of the ops.
        key_column_index: the column of the words; see TextFileInitializer.
        value_column_index: the column of the ids.
        delimiter: between columns.

    Raises:
        ValueError: for no file, or a negative number of buckets or lines.
        TypeError: for keys that are neither integers nor strings.
    """
    if vocabulary_file is None or (
        isinstance(vocabulary_file, str) and not vocabulary_file
    ):
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    if num_oov_buckets < 0:
        raise ValueError(
            f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}."
        )
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size}.")
    key_dtype = dtypes.as_dtype(key_dtype)
    _check_key_dtype_of_vocabulary(key_dtype)
    with ops.name_scope(name, "string_to_index") as scope:
        with ops.name_scope(None, "hash_table"):
            init = TextFileIdTableInitializer(
                vocabulary_file,
                key_column_index,
                value_column_index,
                vocab_size=vocab_size,
                delimiter=delimiter,
                name="table_init",
                key_dtype=dtypes.int64 if key_dtype.is_integer else key_dtype,
            )
            shared = ""
            if not isinstance(vocabulary_file, ops.Tensor):
                # Two graphs of one session that read one file share the table.
                parts = (
                    vocabulary_file,
                    vocab_size,
                    key_column_index,
                    value_column_index,
                )
                shared = "_".join(("hash_table", *map(str, parts)))
            table = HashTable(init, default_value, shared_name=shared)
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype, scope)


def index_table_from_tensor(
    vocabulary_list: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> LookupInterface:
    """Maps the words of a vector to their positions, int64; see `index_table_from_file`."""
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    if num_oov_buckets < 0:
        raise ValueError(
            f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}."
        )
    dtype = dtypes.as_dtype(dtype)
    _check_key_dtype_of_vocabulary(dtype)
    with ops.name_scope(name, "string_to_index") as scope:
        keys = ops.convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            kind = "integer" if dtype.is_integer else "string"
            raise ValueError(f"Expected {kind}, got {keys.dtype}")
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError(f"Expected {dtype}, got {keys.dtype}")
        count = array_ops.size(keys, out_type=dtypes.int64)
        if keys.dtype.is_integer:
            keys = math_ops.cast(keys, dtypes.int64)
        with ops.name_scope(None, "hash_table"):
            init = KeyValueTensorInitializer(
                keys,
                math_ops.range(count),
                keys.dtype.base_dtype,
                dtypes.int64,
                name="table_init",
            )
            table = HashTable(init, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype, scope)


def index_to_string_table_from_file(
    vocabulary_file: TensorLike,
    vocab_size: int | None = None,
    default_value: str | bytes = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> HashTable:
    """Maps line numbers, int64, to the words of a file, one a line; other numbers have `default_value`.

    Raises:
        ValueError: for no file, or a number of lines that is not positive.
    """
    if vocabulary_file is None or (
        isinstance(vocabulary_file, str) and not vocabulary_file
    ):
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size}.")
    with ops.name_scope(name, "index_to_string"):
        init = TextFileStringTableInitializer(
            vocabulary_file,
            key_column_index,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name="table_init",
        )
        return HashTable(init, default_value)


def index_to_string_table_from_tensor(
    vocabulary_list: TensorLike,
    default_value: str | bytes = "UNK",
    name: str | None = None,
) -> HashTable:
    """Maps positions, int64, to the strings of a vector; other numbers have `default_value`."""
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    with ops.name_scope(name, "index_to_string"):
        words = ops.convert_to_tensor(vocabulary_list, dtypes.string)
        count = array_ops.size(words, out_type=dtypes.int64)
        init = KeyValueTensorInitializer(
            math_ops.range(count), words, dtypes.int64, dtypes.string, name="table_init"
        )
        return HashTable(init, default_value)
