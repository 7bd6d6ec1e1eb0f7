# SPDX-License-Identifier: Apache-2.0
"""The weighted least squares that a sweep over a sparse matrix solves: factors of rows, those of columns being fixed."""

from __future__ import annotations

import dataclasses

from tensorwright.contrib.factorization.python.ops import gen_factorization_ops
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.ops import array_ops, linalg_ops, math_ops, sparse_ops


@dataclasses.dataclass
class Entries:
    """Entries of some rows of a matrix: values [n], the ids of the different rows and columns in the order of their first
    entries, and for each entry, in `rows` and `columns` [n], the place of its ids in these lists.
    """

    row_ids: ops.Tensor
    rows: ops.Tensor
    column_ids: ops.Tensor
    columns: ops.Tensor
    values: ops.Tensor

    @property
    def num_rows(self) -> ops.Tensor:
        return array_ops.size(self.row_ids, out_type=dtypes.int64)

    @property
    def places(self) -> ops.Tensor:
        return array_ops.stack([self.rows, self.columns], 1)


def entries_of(
    sp_input: sparse_tensor.SparseTensor | sparse_tensor.SparseTensorValue | None,
    transposed: bool,
) -> Entries:
    """The entries of a float32 SparseTensor, or of its transpose.

    Raises:
        TypeError: another kind of tensor.
    """
    if isinstance(sp_input, sparse_tensor.SparseTensorValue):
        sp_input = sparse_tensor.SparseTensor.from_value(sp_input)
    if not isinstance(sp_input, sparse_tensor.SparseTensor):
        raise TypeError(f"sp_input must be a SparseTensor, got {sp_input!r}")
    if sp_input.values.dtype.base_dtype != dtypes.float32:
        raise TypeError(f"sp_input must be of float32, got {sp_input.values.dtype}")
    rows, columns = array_ops.unstack(sp_input.indices, num=2, axis=1)
    if transposed:
        rows, columns = columns, rows
    row_ids, rows = array_ops.unique(rows, out_idx=dtypes.int64)
    column_ids, columns = array_ops.unique(columns, out_idx=dtypes.int64)
    return Entries(row_ids, rows, column_ids, columns, sp_input.values)


@dataclasses.dataclass
class LeastSquares:
    """Rows u_i that make sum_ij w_ij (a_ij - u_i v_j)^2 + regularization * sum_i |u_i|^2 least.

    w_ij is `unobserved`; for entries row_weights[i] * column_weights[j] are added. A place without an entry counts as
    0, so that its part of the sum is u_i V^T V u_i^T, for all of them together.

    Args:
        entries: a_ij.
        factors: v_j of the entries' columns, [columns, k].
        gramian: V^T V of all columns, [k, k].
        row_weights: [rows], or None.
        column_weights: [columns], or None.
    """

    entries: Entries
    factors: ops.Tensor
    gramian: ops.Tensor
    unobserved: float
    regularization: float | None
    row_weights: ops.Tensor | None
    column_weights: ops.Tensor | None

    def solution(self) -> ops.Tensor:
        """u [rows, k], by the normal equations of each row."""
        size = self.gramian.get_shape()[0].value
        common = self.unobserved * self.gramian
        if self.regularization is not None:
            common += self.regularization * linalg_ops.eye(size)
        if self.row_weights is None:
            # All weights are equal, so that all rows have one matrix.
            right = self.unobserved * self._entries_times_factors()
            solved = linalg_ops.matrix_solve(common, array_ops.transpose(right))
            return array_ops.transpose(solved)
        left, right = gen_factorization_ops.wals_compute_partial_lhs_and_rhs(
            self.factors,
            self.column_weights,
            self.unobserved,
            self.row_weights,
            self.entries.places,
            self.entries.values,
            [],
            self.entries.num_rows,
            False,
            name="wals_compute_partial_lhs_rhs",
        )
        columns = array_ops.expand_dims(right, 2)
        return array_ops.squeeze(linalg_ops.matrix_solve(common + left, columns), [2])

    def _entries_times_factors(self) -> ops.Tensor:
        e = self.entries
        shape = array_ops.stack(
            [e.num_rows, array_ops.size(e.column_ids, out_type=dtypes.int64)]
        )
        matrix = sparse_tensor.SparseTensor(e.places, e.values, shape)
        return sparse_ops.sparse_tensor_dense_matmul(matrix, self.factors)

    def losses(
        self, solution: ops.Tensor, rows: int, columns: int
    ) -> tuple[ops.Tensor, ops.Tensor, ops.Tensor]:
        """(the sum of weighted squares, what regularization adds, the sum of weights) of a solution, for all rows.

        Args:
            solution: [rows of the entries, k].
            rows: how many the whole matrix has; what its part has is multiplied to match.
            columns: how many the whole matrix has.
        """
        e = self.entries
        product = gen_factorization_ops.masked_matmul(
            solution, self.factors, e.places, False, True
        )
        errors = math_ops.square(e.values - product)
        own_gramian = math_ops.matmul(solution, solution, transpose_a=True)
        # The squares of U V^T at all places are those without entries, and those that entries replace.
        everywhere = math_ops.reduce_sum(own_gramian * self.gramian)
        squares = self.unobserved * (
            everywhere + math_ops.reduce_sum(errors - math_ops.square(product))
        )
        part = math_ops.cast(math_ops.maximum(e.num_rows, 1), dtypes.float32)
        scale = rows / part
        weights = ops.convert_to_tensor(self.unobserved * rows * columns)
        if self.row_weights is not None:
            of_entries = array_ops.gather(self.row_weights, e.rows) * array_ops.gather(
                self.column_weights, e.columns
            )
            squares += math_ops.reduce_sum(of_entries * errors)
            weights += scale * math_ops.reduce_sum(of_entries)
        added = ops.convert_to_tensor(0.0)
        if self.regularization is not None:
            added = self.regularization * (
                scale * math_ops.trace(own_gramian) + math_ops.trace(self.gramian)
            )
        return scale * squares, added, weights
