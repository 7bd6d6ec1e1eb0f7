# SPDX-License-Identifier: Apache-2.0
"""Solutions of A X = B, A and B operators, by their classes."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_algebra,
    linear_operator_block_diag,
    linear_operator_circulant,
    linear_operator_composition,
    linear_operator_diag,
    linear_operator_identity,
    linear_operator_inversion,
    linear_operator_lower_triangular,
    linear_operator_util as util,
    matmul_registrations,
    registrations_util,
)

_LinearOperator = linear_operator.LinearOperator
_BlockDiag = linear_operator_block_diag.LinearOperatorBlockDiag
_Diag = linear_operator_diag.LinearOperatorDiag
_Identity = linear_operator_identity.LinearOperatorIdentity
_LowerTriangular = linear_operator_lower_triangular.LinearOperatorLowerTriangular
_ScaledIdentity = linear_operator_identity.LinearOperatorScaledIdentity
_register = linear_operator_algebra.RegisterSolve


@_register(_LinearOperator, _LinearOperator)
def _solve_linear_operator(a: Any, b: Any) -> Any:
    square = registrations_util.is_square(a, b)
    hints: dict[str, Any] = dict.fromkeys(
        ("is_non_singular", "is_self_adjoint", "is_positive_definite")
    )
    if square:
        hints["is_non_singular"] = registrations_util.combined_non_singular_hint(a, b)
    elif square is False:
        hints = dict.fromkeys(hints, False)
    return linear_operator_composition.LinearOperatorComposition(
        [linear_operator_inversion.LinearOperatorInversion(a), b],
        is_square=square,
        **hints,
    )


@_register(linear_operator_inversion.LinearOperatorInversion, _LinearOperator)
def _solve_inversion(a: Any, b: Any) -> Any:
    return a.operator.matmul(b)


@_register(_Identity, _LinearOperator)
def _solve_identity(a: Any, b: Any) -> Any:
    return b if matmul_registrations.same_batch(a, b) else _solve_linear_operator(a, b)


@_register(_ScaledIdentity, _ScaledIdentity)
def _solve_scaled_identities(a: Any, b: Any) -> Any:
    return _ScaledIdentity(
        a.parameters["num_rows"],
        ops.convert_to_tensor(b.multiplier) / a.multiplier,
        **matmul_registrations.commuting_hints(a, b),
    )


@_register(_Diag, _Diag)
def _solve_diag(a: Any, b: Any) -> Any:
    return _Diag(
        ops.convert_to_tensor(b.diag) / a.diag,
        **matmul_registrations.commuting_hints(a, b),
    )


@_register(_Diag, _ScaledIdentity)
def _solve_diag_scaled_identity(a: Any, b: Any) -> Any:
    multiplier = ops.convert_to_tensor(b.multiplier)
    return _Diag(
        multiplier[..., None] / a.diag, **matmul_registrations.commuting_hints(a, b)
    )


@_register(_ScaledIdentity, _Diag)
def _solve_scaled_identity_diag(a: Any, b: Any) -> Any:
    multiplier = ops.convert_to_tensor(a.multiplier)
    return _Diag(
        b.diag / multiplier[..., None], **matmul_registrations.commuting_hints(a, b)
    )


@_register(_Diag, _LowerTriangular)
def _solve_diag_tril(a: Any, b: Any) -> Any:
    return _LowerTriangular(
        b.to_dense() / ops.convert_to_tensor(a.diag)[..., None],
        is_non_singular=registrations_util.combined_non_singular_hint(a, b),
        is_square=True,
    )


@_register(_BlockDiag, _BlockDiag)
def _solve_block_diag(a: Any, b: Any) -> Any:
    """Block by block, where each is square and known to fit its own."""
    pairs = list(zip(a.operators, b.operators))
    fit = len(a.operators) == len(b.operators) and all(
        left.is_square
        and left.range_dimension.value is not None
        and left.range_dimension.value == right.range_dimension.value
        for left, right in pairs
    )
    if not fit:
        return _solve_linear_operator(a, b)
    square = registrations_util.is_square(a, b)
    return _BlockDiag(
        [left.solve(right) for left, right in pairs],
        is_non_singular=(
            registrations_util.combined_non_singular_hint(a, b) if square else None
        ),
        is_square=square,
    )


def _solve_circulant(a: Any, b: Any) -> Any:
    same = util.base_dtype(a.spectrum) == util.base_dtype(b.spectrum)
    if not (same and a.dtype.is_complex):
        return _solve_linear_operator(a, b)
    return type(a)(
        ops.convert_to_tensor(b.spectrum) / a.spectrum,
        input_output_dtype=a.dtype,
        **matmul_registrations.commuting_hints(a, b),
    )


for _class in (
    linear_operator_circulant.LinearOperatorCirculant,
    linear_operator_circulant.LinearOperatorCirculant2D,
    linear_operator_circulant.LinearOperatorCirculant3D,
):
    linear_operator_algebra.RegisterSolve(_class, _class)(_solve_circulant)
