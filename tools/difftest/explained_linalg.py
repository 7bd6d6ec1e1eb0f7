# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of linear algebra."""

import numpy as np
import scipy.linalg

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.examples import but, on, seen
from tensorwright.tools.difftest.explanation import ours_is, upstreams
from tensorwright.tools.difftest.records import (
    gradient,
    no_gradient,
    refusal,
    shaped,
    value,
)

_NUMBERS, _COMPLEX = "float32 float64 complex64 complex128", "complex64 complex128"


def _adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def _size(x):
    """The size of the largest element of each matrix [..., 1, 1]."""
    return np.abs(x).max((-1, -2), initial=0, keepdims=True)


def _outputs(d):
    """All of our outputs, as they are in the difference."""
    outputs = list(d.outputs[0])
    outputs[d.output] = d.here
    return [compare.widest(x) for x in outputs]


# Vectors. ----------------------------------------------------------------------------------------------------


def _orthonormal(d, v):
    n = v.shape[-1]
    return _size(_adjoint(v) @ v - np.eye(n)) <= n * compare.TOLERANCE[d.enum]


def _hermitian(x):
    """The Hermitian matrix whose lower triangle is x's."""
    below, diagonal = np.tril(x, -1), np.diagonal(x, axis1=-2, axis2=-1).real
    return below + _adjoint(below) + diagonal[..., None] * np.eye(x.shape[-1])


def _eigenvectors(d, e, v):
    """Matrices of ours that are orthonormal and have a v = v e."""
    a = _hermitian(d.wide(0))
    off = _size(a @ v - v * e[..., None, :])
    right = off <= a.shape[-1] * compare.TOLERANCE[d.enum] * _size(a)
    return right & _orthonormal(d, v)


def _eigenvectors_below(d):
    """As above, where the vectors are below a row of their values."""
    ours = compare.widest(d.here)
    below = np.arange(ours.shape[-2])[:, None] > 0
    return below & _eigenvectors(d, ours[..., 0, :], ours[..., 1:, :])


def _singular_vectors(d):
    """Matrices of ours that are orthonormal and have a = u s v^H."""
    s, u, v = _outputs(d)
    a, k = d.wide(0), s.shape[-1]
    off = _size((u[..., :k] * s[..., None, :]) @ _adjoint(v[..., :k]) - a)
    right = off <= max(a.shape[-2:]) * compare.TOLERANCE[d.enum] * _size(a)
    return right & _orthonormal(d, u) & _orthonormal(d, v)


def _without_full_rank(d):
    """Matrices of finite numbers whose rows and columns are dependent."""
    a = d.wide(0)
    fine = np.isfinite(a).all((-1, -2))
    rank = np.linalg.matrix_rank(np.where(fine[..., None, None], a, 0))
    return (fine & (rank < min(a.shape[-2:])))[..., None, None]


def _orthogonal_factors(d):
    """Matrices of ours that are orthonormal, and whose product with a triangle is a."""
    q, r = _outputs(d)
    a = d.wide(0)
    right = _size(q @ r - a) <= max(a.shape[-2:]) * compare.TOLERANCE[d.enum] * _size(a)
    return (
        right & _orthonormal(d, q) & (np.tril(r, -1) == 0).all((-1, -2), keepdims=True)
    )


_TURNED = "vectors may be turned by a number of size 1; ours are vectors of the matrix"
_NOT_ASKED = "the vectors that were not asked for have the shape that both infer; TensorFlow leaves a scalar of no meaning"
_SYMMETRIC, _E = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 3.0])
_V = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2)
# Its singular values are its eigenvalues, the largest first.
_U, _ASKS = _V[:, ::-1], on(_SYMMETRIC, compute_v=True)


_ONES, _ROW = np.ones([2, 2]), np.array([[np.sqrt(2)] * 2, [0, 0]])
_AXES = np.array([[1.0, 1], [1, -1]]) / np.sqrt(2)


def _below(v):
    return np.concatenate([_E[None], v])


# Matrices without factors. ----------------------------------------------------------------------------------------


def _is_not_positive(d):
    """A matrix of finite numbers that has no Cholesky factor, as NumPy finds."""
    a = d.wide(0)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        return False
    matrices = _hermitian(a).reshape(-1, *a.shape[-2:])
    return any(_has_no_factor(m) for m in matrices if m.size)


def _has_no_factor(a):
    # The part before the first row that is not finite may have none already.
    odd = ~np.isfinite(np.tril(a)).all(1)
    n = int(odd.argmax()) if odd.any() else len(a)
    lowest = np.linalg.eigvalsh(a[:n, :n]).min(initial=np.inf)
    if lowest <= 1e-5 * np.abs(a[:n, :n]).max(initial=0):
        return True
    if n == len(a):
        return False
    # The squares of the row are taken from its last element.
    row, last = a[n, :n], a[n, n].real
    return bool(np.isinf(row).any() and np.isfinite(last) or np.isneginf(last))


def _odd(d, index=0):
    """Matrices of an input that have an element which is infinite or no number, as a mask of ours."""
    odd = ~np.isfinite(d.input(index)).all((-1, -2))
    return odd.reshape(odd.shape + (1,) * (d.here.ndim - odd.ndim))


_WITH_NAN, _NAN = np.diag([1.0, np.nan]), complex(np.nan)
_TWO = np.array([np.eye(1), [[np.nan]]], np.complex64)

# Gradients. --------------------------------------------------------------------------------------------------


def _inverse_adjoint(d):
    return _adjoint(np.linalg.inv(d.wide(0)))


def _of_determinant(d):
    (det,), (g,) = d.outputs[0], upstreams(d.outputs[0])
    return (g * np.conj(det))[..., None, None] * _inverse_adjoint(d)


def _of_log_determinant(d):
    """(Re g_log + i Im(conj(sign) g_sign)) x^-H."""
    of_sign, of_log = upstreams(d.outputs[0])
    scale = of_log.real + 1j * np.imag(np.conj(d.outputs[0][0]) * of_sign)
    return scale[..., None, None] * _inverse_adjoint(d)


def _of_cholesky(d):
    """Murray, "Differentiation of the Cholesky decomposition" (2016), in the limit of a large element; else NaN."""
    (factor,) = d.outputs[0]
    lower, g = compare.widest(factor), compare.widest(upstreams([factor])[0])
    # A number for an infinite element of a diagonal: what it adds to results is less than they are rounded by.
    lower = np.where(np.isposinf(lower.real), 1e20, lower)
    if not np.isfinite(lower).all():
        return np.full(lower.shape, np.nan)
    # A factor of ones in the diagonal, whose inverse loses nothing, and the sizes of its rows.
    sizes = np.diagonal(lower, axis1=-2, axis2=-1).real
    inverse = np.linalg.inv(lower / sizes[..., None]) / sizes[..., None, :]
    p = np.tril(_adjoint(lower) @ g)
    p = p * (1 - np.eye(p.shape[-1]) / 2)
    found = _adjoint(inverse) @ p @ inverse
    return (found + _adjoint(found)) / 2


def _of_tridiagonal(d):
    """a^-H g by the right side; minus that times x^H by a, where a has its diagonals."""
    diagonals = d.wide(0)
    i = np.arange(diagonals.shape[-1] - 1)
    a = diagonals[..., 1, :, None] * np.eye(len(i) + 1)
    a[..., i, i + 1] = diagonals[..., 0, :-1]
    a[..., i + 1, i] = diagonals[..., 2, 1:]
    (x,), (g,) = d.outputs[0], upstreams(d.outputs[0])
    of_rhs = np.linalg.solve(_adjoint(a), compare.widest(g))
    if d.output == 1:
        return of_rhs
    of_a = -of_rhs @ _adjoint(compare.widest(x))
    found = np.zeros_like(diagonals)
    found[..., 0, :-1] = of_a[..., i, i + 1]
    found[..., 1, :] = np.diagonal(of_a, axis1=-2, axis2=-1)
    found[..., 2, 1:] = of_a[..., i + 1, i]
    return found


def _of_square_root(d):
    """z with y^H z + z y^H = g."""
    (y,), (g,) = d.outputs[0], upstreams(d.outputs[0])
    n, left = y.shape[-1], _adjoint(compare.widest(y))
    pairs = zip(left.reshape(-1, n, n), compare.widest(g).reshape(-1, n, n))
    found = [scipy.linalg.solve_sylvester(a, a, b) for a, b in pairs]
    return np.array(found).reshape(y.shape)


def _with_other_phases(d):
    """TensorFlow's, with the imaginary part of the values' gradient as it came: 2 u Im(g) v^H further."""
    u, _, vh = np.linalg.svd(d.wide(0), full_matrices=False)
    g = 2j * upstreams(d.outputs[0])[0].imag
    return compare.widest(d.there) + (u * g[..., None, :]) @ vh


_DET, _SIGN, _X = np.array(2j), np.array(1j), np.array([[1 + 1j]])
_RIGHT = upstreams([_DET])[0] * -2j * np.diag([1, 0.5j])
_OF_SIGN, _OF_LOG = upstreams([_SIGN, np.array(0j)])
_RIGHT_LOG = (_OF_LOG.real + 1j * np.imag(-1j * _OF_SIGN)) * np.diag([1, 0.5j])
_GX = upstreams([_X])[0]
_OF_DIAGONAL = -(_GX / -2j * np.conj(_X))[0, 0] * np.array([[0], [1], [0]])
_OF_ROOT = _GX / (2 * np.conj(_X))
_COLUMN, _FIVE = np.array([[3.0], [4j]]), np.array([5 + 0j])
# The factors of diag(1, inf) and diag(1, 4), and the first element of their gradients, which are 0 else.
_ROOT, _FINITE = np.diag([1.0, np.inf]), np.diag([1.0, 2.0])
_HALF = upstreams([_ROOT])[0][0, 0] / 2
_FURTHER = 2j * upstreams([_FIVE])[0].imag * _COLUMN / 5
_NO_RANK = "TypeError: 'NoneType' object is not subscriptable"


def _singular_factor(d):
    """Matrices [..., 1, 1] with a 0 on the diagonal."""
    diagonal = np.diagonal(d.wide(0), axis1=-2, axis2=-1)
    return (diagonal == 0).any(-1)[..., None, None]


# fmt: off
TABLE = [
    value("SelfAdjointEigV2 BatchSelfAdjointEigV2", _TURNED, _NUMBERS, 1, where=lambda d: _eigenvectors(d, *_outputs(d)),
        gives="orthonormal eigenvectors", also=("other sign",), when=lambda d: d.attrs["compute_v"],
        true=[seen(_ASKS, _V, -_V, dtype="float64", outputs=([_E, _V], [_E, -_V])),
            but(ours=_V * [1, -1], theirs=_V, outputs=([_E, _V * [1, -1]], [_E, _V]))],
        wrong=[but(ours=_V * [1, 2]), but(ours=_U, theirs=_V)]),
    value("SelfAdjointEig BatchSelfAdjointEig", _TURNED, "float32 float64", 0, where=_eigenvectors_below,
        gives="orthonormal eigenvectors", true=[seen(on(_SYMMETRIC), _below(_V), _below(-_V), dtype="float64")],
        wrong=[but(ours=_below(_V * [1, 2])), but(ours=_below(_U), theirs=_below(_V))]),
    value("Svd BatchSvd", _TURNED, _NUMBERS, (1, 2), where=_singular_vectors, gives="orthonormal singular vectors",
        when=lambda d: d.attrs["compute_uv"],
        true=[seen(on(_SYMMETRIC, compute_uv=True), _U, -_U, dtype="float64", outputs=[_E[::-1], _U, _U])],
        wrong=[but(ours=-_U, theirs=_U), but(ours=_V, theirs=_U)]),
    shaped("SelfAdjointEigV2 BatchSelfAdjointEigV2", _NOT_ASKED, _NUMBERS, 1, ((0,), ()),
        when=lambda d: not d.attrs["compute_v"], true=[seen(on(_SYMMETRIC, compute_v=False), [], 5.0)],
        wrong=[_ASKS, but(ours=[1.0])]),
    shaped("Svd BatchSvd", _NOT_ASKED, _NUMBERS, (1, 2), ((0,), ()), when=lambda d: not d.attrs["compute_uv"],
        true=[seen(on(_SYMMETRIC, compute_uv=False), [], 5.0)],
        wrong=[on(_SYMMETRIC, compute_uv=True), but(ours=[1.0])]),
    refusal("Cholesky BatchCholesky",
        "a matrix that is not positive definite is refused, as in TensorFlow 1.x; later ones leave NaN or nothing in the output",
        ours="InvalidArgumentError: Cholesky decomposition was not successful", when=_is_not_positive,
        true=[on(np.diag([1.0, -1.0])), on(np.zeros([1, 2, 1, 1])), on([[2.0, 0.0], [-np.inf, 3.0]]), on([[[-np.inf]]])],
        wrong=[on(np.eye(2)), on(_WITH_NAN), on([[np.inf]]), on([[2.0, np.inf], [0.0, 3.0]])]),
    refusal("SelfAdjointEig BatchSelfAdjointEig SelfAdjointEigV2 BatchSelfAdjointEigV2",
        "a matrix with a NaN has no eigenvalues; TensorFlow finds some where the iteration stops by itself",
        ours="InvalidArgumentError: Self-adjoint eigen decomposition was not successful",
        when=lambda d: d.input(0).shape[-1] > 1 and not np.isfinite(d.wide(0)).all(),
        true=[on(_WITH_NAN)], wrong=[on(np.eye(2)), on([[np.nan]])]),
    value("LogMatrixDeterminant", "a determinant that is no number has no sign; TensorFlow counts the signs that it finds",
        "float32 float64", 0, where=lambda d: np.isnan(d.here) & _odd(d), gives="NaN", when=lambda d: bool(d.case.inputs),
        true=[seen(on(np.float32([np.diag([np.inf, 1])])), [np.nan], [1.0])],
        wrong=[on(np.float32([np.diag([2, 1])])), but(ours=[-1.0])]),
    value("Svd BatchSvd", "a matrix with an element that is no finite number has no singular values; TensorFlow fills them with C++'s complex NaN, which is 0",
        _COMPLEX, (0, 1, 2), where=lambda d: _odd(d) & np.isnan(d.here) & (d.there == 0), gives="NaN", there="0",
        true=[seen(on(_TWO), [[1], [_NAN]], [[1], [0]])],
        wrong=[but(ours=[[1], [1]]), but(ours=[[_NAN], [0]], theirs=[[0], [0]])]),
    value("CholeskyGrad BatchCholeskyGrad",
        "an infinite gradient of a factor meets others in products, whose order decides which elements are NaN",
        "float32 float64", 0, where=lambda d: _odd(d, 1) & np.isnan(d.here), gives="NaN",
        true=[seen(on(np.float32([[1]]), np.float32([[np.inf]])), [[np.nan]], [[-np.inf]])],
        wrong=[but(ours=[[0.0]]), but(on(np.float32([[1]]), np.float32([[1]])), theirs=[[0.5]])]),
    value("CholeskyGrad BatchCholeskyGrad", "a factor with a 0 on its diagonal has no inverse", "float32 float64", 0,
        where=lambda d: np.isnan(d.here) & np.isinf(d.there) & _singular_factor(d), gives="NaN", there="infinity",
        true=[seen(on(np.float32([[0]]), np.float32([[1]])), [[np.nan]], [[np.inf]])],
        wrong=[but(ours=[[1.0]]), but(on(np.float32([[1]]), np.float32([[1]])), theirs=[[np.inf]])]),
    gradient("Svd",
        "values are real, so an imaginary part of their gradient means nothing; TensorFlow conjugates it for high matrices",
        _COMPLEX, 0, ours_is(_with_other_phases, slack=8), gives="TensorFlow's plus 2 u Im(g) v^H",
        when=lambda d: d.attrs["compute_uv"] and d.input(0).shape[-2] > d.input(0).shape[-1],
        true=[seen(on(_COLUMN, compute_uv=True), _FURTHER, 0 * _FURTHER, dtype="complex128", outputs=[_FIVE])],
        wrong=[but(ours=-_FURTHER), but(on(_COLUMN.T, compute_uv=True), _FURTHER.T, 0 * _FURTHER.T)]),
    gradient("Cholesky", "with an infinite element the order of products decides which others of the gradient are NaN",
        _NUMBERS, 0, ours_is(_of_cholesky, slack=8), where=lambda d: np.isnan(d.there), gives="its limits", there="NaN",
        when=lambda d: not np.isfinite(d.wide(0)).all(),
        true=[seen(on(_ROOT**2), np.diag([_HALF, 0]), np.diag([np.nan, 0]), dtype="float64", outputs=[_ROOT])],
        wrong=[but(ours=np.diag([3 * _HALF, 0])), but(ours=np.diag([np.nan, 0]), theirs=np.diag([_HALF, 0])),
            but(on(_FINITE**2), outputs=[_FINITE])]),
    gradient("MatrixSquareRoot", "TensorFlow transposes y in the equation for z, and does not conjugate it", _COMPLEX, 0,
        ours_is(_of_square_root, 1.6e-4), gives="z with y^H z + z y^H = g",
        true=[seen(on(_X**2), _OF_ROOT, -_OF_ROOT, dtype="complex128", outputs=[_X])],
        wrong=[but(ours=-_OF_ROOT, theirs=_OF_ROOT)]),
    gradient("MatrixDeterminant", "TensorFlow does not conjugate the determinant", _COMPLEX, 0,
        ours_is(_of_determinant, 1.6e-4), gives="g conj(det) x^-H",
        true=[seen(on(np.diag([1.0, 2j])), _RIGHT, -_RIGHT, dtype="complex128", outputs=[_DET])],
        wrong=[but(ours=-_RIGHT, theirs=_RIGHT), but(ours=2 * _RIGHT)]),
    gradient("LogMatrixDeterminant",
        "the logarithm is real and the sign has size 1; TensorFlow gives the sign no gradient, and the logarithm another",
        _COMPLEX, 0, ours_is(_of_log_determinant, 1.6e-4), gives="(Re g_log + i Im(conj(sign) g_sign)) x^-H",
        true=[seen(on(np.diag([1.0, 2j])), _RIGHT_LOG, -_RIGHT_LOG, dtype="complex128",
            outputs=[_SIGN, np.array(np.log(2) + 0j)])],
        wrong=[but(ours=-_RIGHT_LOG, theirs=_RIGHT_LOG), but(ours=2 * _RIGHT_LOG)]),
    gradient("TridiagonalSolve", "TensorFlow does not conjugate", _COMPLEX, (0, 1), ours_is(_of_tridiagonal, 1.6e-4),
        gives="a^-H g by the right side, minus that times x^H by a",
        true=[seen(on(np.array([[0], [2j], [0]]), 2j * _X), _GX / -2j, _GX / 2j, dtype="complex128", output=1,
            outputs=[_X]), but(output=0, ours=_OF_DIAGONAL, theirs=-_OF_DIAGONAL)],
        wrong=[but(ours=_GX / 2j, theirs=_GX / -2j), but(output=0, ours=-_OF_DIAGONAL, theirs=_OF_DIAGONAL)]),
    no_gradient("Svd", "TensorFlow's gradient of vectors asks for the rank, and does not say so", theirs=_NO_RANK,
        when=lambda d: d.attrs["compute_uv"], true=[on(compute_uv=True)], wrong=[on(compute_uv=False)]),
    no_gradient("Svd", "TensorFlow's gradient of vectors asks for the rank, and does not say so", theirs=_NO_RANK,
        ours="NotImplementedError: Svd: a gradient with full_matrices is there of shapes that are known",
        # There is a gradient where shapes are known.
        also=("ours none",), when=lambda d: d.attrs["compute_uv"] and d.attrs["full_matrices"],
        true=[on(compute_uv=True, full_matrices=True)], wrong=[on(compute_uv=True, full_matrices=False)]),
    no_gradient("Qr", "TensorFlow's gradient asks for the shape; ours asks for it with full_matrices only",
        theirs="NotImplementedError: QrGrad not implemented with dynamic shapes",
        when=lambda d: not d.attrs["full_matrices"], true=[on(full_matrices=False)], wrong=[on(full_matrices=True)]),
    no_gradient("MatrixSolveLs",
        "where the shape is not known TensorFlow chooses a formula in each run, and cannot choose the regularizer's None",
        theirs="InvalidArgumentError: None values not supported.", when=lambda d: d.attrs["fast"],
        true=[on(fast=True)], wrong=[on(fast=False)]),
    no_gradient("TridiagonalSolve", "TensorFlow's gradient asks for the rank",
        theirs="InvalidArgumentError: Cannot iterate over a shape with unknown rank",
        wrong=[but(theirs="InvalidArgumentError: None values not supported.")]),
    refusal("BatchMatrixSolveLs", "l2_regularizer is a scalar also where there is nothing to solve",
        ours="InvalidArgumentError: BatchMatrixSolveLs: Shape must be rank 0 but is rank <1>: l2_regularizer has shape ",
        when=lambda d: np.ndim(d.input(2)) > 0 and np.size(d.input(0)) == 0,
        true=[on(np.zeros([0, 4, 1]), np.zeros([0, 4, 3]), [2.0])],
        wrong=[on(np.zeros([0, 4, 1]), np.zeros([0, 4, 3]), 2.0), on(np.zeros([1, 4, 1]), np.zeros([1, 4, 3]), [2.0])]),
    value("Qr", "columns that depend on others leave the factors open", "float64", (0, 1),
        where=lambda d: _without_full_rank(d) & _orthogonal_factors(d), gives="an orthonormal and a triangular factor",
        true=[seen(on(_ONES), _AXES, _AXES[:, ::-1], dtype="float64", outputs=[_AXES, _ROW]),
            but(ours=_ROW, theirs=_ROW + [[0, 0], [0, 1e-9]], output=1)],
        wrong=[but(ours=_AXES * [1, 2]), but(on(_AXES), _AXES, _ONES, outputs=[_AXES, np.eye(2)]), but(outputs=[_AXES, _ROW + [[0, 0], [1, 0]]])]),
    no_gradient("MatrixSquareRoot", "a root that is no number has no derivative",
        ours="InvalidArgumentError: Input matrix is not invertible.", when=lambda d: not np.isfinite(d.wide(0)).all(),
        true=[on([[np.inf]])], wrong=[on([[4.0]])]),
]
