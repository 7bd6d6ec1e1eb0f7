# SPDX-License-Identifier: Apache-2.0
"""Products with matrices that are given in parts: triangular factors, three diagonals."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops, sort_ops


def lu_reconstruct(
    lower_upper: TensorLike,
    perm: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Returns the matrix that was factored as P L U: [..., n, n].

    Args:
        lower_upper: float or complex [..., n, n]: U, and below its diagonal L, whose own diagonal is of ones.
        perm: int32 or int64 [..., n]: row i of L U is row perm[i] of the matrix.
        validate_args: checks in the run that `perm` is as long as the matrix.

    Raises:
        ValueError: the static shapes do not fit.
    """
    with ops.name_scope(name or "lu_reconstruct"):
        lower_upper = ops.convert_to_tensor(lower_upper, name="lower_upper")
        perm = ops.convert_to_tensor(perm, name="perm")
        rank = lower_upper.get_shape().with_rank_at_least(2).ndims
        if rank is None:
            raise ValueError("lu_reconstruct: the rank of lower_upper must be known")
        shape = lower_upper.get_shape()
        shape[-2:-1].assert_is_compatible_with(shape[-1:])
        perm.get_shape().assert_is_compatible_with(shape[:-1])
        if validate_args:
            check = check_ops.assert_equal(
                array_ops.shape(perm),
                array_ops.shape(lower_upper)[:-1],
                message="lu_reconstruct: perm must have a number for each row",
            )
            with ops.control_dependencies([check]):
                perm = array_ops.identity(perm)
        lower = array_ops.matrix_set_diag(
            array_ops.matrix_band_part(lower_upper, -1, 0),
            array_ops.ones_like(lower_upper[..., 0]),
        )
        upper = array_ops.matrix_band_part(lower_upper, 0, -1)
        # The inverse of each permutation: where its numbers are in order.
        inverse = sort_ops.argsort(perm, axis=-1)
        return array_ops.gather(
            math_ops.matmul(lower, upper), inverse, axis=rank - 2, batch_dims=rank - 2
        )


def tridiagonal_matmul(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> ops.Tensor:
    """The product of a tridiagonal matrix [..., m, m] and `rhs` [..., m, n]: [..., m, n].

    Args:
        diagonals: by `diagonals_format`: "compact": [..., 3, m], the diagonals from the upper to the lower, of which
            the last element of the upper and the first of the lower count for nothing; "sequence": a list of these
            three, [..., m] each; "matrix": [..., m, m], of which only the diagonals count.

    Raises:
        ValueError: for another format, or a "sequence" not of three.
    """
    with ops.name_scope(name or "tridiagonal_matmul"):
        if diagonals_format == "compact":
            diagonals = ops.convert_to_tensor(diagonals, name="diagonals")
            upper, main, lower = (diagonals[..., i, :] for i in range(3))
        elif diagonals_format == "sequence":
            if not isinstance(diagonals, (list, tuple)) or len(diagonals) != 3:
                raise ValueError(
                    f"diagonals must be three in a sequence, got {diagonals!r}"
                )
            upper, main, lower = map(ops.convert_to_tensor, diagonals)
        elif diagonals_format == "matrix":
            # The matrix is there already: its zeros cost less than taking it apart.
            band = array_ops.matrix_band_part(diagonals, 1, 1)
            return math_ops.matmul(band, rhs)
        else:
            raise ValueError(
                "diagonals_format must be 'compact', 'sequence' or 'matrix', got "
                f"{diagonals_format!r}"
            )
        rhs = ops.convert_to_tensor(rhs, dtype=main.dtype.base_dtype, name="rhs")
        zeros = array_ops.zeros_like(rhs[..., :1, :])
        below = array_ops.concat([rhs[..., 1:, :], zeros], -2)
        above = array_ops.concat([zeros, rhs[..., :-1, :]], -2)
        return (
            main[..., None] * rhs + upper[..., None] * below + lower[..., None] * above
        )
