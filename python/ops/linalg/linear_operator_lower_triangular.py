# SPDX-License-Identifier: Apache-2.0
"""Lower triangular matrices."""

from __future__ import annotations

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_linalg_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)


class LinearOperatorLowerTriangular(linear_operator.LinearOperator):
    """The lower triangles of `tril` [B1, ..., Bb, N, N]: a solution costs O(N^2) for each column."""

    def __init__(
        self,
        tril: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        """ValueError: is_square is False, or `tril` has less than two dimensions."""
        parameters = dict(locals())
        with ops.name_scope(name, values=[tril]):
            self._tril = util.convert_nonref_to_tensor(tril, name="tril")
            util.check_rank_at_least(self._tril, 2, "Argument tril")
            is_square = util.implied(
                is_square,
                True,
                "Only square lower triangular operators supported at this time.",
            )
        super().__init__(
            util.base_dtype(self._tril),
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def tril(self) -> TensorLike:
        """The given matrix, whose upper triangle does not count."""
        return self._tril

    def _shape(self) -> tensor_shape.TensorShape:
        return self._tril.get_shape()

    def _shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self._tril)

    def _to_dense(self) -> ops.Tensor:
        return array_ops.matrix_band_part(self._tril, -1, 0)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return util.matmul_with_broadcast(self._to_dense(), x, adjoint, adjoint_arg)

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        rhs = util.adjoint_if(rhs, adjoint_arg)
        return gen_linalg_ops.matrix_triangular_solve(
            self._tril, rhs, lower=True, adjoint=adjoint
        )

    def _diag_part(self) -> ops.Tensor:
        return array_ops.matrix_diag_part(self._tril)

    def _determinant(self) -> ops.Tensor:
        return math_ops.reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self) -> ops.Tensor:
        logs = math_ops.log(math_ops.abs(self._diag_part()))
        return math_ops.cast(math_ops.reduce_sum(logs, axis=-1), self.dtype)

    def _eigvals(self) -> ops.Tensor:
        return self._diag_part()

    def _assert_non_singular(self) -> ops.Operation:
        return util.assert_no_entries_with_modulus_zero(
            self._diag_part(),
            message="Singular operator:  Diagonal contained zero values.",
        )
