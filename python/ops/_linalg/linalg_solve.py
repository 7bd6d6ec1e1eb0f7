# SPDX-License-Identifier: Apache-2.0
"""Linear systems: by Cholesky's and Gauss's factors, by least squares, of three diagonals."""

from __future__ import annotations

import functools
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    gen_linalg_ops,
    math_ops,
)


def cholesky_solve(
    chol: TensorLike, rhs: TensorLike, name: str | None = None
) -> ops.Tensor:
    """X with A X = `rhs`, given the factor of A = L L^H: [..., m, m], [..., m, k] -> [..., m, k].

    Args:
        chol: float or complex [..., m, m]: L, of which the lower triangle counts.
        rhs: a tensor of the same dtype.
    """
    with ops.name_scope(name, "cholesky_solve", [chol, rhs]):
        solve = functools.partial(gen_linalg_ops.matrix_triangular_solve, chol)
        # Y with L Y = rhs, then X with L^H X = Y.
        return solve(solve(rhs), adjoint=True)


def matrix_solve_ls(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: float | TensorLike = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """X of the least |matrix X - rhs|^2 + l2_regularizer |X|^2: [..., m, n], [..., m, k] -> [..., n, k].

    Args:
        fast: by normal equations and Cholesky's factor, which doubles the digits that an ill-conditioned matrix costs.
            Otherwise by orthogonal factors: the X of the least norm whatever the rank, without `l2_regularizer`; it has
            no gradient.

    Raises:
        InvalidArgumentError: in the run, with fast, of a matrix without full rank.
    """
    return gen_linalg_ops._matrix_solve_ls(
        matrix, rhs, l2_regularizer, fast=fast, name=name
    )


def _checked_lu(
    lower_upper: ops.Tensor, perm: ops.Tensor, rhs: ops.Tensor | None, validate: bool
) -> ops.Tensor:
    """`lower_upper`, after checks in the run where they are wanted."""
    lower_upper.get_shape().with_rank_at_least(2)
    perm.get_shape().with_rank_at_least(1)
    if not validate:
        return lower_upper
    shape = array_ops.shape(lower_upper)
    checks = [
        check_ops.assert_equal(
            shape[-1], shape[-2], message="lower_upper must be square matrices"
        ),
        check_ops.assert_equal(
            array_ops.shape(perm)[-1],
            shape[-1],
            message="perm must have a number for each row",
        ),
    ]
    if rhs is not None:
        checks.append(
            check_ops.assert_equal(
                array_ops.shape(rhs)[-2],
                shape[-1],
                message="rhs must have as many rows as lower_upper",
            )
        )
    with ops.control_dependencies(checks):
        return array_ops.identity(lower_upper)


def lu_solve(
    lower_upper: TensorLike,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Solves P L U X = `rhs` for X, with the results of `lu`: [..., n, n], [..., n], [..., n, k] -> [..., n, k].

    Args:
        lower_upper: float or complex: U, and below its diagonal L, whose own diagonal is 1.
        perm: int32 or int64: row i of L U is row perm[i] of the matrix.
        rhs: a tensor of lower_upper's dtype; outer dimensions broadcast.
        validate_args: checks in the run that the sizes fit.
    """
    with ops.name_scope(name or "lu_solve"):
        lower_upper = ops.convert_to_tensor(lower_upper, name="lower_upper")
        perm = ops.convert_to_tensor(perm, name="perm")
        rhs = ops.convert_to_tensor(rhs, dtype=lower_upper.dtype.base_dtype, name="rhs")
        lower_upper = _checked_lu(lower_upper, perm, rhs, validate_args)
        batch = array_ops.shape(perm)[:-1]
        if rhs.get_shape().ndims != 2 or perm.get_shape().ndims != 1:
            batch = array_ops.broadcast_dynamic_shape(batch, array_ops.shape(rhs)[:-2])
            rhs = array_ops.broadcast_to(
                rhs, array_ops.concat([batch, array_ops.shape(rhs)[-2:]], 0)
            )
            perm = array_ops.broadcast_to(
                perm, array_ops.concat([batch, array_ops.shape(perm)[-1:]], 0)
            )
        permuted = _gather_rows(rhs, perm)
        ones = array_ops.ones_like(array_ops.matrix_diag_part(lower_upper))
        lower = array_ops.matrix_set_diag(lower_upper, ones)
        y = gen_linalg_ops.matrix_triangular_solve(lower, permuted)
        return gen_linalg_ops.matrix_triangular_solve(lower_upper, y, lower=False)


def _gather_rows(x: ops.Tensor, rows: ops.Tensor) -> ops.Tensor:
    """x [..., n, k], rows [..., n] -> x's rows in that order."""
    rank = x.get_shape().ndims
    if rank is None:
        outer = rows.get_shape().ndims
        if outer is None:
            raise ValueError("lu_solve: the rank of rhs or perm must be known")
        rank = outer + 1
    return array_ops.gather(x, rows, axis=rank - 2, batch_dims=rank - 2)


def lu_matrix_inverse(
    lower_upper: TensorLike,
    perm: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The inverse of P L U, of the results of `lu`: [..., n, n], [..., n] -> [..., n, n]."""
    with ops.name_scope(name or "lu_matrix_inverse"):
        lower_upper = ops.convert_to_tensor(lower_upper, name="lower_upper")
        n = array_ops.shape(lower_upper)[-1]
        identity = array_ops.eye(n, dtype=lower_upper.dtype.base_dtype)
        identity.set_shape([lower_upper.get_shape().with_rank_at_least(2)[-1]] * 2)
        return lu_solve(lower_upper, perm, identity, validate_args)


def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> ops.Tensor:
    """X with A X = `rhs`, A of three diagonals: rhs [..., m, k] or [..., m] -> its shape.

    Args:
        diagonals: by `diagonals_format`: "compact": [..., 3, m], the diagonals from the upper to the lower, of which
            the last element of the upper and the first of the lower count for nothing; "sequence": a list of these
            three, the upper and the lower of m or m - 1 elements; "matrix": [..., m, m].
        rhs: a tensor of diagonals' dtype.
        transpose_rhs, conjugate_rhs: `rhs` [..., k, m] is transposed, conjugated, first.
        partial_pivoting: exchanges rows where that keeps rounding small.
        perturb_singular: make a pivot of zero as small as rounding; needs partial_pivoting.

    Raises:
        ValueError: for another format, or shapes that do not fit.
    """
    with ops.name_scope(name or "tridiagonal_solve"):
        compact = _compact_diagonals(diagonals, diagonals_format)
        rhs = ops.convert_to_tensor(rhs, dtype=compact.dtype.base_dtype, name="rhs")
        rank, of_diagonals = rhs.get_shape().ndims, compact.get_shape().ndims
        vectors = rank is not None and of_diagonals == rank + 1
        if vectors:
            if conjugate_rhs:
                rhs = math_ops.conj(rhs)
            rhs = rhs[..., None]
        elif transpose_rhs:
            rhs = array_ops.matrix_transpose(rhs, conjugate=conjugate_rhs)
        elif conjugate_rhs:
            rhs = math_ops.conj(rhs)
        solved = gen_linalg_ops.tridiagonal_solve(
            compact,
            rhs,
            partial_pivoting=partial_pivoting,
            perturb_singular=perturb_singular,
        )
        return array_ops.squeeze(solved, [-1]) if vectors else solved


def _compact_diagonals(diagonals: Any, diagonals_format: str) -> ops.Tensor:
    """The diagonals as [..., 3, m]."""
    if diagonals_format == "compact":
        return ops.convert_to_tensor(diagonals, name="diagonals")
    if diagonals_format == "sequence":
        if not isinstance(diagonals, (list, tuple)) or len(diagonals) != 3:
            raise ValueError(
                f"diagonals must be three in a sequence, got {diagonals!r}"
            )
        upper, main, lower = map(ops.convert_to_tensor, diagonals)
        m = main.get_shape()[-1].value
        if m is None:
            raise ValueError("the length of the main diagonal must be known")

        def padded(x: ops.Tensor, before: int, after: int, which: str) -> ops.Tensor:
            n = x.get_shape()[-1].value
            if n == m:
                return x
            if n != m - 1:
                raise ValueError(
                    f"the {which} diagonal must have {m} or {m - 1} elements, got {n}"
                )
            rank = x.get_shape().ndims
            assert rank is not None  # Its last size is known.
            return array_ops.pad(x, [[0, 0]] * (rank - 1) + [[before, after]])

        return array_ops.stack(
            [padded(upper, 0, 1, "upper"), main, padded(lower, 1, 0, "lower")], axis=-2
        )
    if diagonals_format == "matrix":
        matrix = ops.convert_to_tensor(diagonals, name="diagonals")
        zero = array_ops.zeros_like(matrix[..., :1, 0])
        upper = array_ops.matrix_diag_part(matrix[..., :-1, 1:])
        lower = array_ops.matrix_diag_part(matrix[..., 1:, :-1])
        return array_ops.stack(
            [
                array_ops.concat([upper, zero], -1),
                array_ops.matrix_diag_part(matrix),
                array_ops.concat([zero, lower], -1),
            ],
            axis=-2,
        )
    raise ValueError(
        "diagonals_format must be 'compact', 'sequence' or 'matrix', got "
        f"{diagonals_format!r}"
    )


__all__ = [
    "cholesky_solve",
    "lu_matrix_inverse",
    "lu_solve",
    "matrix_solve_ls",
    "tridiagonal_solve",
]
