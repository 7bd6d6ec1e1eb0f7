# SPDX-License-Identifier: Apache-2.0
"""Adjoints of operators by their classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.ops import math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_adjoint,
    linear_operator_algebra,
    linear_operator_block_diag,
    linear_operator_circulant,
    linear_operator_composition,
    linear_operator_diag,
    linear_operator_identity,
    linear_operator_inversion,
    linear_operator_kronecker,
    linear_operator_permutation,
    linear_operator_toeplitz,
    linear_operator_util as util,
    linear_operator_zeros,
)

if TYPE_CHECKING:
    from tensorwright.python.ops.linalg.linear_operator import LinearOperator


def hints_of(operator: LinearOperator) -> dict[str, Any]:
    """Returns the hints that hold for an operator and its adjoint alike, as arguments of constructors."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": operator.is_square,
    }


@linear_operator_algebra.RegisterAdjoint(linear_operator.LinearOperator)
def _adjoint_linear_operator(a: Any) -> Any:
    return linear_operator_adjoint.LinearOperatorAdjoint(a, **hints_of(a))


@linear_operator_algebra.RegisterAdjoint(linear_operator_adjoint.LinearOperatorAdjoint)
def _adjoint_adjoint(a: Any) -> Any:
    return a.operator


@linear_operator_algebra.RegisterAdjoint(
    linear_operator_identity.LinearOperatorIdentity
)
def _adjoint_identity(a: Any) -> Any:
    return a


@linear_operator_algebra.RegisterAdjoint(
    linear_operator_identity.LinearOperatorScaledIdentity
)
def _adjoint_scaled_identity(a: Any) -> Any:
    return linear_operator_identity.LinearOperatorScaledIdentity(
        a.parameters["num_rows"], math_ops.conj(a.multiplier), **hints_of(a)
    )


@linear_operator_algebra.RegisterAdjoint(linear_operator_diag.LinearOperatorDiag)
def _adjoint_diag(a: Any) -> Any:
    return linear_operator_diag.LinearOperatorDiag(math_ops.conj(a.diag), **hints_of(a))


@linear_operator_algebra.RegisterAdjoint(
    linear_operator_block_diag.LinearOperatorBlockDiag
)
def _adjoint_block_diag(a: Any) -> Any:
    return linear_operator_block_diag.LinearOperatorBlockDiag(
        [o.adjoint() for o in a.operators], **hints_of(a)
    )


@linear_operator_algebra.RegisterAdjoint(
    linear_operator_kronecker.LinearOperatorKronecker
)
def _adjoint_kronecker(a: Any) -> Any:
    return linear_operator_kronecker.LinearOperatorKronecker(
        [o.adjoint() for o in a.operators], **hints_of(a)
    )


@linear_operator_algebra.RegisterAdjoint(
    linear_operator_composition.LinearOperatorComposition
)
def _adjoint_composition(a: Any) -> Any:
    return linear_operator_composition.LinearOperatorComposition(
        [o.adjoint() for o in reversed(a.operators)], **hints_of(a)
    )


@linear_operator_algebra.RegisterAdjoint(
    linear_operator_inversion.LinearOperatorInversion
)
def _adjoint_inversion(a: Any) -> Any:
    return linear_operator_inversion.LinearOperatorInversion(a.operator.adjoint())


@linear_operator_algebra.RegisterAdjoint(
    linear_operator_permutation.LinearOperatorPermutation
)
def _adjoint_permutation(a: Any) -> Any:
    return linear_operator_permutation.LinearOperatorPermutation(
        a.inverse_perm(), dtype=a.dtype, **hints_of(a)
    )


@linear_operator_algebra.RegisterAdjoint(
    linear_operator_toeplitz.LinearOperatorToeplitz
)
def _adjoint_toeplitz(a: Any) -> Any:
    first, _ = a.sides(adjoint=True)
    # The adjoint's first row is the first column; its first element does not count.
    return linear_operator_toeplitz.LinearOperatorToeplitz(
        first, math_ops.conj(a.col), **hints_of(a)
    )


@linear_operator_algebra.RegisterAdjoint(linear_operator_zeros.LinearOperatorZeros)
def _adjoint_zeros(a: Any) -> Any:
    given = a.parameters
    columns = given["num_columns"]
    return linear_operator_zeros.LinearOperatorZeros(
        given["num_rows"] if columns is None else columns,
        given["num_rows"],
        given["batch_shape"],
        a.dtype,
        is_non_singular=a.is_non_singular,
        is_self_adjoint=a.is_self_adjoint,
        is_square=a.is_square,
    )


def _adjoint_circulant(a: Any) -> Any:
    return type(a)(
        util.conj_if(a.spectrum, True), input_output_dtype=a.dtype, **hints_of(a)
    )


for _class in (
    linear_operator_circulant.LinearOperatorCirculant,
    linear_operator_circulant.LinearOperatorCirculant2D,
    linear_operator_circulant.LinearOperatorCirculant3D,
):
    linear_operator_algebra.RegisterAdjoint(_class)(_adjoint_circulant)
