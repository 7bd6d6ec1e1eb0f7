# SPDX-License-Identifier: Apache-2.0
"""The adjoint of an operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor


class LinearOperatorAdjoint(linear_operator.LinearOperator):
    """A^H of the operator A, which does all the work."""

    def __init__(
        self,
        operator: linear_operator.LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Hints are the operator's too.  ValueError where a hint and the operator's differ."""
        parameters = dict(locals())
        self._operator = operator
        hints = {
            hint: util.use_operator_or_provided_hint_unless_contradicting(
                operator,
                hint,
                parameters[hint],
                f"{hint} of an operator and of its adjoint must be the same",
            )
            for hint in (
                "is_non_singular",
                "is_self_adjoint",
                "is_positive_definite",
                "is_square",
            )
        }
        super().__init__(
            operator.dtype,
            None,
            name=name or f"{operator.name}_adjoint",
            parameters=parameters,
            **hints,
        )

    @property
    def operator(self) -> linear_operator.LinearOperator:
        """The operator whose adjoint this is."""
        return self._operator

    def _shape(self) -> tensor_shape.TensorShape:
        of = self._operator
        return util.batch_and_matrix(
            of.batch_shape, of.domain_dimension, of.range_dimension
        )

    def _shape_tensor(self) -> ops.Tensor:
        shape = self._operator.shape_tensor()
        return array_ops.concat([shape[:-2], shape[-1:], shape[-2:-1]], 0)

    # The operator itself handles arguments in blocks.

    def matmul(
        self,
        x: linear_operator.LinearOperator | TensorLike,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        if isinstance(x, (list, tuple)):
            return self._operator.matmul(x, not adjoint, adjoint_arg, name)
        return super().matmul(x, adjoint, adjoint_arg, name)

    def solve(
        self,
        rhs: TensorLike,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        if isinstance(rhs, (list, tuple)):
            return self._operator.solve(rhs, not adjoint, adjoint_arg, name)
        return super().solve(rhs, adjoint, adjoint_arg, name)

    def matvec(
        self, x: TensorLike, adjoint: bool = False, name: str = "matvec"
    ) -> Tensor:
        if isinstance(x, (list, tuple)):
            return self._operator.matvec(x, not adjoint, name)
        return super().matvec(x, adjoint, name)

    def solvevec(
        self, rhs: TensorLike, adjoint: bool = False, name: str = "solve"
    ) -> Tensor:
        if isinstance(rhs, (list, tuple)):
            return self._operator.solvevec(rhs, not adjoint, name)
        return super().solvevec(rhs, adjoint, name)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: ops.Tensor, adjoint: bool = False) -> ops.Tensor:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: ops.Tensor, adjoint: bool = False) -> ops.Tensor:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _determinant(self) -> ops.Tensor:
        return math_ops.conj(self._operator.determinant())

    def _log_abs_determinant(self) -> ops.Tensor:
        return self._operator.log_abs_determinant()

    def _trace(self) -> ops.Tensor:
        return math_ops.conj(self._operator.trace())

    def _diag_part(self) -> ops.Tensor:
        return math_ops.conj(self._operator.diag_part())

    def _to_dense(self) -> ops.Tensor:
        return util.matrix_adjoint(self._operator.to_dense())

    def _eigvals(self) -> ops.Tensor:
        return math_ops.conj(self._operator.eigvals())

    def _cond(self) -> ops.Tensor:
        return self._operator.cond()

    def _assert_non_singular(self) -> ops.Operation:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> ops.Operation:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> ops.Operation:
        return self._operator.assert_self_adjoint()
