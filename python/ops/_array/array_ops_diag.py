# SPDX-License-Identifier: Apache-2.0
"""Diagonals and bands of matrices, and identity matrices."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.ops._array.array_ops_fill import ones, zeros
from tensorwright.python.ops.gen_array_ops import (  # noqa: F401 (re-exported)
    diag,
    diag_part,
    matrix_band_part,
)


def _main_diagonal(k: Any) -> bool:
    return not ops.is_dense_tensor_like(k) and isinstance(k, int) and k == 0


def matrix_diag(
    diagonal: TensorLike,
    name: str = "diag",
    k: TensorLike = 0,
    num_rows: TensorLike = -1,
    num_cols: TensorLike = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> ops.Tensor:
    """Matrices with given diagonals: [..., n] -> [..., n, n].

    Args:
      diagonal: [..., n], or for a band [..., number of diagonals, n], from the highest
        down.
      name: the op's name.
      k: the diagonal's number (0 the main one, above it positive), or (lowest,
        highest) of a band.
      num_rows: the number of rows of the matrices; -1: as few as fit.
      num_cols: likewise.
      padding_value: the value of all other elements.
      align: on which side of their row the shorter diagonals above and below the
        main one stand: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".
    """
    plain = all(isinstance(v, int) for v in (num_rows, num_cols, padding_value))
    if _main_diagonal(k) and plain and (num_rows, num_cols) == (-1, -1):
        if padding_value == 0:
            return gen_array_ops.matrix_diag(diagonal, name=name)
    with ops.name_scope(name, values=[diagonal]) as scope:
        diagonal = ops.convert_to_tensor(diagonal, name="diagonal")
        padding = _scalar_of(diagonal, padding_value)
        return gen_array_ops.matrix_diag_v3(
            diagonal, k, num_rows, num_cols, padding, align=align, name=scope
        )


def _scalar_of(tensor: ops.Tensor, value: Any) -> Any:
    dtype = tensor.dtype.base_dtype
    if dtype == dtypes.bool and not ops.is_dense_tensor_like(value):
        value = bool(value)
    return ops.convert_to_tensor(value, dtype=dtype, name="padding_value")


def matrix_diag_part(
    input: TensorLike,
    name: str = "diag_part",
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> ops.Tensor:
    """Returns diagonals of matrices: [..., m, n] -> [..., min(m, n)].

    `k` chooses another diagonal; k=(lowest, highest) chooses a band [..., number of
    diagonals, length of the longest], from the highest down.  Shorter diagonals are padded
    with `padding_value` on the side that `align` says: see `matrix_diag`.
    """
    if _main_diagonal(k):
        return gen_array_ops.matrix_diag_part(input, name=name)
    with ops.name_scope(name, values=[input]) as scope:
        input = ops.convert_to_tensor(input, name="input")
        padding = _scalar_of(input, padding_value)
        return gen_array_ops.matrix_diag_part_v3(
            input, k, padding, align=align, name=scope
        )


def matrix_set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str = "set_diag",
    k: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> ops.Tensor:
    """`input` [..., m, n] with other diagonals, of the shape of `matrix_diag_part`."""
    if _main_diagonal(k):
        return gen_array_ops.matrix_set_diag(input, diagonal, name=name)
    return gen_array_ops.matrix_set_diag_v3(input, diagonal, k, align=align, name=name)


def eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    batch_shape: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> ops.Tensor:
    """Identity matrices: batch_shape + [num_rows, num_columns] of `dtype`."""
    dtype = dtypes.as_dtype(dtype)
    with ops.name_scope(name, "eye", [num_rows, num_columns, batch_shape]):
        square = num_columns is None or num_columns is num_rows
        num_rows, rows = _size(num_rows, "num_rows")
        num_columns, columns = (
            (num_rows, rows) if square else _size(num_columns, "num_columns")
        )
        if square:
            shortest = num_rows
        elif rows is not None and columns is not None:
            square, shortest = rows == columns, min(rows, columns)
        else:
            # Matrices of zeros know their diagonals' length.
            matrix = zeros(_vector([], [num_rows, num_columns], batch_shape), dtype)
            ones_diagonal = gen_array_ops.ones_like(
                gen_array_ops.matrix_diag_part(matrix)
            )
            return gen_array_ops.matrix_set_diag(matrix, ones_diagonal)
        diagonal = ones(_vector([], [shortest], batch_shape), dtype)
        if square:
            return gen_array_ops.matrix_diag(diagonal)
        matrix = zeros(_vector([], [num_rows, num_columns], batch_shape), dtype)
        return gen_array_ops.matrix_set_diag(matrix, diagonal)


def _size(value: Any, name: str) -> tuple[Any, int | None]:
    """A size as it is given or as an int32 tensor, and its value if that is known."""
    if not ops.is_dense_tensor_like(value):
        return int(value), int(value)
    value = ops.convert_to_tensor(value, name=name)
    if value.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"eye: {name} must be int32 or int64, got {value.dtype.name}")
    static = tensor_util.constant_value(value)
    return value, None if static is None else int(static)


def _vector(head: list, sizes: list, batch_shape: Any) -> Any:
    """batch_shape + sizes: a list if all is known, else a vector tensor."""
    if batch_shape is not None:
        if not ops.is_dense_tensor_like(batch_shape):
            head = [*batch_shape]
        else:
            batch = ops.convert_to_tensor(batch_shape, name="shape")
            tail = gen_array_ops.pack(
                [ops.convert_to_tensor(s, dtype=batch.dtype.base_dtype) for s in sizes],
                axis=0,
            )
            return gen_array_ops.concat_v2([batch, tail], 0)
    return [*head, *sizes]
