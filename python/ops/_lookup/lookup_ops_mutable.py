# SPDX-License-Identifier: Apache-2.0
"""Tables whose entries come and change while the program runs."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_lookup_ops
from tensorwright.python.ops._io.saveable_object import (
    SaveableObject,
    SaveSpec,
)
from tensorwright.python.ops._lookup.lookup_ops_tables import (
    LookupInterface,
    check_key_dtype,
)


class _Saveable(SaveableObject):
    """A table in a checkpoint: the tensors "name-keys" and "name-values"."""

    def __init__(self, table: _MutableTable, name: str):
        self._exported: dict[ops.Graph, tuple[ops.Tensor, ops.Tensor]] = {}
        handle = table.table_ref
        dtypes = (table.key_dtype, table.value_dtype)
        specs = [
            SaveSpec(self._part(i), "", f"{name}-{part}", dtypes[i], handle.device)
            for i, part in enumerate(("keys", "values"))
        ]
        super().__init__(table, specs, name)

    def _part(self, i: int) -> Any:
        return lambda: self._export()[i]

    def _export(self) -> tuple[ops.Tensor, ops.Tensor]:
        """Keys and values of one moment."""
        graph = ops.get_default_graph()
        if graph not in self._exported:
            with ops.control_dependencies(None):
                self._exported[graph] = self.op.export()
        return self._exported[graph]

    def restore(
        self, restored_tensors: list[ops.Tensor], restored_shapes: Any
    ) -> ops.Operation:
        """Makes the table hold the saved entries; its present entries are dropped."""
        del restored_shapes
        handle = self.op.table_ref
        keys, values = restored_tensors
        with (
            ops.name_scope(f"{self.name}_table_restore"),
            ops.colocate_with(handle.op),
        ):
            return gen_lookup_ops._lookup_table_import_v2(handle, keys, values)


class _MutableTable(LookupInterface):
    """The base of both kinds of mutable tables, which differ in the op that makes the table."""

    _table_ref: ops.Tensor
    _default_value: ops.Tensor
    _key_rank = 0

    @property
    def init(self) -> None:
        return None

    @property
    def table_ref(self) -> ops.Tensor:
        """The handle."""
        return self._table_ref

    @property
    def default_value(self) -> ops.Tensor:
        """The value of keys that are not in the table."""
        return self._default_value

    def _save_in_checkpoints(self, name: str) -> None:
        ops.add_to_collection(ops.GraphKeys.SAVEABLE_OBJECTS, _Saveable(self, name))

    def size(self, name: str | None = None) -> ops.Tensor:
        """The number of keys in the table: an int64 scalar."""
        with ops.name_scope(name, f"{self._name}_Size", [self._table_ref]) as scope:
            return gen_lookup_ops._lookup_table_size_v2(self._table_ref, name=scope)

    def lookup(self, keys: TensorLike, name: str | None = None) -> ops.Tensor:
        """The values of `keys`, of any shape in front of a key's: that shape and a value's.

        Raises:
            TypeError: for keys of another dtype.
        """
        if not isinstance(keys, ops.Tensor):
            keys = ops.convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
        check_key_dtype(self, keys)
        inputs = [self._table_ref, keys, self._default_value]
        with ops.name_scope(name, f"{self._name}_lookup_table_find", inputs) as scope:
            values = gen_lookup_ops._lookup_table_find_v2(*inputs, name=scope)
        batch = keys.get_shape()
        if batch.ndims is not None and self._key_rank:
            batch = batch[: -self._key_rank]
        if self._default_value.get_shape().ndims is not None:
            values.set_shape(batch.concatenate(self._default_value.get_shape()))
        return values

    def insert(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> ops.Operation:
        """Sets the values of `keys`; if a key comes twice, the last value counts."""
        with ops.name_scope(
            name, f"{self._name}_lookup_table_insert", [keys, values]
        ) as scope:
            keys = ops.convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            values = ops.convert_to_tensor(
                values, dtype=self._value_dtype, name="values"
            )
            return gen_lookup_ops._lookup_table_insert_v2(
                self._table_ref, keys, values, name=scope
            )

    def export(self, name: str | None = None) -> tuple[ops.Tensor, ops.Tensor]:
        """All keys and all values, in any order."""
        with ops.name_scope(
            name, f"{self._name}_lookup_table_export_values", [self._table_ref]
        ) as scope:
            keys, values = gen_lookup_ops._lookup_table_export_v2(
                self._table_ref, self._key_dtype, self._value_dtype, name=scope
            )
        shape = self._default_value.get_shape()
        if shape.ndims is not None:
            values.set_shape([None, *shape.as_list()])
        return keys, values


class MutableHashTable(_MutableTable):
    """A table from scalars to scalars or vectors; it starts empty."""

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        shared_name: str | None = None,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ):
        """A new table.

        Args:
            key_dtype: the dtype of the keys.
            value_dtype: the dtype of the values.
            default_value: the value of keys that are not in the table; a scalar, or a
                vector if the values are vectors.
            shared_name: tables of this name, of one session, are one table.
            name: the name of the ops.
            checkpoint: whether a Saver saves it, under `name`.  Without a shared name,
                the node's name is the table's then, so that another graph finds it.
        """
        with ops.name_scope(name, "MutableHashTable") as scope:
            self._default_value = ops.convert_to_tensor(
                default_value, dtype=value_dtype
            )
            shape = self._default_value.get_shape()
            more: dict[str, Any] = {}
            make = gen_lookup_ops._mutable_hash_table_v2
            if shape.ndims != 0:
                make = gen_lookup_ops._mutable_hash_table_of_tensors_v2
                more["value_shape"] = shape
            self._table_ref = make(
                shared_name=shared_name or "",
                use_node_name_sharing=checkpoint and shared_name is None,
                key_dtype=key_dtype,
                value_dtype=value_dtype,
                name=scope,
                **more,
            )
            super().__init__(
                key_dtype, value_dtype, self._table_ref.op.name.split("/")[-1]
            )
        if checkpoint:
            self._save_in_checkpoints(name)


class MutableDenseHashTable(_MutableTable):
    """A table from scalars or vectors to scalars or vectors; one key stands for an empty place.

    It has a number of buckets, which grows with the entries; an export has them all,
    those that are empty with `empty_key`.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        initial_num_buckets: int | None = None,
        shared_name: str | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
    ):
        """A new table.

        Args:
            key_dtype: the dtype of the keys.
            value_dtype: the dtype of the values.
            default_value: the value of keys that are not in the table; has the shape
                of a value.
            empty_key: has the shape of a key, and is none.
            initial_num_buckets: a power of two; None: 131072.
            shared_name: tables of this name, of one session, are one table.
            name: the name of the ops.
            checkpoint: as in MutableHashTable.
        """
        more: dict[str, Any] = {}
        if initial_num_buckets is not None:
            more["initial_num_buckets"] = initial_num_buckets
        with ops.name_scope(name, "MutableDenseHashTable") as scope:
            self._default_value = ops.convert_to_tensor(
                default_value, dtype=value_dtype
            )
            empty_key = ops.convert_to_tensor(
                empty_key, dtype=key_dtype, name="empty_key"
            )
            self._key_rank = empty_key.get_shape().ndims or 0
            self._table_ref = gen_lookup_ops._mutable_dense_hash_table_v2(
                empty_key,
                shared_name=shared_name or "",
                use_node_name_sharing=checkpoint and shared_name is None,
                value_dtype=value_dtype,
                value_shape=self._default_value.get_shape(),
                name=scope,
                **more,
            )
            super().__init__(
                key_dtype, value_dtype, self._table_ref.op.name.split("/")[-1]
            )
        if checkpoint:
            self._save_in_checkpoints(name)
