# SPDX-License-Identifier: Apache-2.0
"""Cholesky's factors of operators by their classes."""

from __future__ import annotations

from typing import Any

from tensorwright.python.ops import gen_linalg_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_algebra,
    linear_operator_block_diag,
    linear_operator_diag,
    linear_operator_identity,
    linear_operator_kronecker,
    linear_operator_lower_triangular,
)

_POSITIVE: dict[str, Any] = {
    "is_non_singular": True,
    "is_self_adjoint": True,
    "is_positive_definite": True,
    "is_square": True,
}


@linear_operator_algebra.RegisterCholesky(linear_operator.LinearOperator)
def _cholesky_linear_operator(a: Any) -> Any:
    return linear_operator_lower_triangular.LinearOperatorLowerTriangular(
        gen_linalg_ops.cholesky(a.to_dense()),
        is_non_singular=True,
        is_self_adjoint=False,
        is_square=True,
    )


@linear_operator_algebra.RegisterCholesky(linear_operator_diag.LinearOperatorDiag)
def _cholesky_diag(a: Any) -> Any:
    return linear_operator_diag.LinearOperatorDiag(math_ops.sqrt(a.diag), **_POSITIVE)


@linear_operator_algebra.RegisterCholesky(
    linear_operator_identity.LinearOperatorIdentity
)
def _cholesky_identity(a: Any) -> Any:
    return a


@linear_operator_algebra.RegisterCholesky(
    linear_operator_identity.LinearOperatorScaledIdentity
)
def _cholesky_scaled_identity(a: Any) -> Any:
    return linear_operator_identity.LinearOperatorScaledIdentity(
        a.parameters["num_rows"], math_ops.sqrt(a.multiplier), **_POSITIVE
    )


@linear_operator_algebra.RegisterCholesky(
    linear_operator_block_diag.LinearOperatorBlockDiag
)
def _cholesky_block_diag(a: Any) -> Any:
    # A whole may be known to be positive definite where its blocks are not.
    if not all(o.is_self_adjoint and o.is_positive_definite for o in a.operators):
        return _cholesky_linear_operator(a)
    return linear_operator_block_diag.LinearOperatorBlockDiag(
        [o.cholesky() for o in a.operators], is_non_singular=True, is_square=True
    )


@linear_operator_algebra.RegisterCholesky(
    linear_operator_kronecker.LinearOperatorKronecker
)
def _cholesky_kronecker(a: Any) -> Any:
    if not all(o.is_self_adjoint and o.is_positive_definite for o in a.operators):
        return _cholesky_linear_operator(a)
    return linear_operator_kronecker.LinearOperatorKronecker(
        [o.cholesky() for o in a.operators], is_non_singular=True, is_square=True
    )
