# SPDX-License-Identifier: Apache-2.0
"""Tables that are filled once: their base class, and HashTable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_lookup_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._lookup.lookup_ops_init import TableInitializerBase


def check_key_dtype(table: LookupInterface, keys: Tensor | SparseTensor) -> None:
    """Raises TypeError for keys of another dtype."""
    if keys.dtype.base_dtype != table.key_dtype.base_dtype:
        raise TypeError(
            f"Signature mismatch. Keys must be dtype {table.key_dtype}, got {keys.dtype}."
        )


def check_table_dtypes(
    table: LookupInterface, key_dtype: DTypeLike, value_dtype: DTypeLike
) -> None:
    """Raises TypeError if the table is of other dtypes."""
    key_dtype, value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
    if key_dtype.base_dtype != table.key_dtype.base_dtype:
        raise TypeError(
            f"Invalid key dtype, expected {table.key_dtype} but got {key_dtype}."
        )
    if value_dtype.base_dtype != table.value_dtype.base_dtype:
        raise TypeError(
            f"Invalid value dtype, expected {table.value_dtype} but got {value_dtype}."
        )


class LookupInterface:
    """A table from keys to values, which the session keeps."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike, name: str):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)
        self._name = name

    @property
    def key_dtype(self) -> dtypes.DType:
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        return self._value_dtype

    @property
    def name(self) -> str:
        return self._name

    @property
    def init(self) -> ops.Operation | None:
        """The operation that fills the table; None if it starts empty."""
        raise NotImplementedError

    def size(self, name: str | None = None) -> ops.Tensor:
        """The number of keys in the table: an int64 scalar."""
        raise NotImplementedError

    def lookup(self, keys: TensorLike | SparseTensor, name: str | None = None) -> Any:
        """The values of `keys`, a Tensor or SparseTensor."""
        raise NotImplementedError


class InitializableLookupTableBase(LookupInterface):
    """A table of scalars that an initializer fills once."""

    def __init__(
        self,
        table_ref: ops.Tensor,
        default_value: TensorLike,
        initializer: TableInitializerBase,
    ):
        """The table of a handle.

        Args:
            table_ref: a resource.
            default_value: a scalar: the value of keys that are not in the table.
            initializer: provides the contents of the table, and its dtypes.
        """
        super().__init__(
            initializer.key_dtype,
            initializer.value_dtype,
            table_ref.op.name.split("/")[-1],
        )
        self._table_ref = table_ref
        self._default_value = ops.convert_to_tensor(
            default_value, dtype=self._value_dtype
        )
        self._default_value.get_shape().assert_has_rank(0)
        self._init = initializer.initialize(self)

    @property
    def table_ref(self) -> ops.Tensor:
        """The handle."""
        return self._table_ref

    @property
    def default_value(self) -> ops.Tensor:
        """The value of keys that are not in the table."""
        return self._default_value

    @property
    def resource_handle(self) -> ops.Tensor:
        """The handle, by its later name."""
        return self._table_ref

    @property
    def init(self) -> ops.Operation:
        """The operation that fills the table."""
        return self._init

    @property
    def initializer(self) -> ops.Operation:
        """The operation that fills the table, by its later name."""
        return self._init

    def export(self, name: str | None = None) -> tuple[ops.Tensor, ops.Tensor]:
        """All keys and all values, vectors, in any order."""
        with ops.name_scope(name, f"{self._name}_Export", [self._table_ref]) as scope:
            keys, values = gen_lookup_ops._lookup_table_export_v2(
                self._table_ref, self._key_dtype, self._value_dtype, name=scope
            )
        keys.set_shape([None])
        values.set_shape([None])
        return keys, values

    def size(self, name: str | None = None) -> ops.Tensor:
        with ops.name_scope(name, f"{self._name}_Size", [self._table_ref]) as scope:
            return gen_lookup_ops._lookup_table_size_v2(self._table_ref, name=scope)

    def lookup(self, keys: TensorLike | SparseTensor, name: str | None = None) -> Any:
        """The values of `keys`, of the same shape.

        Args:
            keys: a Tensor or SparseTensor of the table's key dtype.
            name: the op's name.

        Raises:
            TypeError: for keys of another dtype.
        """
        key_tensor: Any = keys
        if isinstance(keys, sparse_tensor.SparseTensor):
            key_tensor = keys.values
        elif not isinstance(keys, ops.Tensor):
            keys = key_tensor = ops.convert_to_tensor(keys, name="keys")
        check_key_dtype(self, keys)
        inputs = [self._table_ref, key_tensor, self._default_value]
        with ops.name_scope(name, f"{self._name}_Lookup", inputs) as scope:
            values = gen_lookup_ops._lookup_table_find_v2(*inputs, name=scope)
        values.set_shape(key_tensor.get_shape())
        if isinstance(keys, sparse_tensor.SparseTensor):
            return sparse_tensor.SparseTensor(keys.indices, values, keys.dense_shape)
        return values


class HashTable(InitializableLookupTableBase):
    """A table of scalars that is filled once; look-ups take no lock.

    Example:
        table = tf.contrib.lookup.HashTable(
            tf.contrib.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
        )
        numbers = table.lookup(tf.constant(["b", "x"]))
        session.run(tf.tables_initializer())
        session.run(numbers)  # [2, -1]
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: TensorLike,
        shared_name: str | None = None,
        name: str | None = None,
    ):
        """A new table.

        Args:
            initializer: provides the contents of the table, and its dtypes.
            default_value: a scalar: the value of keys that are not in the table.
            shared_name: tables of this name, of one session, are one table.
            name: the name of the ops.
        """
        with ops.name_scope(name, "hash_table") as scope:
            handle = gen_lookup_ops._hash_table_v2(
                shared_name=shared_name or "",
                key_dtype=initializer.key_dtype,
                value_dtype=initializer.value_dtype,
                name=scope,
            )
            super().__init__(handle, default_value, initializer)
