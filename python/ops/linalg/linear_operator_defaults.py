# SPDX-License-Identifier: Apache-2.0
"""The default methods of operators, which use products with the operator, or its dense matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    gen_linalg_ops,
    math_ops,
)
from tensorwright.python.ops.linalg import linear_operator_util as util


class Defaults:
    """The methods behind those of LinearOperator, which classes override."""

    # LinearOperator has these.
    name: str
    dtype: dtypes.DType | None
    batch_shape: tensor_shape.TensorShape
    domain_dimension: tensor_shape.Dimension
    is_self_adjoint: bool | None
    is_positive_definite: bool | None
    assert_positive_definite: Callable[[], ops.Operation]
    batch_shape_tensor: Callable[[], ops.Tensor]
    diag_part: Callable[[], ops.Tensor]
    domain_dimension_tensor: Callable[[], ops.Tensor]
    eigvals: Callable[[], ops.Tensor]
    log_abs_determinant: Callable[[], ops.Tensor]
    matmul: Callable[..., ops.Tensor]
    shape_tensor: Callable[[], ops.Tensor]
    solve: Callable[..., ops.Tensor]
    to_dense: Callable[[], ops.Tensor]

    def _add_to_tensor(self, x: ops.Tensor) -> ops.Tensor:
        return self.to_dense() + x

    def _matvec(self, x: ops.Tensor, adjoint: bool = False) -> ops.Tensor:
        y = self.matmul(array_ops.expand_dims(x, -1), adjoint=adjoint)
        return array_ops.squeeze(y, [-1])

    def _solvevec(self, rhs: ops.Tensor, adjoint: bool = False) -> ops.Tensor:
        y = self.solve(array_ops.expand_dims(rhs, -1), adjoint=adjoint)
        return array_ops.squeeze(y, [-1])

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        rhs = util.adjoint_if(rhs, adjoint_arg)
        if self._can_use_cholesky():
            factor = gen_linalg_ops.cholesky(self.to_dense())
            return util.cholesky_solve_with_broadcast(factor, rhs)
        return util.matrix_solve_with_broadcast(self.to_dense(), rhs, adjoint=adjoint)

    def _to_dense(self) -> ops.Tensor:
        columns = self.domain_dimension.value
        if columns is None:
            columns = self.domain_dimension_tensor()
        static = self.batch_shape
        known = static.is_fully_defined()
        return self.matmul(
            array_ops.eye(
                columns,
                batch_shape=static.as_list() if known else self.batch_shape_tensor(),
                dtype=cast(Any, self.dtype),
            )
        )

    def _diag_part(self) -> ops.Tensor:
        return array_ops.matrix_diag_part(self.to_dense())

    def _trace(self) -> ops.Tensor:
        return math_ops.reduce_sum(self.diag_part(), axis=-1)

    def _determinant(self) -> ops.Tensor:
        if self._can_use_cholesky():
            return math_ops.exp(self.log_abs_determinant())
        return gen_linalg_ops.matrix_determinant(self.to_dense())

    def _log_abs_determinant(self) -> ops.Tensor:
        dense = self.to_dense()
        if self._can_use_cholesky():
            diag = array_ops.matrix_diag_part(gen_linalg_ops.cholesky(dense))
            return 2 * math_ops.reduce_sum(math_ops.log(diag), axis=-1)
        return gen_linalg_ops.log_matrix_determinant(dense)[1]

    def _eigvals(self) -> ops.Tensor:
        return util.self_adjoint_eigenvalues(self.to_dense())

    def _cond(self) -> ops.Tensor:
        if self.is_self_adjoint:
            sizes = math_ops.abs(self.eigvals())
        else:
            sizes = util.singular_values(self.to_dense())
        return util.ratio_of_extremes(sizes)

    def _assert_non_singular(self) -> ops.Operation:
        """Asserts that the condition number is below 1 over the dtype's epsilon and the size, at least 100."""
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        sizes = util.singular_values(self.to_dense())
        real = sizes.dtype.base_dtype
        epsilon = float(np.finfo(real.as_numpy_dtype).eps)
        largest = math_ops.reduce_max(self.shape_tensor()[-2:])
        most = 1 / (epsilon * math_ops.maximum(math_ops.cast(largest, real), 100.0))
        return check_ops.assert_less(
            util.ratio_of_extremes(sizes),
            most,
            message="Singular matrix up to precision epsilon.",
        )

    def _assert_positive_definite(self) -> ops.Operation:
        """Asserts it by Cholesky's factor, which only self-adjoint matrices have."""
        if not self.is_self_adjoint:
            raise NotImplementedError(
                f"assert_positive_definite is not implemented: {self.name} is not known "
                "to be self-adjoint"
            )
        factor = gen_linalg_ops.cholesky(self.to_dense())
        diag = math_ops.real(array_ops.matrix_diag_part(factor))
        return check_ops.assert_positive(
            diag, message="Matrix was not positive definite."
        )

    def _assert_self_adjoint(self) -> ops.Operation:
        dense = self.to_dense()
        return check_ops.assert_equal(
            util.matrix_adjoint(dense),
            dense,
            message="Matrix was not equal to its adjoint.",
        )

    def _can_use_cholesky(self) -> Any:
        return self.is_self_adjoint and self.is_positive_definite
