# SPDX-License-Identifier: Apache-2.0
"""Matrices that are given whole."""

from __future__ import annotations

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)


class LinearOperatorFullMatrix(linear_operator.LinearOperator):
    """The matrices `matrix` [B1, ..., Bb, M, N]; solving takes O(N^3), less where hints allow Cholesky's factor."""

    def __init__(
        self,
        matrix: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        """ValueError: `matrix` has less than two dimensions."""
        parameters = dict(locals())
        with ops.name_scope(name, values=[matrix]):
            self._matrix = util.convert_nonref_to_tensor(matrix, name="matrix")
            util.check_rank_at_least(self._matrix, 2, "Argument matrix")
        super().__init__(
            util.base_dtype(self._matrix),
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def matrix(self) -> TensorLike:
        """The matrices, as they were given."""
        return self._matrix

    def _shape(self) -> tensor_shape.TensorShape:
        return self._matrix.get_shape()

    def _shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self._matrix)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return util.matmul_with_broadcast(self._matrix, x, adjoint, adjoint_arg)

    def _to_dense(self) -> ops.Tensor:
        return array_ops.identity(self._matrix)
