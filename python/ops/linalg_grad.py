# SPDX-License-Identifier: Apache-2.0
"""Gradients of linear algebra.

g stands for the gradient of an output in the formulas, x^H for the adjoint of x.  They follow Giles, "Collected matrix
derivative results for forward and reverse mode algorithmic differentiation" (2008), where nothing else is said.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_array_ops,
    gen_linalg_ops,
    math_ops,
)
from tensorwright.python.ops._linalg import (  # noqa: F401 (registers itself)
    linalg_grad_factors,
)
from tensorwright.python.ops._linalg.linalg_grad_factors import _adjoint, _matrix_sizes


@ops.RegisterGradient("MatrixInverse")
def _matrix_inverse_grad(op: ops.Operation, grad: Any) -> Any:
    """-y^H g y^H; its adjoint where the op inverts the adjoint."""
    y = op.outputs[0]
    result = -math_ops.matmul(
        y, math_ops.matmul(grad, y, adjoint_b=True), adjoint_a=True
    )
    return _adjoint(result) if op.get_attr("adjoint") else result


@ops.RegisterGradient("MatrixDeterminant")
def _matrix_determinant_grad(op: ops.Operation, grad: Any) -> Any:
    """g conj(det) x^-H."""
    scale = grad * math_ops.conj(op.outputs[0])
    inverse = gen_linalg_ops.matrix_inverse(op.inputs[0], adjoint=True)
    return scale[..., None, None] * inverse


@ops.RegisterGradient("LogMatrixDeterminant")
def _log_matrix_determinant_grad(op: ops.Operation, of_sign: Any, of_log: Any) -> Any:
    """(Re g_log + i Im(conj(sign) g_sign)) x^-H: the logarithm is real, and the sign of size 1."""
    inverse = gen_linalg_ops.matrix_inverse(op.inputs[0], adjoint=True)
    if inverse.dtype.base_dtype.is_complex:
        turned = math_ops.imag(math_ops.conj(op.outputs[0]) * of_sign)
        of_log = math_ops.complex(math_ops.real(of_log), turned)
    return of_log[..., None, None] * inverse


@ops.RegisterGradient("MatrixSolve")
def _matrix_solve_grad(op: ops.Operation, grad: Any) -> Any:
    """The gradient of b is a^-H g; that of a is minus it times x^H (the adjoint of that if the op solves with a^H)."""
    a, x = op.inputs[0], op.outputs[0]
    adjoint = op.get_attr("adjoint")
    of_b = gen_linalg_ops.matrix_solve(a, grad, adjoint=not adjoint)
    if adjoint:
        return -math_ops.matmul(x, of_b, adjoint_b=True), of_b
    return -math_ops.matmul(of_b, x, adjoint_b=True), of_b


def _summed_over_batch(grad: ops.Tensor, like: ops.Tensor, out: ops.Tensor) -> Any:
    """Sums over the outer dimensions along which `like` was repeated."""
    have, want = like.get_shape(), out.get_shape()
    if (
        have.is_fully_defined()
        and want.is_fully_defined()
        and have.as_list()[:-2] == want.as_list()[:-2]
    ):
        return grad
    batch = array_ops.shape(like)[:-2]
    axes, _ = gen_array_ops.broadcast_gradient_args(batch, array_ops.shape(out)[:-2])
    return array_ops.reshape(math_ops.reduce_sum(grad, axes), array_ops.shape(like))


@ops.RegisterGradient("MatrixTriangularSolve")
def _matrix_triangular_solve_grad(op: ops.Operation, grad: Any) -> Any:
    """As MatrixSolve's gradient, within the triangle that counts."""
    a, b = op.inputs
    x = op.outputs[0]
    adjoint, lower = op.get_attr("adjoint"), op.get_attr("lower")
    of_b = gen_linalg_ops.matrix_triangular_solve(
        a, grad, lower=lower, adjoint=not adjoint
    )
    left, right = (x, of_b) if adjoint else (of_b, x)
    of_a = -math_ops.matmul(left, right, adjoint_b=True)
    bounds = (-1, 0) if lower else (0, -1)
    of_a = array_ops.matrix_band_part(of_a, *bounds)
    return _summed_over_batch(of_a, a, x), _summed_over_batch(of_b, b, x)


def _gram_solver(a: ops.Tensor, l2: Any, tall: bool) -> Any:
    """y -> (a^H a + l I)^-1 y, or of a a^H."""
    gram = math_ops.matmul(a, a, adjoint_a=tall, adjoint_b=not tall)
    diagonal = array_ops.matrix_diag_part(gram) + math_ops.cast(l2, a.dtype.base_dtype)
    factor = gen_linalg_ops.cholesky(array_ops.matrix_set_diag(gram, diagonal))

    def solve(y: ops.Tensor) -> ops.Tensor:
        z = gen_linalg_ops.matrix_triangular_solve(factor, y)
        return gen_linalg_ops.matrix_triangular_solve(factor, z, adjoint=True)

    return solve


@ops.RegisterGradient("MatrixSolveLs")
def _matrix_solve_ls_grad(op: ops.Operation, grad: Any) -> Any:
    """Differentiates the normal equations implicitly; there is no gradient with fast=False."""
    a, b, l2 = op.inputs
    if not op.get_attr("fast"):
        raise ValueError("MatrixSolveLs has a gradient only with fast=True")

    def tall() -> list[ops.Tensor]:
        """x = (a^H a + l I)^-1 a^H b."""
        x = op.outputs[0]
        z = _gram_solver(a, l2, tall=True)(grad)
        product = math_ops.matmul(x, z, adjoint_b=True)
        of_b = math_ops.matmul(a, z)
        of_a = math_ops.matmul(b, z, adjoint_b=True)
        return [of_a - math_ops.matmul(a, product + _adjoint(product)), of_b]

    def wide() -> list[ops.Tensor]:
        """x = a^H y, y = (a a^H + l I)^-1 b."""
        solve = _gram_solver(a, l2, tall=False)
        y, w = solve(b), solve(math_ops.matmul(a, grad))
        product = math_ops.matmul(w, y, adjoint_b=True)
        of_a = math_ops.matmul(y, grad, adjoint_b=True)
        return [of_a - math_ops.matmul(product + _adjoint(product), a), w]

    rows, columns = _matrix_sizes(a)
    if rows is not None and columns is not None:
        of_a, of_b = tall() if rows >= columns else wide()
    else:
        shape = array_ops.shape(a)
        of_a, of_b = control_flow_ops.cond(shape[-2] >= shape[-1], tall, wide)
    return of_a, of_b, None


@ops.RegisterGradient("TridiagonalSolve")
def _tridiagonal_solve_grad(op: ops.Operation, grad: Any) -> Any:
    """As MatrixSolve's gradient, within the three diagonals that count."""
    diagonals, x = op.inputs[0], op.outputs[0]
    above, main, below = (diagonals[..., i, :] for i in range(3))
    zero = array_ops.zeros_like(main[..., :1])

    def ahead(v: ops.Tensor) -> ops.Tensor:
        return array_ops.concat([v[..., 1:], zero], -1)

    def behind(v: ops.Tensor) -> ops.Tensor:
        return array_ops.concat([zero, v[..., :-1]], -1)

    adjoint = [math_ops.conj(v) for v in (ahead(below), main, behind(above))]
    of_rhs = gen_linalg_ops.tridiagonal_solve(
        array_ops.stack(adjoint, -2),
        grad,
        partial_pivoting=op.get_attr("partial_pivoting"),
        perturb_singular=op.get_attr("perturb_singular"),
    )
    to = math_ops.conj(x)
    row = array_ops.zeros_like(x[..., :1, :])
    later = array_ops.concat([to[..., 1:, :], row], -2)
    earlier = array_ops.concat([row, to[..., :-1, :]], -2)
    parts = [-math_ops.reduce_sum(of_rhs * other, -1) for other in (later, to, earlier)]
    return array_ops.stack(parts, -2), of_rhs


@ops.RegisterGradient("MatrixSquareRoot")
def _matrix_square_root_grad(op: ops.Operation, grad: Any) -> Any:
    """z with y^H z + z y^H = g: a system of the rows of z one after the other."""
    y = _adjoint(op.outputs[0])
    shape = array_ops.shape(y)
    n, batch = shape[-1], shape[:-2]
    identity = array_ops.matrix_diag(array_ops.ones_like(array_ops.matrix_diag_part(y)))
    # (y x I + I x y^T) vec(z) = vec(g).
    left = y[..., :, None, :, None] * identity[..., None, :, None, :]
    turned = array_ops.matrix_transpose(y)
    right = identity[..., :, None, :, None] * turned[..., None, :, None, :]
    square = array_ops.concat([batch, [n * n, n * n]], 0)
    column = array_ops.concat([batch, [n * n, 1]], 0)
    solved = gen_linalg_ops.matrix_solve(
        array_ops.reshape(left + right, square), array_ops.reshape(grad, column)
    )
    return array_ops.reshape(solved, shape)
