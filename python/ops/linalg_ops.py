# SPDX-License-Identifier: Apache-2.0
"""Factors, solutions and norms of matrices; parts are in _linalg."""

# ruff: noqa: F401
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import Ints, TensorLike
from tensorwright.python.ops import array_ops, gen_math_ops, math_ops
from tensorwright.python.ops._linalg.linalg_solve import (
    cholesky_solve as cholesky_solve,
    matrix_solve_ls as matrix_solve_ls,
)
from tensorwright.python.ops._linalg.linalg_spectra import (
    self_adjoint_eig as self_adjoint_eig,
    self_adjoint_eigvals as self_adjoint_eigvals,
    svd as svd,
)
from tensorwright.python.ops.array_ops import eye as eye
from tensorwright.python.ops.gen_linalg_ops import (
    cholesky as cholesky,
    cholesky_grad as cholesky_grad,
    matrix_determinant as matrix_determinant,
    matrix_inverse as matrix_inverse,
    matrix_solve as matrix_solve,
    matrix_square_root as matrix_square_root,
    matrix_triangular_solve as matrix_triangular_solve,
    qr as qr,
)

_EUCLIDEAN = ("euclidean", 2, 2.0)


def norm(
    tensor: TensorLike,
    ord: str | float = "euclidean",
    axis: Ints | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """Computes the norm of `tensor` as one vector, or of the vectors or matrices that lie along `axis`.

    Args:
      tensor: float or complex [...].
      ord: for vectors "euclidean", a positive number p (the p-th root of the sum of |x|^p), or
        np.inf (the largest |x|); of matrices "fro" or "euclidean" (the root of the sum of
        squares), 1 (the largest sum of a column), np.inf (of a row) or 2 (the largest singular value).
      axis: None: all elements as a vector; an int: vectors; two ints: matrices, rows first.
      keepdims, keep_dims: whether to keep reduced dimensions, as sizes 1.

    Returns:
      The norms, of `tensor`'s dtype; the shape of `tensor` without `axis`.

    Raises:
      ValueError: `ord` or `axis` is none of these.
    """
    if keep_dims is not None:
        if keepdims is not None:
            raise ValueError("norm: give keepdims or keep_dims, not both")
        keepdims = keep_dims
    of_matrices, axis = _check_axis(axis)
    _check_order(ord, of_matrices)
    with ops.name_scope(name, "norm", [tensor]):
        tensor = ops.convert_to_tensor(tensor, name="tensor")
        keep = bool(keepdims)
        if ord == "fro" or (ord in _EUCLIDEAN and not of_matrices):
            return _root_of_squares(tensor, axis, keep)
        if ord == "euclidean":
            return _root_of_squares(tensor, axis, keep)
        if of_matrices and ord == 2:
            return _largest_singular_value(tensor, axis, keep)
        size = math_ops.abs(tensor)
        if of_matrices:
            both: Any = axis
            rows, columns = both
            summed, other = (rows, columns) if ord == 1 else (columns, rows)
            sums = math_ops.reduce_sum(size, summed, keepdims=True)
            result = math_ops.reduce_max(sums, [summed, other], keepdims=keep)
        elif ord == np.inf:
            result = math_ops.reduce_max(size, axis, keepdims=keep)
        elif ord == 1:
            result = math_ops.reduce_sum(size, axis, keepdims=keep)
        else:
            power: Any = ord
            powers = math_ops.reduce_sum(math_ops.pow(size, power), axis, keepdims=keep)
            result = math_ops.pow(powers, 1.0 / power)
        return math_ops.cast(result, tensor.dtype.base_dtype)


def _check_axis(axis: Any) -> tuple[bool, Any]:
    """(Whether matrices are meant, `axis` as ints)."""
    if isinstance(axis, Sequence):
        axis = [int(a) for a in axis]
        if len(axis) != 2 or axis[0] == axis[1]:
            raise ValueError(
                f"norm: axis must be None, an int, or two different ints, got {axis}"
            )
        return True, axis
    return False, axis if axis is None else int(axis)


def _check_order(order: Any, of_matrices: bool) -> None:
    if of_matrices:
        if order not in ("euclidean", "fro", 1, 2, np.inf):
            raise ValueError(
                "norm: 'ord' must be a supported matrix norm, 'euclidean', 'fro', 1, 2 or np.inf, got "
                f"{order!r}"
            )
    elif order != "euclidean" and (
        isinstance(order, str) or not np.isreal(order) or not order > 0
    ):
        raise ValueError(
            f"norm: 'ord' must be a supported vector norm, 'euclidean' or a positive number, got {order!r}"
        )


def _root_of_squares(x: ops.Tensor, axis: Any, keep: bool) -> ops.Tensor:
    squares = math_ops.multiply(x, math_ops.conj(x))
    return gen_math_ops.sqrt(math_ops.reduce_sum(squares, axis, keepdims=keep))


def _largest_singular_value(x: ops.Tensor, axis: Any, keep: bool) -> ops.Tensor:
    rank = x.get_shape().ndims
    if rank is None:
        raise ValueError("norm: ord 2 of matrices needs the rank to be known")
    axis = [a % rank for a in axis]
    rest = [a for a in range(rank) if a not in axis]
    s = svd(array_ops.transpose(x, rest + axis), compute_uv=False)
    result = math_ops.cast(math_ops.reduce_max(s, axis=-1), x.dtype.base_dtype)
    for a in sorted(axis) if keep else ():
        result = array_ops.expand_dims(result, a)
    return result


def normalize(
    tensor: TensorLike,
    ord: str | float = "euclidean",
    axis: Ints | None = None,
    name: str | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """(`tensor` over its norm along `axis`, that norm with sizes 1 along `axis`); see `norm`."""
    with ops.name_scope(name, "normalize", [tensor]):
        tensor = ops.convert_to_tensor(tensor, name="tensor")
        size = norm(tensor, ord, axis, keepdims=True)
        return tensor / size, size
