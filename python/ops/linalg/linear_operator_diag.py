# SPDX-License-Identifier: Apache-2.0
"""Diagonal matrices."""

from __future__ import annotations

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)


class LinearOperatorDiag(linear_operator.LinearOperator):
    """The matrices with `diag` [B1, ..., Bb, N] on their diagonals: everything costs O(N) for each column."""

    def __init__(
        self,
        diag: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        """ValueError: is_square is False, or is_self_adjoint of real numbers; `diag` is a scalar."""
        parameters = dict(locals())
        with ops.name_scope(name, values=[diag]):
            self._diag = util.convert_nonref_to_tensor(diag, name="diag")
            util.check_rank_at_least(self._diag, 1, "Argument diag")
            dtype = util.known_dtype(self._diag)
            is_self_adjoint = util.implied(
                is_self_adjoint,
                not dtype.is_complex,
                "A real diagonal operator is always self adjoint.",
            )
            is_square = util.implied(
                is_square, True, "Only square diagonal operators currently supported."
            )
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

    @property
    def diag(self) -> TensorLike:
        """The diagonal, as it was given."""
        return self._diag

    def _shape(self) -> tensor_shape.TensorShape:
        shape = self._diag.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> ops.Tensor:
        shape = array_ops.shape(self._diag)
        return array_ops.concat([shape, shape[-1:]], 0)

    def _column(self, adjoint: bool) -> ops.Tensor:
        return array_ops.expand_dims(util.conj_if(self._diag, adjoint), -1)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._column(adjoint) * util.adjoint_if(x, adjoint_arg)

    def _matvec(self, x: ops.Tensor, adjoint: bool = False) -> ops.Tensor:
        return util.conj_if(self._diag, adjoint) * x

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return util.adjoint_if(rhs, adjoint_arg) / self._column(adjoint)

    def _solvevec(self, rhs: ops.Tensor, adjoint: bool = False) -> ops.Tensor:
        return rhs / util.conj_if(self._diag, adjoint)

    def _determinant(self) -> ops.Tensor:
        return math_ops.reduce_prod(self._diag, axis=-1)

    def _log_abs_determinant(self) -> ops.Tensor:
        logs = math_ops.log(math_ops.abs(self._diag))
        return math_ops.cast(math_ops.reduce_sum(logs, axis=-1), self.dtype)

    def _diag_part(self) -> ops.Tensor:
        return array_ops.identity(self._diag)

    def _to_dense(self) -> ops.Tensor:
        return array_ops.matrix_diag(self._diag)

    def _add_to_tensor(self, x: ops.Tensor) -> ops.Tensor:
        x = util.broadcast_batch(self.batch_shape, self.batch_shape_tensor, x)
        return array_ops.matrix_set_diag(x, array_ops.matrix_diag_part(x) + self._diag)

    def _eigvals(self) -> ops.Tensor:
        return array_ops.identity(self._diag)

    def _cond(self) -> ops.Tensor:
        return util.ratio_of_extremes(math_ops.abs(self._diag))

    def _assert_non_singular(self) -> ops.Operation:
        return util.assert_no_entries_with_modulus_zero(
            self._diag, message="Singular operator: Diagonal contained zero values."
        )

    def _assert_positive_definite(self) -> ops.Operation:
        return check_ops.assert_positive(
            math_ops.real(self._diag),
            message="Diagonal operator had diagonal entries with non-positive real "
            "part, thus was not positive definite.",
        )

    def _assert_self_adjoint(self) -> ops.Operation:
        return util.assert_zero_imag_part(
            self._diag,
            message="This diagonal operator contained non-zero imaginary values.  Thus "
            "it was not self-adjoint.",
        )
