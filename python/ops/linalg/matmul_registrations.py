# SPDX-License-Identifier: Apache-2.0
"""Products of operators by their classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_algebra,
    linear_operator_block_diag,
    linear_operator_circulant,
    linear_operator_composition,
    linear_operator_diag,
    linear_operator_identity,
    linear_operator_lower_triangular,
    linear_operator_util as util,
    linear_operator_zeros,
    registrations_util,
)

if TYPE_CHECKING:
    from tensorwright.python.ops.linalg.linear_operator import LinearOperator

_LinearOperator = linear_operator.LinearOperator
_BlockDiag = linear_operator_block_diag.LinearOperatorBlockDiag
_Diag = linear_operator_diag.LinearOperatorDiag
_Identity = linear_operator_identity.LinearOperatorIdentity
_LowerTriangular = linear_operator_lower_triangular.LinearOperatorLowerTriangular
_ScaledIdentity = linear_operator_identity.LinearOperatorScaledIdentity
_Zeros = linear_operator_zeros.LinearOperatorZeros
_register = linear_operator_algebra.RegisterMatmul


def commuting_hints(a: LinearOperator, b: LinearOperator) -> dict[str, Any]:
    """Returns the hints of a product of square operators with a b = b a, as arguments of constructors."""
    return {
        "is_non_singular": registrations_util.combined_non_singular_hint(a, b),
        "is_self_adjoint": registrations_util.combined_commuting_self_adjoint_hint(
            a, b
        ),
        "is_positive_definite": (
            registrations_util.combined_commuting_positive_definite_hint(a, b)
        ),
        "is_square": True,
    }


def same_batch(a: LinearOperator, b: LinearOperator) -> bool:
    """Whether b's batch is known to hold a's, so that a may be left out of a product."""
    both = array_ops.broadcast_static_shape(a.batch_shape, b.batch_shape)
    return (
        both.is_fully_defined()
        and b.batch_shape.is_fully_defined()
        and both.as_list() == b.batch_shape.as_list()
    )


@_register(_LinearOperator, _LinearOperator)
def _matmul_linear_operator(a: Any, b: Any) -> Any:
    square = registrations_util.is_square(a, b)
    hints: dict[str, Any] = dict.fromkeys(
        ("is_non_singular", "is_self_adjoint", "is_positive_definite")
    )
    if square:
        hints["is_non_singular"] = registrations_util.combined_non_singular_hint(a, b)
    elif square is False:
        hints = dict.fromkeys(hints, False)
    return linear_operator_composition.LinearOperatorComposition(
        [a, b], is_square=square, **hints
    )


@_register(_Identity, _LinearOperator)
def _matmul_identity_left(a: Any, b: Any) -> Any:
    return b if same_batch(a, b) else _matmul_linear_operator(a, b)


@_register(_LinearOperator, _Identity)
def _matmul_identity_right(a: Any, b: Any) -> Any:
    return a if same_batch(b, a) else _matmul_linear_operator(a, b)


@_register(_Identity, _Identity)
def _matmul_identities(a: Any, b: Any) -> Any:
    return b if same_batch(a, b) else _matmul_identity_right(a, b)


@_register(_ScaledIdentity, _ScaledIdentity)
def _matmul_scaled_identities(a: Any, b: Any) -> Any:
    return _ScaledIdentity(
        a.parameters["num_rows"],
        ops.convert_to_tensor(a.multiplier) * b.multiplier,
        **commuting_hints(a, b),
    )


def _zeros_of_product(a: Any, b: Any) -> Any:
    def size(operator: Any, side: str) -> Any:
        known = getattr(operator, side).value
        return getattr(operator, f"{side}_tensor")() if known is None else known

    rows, columns = size(a, "range_dimension"), size(b, "domain_dimension")
    square = isinstance(rows, int) and rows == columns
    square = square or bool(a.is_square and b.is_square)
    batch = util.joint_batch_shape([a, b])
    return _Zeros(
        rows,
        columns,
        batch.as_list()
        if batch.is_fully_defined()
        else util.joint_batch_shape_tensor([a, b]),
        a.dtype,
        is_self_adjoint=square,
        is_square=square,
    )


for _pair in (
    (_Zeros, _LinearOperator),
    (_LinearOperator, _Zeros),
    (_Zeros, _Zeros),
    (_Zeros, _Identity),
    (_Identity, _Zeros),
):
    _register(*_pair)(_zeros_of_product)


@_register(_Diag, _Diag)
def _matmul_diag(a: Any, b: Any) -> Any:
    return _Diag(ops.convert_to_tensor(a.diag) * b.diag, **commuting_hints(a, b))


@_register(_Diag, _ScaledIdentity)
def _matmul_diag_scaled_identity(a: Any, b: Any) -> Any:
    multiplier = ops.convert_to_tensor(b.multiplier)
    return _Diag(multiplier[..., None] * a.diag, **commuting_hints(a, b))


@_register(_ScaledIdentity, _Diag)
def _matmul_scaled_identity_diag(a: Any, b: Any) -> Any:
    return _matmul_diag_scaled_identity(b, a)


@_register(_Diag, _LowerTriangular)
def _matmul_diag_tril(a: Any, b: Any) -> Any:
    return _LowerTriangular(
        ops.convert_to_tensor(a.diag)[..., None] * b.to_dense(),
        is_non_singular=registrations_util.combined_non_singular_hint(a, b),
        is_square=True,
    )


@_register(_LowerTriangular, _Diag)
def _matmul_tril_diag(a: Any, b: Any) -> Any:
    return _LowerTriangular(
        a.to_dense() * ops.convert_to_tensor(b.diag)[..., None, :],
        is_non_singular=registrations_util.combined_non_singular_hint(a, b),
        is_square=True,
    )


@_register(_BlockDiag, _BlockDiag)
def _matmul_block_diag(a: Any, b: Any) -> Any:
    """Block by block, where each is known to fit its own."""
    pairs = list(zip(a.operators, b.operators))
    fit = len(a.operators) == len(b.operators) and all(
        left.domain_dimension.value is not None
        and left.domain_dimension.value == right.range_dimension.value
        for left, right in pairs
    )
    if not fit:
        return _matmul_linear_operator(a, b)
    square = registrations_util.is_square(a, b)
    return _BlockDiag(
        [left.matmul(right) for left, right in pairs],
        is_non_singular=(
            registrations_util.combined_non_singular_hint(a, b) if square else None
        ),
        is_square=square,
    )


def _matmul_circulant(a: Any, b: Any) -> Any:
    return type(a)(
        ops.convert_to_tensor(a.spectrum) * b.spectrum,
        input_output_dtype=a.dtype,
        **commuting_hints(a, b),
    )


def _of_circulants(a: Any, b: Any) -> Any:
    """Spectra are multiplied where that keeps the operator's meaning: a real operator drops imaginary parts each time."""
    same = util.base_dtype(a.spectrum) == util.base_dtype(b.spectrum)
    if same and a.dtype.is_complex:
        return _matmul_circulant(a, b)
    return _matmul_linear_operator(a, b)


for _class in (
    linear_operator_circulant.LinearOperatorCirculant,
    linear_operator_circulant.LinearOperatorCirculant2D,
    linear_operator_circulant.LinearOperatorCirculant3D,
):
    _register(_class, _class)(_of_circulants)
