# SPDX-License-Identifier: Apache-2.0
"""The inverse of an operator."""

from __future__ import annotations

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)


class LinearOperatorInversion(linear_operator.LinearOperator):
    """A^-1 of the operator A: its products are A's solutions, its solutions A's products."""

    def __init__(
        self,
        operator: linear_operator.LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Hints default to the operator's own.

        ValueError if a hint contradicts the operator's, or says that there is no inverse.
        """
        parameters = dict(locals())
        self._operator = operator
        if False in (operator.is_square, is_square):
            raise ValueError(
                "operator and supplied hints must have `is_square` non-False."
            )
        if False in (operator.is_non_singular, is_non_singular):
            raise ValueError(
                "operator and supplied hints must have `is_non_singular` non-False."
            )
        hints = {
            hint: util.use_operator_or_provided_hint_unless_contradicting(
                operator,
                hint,
                parameters[hint],
                f"{hint} of an operator and of its inverse must be the same",
            )
            for hint in ("is_non_singular", "is_self_adjoint", "is_positive_definite")
        }
        super().__init__(
            operator.dtype,
            None,
            is_square=True,
            name=name or f"{operator.name}_inverse",
            parameters=parameters,
            **hints,
        )

    @property
    def operator(self) -> linear_operator.LinearOperator:
        """The operator whose inverse this is."""
        return self._operator

    def _shape(self) -> tensor_shape.TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> ops.Tensor:
        return self._operator.shape_tensor()

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: ops.Tensor, adjoint: bool = False) -> ops.Tensor:
        return self._operator.solvevec(x, adjoint=adjoint)

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: ops.Tensor, adjoint: bool = False) -> ops.Tensor:
        return self._operator.matvec(rhs, adjoint=adjoint)

    def _determinant(self) -> ops.Tensor:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> ops.Tensor:
        return -1.0 * self._operator.log_abs_determinant()

    def _eigvals(self) -> ops.Tensor:
        return 1.0 / self._operator.eigvals()

    def _cond(self) -> ops.Tensor:
        return self._operator.cond()

    def _assert_non_singular(self) -> ops.Operation:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> ops.Operation:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> ops.Operation:
        return self._operator.assert_self_adjoint()
