# SPDX-License-Identifier: Apache-2.0
"""Tables by the names and arguments of tf.lookup."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops._lookup.lookup_ops_index import IdTableWithHashBuckets
from tensorwright.python.ops._lookup.lookup_ops_init import TableInitializerBase
from tensorwright.python.ops._lookup.lookup_ops_tables import HashTable


class StaticHashTable(HashTable):
    """A table of scalars that is filled once; look-ups take no lock.

    Example:
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1
        )
        numbers = table.lookup(tf.constant(["b", "x"]))
        session.run(table.initializer)  # Or tf.tables_initializer().
        session.run(numbers)  # [2, -1]
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: TensorLike,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ):
        """Makes a table.

        Args:
          initializer: provides the contents of the table, and its dtypes.
          default_value: a scalar: the value of keys that are not in the table.
          name: the name of the ops.
          experimental_is_anonymous: has no effect: in either case, only the table's node can find it.
        """
        del experimental_is_anonymous
        super().__init__(initializer, default_value, name=name)


class StaticVocabularyTable(IdTableWithHashBuckets):
    """Ids of words; a word that is not in the table has its hash, behind the table's ids.

    With 3 words and 2 buckets other words have id 3 or 4.

    Example:
        words = tf.lookup.KeyValueTensorInitializer(["emerson", "lake"], tf.constant([0, 1], tf.int64))
        table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=5)
        ids = table.lookup(tf.constant(["lake", "king"]))
    """

    def __init__(
        self,
        initializer: TableInitializerBase | None,
        num_oov_buckets: int,
        lookup_key_dtype: DTypeLike | None = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ):
        """A new table.

        Args:
            initializer: maps int64 or string keys to ids, int64 from 0 on; None: there are only buckets.
            num_oov_buckets: the number of ids that other words share, at least 1.
            lookup_key_dtype: the dtype of the keys, string or an integer; None: the initializer's, or string.
            name: the name of the ops.
            experimental_is_anonymous: has no effect; see StaticHashTable.

        Raises:
            ValueError: there is no bucket.
            TypeError: the dtypes are not supported.
        """
        del experimental_is_anonymous
        if num_oov_buckets <= 0:
            raise ValueError(f"oov_buckets must be > 0, got {num_oov_buckets}.")
        table: Any = None
        if initializer is not None:
            if initializer.key_dtype not in (dtypes.int64, dtypes.string):
                raise TypeError(
                    "Invalid key dtype, expected int64 or string, but got "
                    f"{initializer.key_dtype}."
                )
            if initializer.value_dtype != dtypes.int64:
                raise TypeError(
                    f"Invalid value dtype, expected {dtypes.int64} but got "
                    f"{initializer.value_dtype}."
                )
            table = HashTable(initializer, default_value=-1, name=name)
        super().__init__(table, num_oov_buckets, name=name, key_dtype=lookup_key_dtype)

    @property
    def initializer(self) -> ops.Operation:
        """The operation that fills the table."""
        return self.init

    @property
    def resource_handle(self) -> ops.Tensor | None:
        """The handle of the table; None of buckets alone."""
        return None if self._table is None else self._table.resource_handle
