# SPDX-License-Identifier: Apache-2.0
"""Inverses of operators by their classes."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_algebra,
    linear_operator_block_diag,
    linear_operator_block_lower_triangular,
    linear_operator_circulant,
    linear_operator_diag,
    linear_operator_full_matrix,
    linear_operator_householder,
    linear_operator_identity,
    linear_operator_inversion,
    linear_operator_kronecker,
    linear_operator_permutation,
)


def _hints(operator: Any) -> dict[str, Any]:
    """Returns the hints that hold for an invertible operator and its inverse alike."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": True,
    }


@linear_operator_algebra.RegisterInverse(linear_operator.LinearOperator)
def _inverse_linear_operator(a: Any) -> Any:
    return linear_operator_inversion.LinearOperatorInversion(a, **_hints(a))


@linear_operator_algebra.RegisterInverse(
    linear_operator_inversion.LinearOperatorInversion
)
def _inverse_inversion(a: Any) -> Any:
    return a.operator


@linear_operator_algebra.RegisterInverse(linear_operator_diag.LinearOperatorDiag)
def _inverse_diag(a: Any) -> Any:
    return linear_operator_diag.LinearOperatorDiag(
        1.0 / ops.convert_to_tensor(a.diag), **_hints(a)
    )


@linear_operator_algebra.RegisterInverse(
    linear_operator_identity.LinearOperatorIdentity
)
def _inverse_identity(a: Any) -> Any:
    return a


@linear_operator_algebra.RegisterInverse(
    linear_operator_identity.LinearOperatorScaledIdentity
)
def _inverse_scaled_identity(a: Any) -> Any:
    return linear_operator_identity.LinearOperatorScaledIdentity(
        a.parameters["num_rows"], 1.0 / ops.convert_to_tensor(a.multiplier), **_hints(a)
    )


@linear_operator_algebra.RegisterInverse(
    linear_operator_block_diag.LinearOperatorBlockDiag
)
def _inverse_block_diag(a: Any) -> Any:
    # The whole may be square where its blocks are not.
    if any(o.is_square is False for o in a.operators):
        return _inverse_linear_operator(a)
    return linear_operator_block_diag.LinearOperatorBlockDiag(
        [o.inverse() for o in a.operators], **_hints(a)
    )


@linear_operator_algebra.RegisterInverse(
    linear_operator_kronecker.LinearOperatorKronecker
)
def _inverse_kronecker(a: Any) -> Any:
    if any(o.is_square is False for o in a.operators):
        return _inverse_linear_operator(a)
    return linear_operator_kronecker.LinearOperatorKronecker(
        [o.inverse() for o in a.operators], **_hints(a)
    )


@linear_operator_algebra.RegisterInverse(
    linear_operator_block_lower_triangular.LinearOperatorBlockLowerTriangular
)
def _inverse_block_lower_triangular(a: Any) -> Any:
    """Row i of the inverse X: Xij = -Aii^-1 (sum of Aik Xkj for k from j to i - 1)."""
    full = linear_operator_full_matrix.LinearOperatorFullMatrix
    dense: list[list[ops.Tensor]] = []
    rows = []
    for i, blocks in enumerate(a.operators):
        last = blocks[-1]
        row: list[ops.Tensor] = []
        for j in range(i):
            total = None
            for k in range(j, i):
                part = blocks[k].matmul(dense[k][j])
                total = part if total is None else total + part
            row.append(-last.solve(total))
        inverse = last.inverse()
        dense.append([*row, inverse.to_dense()])
        rows.append([*(full(block) for block in row), inverse])
    return linear_operator_block_lower_triangular.LinearOperatorBlockLowerTriangular(
        rows, **_hints(a)
    )


@linear_operator_algebra.RegisterInverse(
    linear_operator_householder.LinearOperatorHouseholder
)
def _inverse_householder(a: Any) -> Any:
    return a


@linear_operator_algebra.RegisterInverse(
    linear_operator_permutation.LinearOperatorPermutation
)
def _inverse_permutation(a: Any) -> Any:
    return linear_operator_permutation.LinearOperatorPermutation(
        a.inverse_perm(), dtype=a.dtype, **_hints(a)
    )


def _inverse_circulant(a: Any) -> Any:
    return type(a)(
        1.0 / ops.convert_to_tensor(a.spectrum),
        input_output_dtype=a.dtype,
        **_hints(a),
    )


for _class in (
    linear_operator_circulant.LinearOperatorCirculant,
    linear_operator_circulant.LinearOperatorCirculant2D,
    linear_operator_circulant.LinearOperatorCirculant3D,
):
    linear_operator_algebra.RegisterInverse(_class)(_inverse_circulant)
