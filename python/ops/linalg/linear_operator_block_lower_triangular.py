# SPDX-License-Identifier: Apache-2.0
"""Operators on and below a diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_blockwise,
    linear_operator_util as util,
)


class LinearOperatorBlockLowerTriangular(linear_operator_blockwise.BlockwiseOperator):
    """[[A00], [A10, A11], [A20, A21, A22], ...], zeros above.  Arguments may be lists of blocks, results are then too.

    The blocks on the diagonal are square; a solution takes one of each of them, and a product of each other block.
    """

    def __init__(
        self,
        operators: Sequence[Sequence[linear_operator.LinearOperator]],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        """
        operators: rows of blocks, each one block longer than the row above.

        Raises:
            TypeError: the operators are of several dtypes.
            ValueError: rows have other lengths, sizes do not fit, or a hint contradicts the operators'.
        """
        parameters = dict(locals())
        for row in operators:
            if not isinstance(row, (list, tuple)):
                raise TypeError(f"each row of operators must be a list, got {row!r}")
        rows = [list(row) for row in operators]
        self._operators = rows
        self._every = [operator for row in rows for operator in row]
        dtype = util.same_dtype(self._every)
        for i, row in enumerate(rows):
            if len(row) != i + 1:
                raise ValueError(
                    f"row {i} of operators must have {i + 1} blocks, got {len(row)}"
                )
        self._diagonal_operators = [row[-1] for row in rows]
        self._check_sizes()
        is_square = util.implied(
            is_square, True, "`LinearOperatorBlockLowerTriangular` must be square."
        )
        is_non_singular = self._checked_non_singular(is_non_singular)
        util.joint_batch_shape(self._every)
        super().__init__(
            dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    def _check_sizes(self) -> None:
        diagonal = self._diagonal_operators
        for i, operator in enumerate(diagonal):
            if operator.is_square is False:
                raise ValueError(
                    "Matrices on the diagonal (the final elements of each row in the "
                    f"nested list) must be square. Got a nonsquare matrix at index {i}."
                )
        for i, row in enumerate(self._operators):
            for j, operator in enumerate(row[:-1]):
                rows, columns = diagonal[i], diagonal[j]
                if not (
                    operator.range_dimension.is_compatible_with(rows.range_dimension)
                    and operator.domain_dimension.is_compatible_with(
                        columns.domain_dimension
                    )
                ):
                    raise ValueError(
                        f"block {j} of row {i} must be [{rows.range_dimension}, "
                        f"{columns.domain_dimension}], got {operator.shape}"
                    )

    def _checked_non_singular(self, hint: bool | None) -> bool | None:
        hints = [operator.is_non_singular for operator in self._diagonal_operators]
        hint = util.implied(
            hint,
            all(hints),
            "A blockwise lower-triangular operator with non-singular operators on the "
            "main diagonal is always non-singular.",
        )
        if False not in hints:
            return hint
        if hint:
            raise ValueError(
                "A blockwise lower-triangular operator with a singular operator on the "
                "main diagonal is always singular."
            )
        return False

    @property
    def operators(self) -> list[list[linear_operator.LinearOperator]]:
        """The blocks, in rows."""
        return self._operators

    def _block_rows(self) -> Sequence[linear_operator.LinearOperator]:
        return self._diagonal_operators

    _block_columns = _block_rows

    def _shape(self) -> tensor_shape.TensorShape:
        sizes = [o.range_dimension.value for o in self._diagonal_operators]
        known = [size for size in sizes if size is not None]
        size = sum(known) if len(known) == len(sizes) else None
        return util.batch_and_matrix(util.joint_batch_shape(self._every), size, size)

    def _shape_tensor(self) -> ops.Tensor:
        size = math_ops.add_n(self._block_range_dimension_tensors())
        batch = util.joint_batch_shape_tensor(self._every)
        return array_ops.concat([batch, array_ops.stack([size, size])], 0)

    def _matmul_blocks(self, x: list[ops.Tensor], adjoint: bool) -> list[ops.Tensor]:
        """Row i, or column i of the adjoint blocks, times x."""
        count, result = len(x), []
        for i in range(count):
            places = [(j, i) if adjoint else (i, j) for j in range(count)]
            parts = [
                self._operators[row][column].matmul(
                    x[row if adjoint else column], adjoint=adjoint
                )
                for row, column in places
                if column <= row
            ]
            result.append(_sum(parts))
        return result

    def _solve_blocks(self, rhs: list[ops.Tensor], adjoint: bool) -> list[ops.Tensor]:
        """Solves from the first row down or, for the adjoint, from the last one up."""
        count = len(rhs)
        result: list[Any] = [None] * count
        for i in reversed(range(count)) if adjoint else range(count):
            rest = rhs[i]
            for j in range(i + 1, count) if adjoint else range(i):
                block = self._operators[j][i] if adjoint else self._operators[i][j]
                rest = rest - block.matmul(result[j], adjoint=adjoint)
            result[i] = self._operators[i][i].solve(rest, adjoint=adjoint)
        return result

    def _determinant(self) -> ops.Tensor:
        result = self._diagonal_operators[0].determinant()
        for operator in self._diagonal_operators[1:]:
            result *= operator.determinant()
        return self._in_batch(result)

    def _log_abs_determinant(self) -> ops.Tensor:
        logs = [o.log_abs_determinant() for o in self._diagonal_operators]
        return self._in_batch(_sum(logs))

    def _trace(self) -> ops.Tensor:
        return self._in_batch(_sum([o.trace() for o in self._diagonal_operators]))

    def _in_batch(self, x: ops.Tensor) -> ops.Tensor:
        """Blocks below the diagonal may have more batch dimensions than those on it."""
        x = util.broadcast_batch(
            self.batch_shape, self.batch_shape_tensor, x[..., None], inner=1
        )
        return x[..., 0]

    def _diag_part(self) -> ops.Tensor:
        parts = [o.diag_part() for o in self._diagonal_operators]
        diag = linear_operator_blockwise.joined_vectors(parts)
        return util.broadcast_batch(
            self.batch_shape, self.batch_shape_tensor, diag, inner=1
        )

    def _to_dense(self) -> ops.Tensor:
        """Each row with zeros on its right."""
        whole, end, rows = self.domain_dimension_tensor(), ops.convert_to_tensor(0), []
        for row in self._operators:
            line = linear_operator_blockwise.joined([o.to_dense() for o in row], -1)
            end = end + row[-1].domain_dimension_tensor()
            here = array_ops.stack([ops.convert_to_tensor(0), whole - end])
            none = array_ops.zeros([array_ops.rank(line) - 1, 2], dtype=here.dtype)
            rows.append(array_ops.pad(line, array_ops.concat([none, here[None]], 0)))
        dense = linear_operator_blockwise.joined(rows, -2)
        dense.set_shape(self.shape)
        return dense

    def _assert_non_singular(self) -> ops.Operation:
        return control_flow_ops.group(
            *[o.assert_non_singular() for o in self._diagonal_operators]
        )


def _sum(parts: Sequence[ops.Tensor]) -> ops.Tensor:
    """Sums with broadcasting."""
    result = parts[0]
    for part in parts[1:]:
        result = result + part
    return result
