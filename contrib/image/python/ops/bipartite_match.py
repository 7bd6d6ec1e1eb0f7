# SPDX-License-Identifier: Apache-2.0
"""Pairs of rows and columns, the closest first."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

__all__ = ["bipartite_match"]


def bipartite_match(
    distance_mat: TensorLike, num_valid_rows: TensorLike, top_k: int = -1
) -> tuple[ops.Tensor, ops.Tensor]:
    """Greedy matching: again and again the row and column of the least distance among those that are left.

    Args:
        distance_mat: float32 [rows, columns].
        num_valid_rows: how many rows count, a scalar or [1]; negative: all.
        top_k: how many pairs at most; not positive: as many as there can be.

    Returns:
        For each row its column, int32 [rows], and for each column its row, int32 [columns]; -1: none.

    Raises:
        ValueError: another rank.
    """
    distances = ops.convert_to_tensor(distance_mat, dtype=dtypes.float32)
    distances.get_shape().assert_has_rank(2)
    with ops.name_scope("bipartite_match", values=[distances]):
        sizes = array_ops.shape(distances)
        rows, columns = sizes[0], sizes[1]
        valid = math_ops.cast(array_ops.reshape(num_valid_rows, []), dtypes.int32)
        valid = array_ops.where(valid < 0, rows, math_ops.minimum(valid, rows))
        most = math_ops.minimum(valid, columns)
        if top_k > 0:
            most = math_ops.minimum(most, top_k)
        infinite = array_ops.fill(sizes, float("inf"))
        beyond = array_ops.expand_dims(math_ops.range(rows) >= valid, 1)
        left = array_ops.where_v2(beyond, infinite, distances)

        def step(i, left, row_to_column, column_to_row):
            flat = math_ops.cast(
                math_ops.argmin(array_ops.reshape(left, [-1]), 0), dtypes.int32
            )
            row, column = flat // columns, flat % columns
            is_row = math_ops.equal(math_ops.range(rows), row)
            is_column = math_ops.equal(math_ops.range(columns), column)
            row_to_column = array_ops.where(
                is_row, array_ops.fill([rows], column), row_to_column
            )
            column_to_row = array_ops.where(
                is_column, array_ops.fill([columns], row), column_to_row
            )
            taken = math_ops.logical_or(is_row[:, None], is_column[None, :])
            left = array_ops.where(taken, infinite, left)
            return i + 1, left, row_to_column, column_to_row

        start = [0, left, array_ops.fill([rows], -1), array_ops.fill([columns], -1)]
        _, _, row_to_column, column_to_row = control_flow_ops.while_loop(
            lambda i, *unused: i < most, step, start, back_prop=False
        )
        row_to_column.set_shape(distances.get_shape()[:1])
        column_to_row.set_shape(distances.get_shape()[1:])
        return row_to_column, column_to_row
