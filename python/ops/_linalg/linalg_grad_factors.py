# SPDX-License-Identifier: Apache-2.0
"""Gradients of factors of matrices: Cholesky's, QR, LU, eigenvalues and singular values.

Vectors are unique only up to a sign, or a complex number of size 1: their gradient has no part along such a turn.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, gen_linalg_ops, math_ops


def _adjoint(x: ops.Tensor) -> ops.Tensor:
    return array_ops.matrix_transpose(x, conjugate=True)


def _matrix_sizes(x: ops.Tensor) -> tuple[int | None, int | None]:
    """The last two sizes, None where unknown."""
    if x.get_shape().ndims is None:
        return None, None
    rows, columns = x.get_shape().as_list()[-2:]
    return rows, columns


def _real_diag_part(x: ops.Tensor) -> ops.Tensor:
    """The real parts of the main diagonals, in x's dtype."""
    diagonal = array_ops.matrix_diag_part(x)
    if x.dtype.base_dtype.is_complex:
        return math_ops.cast(math_ops.real(diagonal), x.dtype.base_dtype)
    return diagonal


def _strictly_lower(x: ops.Tensor) -> ops.Tensor:
    return array_ops.matrix_set_diag(
        array_ops.matrix_band_part(x, -1, 0),
        array_ops.zeros_like(array_ops.matrix_diag_part(x)),
    )


def _over_adjoint_of_upper(x: ops.Tensor, r: ops.Tensor) -> ops.Tensor:
    """x r^-H, r upper triangular."""
    solved = gen_linalg_ops.matrix_triangular_solve(r, _adjoint(x), lower=False)
    return _adjoint(solved)


def _safe_reciprocal(x: ops.Tensor) -> ops.Tensor:
    """Returns 1 / x, and about 0 where x is 0: equal values must not count."""
    return x / (x * x + 1e-20)


def _differences(values: ops.Tensor) -> ops.Tensor:
    """[..., i, j] = values[j] - values[i]."""
    return values[..., None, :] - values[..., :, None]


@ops.RegisterGradient("Cholesky")
def _cholesky_grad(op: ops.Operation, grad: Any) -> Any:
    """The Hermitian part of L^-H P L^-1, P the lower triangle of L^H g with half its diagonal.

    Murray, "Differentiation of the Cholesky decomposition" (2016).
    """
    factor = op.outputs[0]
    product = math_ops.matmul(factor, grad, adjoint_a=True)
    product = array_ops.matrix_set_diag(
        product, array_ops.matrix_diag_part(product) / 2
    )
    product = array_ops.matrix_band_part(product, -1, 0)
    left = gen_linalg_ops.matrix_triangular_solve(factor, product, adjoint=True)
    both = _adjoint(
        gen_linalg_ops.matrix_triangular_solve(factor, _adjoint(left), adjoint=True)
    )
    return (both + _adjoint(both)) / 2


@ops.RegisterGradient("Qr")
def _qr_grad(op: ops.Operation, of_q: Any, of_r: Any) -> Any:
    """(g_q + q h) r^-H, h Hermitian with the lower triangle of r g_r^H - g_q^H q.

    For a wide matrix, this is the gradient of its first columns; that of the others is q times the rest of g_r.

    Raises:
      NotImplementedError: the matrix is tall and full_matrices is set; then the last columns of q are arbitrary.
    """
    a = op.inputs[0]
    q, r = op.outputs
    rows, columns = _matrix_sizes(a)
    if op.get_attr("full_matrices"):
        if rows is None or columns is None:
            raise NotImplementedError(
                "Qr: the gradient with full_matrices needs the shape to be known"
            )
        if rows > columns:
            raise NotImplementedError(
                "Qr: no gradient of more rows than columns with full_matrices"
            )
    if rows is None or columns is None or rows < columns:
        k = array_ops.shape(r)[-2]
        of_rest = of_r[..., :, k:]
        of_q += math_ops.matmul(a[..., :, k:], of_rest, adjoint_b=True)
        first = _square_qr_grad(q, r[..., :, :k], of_q, of_r[..., :, :k])
        return array_ops.concat([first, math_ops.matmul(q, of_rest)], -1)
    return _square_qr_grad(q, r, of_q, of_r)


def _square_qr_grad(q: Any, r: Any, of_q: Any, of_r: Any) -> ops.Tensor:
    m = math_ops.matmul(r, of_r, adjoint_b=True)
    m -= math_ops.matmul(of_q, q, adjoint_a=True)
    lower = _strictly_lower(m)
    h = array_ops.matrix_set_diag(lower + _adjoint(lower), _real_diag_part(m))
    return _over_adjoint_of_upper(of_q + math_ops.matmul(q, h), r)


@ops.RegisterGradient("Lu")
def _lu_grad(op: ops.Operation, of_lu: Any, _: Any) -> Any:
    """P^T L^-H (the strict lower triangle of L^H g_L, the upper of g_U U^H) U^-H."""
    lu, p = op.outputs
    ones = array_ops.ones_like(array_ops.matrix_diag_part(lu))
    lower = array_ops.matrix_set_diag(array_ops.matrix_band_part(lu, -1, 0), ones)
    upper = array_ops.matrix_band_part(lu, 0, -1)
    of_upper = array_ops.matrix_band_part(of_lu, 0, -1)
    middle = _strictly_lower(
        math_ops.matmul(lower, _strictly_lower(of_lu), adjoint_a=True)
    ) + array_ops.matrix_band_part(
        math_ops.matmul(of_upper, upper, adjoint_b=True), 0, -1
    )
    left = gen_linalg_ops.matrix_triangular_solve(lower, middle, adjoint=True)
    permuted = _over_adjoint_of_upper(left, upper)
    rows = array_ops.one_hot(p, array_ops.shape(p)[-1], dtype=lu.dtype.base_dtype)
    return math_ops.matmul(rows, permuted, adjoint_a=True)


@ops.RegisterGradient("SelfAdjointEigV2")
def _self_adjoint_eig_v2_grad(op: ops.Operation, of_e: Any, of_v: Any) -> Any:
    """v (diag(g_e) + f * v^H g_v) v^H, f[i, j] = 1 / (e[j] - e[i]), for the lower triangle alone."""
    e, v = op.outputs
    if op.get_attr("compute_v"):
        f = array_ops.matrix_set_diag(
            _safe_reciprocal(_differences(e)), array_ops.zeros_like(e)
        )
        inner = array_ops.matrix_diag(of_e) + f * math_ops.matmul(
            v, of_v, adjoint_a=True
        )
    else:
        _, v = gen_linalg_ops.self_adjoint_eig_v2(op.inputs[0])
        inner = array_ops.matrix_diag(of_e)
    grad = math_ops.matmul(v, math_ops.matmul(inner, v, adjoint_b=True))
    # The op reads the lower triangle only: an element there stands for its mirror image, too.
    lower = array_ops.matrix_band_part(grad + _adjoint(grad), -1, 0)
    return array_ops.matrix_set_diag(lower, array_ops.matrix_diag_part(lower) / 2)


@ops.RegisterGradient("Svd")
def _svd_grad(op: ops.Operation, of_s: Any, of_u: Any, of_v: Any) -> Any:
    """u (diag(g_s) + (f * k(u)) s + s (f * k(v))) v^H, and the part outside the vectors' spaces.

    f[i, j] = 1 / (s[j]^2 - s[i]^2), k(u) = u^H g_u - g_u^H u (Townsend, "Differentiating the singular value
    decomposition", 2016); for complex numbers, with the term of Wan and Zhang (2019).

    Raises:
      NotImplementedError: full_matrices is set, and there are more than one row or column too many: their vectors
      are arbitrary.
    """
    a = op.inputs[0]
    s, u, v = op.outputs
    if not op.get_attr("compute_uv"):
        _, u, v = gen_linalg_ops.svd(a, compute_uv=True, full_matrices=False)
        scaled = u * of_s[..., None, :]
        return math_ops.matmul(scaled, v, adjoint_b=True)
    if op.get_attr("full_matrices"):
        rows, columns = _matrix_sizes(a)
        if rows is None or columns is None or abs(rows - columns) > 1:
            raise NotImplementedError(
                "Svd: a gradient with full_matrices is there of shapes that are known and "
                f"almost square, got {a.get_shape()}"
            )
        k = min(rows, columns)
        u, of_u = _first_vectors(u, of_u, k)
        v, of_v = _first_vectors(v, of_v, k)
    return _thin_svd_grad(s, u, v, of_s, of_u, of_v)


def _first_vectors(u: Any, of_u: Any, k: int) -> tuple[ops.Tensor, ops.Tensor]:
    """Returns the first k columns, and their gradient: a rotation of them rotates the others back."""
    first, rest = u[..., :, :k], u[..., :, k:]
    turned = math_ops.matmul(of_u[..., :, k:], first, adjoint_a=True)
    return first, of_u[..., :, :k] - math_ops.matmul(rest, turned)


def _thin_svd_grad(s: Any, u: Any, v: Any, of_s: Any, of_u: Any, of_v: Any) -> Any:
    inverse = _safe_reciprocal(s)
    f = _safe_reciprocal(_differences(s * s))
    f = array_ops.matrix_set_diag(f, array_ops.zeros_like(s))
    u_of_u = math_ops.matmul(u, of_u, adjoint_a=True)
    v_of_v = math_ops.matmul(v, of_v, adjoint_a=True)
    inner = (
        array_ops.matrix_diag(of_s)
        + f * (u_of_u - _adjoint(u_of_u)) * s[..., None, :]
        + s[..., :, None] * f * (v_of_v - _adjoint(v_of_v))
    )
    if u.dtype.base_dtype.is_complex:
        turn = array_ops.matrix_diag_part(_adjoint(v_of_v) - v_of_v)
        inner += array_ops.matrix_diag(turn * inverse / 2)
    # (I - u u^H) g_u s^-1 and its like.
    outside_u = (of_u - math_ops.matmul(u, u_of_u)) * inverse[..., None, :]
    outside_v = (of_v - math_ops.matmul(v, v_of_v)) * inverse[..., None, :]
    left = math_ops.matmul(u, inner) + outside_u
    return math_ops.matmul(left, v, adjoint_b=True) + math_ops.matmul(
        u, outside_v, adjoint_b=True
    )
