# SPDX-License-Identifier: Apache-2.0
"""Matrices of checkpoints under another vocabulary: rows, or columns, of words that both have are loaded."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import array_ops, init_ops, math_ops
from tensorwright.python.ops.gen_checkpoint_ops import (
    generate_vocab_remapping as generate_vocab_remapping,
    load_and_remap_matrix as load_and_remap_matrix_op,
)

Initializer = Callable[..., Any]


def load_and_remap_matrix(
    ckpt_path: str,
    old_tensor_name: str,
    new_row_vocab_offset: int,
    num_rows_to_load: int,
    new_col_vocab_size: int,
    initializer: Initializer,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    max_rows_in_memory: int = -1,
) -> ops.Tensor:
    """Reads a part of a saved matrix, with its rows and columns in the order of new vocabularies: float32.

    Rows and columns of words that the old vocabularies lack are initialized, and so are buckets, which follow the
    words' rows and columns.

    Args:
        ckpt_path: the checkpoint.
        old_tensor_name: the float32 matrix in it.
        new_row_vocab_offset: the first line of the new vocabulary to load.
        num_rows_to_load: the number of lines from there on.
        new_col_vocab_size: the number of columns, without buckets.
        initializer: `f(shape)`: the values of cells that are not loaded, [n, 1], and of buckets.
        old_row_vocab_size: the number of lines of `old_row_vocab_file` for which the matrix has rows; -1: all.
        old_row_vocab_file: the words of saved rows, a line each; None, like the next: rows keep their numbers.
        new_row_vocab_file: the words of new rows.
        old_col_vocab_file: the words of saved columns; None, like the next: columns stay.
        new_col_vocab_file: the words of new columns.
        num_row_oov_buckets: rows behind those of words.
        num_col_oov_buckets: columns behind those of words.
        max_rows_in_memory: the number of saved rows that are in memory at once; -1: all that are needed.

    Returns:
        [num_rows_to_load + num_row_oov_buckets, new_col_vocab_size + num_col_oov_buckets].

    Raises:
        ValueError: a number of buckets is negative, one of two vocabularies is missing, or there are neither rows
        nor columns.
    """
    for what, buckets in (("row", num_row_oov_buckets), ("col", num_col_oov_buckets)):
        if buckets < 0:
            raise ValueError(
                f"num_{what}_oov_buckets must be >= 0, but received {buckets}"
            )
    _check_pair("row", old_row_vocab_file, new_row_vocab_file)
    _check_pair("col", old_col_vocab_file, new_col_vocab_file)
    if new_row_vocab_file is None and new_col_vocab_file is None:
        raise ValueError("Must specify either row or column vocab remapping files")
    rows: Any = math_ops.range(
        new_row_vocab_offset,
        new_row_vocab_offset + num_rows_to_load,
        dtype=dtypes.int64,
    )
    found_rows: Any = num_rows_to_load
    if new_row_vocab_file is not None:
        assert old_row_vocab_file is not None
        rows, found_rows = generate_vocab_remapping(
            new_row_vocab_file,
            old_row_vocab_file,
            new_vocab_offset=new_row_vocab_offset,
            num_new_vocab=num_rows_to_load,
            old_vocab_size=old_row_vocab_size,
        )
    columns: Any = ops.convert_to_tensor([], dtypes.int64)
    found_columns: Any = new_col_vocab_size
    if new_col_vocab_file is not None:
        assert old_col_vocab_file is not None
        # Variables are cut along rows, never along columns.
        columns, found_columns = generate_vocab_remapping(
            new_col_vocab_file,
            old_col_vocab_file,
            new_vocab_offset=0,
            num_new_vocab=new_col_vocab_size,
        )
    missing = num_rows_to_load * new_col_vocab_size - found_rows * found_columns
    matrix = load_and_remap_matrix_op(
        ckpt_path,
        old_tensor_name,
        rows,
        columns,
        array_ops.reshape(initializer([missing, 1]), [-1]),
        num_rows=num_rows_to_load,
        num_cols=new_col_vocab_size,
        max_rows_in_memory=max_rows_in_memory,
    )
    if num_row_oov_buckets:
        buckets = initializer([num_row_oov_buckets, new_col_vocab_size])
        matrix = array_ops.concat([matrix, ops.convert_to_tensor(buckets)], 0)
    if num_col_oov_buckets:
        buckets = initializer(
            [num_rows_to_load + num_row_oov_buckets, num_col_oov_buckets]
        )
        matrix = array_ops.concat([matrix, ops.convert_to_tensor(buckets)], 1)
    return matrix


def _check_pair(what: str, old: str | None, new: str | None) -> None:
    if (old is None) != (new is None):
        raise ValueError(
            f"old_{what}_vocab_file and new_{what}_vocab_file must both be specified or "
            f"left unspecified, got {old!r} and {new!r}"
        )


class LoadAndRemapMatrix(init_ops.Initializer):
    """See `load_and_remap_matrix_initializer`."""

    def __init__(
        self,
        ckpt_path: str,
        old_tensor_name: str,
        new_row_vocab_size: int,
        new_col_vocab_size: int,
        num_row_oov_buckets: int,
        num_col_oov_buckets: int,
        initializer: Initializer,
        **options: Any,
    ):
        if not callable(initializer):
            raise TypeError(f"initializer must be callable, got {initializer!r}")
        self._saved = (ckpt_path, old_tensor_name)
        self._rows = new_row_vocab_size
        self._columns = new_col_vocab_size
        self._row_buckets = num_row_oov_buckets
        self._column_buckets = num_col_oov_buckets
        self._initializer = initializer
        self._options = options

    def __call__(
        self,
        shape: Any,
        dtype: DTypeLike | None = None,
        partition_info: Any = None,
    ) -> ops.Tensor:
        """The matrix, or the rows of it that a part of a variable has.

        Raises:
            ValueError: a shape that is not that of the vocabularies, or a dtype other than float32.
        """
        shape = [int(size) for size in shape]
        if dtype is not None and dtypes.as_dtype(dtype).base_dtype != dtypes.float32:
            raise ValueError(f"A saved matrix is float32, {dtype} is asked for")
        if len(shape) != 2:
            raise ValueError(f"Expected 2-dim shape, got {shape}")
        width = self._columns + self._column_buckets
        if shape[1] != width:
            raise ValueError(
                f"Expected new_col_vocab_size + num_col_oov_buckets = {width} columns, got "
                f"{shape[1]}"
            )
        first = 0
        if partition_info is not None:
            first = partition_info.single_offset(shape)
        end, height = first + shape[0], self._rows + self._row_buckets
        if end > height:
            raise ValueError(
                f"Rows [{first}, {end}) are asked for; new_row_vocab_size + "
                f"num_row_oov_buckets is {height}"
            )
        words = max(min(end, self._rows) - first, 0)
        if words == 0:
            # Buckets alone.
            return ops.convert_to_tensor(self._initializer(shape))
        return load_and_remap_matrix(
            *self._saved,
            new_row_vocab_offset=first,
            num_rows_to_load=words,
            new_col_vocab_size=self._columns,
            initializer=self._initializer,
            num_row_oov_buckets=shape[0] - words,
            num_col_oov_buckets=self._column_buckets,
            **self._options,
        )


def load_and_remap_matrix_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> LoadAndRemapMatrix:
    """An initializer of a variable, whole or cut along its rows, from a saved matrix.

    The variable is [new_row_vocab_size + num_row_oov_buckets, new_col_vocab_size + num_col_oov_buckets]; arguments as
    of `load_and_remap_matrix`, but `initializer` is zeros where it is None.

    Raises:
        TypeError: an `initializer` that is not callable.
        ValueError: as in `load_and_remap_matrix`, when it is called.
    """
    return LoadAndRemapMatrix(
        ckpt_path,
        old_tensor_name,
        new_row_vocab_size,
        new_col_vocab_size,
        num_row_oov_buckets,
        num_col_oov_buckets,
        init_ops.zeros_initializer() if initializer is None else initializer,
        old_row_vocab_size=old_row_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_embedding_initializer(
    ckpt_path: str,
    embedding_tensor_name: str,
    new_vocab_size: int,
    embedding_dim: int,
    old_vocab_file: str,
    new_vocab_file: str,
    old_vocab_size: int = -1,
    num_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> LoadAndRemapMatrix:
    """An initializer of an embedding [new_vocab_size + num_oov_buckets, embedding_dim] from a saved one.

    Vectors of new words and of buckets come from `initializer`; None: a truncated normal of deviation
    1 / sqrt(embedding_dim).
    """
    if initializer is None:
        initializer = init_ops.truncated_normal_initializer(
            stddev=1.0 / math.sqrt(embedding_dim)
        )
    return load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=embedding_tensor_name,
        new_row_vocab_size=new_vocab_size,
        new_col_vocab_size=embedding_dim,
        old_row_vocab_size=old_vocab_size,
        old_row_vocab_file=old_vocab_file,
        new_row_vocab_file=new_vocab_file,
        num_row_oov_buckets=num_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )
