# SPDX-License-Identifier: Apache-2.0
"""Initializers that read a matrix of a checkpoint, whose rows and columns may have other words now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import checkpoint_ops, init_ops

__all__ = [
    "load_and_remap_matrix_initializer",
    "load_embedding_initializer",
    "load_linear_multiclass_bias_initializer",
    "load_variable_slot_initializer",
]

Initializer = Callable[..., Any]


def load_and_remap_matrix_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> Initializer:
    """Makes an initializer of a variable, whole or cut along its rows, from a saved float32 matrix.

    Args:
        ckpt_path: the checkpoint.
        old_tensor_name: the matrix in it.
        new_row_vocab_size: the number of the variable's rows that stand for words.
        new_col_vocab_size: the number of the variable's columns that stand for words.
        old_row_vocab_file: the words of saved rows, a line each; if this and the next are None, rows keep their
            numbers.
        new_row_vocab_file: the words of new rows.
        old_col_vocab_file: the words of saved columns; if this and the next are None, columns stay.
        new_col_vocab_file: the words of new columns.
        num_row_oov_buckets: the number of rows behind those of words.
        num_col_oov_buckets: the number of columns behind those of words.
        initializer: `f(shape)` for values that the checkpoint lacks; None for zeros.
        max_rows_in_memory: how many saved rows are in memory at once; -1 for all that are needed.

    Raises:
        TypeError: `initializer` is not callable.
        ValueError: in a call of the result, the shape does not fit the vocabularies, or only one file of a pair is
            given.
    """
    return checkpoint_ops.load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=old_tensor_name,
        new_row_vocab_size=new_row_vocab_size,
        new_col_vocab_size=new_col_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        num_row_oov_buckets=num_row_oov_buckets,
        num_col_oov_buckets=num_col_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_embedding_initializer(
    ckpt_path: str,
    embedding_tensor_name: str,
    new_vocab_size: int,
    embedding_dim: int,
    old_vocab_file: str,
    new_vocab_file: str,
    num_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> Initializer:
    """An initializer of an embedding [new_vocab_size + num_oov_buckets, embedding_dim] from a saved one.

    Vectors of new words and of buckets come from `initializer`; None: a truncated normal of deviation
    1 / sqrt(embedding_dim).
    """
    return checkpoint_ops.load_embedding_initializer(
        ckpt_path=ckpt_path,
        embedding_tensor_name=embedding_tensor_name,
        new_vocab_size=new_vocab_size,
        embedding_dim=embedding_dim,
        old_vocab_file=old_vocab_file,
        new_vocab_file=new_vocab_file,
        num_oov_buckets=num_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_linear_multiclass_bias_initializer(
    ckpt_path: str,
    bias_tensor_name: str,
    new_class_vocab_size: int,
    old_class_vocab_file: str,
    new_class_vocab_file: str,
    num_class_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> Initializer:
    """An initializer of biases [new_class_vocab_size + num_class_oov_buckets, 1] from saved ones, a row a class."""
    return load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=bias_tensor_name,
        new_row_vocab_size=new_class_vocab_size,
        new_col_vocab_size=1,
        old_row_vocab_file=old_class_vocab_file,
        new_row_vocab_file=new_class_vocab_file,
        num_row_oov_buckets=num_class_oov_buckets,
        initializer=initializer or init_ops.zeros_initializer(),
        max_rows_in_memory=max_rows_in_memory,
    )


def load_variable_slot_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    primary_partition_info: Any,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> Initializer:
    """An initializer of an optimizer's slot, like `load_and_remap_matrix_initializer`.

    A slot does not know which part of a cut variable it belongs to; `primary_partition_info`, which the initializer of
    that part got, says so.
    """
    whole = load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=old_tensor_name,
        new_row_vocab_size=new_row_vocab_size,
        new_col_vocab_size=new_col_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        num_row_oov_buckets=num_row_oov_buckets,
        num_col_oov_buckets=num_col_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )

    def slot(
        shape: Any, dtype: DTypeLike = dtypes.float32, partition_info: Any = None
    ) -> ops.Tensor:
        del partition_info  # The slot's own partition_info is not used.
        return whole(shape, dtype, partition_info=primary_partition_info)

    return slot
