# SPDX-License-Identifier: Apache-2.0
"""Initializers of tables: from tensors, or from the lines of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import control_flow_ops, gen_lookup_ops
from tensorwright.python.ops._lookup.lookup_ops_tables import check_table_dtypes
from tensorwright.python.util import deprecation

if TYPE_CHECKING:
    from tensorwright.python.ops._lookup.lookup_ops_tables import (
        InitializableLookupTableBase,
    )


class TableInitializerBase:
    """Fills a table."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> dtypes.DType:
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        return self._value_dtype

    def initialize(self, table: InitializableLookupTableBase) -> ops.Operation:
        """The operation that fills the table; added to TABLE_INITIALIZERS."""
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with the elements of two vectors."""

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ):
        """Keys and values, vectors of one size; a key may come twice with the same value."""
        with ops.name_scope(name, "key_value_init", [keys, values]) as scope:
            self._keys = ops.convert_to_tensor(keys, dtype=key_dtype, name="keys")
            self._values = ops.convert_to_tensor(
                values, dtype=value_dtype, name="values"
            )
            self._name = scope
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: InitializableLookupTableBase) -> ops.Operation:
        check_table_dtypes(table, self._keys.dtype, self._values.dtype)
        inputs = [table.table_ref, self._keys, self._values]
        with ops.name_scope(self._name, values=inputs) as scope:
            op = gen_lookup_ops._initialize_table_v2(*inputs, name=scope)
        ops.add_to_collection(ops.GraphKeys.TABLE_INITIALIZERS, op)
        return op


class TextFileIndex:
    """Special column indices of a text file: the whole line, or its number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    """Fills a table with columns of a text file, its whole lines or their numbers.

    The file is read when the table is filled.  Lines are not empty; numbers count
    from 0.
    """

    def __init__(
        self,
        filename: TensorLike,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ):
        """Describes the file and its columns.

        Args:
          filename: a string scalar.
          key_dtype: int64 for a line's number, an integer or string for a whole line.
          key_index: a column, from 0 on, or one of TextFileIndex.
          value_dtype: int64 for a line's number, string for a whole line.
          value_index: as `key_index`.
          vocab_size: the number of lines to read, which must be there; None for all.
          delimiter: the character between columns.
          name: the op's name.
          value_index_offset: a number that is added to line numbers: 1 keeps 0 for unknown words.

        Raises:
          ValueError: an index or a size is invalid, there is no file name, or a dtype does
            not fit.
        """
        if not isinstance(filename, ops.Tensor) and not filename:
            raise ValueError(f"Filename required for {name}.")
        key_dtype, value_dtype = (
            dtypes.as_dtype(key_dtype),
            dtypes.as_dtype(value_dtype),
        )
        _check_column("key", key_index, key_dtype, integers=True)
        _check_column("value", value_index, value_dtype, integers=False)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"Invalid vocab_size {vocab_size}.")
        self._filename = filename
        self._key_index = key_index
        self._value_index = value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = name
        self._offset = value_index_offset
        super().__init__(key_dtype, value_dtype)

    def initialize(self, table: InitializableLookupTableBase) -> ops.Operation:
        check_table_dtypes(table, self.key_dtype, self.value_dtype)
        with ops.name_scope(self._name, "text_file_init", [table.table_ref]) as scope:
            filename = ops.convert_to_tensor(
                self._filename, dtypes.string, name="asset_filepath"
            )
            op = gen_lookup_ops._initialize_table_from_text_file_v2(
                table.table_ref,
                filename,
                self._key_index,
                self._value_index,
                -1 if self._vocab_size is None else self._vocab_size,
                self._delimiter,
                self._offset,
                name=scope,
            )
        ops.add_to_collection(ops.GraphKeys.TABLE_INITIALIZERS, op)
        # A name that depends on something is no file that could be copied.
        if filename.op.type == "Const":
            ops.add_to_collection(ops.GraphKeys.ASSET_FILEPATHS, filename)
        return op


def _check_column(what: str, index: int, dtype: dtypes.DType, integers: bool) -> None:
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"Invalid {what} index {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
        raise ValueError(
            f"Signature mismatch. {what.capitalize()}s must be dtype {dtypes.int64}, "
            f"got {dtype}."
        )
    if index == TextFileIndex.WHOLE_LINE and not (
        dtype == dtypes.string or (integers and dtype.is_integer)
    ):
        kinds = "integer or string" if integers else str(dtypes.string)
        raise ValueError(
            f"Signature mismatch. {what.capitalize()}s must be {kinds}, got {dtype}."
        )


class TextFileStringTableInitializer(TextFileInitializer):
    """Reads a file with one string a line, and maps line numbers to strings."""

    def __init__(
        self,
        filename: TensorLike,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_string_table_init",
    ):
        super().__init__(
            filename,
            dtypes.int64,
            key_column_index,
            dtypes.string,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name=name,
        )


class TextFileIdTableInitializer(TextFileInitializer):
    """Reads a file with one key a line, and maps keys to line numbers."""

    def __init__(
        self,
        filename: TensorLike,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_id_table_init",
        key_dtype: DTypeLike = dtypes.string,
    ):
        super().__init__(
            filename,
            key_dtype,
            key_column_index,
            dtypes.int64,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name=name,
        )


def tables_initializer(name: str = "init_all_tables") -> ops.Operation:
    """An operation that runs the initializers in the collection TABLE_INITIALIZERS; it does nothing where none are."""
    initializers = ops.get_collection(ops.GraphKeys.TABLE_INITIALIZERS)
    return control_flow_ops.group(*initializers, name=name)


@deprecation.deprecated(None, "Use `tf.tables_initializer` instead.")
def initialize_all_tables(name: str = "init_all_tables") -> ops.Operation:
    """The old name of `tables_initializer`."""
    return tables_initializer(name)
