# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import (
    GRADIENT,
    GRADIENT_ERROR,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    Explanation,
    call,
    gave,
    ours_is,
    refused,
    upstream,
    upstreams,
)

_NUMBERS = "float32 float64 complex64 complex128"
_COMPLEX = "complex64 complex128"
# Of gradients, which are several ops' work; as difftest has it.
_SLACK = 8.0


# Vectors. ----------------------------------------------------------------------------------------------------


def _adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def _small(x: np.ndarray, tolerance: Any) -> np.ndarray:
    """Per matrix: no element is larger than the tolerance [...]."""
    with np.errstate(all="ignore"):
        return np.abs(x).max((-1, -2), initial=0) <= tolerance


def _orthonormal(v: np.ndarray, tolerance: float) -> np.ndarray:
    """Per matrix: its columns are."""
    n = v.shape[-1]
    return _small(_adjoint(v) @ v - np.eye(n), n * tolerance)


def _hermitian(x: np.ndarray) -> np.ndarray:
    """The Hermitian matrix whose lower triangle is x's."""
    below = np.tril(x, -1)
    diagonal = np.real(np.diagonal(x, axis1=-2, axis2=-1))
    return below + _adjoint(below) + diagonal[..., None] * np.eye(x.shape[-1])


def _far_of(d: Difference, right: np.ndarray) -> np.ndarray:
    """A mask [...] of matrices, for the elements that are apart."""
    arrays = d.arrays
    assert arrays is not None and arrays.ours is not None
    return np.broadcast_to(right[..., None, None], arrays.ours.shape)[arrays.far]


def _outputs(d: Difference) -> list[np.ndarray]:
    """All of ours, as they are in the difference."""
    assert d.arrays is not None and d.arrays.ours is not None
    outputs = list(d.outputs[0])
    outputs[d.output] = d.arrays.ours
    return [compare.widest(x) for x in outputs]


def _are_eigenvectors(a: np.ndarray, e: np.ndarray, v: np.ndarray, tolerance: float):
    """Per matrix: v is orthonormal, and a v = v e."""
    n = a.shape[-1]
    size = np.abs(a).max((-1, -2), initial=0)
    back = _small(a @ v - v * e[..., None, :], n * tolerance * size)
    return back & _orthonormal(v, tolerance)


def _eigenvectors(d: Difference) -> np.ndarray:
    """Elements of matrices of ours that are eigenvectors of the input."""
    e, v = _outputs(d)
    a = _hermitian(compare.widest(d.input(0)))
    return _far_of(d, _are_eigenvectors(a, e, v, compare.TOLERANCE[d.enum]))


def _eigenvectors_below(d: Difference) -> np.ndarray:
    """As above, of vectors below a row of their values."""
    (both,) = _outputs(d)
    e, v = both[..., 0, :], both[..., 1:, :]
    a = _hermitian(compare.widest(d.input(0)))
    right = _far_of(d, _are_eigenvectors(a, e, v, compare.TOLERANCE[d.enum]))
    assert d.arrays is not None and d.arrays.far is not None
    return right & (np.nonzero(d.arrays.far)[-2] > 0)


def _singular_vectors(d: Difference) -> np.ndarray:
    """Elements of matrices of ours that are singular vectors of the input: a = u s v^H."""
    s, u, v = _outputs(d)
    a, k = compare.widest(d.input(0)), s.shape[-1]
    tolerance = compare.TOLERANCE[d.enum]
    product = (u[..., :k] * s[..., None, :]) @ _adjoint(v[..., :k])
    size = np.abs(a).max((-1, -2), initial=0)
    right = _small(product - a, max(a.shape[-2:]) * tolerance * size)
    return _far_of(d, right & _orthonormal(u, tolerance) & _orthonormal(v, tolerance))


_TURNED = "vectors may be turned by a number of size 1; ours are vectors of the matrix"
_SYMMETRIC = np.array([[2.0, 1.0], [1.0, 2.0]])
_E = np.array([1.0, 3.0])
_V = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2)
_NOT_ASKED = "the vectors that were not asked for have the shape that both infer; TensorFlow leaves a scalar of no meaning"


def _eig(ours: Any, theirs: Any, **what: Any) -> Difference:
    case = call("SelfAdjointEigV2", _SYMMETRIC, compute_v=True)
    outputs = [_E, ours], [_E, theirs]
    return gave(case, ours, theirs, "float64", output=1, outputs=outputs, **what)


def _eig_v1(ours: Any, theirs: Any) -> Difference:
    case = call("SelfAdjointEig", _SYMMETRIC)
    both = [np.concatenate([_E[None], v]) for v in (ours, theirs)]
    return gave(case, *both, "float64", outputs=([both[0]], [both[1]]))


def _svd(ours: Any, theirs: Any) -> Difference:
    """Of a matrix whose singular values are its eigenvalues."""
    case = call("Svd", _SYMMETRIC, compute_uv=True)
    s, v = _E[::-1], _V[:, ::-1]
    return gave(
        case, ours, theirs, "float64", output=1,
        outputs=([s, ours, v], [s, theirs, -v]),
    )  # fmt: skip


def _of_shape(op: str, asked: bool, ours: Any, theirs: Any) -> Difference:
    name = "compute_uv" if "Svd" in op else "compute_v"
    return gave(call(op, _SYMMETRIC, **{name: asked}), ours, theirs, output=1)


_OF_VECTORS = [
    Explanation(
        "SelfAdjointEigV2 BatchSelfAdjointEigV2",
        VALUE,
        _TURNED,
        dtypes=_NUMBERS,
        outputs=(1,),
        elements=_eigenvectors,
        bound=np.inf,
        also=("other sign",),
        when=lambda d: d.attrs["compute_v"],
        true=[_eig(_V, -_V), _eig(_V * [1, -1], _V)],
        wrong=[
            _eig(_V * [1, 2], -_V),
            # The eigenvalues are in another order.
            _eig(_V[:, ::-1], _V),
        ],
    ),
    Explanation(
        "SelfAdjointEig BatchSelfAdjointEig",
        VALUE,
        _TURNED,
        dtypes="float32 float64",
        outputs=(0,),
        elements=_eigenvectors_below,
        bound=np.inf,
        true=[_eig_v1(_V, -_V)],
        wrong=[_eig_v1(_V * [1, 2], -_V), _eig_v1(_V[:, ::-1], _V)],
    ),
    Explanation(
        "Svd BatchSvd",
        VALUE,
        _TURNED,
        dtypes=_NUMBERS,
        outputs=(1, 2),
        elements=_singular_vectors,
        bound=np.inf,
        when=lambda d: d.attrs["compute_uv"],
        true=[_svd(_V[:, ::-1], -_V[:, ::-1])],
        # The left vectors are turned and the right ones are not.
        wrong=[_svd(-_V[:, ::-1], _V[:, ::-1]), _svd(_V, _V[:, ::-1])],
    ),
    Explanation(
        "SelfAdjointEigV2 BatchSelfAdjointEigV2",
        VALUE,
        _NOT_ASKED,
        dtypes=_NUMBERS,
        outputs=(1,),
        shapes=((0,), ()),
        when=lambda d: not d.attrs["compute_v"],
        true=[_of_shape("SelfAdjointEigV2", False, [], 5.0)],
        wrong=[
            _of_shape("SelfAdjointEigV2", True, [], 5.0),
            _of_shape("SelfAdjointEigV2", False, [1.0], 5.0),
        ],
    ),
    Explanation(
        "Svd BatchSvd",
        VALUE,
        _NOT_ASKED,
        dtypes=_NUMBERS,
        outputs=(1, 2),
        shapes=((0,), ()),
        when=lambda d: not d.attrs["compute_uv"],
        true=[_of_shape("BatchSvd", False, [], 5.0)],
        wrong=[
            _of_shape("BatchSvd", True, [], 5.0),
            _of_shape("BatchSvd", False, [1.0], 5.0),
        ],
    ),
]


# What has no factors. ----------------------------------------------------------------------------------------


def _is_not_positive(d: Difference) -> bool:
    """A matrix of finite numbers that has no Cholesky factor, as NumPy finds."""
    a = compare.widest(d.input(0))
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        return False
    matrices = _hermitian(a).reshape(-1, *a.shape[-2:])
    return any(_has_no_factor(m) for m in matrices if m.size)


def _has_no_factor(a: np.ndarray) -> bool:
    # What precedes the first row that is not finite may have none already.
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


def _is_no_number(d: Difference) -> bool:
    x = compare.widest(d.input(0))
    return x.shape[-1] > 1 and not np.isfinite(x).all()


_NO_CHOLESKY = "InvalidArgumentError: Cholesky decomposition was not successful. The input might not be valid."
_NO_EIGEN = "InvalidArgumentError: Self-adjoint eigen decomposition was not successful. The input might not be valid."
_WITH_NAN = np.array([[1.0, 0.0], [0.0, np.nan]])

_WITHOUT_FACTORS = [
    Explanation(
        "Cholesky BatchCholesky",
        REFUSAL,
        "what is not positive definite is refused, as in TensorFlow 1.x; later ones leave NaN or nothing in the output",
        ours=r"InvalidArgumentError: Cholesky decomposition was not successful",
        when=_is_not_positive,
        true=[
            refused(call("Cholesky", np.diag([1.0, -1.0])), _NO_CHOLESKY),
            refused(call("BatchCholesky", np.zeros([1, 2, 1, 1])), _NO_CHOLESKY),
            refused(call("BatchCholesky", [[2.0, 0.0], [-np.inf, 3.0]]), _NO_CHOLESKY),
            refused(call("Cholesky", [[[-np.inf]]]), _NO_CHOLESKY),
        ],
        wrong=[
            refused(call("Cholesky", np.eye(2)), _NO_CHOLESKY),
            refused(call("Cholesky", _WITH_NAN), _NO_CHOLESKY),
            refused(call("Cholesky", [[np.inf]]), _NO_CHOLESKY),
            refused(call("Cholesky", [[2.0, np.inf], [0.0, 3.0]]), _NO_CHOLESKY),
        ],
    ),
    Explanation(
        "SelfAdjointEig BatchSelfAdjointEig SelfAdjointEigV2 BatchSelfAdjointEigV2",
        REFUSAL,
        "a matrix with a NaN has no eigenvalues; TensorFlow finds some where the iteration stops by itself",
        ours=r"InvalidArgumentError: Self-adjoint eigen decomposition was not successful",
        when=_is_no_number,
        true=[refused(call("SelfAdjointEigV2", _WITH_NAN), _NO_EIGEN)],
        wrong=[
            refused(call("SelfAdjointEigV2", np.eye(2)), _NO_EIGEN),
            refused(call("SelfAdjointEigV2", [[np.nan]]), _NO_EIGEN),
        ],
    ),
]


def _of_infinite(d: Difference) -> np.ndarray:
    """Elements of matrices that have an infinite element, or none that is a number: NaN here, 0 there."""
    arrays = d.arrays
    assert arrays is not None and arrays.ours is not None
    odd = ~np.isfinite(d.input(0)).all((-1, -2))
    odd = odd.reshape(odd.shape + (1,) * (arrays.ours.ndim - odd.ndim))
    there = np.broadcast_to(odd, arrays.ours.shape)[arrays.far]
    return there & np.isnan(arrays.a) & (arrays.b == 0)


def _of_infinite_gradients(d: Difference) -> np.ndarray:
    """NaN of ours, in matrices whose factor's gradient has an element that is no number or infinite."""
    arrays = d.arrays
    assert arrays is not None and arrays.ours is not None
    odd = ~np.isfinite(d.input(1)).all((-1, -2), keepdims=True)
    there = np.broadcast_to(odd, arrays.ours.shape)[arrays.far]
    return there & np.isnan(arrays.a)


def _cholesky_grad(grad: float, ours: float, theirs: float) -> Difference:
    factor, given = np.ones([1, 1], np.float32), np.array([[grad]], np.float32)
    asked = call("CholeskyGrad", factor, given)
    return gave(asked, [[ours]], [[theirs]], "float32")


_TWO = np.array([np.eye(1), [[np.nan]]], np.complex64)
_NO_NUMBERS = complex(np.nan)


def _no_values(*ours: Any) -> Difference:
    return gave(call("Svd", _TWO), [[1], ours], [[1], [0]], "complex64")


def _of_matrices_without_numbers(d: Difference) -> np.ndarray:
    """Numbers of matrices that have an element that is none: NaN here."""
    arrays = d.arrays
    assert arrays is not None and arrays.ours is not None
    odd = ~np.isfinite(compare.widest(d.input(0))).all((-1, -2))
    return np.broadcast_to(odd, arrays.ours.shape)[arrays.far] & np.isnan(arrays.a)


def _sign(element: float, ours: float) -> Difference:
    case = call("LogMatrixDeterminant", np.float32([[[element, 0], [0, 1]]]))
    return gave(case, [ours], [1.0])


_WITHOUT_FACTORS.append(
    Explanation(
        "LogMatrixDeterminant",
        VALUE,
        "the sign of what is no number is none; TensorFlow counts the signs that it finds",
        dtypes="float32 float64",
        outputs=(0,),
        elements=_of_matrices_without_numbers,
        bound=np.inf,
        when=lambda d: bool(d.case.inputs),  # type: ignore[union-attr]
        true=[_sign(np.inf, np.nan)],
        wrong=[_sign(2.0, np.nan), _sign(np.inf, -1.0)],
    )
)
_WITHOUT_FACTORS.append(
    Explanation(
        "Svd BatchSvd",
        VALUE,
        "what has no singular values has NaN; TensorFlow fills it with what C++ has for a complex NaN, which is 0",
        dtypes=_COMPLEX,
        outputs=(0, 1, 2),
        elements=_of_infinite,
        bound=np.inf,
        true=[_no_values(_NO_NUMBERS)],
        wrong=[
            _no_values(1),
            gave(call("Svd", _TWO), [[_NO_NUMBERS], [0]], [[0], [0]], "complex64"),
        ],
    )
)
_WITHOUT_FACTORS.append(
    Explanation(
        "CholeskyGrad BatchCholeskyGrad",
        VALUE,
        "an infinite gradient of a factor meets others in products, whose order decides which elements are NaN",
        dtypes="float32 float64",
        outputs=(0,),
        elements=_of_infinite_gradients,
        bound=np.inf,
        true=[_cholesky_grad(np.inf, np.nan, -np.inf)],
        wrong=[
            _cholesky_grad(np.inf, 0.0, -np.inf),
            _cholesky_grad(1.0, np.nan, 0.5),
        ],
    )
)

# Gradients. --------------------------------------------------------------------------------------------------


def _inverse_adjoint(d: Difference) -> np.ndarray:
    return _adjoint(np.linalg.inv(compare.widest(d.input(0))))


def _determinant_gradient(d: Difference) -> np.ndarray:
    """g conj(det) x^-H."""
    (det,) = d.outputs[0]
    (g,) = upstreams([det])
    return (g * np.conj(det))[..., None, None] * _inverse_adjoint(d)


def _log_determinant_gradient(d: Difference) -> np.ndarray:
    """(Re g_log + i Im(conj(sign) g_sign)) x^-H."""
    sign, log = d.outputs[0]
    of_sign, of_log = upstreams([sign, log])
    scale = of_log.real + 1j * np.imag(np.conj(sign) * of_sign)
    return scale[..., None, None] * _inverse_adjoint(d)


def _tridiagonal_gradient(d: Difference) -> np.ndarray:
    """Of the right side a^-H g; of a minus that times x^H, where a has its diagonals."""
    diagonals = compare.widest(d.input(0))
    n = diagonals.shape[-1]
    above, main, below = (diagonals[..., i, :] for i in range(3))
    a = main[..., None] * np.eye(n)
    i = np.arange(n - 1)
    a[..., i, i + 1] = above[..., :-1]
    a[..., i + 1, i] = below[..., 1:]
    (x,) = d.outputs[0]
    (g,) = upstreams([x])
    of_rhs = np.linalg.solve(_adjoint(a), compare.widest(g))
    if d.output == 1:
        return of_rhs
    of_a = -of_rhs @ _adjoint(compare.widest(x))
    found = np.zeros_like(diagonals)
    found[..., 0, :-1] = of_a[..., i, i + 1]
    found[..., 1, :] = np.diagonal(of_a, axis1=-2, axis2=-1)
    found[..., 2, 1:] = of_a[..., i + 1, i]
    return found


def _square_root_gradient(d: Difference) -> np.ndarray:
    """z with y^H z + z y^H = g."""
    (y,) = d.outputs[0]
    g = compare.widest(upstreams([y])[0])
    left = _adjoint(compare.widest(y))
    n = y.shape[-1]
    pairs = zip(left.reshape(-1, n, n), g.reshape(-1, n, n))
    found = [scipy.linalg.solve_sylvester(a, a, b) for a, b in pairs]
    return np.array(found).reshape(y.shape)


def _determinant(theirs: Any, ours: Any) -> Difference:
    det = np.array(2j)
    return gave(
        call("MatrixDeterminant", np.diag([1.0, 2j])), ours, theirs, "complex128",
        kind=GRADIENT, outputs=([det], [det]),
    )  # fmt: skip


def _log_determinant(theirs: Any, ours: Any) -> Difference:
    outputs = [np.array(1j), np.array(np.log(2) + 0j)]
    return gave(
        call("LogMatrixDeterminant", np.diag([1.0, 2j])), ours, theirs, "complex128",
        kind=GRADIENT, outputs=(outputs, outputs),
    )  # fmt: skip


_G = upstreams([np.array(2j)])[0]
_RIGHT = _G * -2j * np.diag([1, 0.5j])
_OF_SIGN, _OF_LOG = upstreams([np.array(1j), np.array(0j)])
_RIGHT_LOG = (_OF_LOG.real + 1j * np.imag(-1j * _OF_SIGN)) * np.diag([1, 0.5j])
_ONE_DIAGONAL = np.array([[0], [2j], [0]])
_X1 = np.array([[1 + 1j]])
_GX = upstreams([_X1])[0]


def _tridiagonal(output: int, ours: Any, theirs: Any, op: str = "TridiagonalSolve"):
    case = call(op, _ONE_DIAGONAL, 2j * _X1)
    return gave(
        case, ours, theirs, "complex128", output=output, kind=GRADIENT,
        outputs=([_X1], [_X1]),
    )  # fmt: skip


_ROOT = np.array([[1 + 1j]])
_OF_ROOT = upstreams([_ROOT])[0] / (2 * np.conj(_ROOT))


def _square_root(ours: Any, theirs: Any) -> Difference:
    return gave(
        call("MatrixSquareRoot", _ROOT**2), ours, theirs, "complex128",
        kind=GRADIENT, outputs=([_ROOT], [_ROOT]),
    )  # fmt: skip


_OF_DIAGONAL = -(_GX / -2j * np.conj(_X1))[0, 0] * np.array([[0], [1], [0]])


def _with_other_phases(d: Difference) -> np.ndarray:
    """TensorFlow's, with the imaginary part of the values' gradient as it came: 2 u Im(g) v^H further."""
    assert d.arrays is not None and d.arrays.theirs is not None
    u, _, vh = np.linalg.svd(compare.widest(d.input(0)), full_matrices=False)
    g = 2j * upstream(d.outputs[0][0]).imag
    return compare.widest(d.arrays.theirs) + (u * g[..., None, :]) @ vh


_COLUMN = np.array([[3.0], [4j]])
_OF_FIVE = upstream(np.array([5 + 0j])).imag
_FURTHER = 2j * _OF_FIVE * _COLUMN / 5


def _svd_gradient(ours: Any, matrix: np.ndarray = _COLUMN) -> Difference:
    case = call("Svd", matrix, compute_uv=True)
    outputs = [np.array([5 + 0j])]
    return gave(
        case, ours, 0 * ours, "complex128", kind=GRADIENT, outputs=(outputs, outputs)
    )


_GRADIENTS = [
    Explanation(
        "Svd",
        GRADIENT,
        "values are real, an imaginary part of their gradient means nothing; of high matrices TensorFlow conjugates it",
        dtypes=_COMPLEX,
        outputs=(0,),
        elements=lambda d: ours_is(
            _with_other_phases, _SLACK * compare.TOLERANCE[d.enum]
        )(d),
        bound=np.inf,
        when=lambda d: (
            d.attrs["compute_uv"] and d.input(0).shape[-2] > d.input(0).shape[-1]
        ),
        true=[_svd_gradient(_FURTHER)],
        wrong=[
            _svd_gradient(-_FURTHER),
            _svd_gradient(_FURTHER.T, _COLUMN.T),
        ],
    ),
    Explanation(
        "MatrixSquareRoot",
        GRADIENT,
        "z with y^H z + z y^H = g; TensorFlow transposes y and does not conjugate it",
        dtypes=_COMPLEX,
        outputs=(0,),
        elements=ours_is(_square_root_gradient, _SLACK * 2e-5),
        bound=np.inf,
        true=[_square_root(_OF_ROOT, -_OF_ROOT)],
        wrong=[_square_root(-_OF_ROOT, _OF_ROOT)],
    ),
    Explanation(
        "MatrixDeterminant",
        GRADIENT,
        "g conj(det) x^-H; TensorFlow does not conjugate the determinant",
        dtypes=_COMPLEX,
        outputs=(0,),
        elements=ours_is(_determinant_gradient, _SLACK * 2e-5),
        bound=np.inf,
        true=[_determinant(-_RIGHT, _RIGHT)],
        wrong=[_determinant(_RIGHT, -_RIGHT), _determinant(_RIGHT, 2 * _RIGHT)],
    ),
    Explanation(
        "LogMatrixDeterminant",
        GRADIENT,
        "the logarithm is real and the sign has size 1; TensorFlow gives the sign no gradient, and the logarithm another",
        dtypes=_COMPLEX,
        outputs=(0,),
        elements=ours_is(_log_determinant_gradient, _SLACK * 2e-5),
        bound=np.inf,
        true=[_log_determinant(-_RIGHT_LOG, _RIGHT_LOG)],
        wrong=[
            _log_determinant(_RIGHT_LOG, -_RIGHT_LOG),
            _log_determinant(_RIGHT_LOG, 2 * _RIGHT_LOG),
        ],
    ),
    Explanation(
        "TridiagonalSolve",
        GRADIENT,
        "a^-H g, and minus that times x^H; TensorFlow conjugates neither",
        dtypes=_COMPLEX,
        outputs=(0, 1),
        elements=ours_is(_tridiagonal_gradient, _SLACK * 2e-5),
        bound=np.inf,
        true=[
            _tridiagonal(1, _GX / -2j, _GX / 2j),
            _tridiagonal(0, _OF_DIAGONAL, -_OF_DIAGONAL),
        ],
        wrong=[
            _tridiagonal(1, _GX / 2j, _GX / -2j),
            _tridiagonal(0, -_OF_DIAGONAL, _OF_DIAGONAL),
        ],
    ),
]


# Gradients that TensorFlow does not get to. ------------------------------------------------------------------


def _refuses(op: str, theirs: str, ours: str = "", **attrs: Any) -> Difference:
    return refused(call(op, **attrs), ours, theirs, kind=GRADIENT_ERROR)


def _asks_vectors(d: Difference) -> bool:
    return d.attrs["compute_uv"]


_NO_SHAPE = "TypeError: 'NoneType' object is not subscriptable"
_NO_SUBSCRIPT = r"TypeError: 'NoneType' object is not subscriptable"
_FULL = "NotImplementedError: Svd: a gradient with full_matrices is there of shapes that are known and almost square, got <unknown>"
_NONE = "InvalidArgumentError: None values not supported."
_DYNAMIC = "NotImplementedError: QrGrad not implemented with dynamic shapes. Received r.shape: <unknown>"
_NO_RANK = "InvalidArgumentError: Cannot iterate over a shape with unknown rank."

_NOT_THERE = [
    Explanation(
        "Svd",
        GRADIENT_ERROR,
        "TensorFlow's gradient of vectors asks for the rank, and does not say so",
        theirs=_NO_SUBSCRIPT,
        when=_asks_vectors,
        true=[_refuses("Svd", _NO_SHAPE, compute_uv=True)],
        wrong=[_refuses("Svd", _NO_SHAPE, compute_uv=False)],
    ),
    Explanation(
        "Svd",
        GRADIENT_ERROR,
        "TensorFlow's gradient of vectors asks for the rank, and does not say so",
        # There is a gradient where shapes are known.
        also=("ours none",),
        ours=r"NotImplementedError: Svd: a gradient with full_matrices is there of shapes that are known",
        theirs=_NO_SUBSCRIPT,
        when=lambda d: _asks_vectors(d) and d.attrs["full_matrices"],
        true=[_refuses("Svd", _NO_SHAPE, _FULL, compute_uv=True, full_matrices=True)],
        wrong=[
            _refuses("Svd", _NO_SHAPE, _FULL, compute_uv=True, full_matrices=False),
        ],
    ),
    Explanation(
        "Qr",
        GRADIENT_ERROR,
        "TensorFlow's gradient asks for the shape; ours does with full_matrices",
        theirs=r"NotImplementedError: QrGrad not implemented with dynamic shapes",
        when=lambda d: not d.attrs["full_matrices"],
        true=[_refuses("Qr", _DYNAMIC, full_matrices=False)],
        wrong=[_refuses("Qr", _DYNAMIC, full_matrices=True)],
    ),
    Explanation(
        "MatrixSolveLs",
        GRADIENT_ERROR,
        "where the shape is not known TensorFlow chooses a formula in each run, and cannot choose the regularizer's None",
        theirs=r"InvalidArgumentError: None values not supported\.",
        when=lambda d: d.attrs["fast"],
        true=[_refuses("MatrixSolveLs", _NONE, fast=True)],
        wrong=[_refuses("MatrixSolveLs", _NONE, fast=False)],
    ),
    Explanation(
        "TridiagonalSolve",
        GRADIENT_ERROR,
        "TensorFlow's gradient asks for the rank",
        theirs=r"InvalidArgumentError: Cannot iterate over a shape with unknown rank",
        true=[_refuses("TridiagonalSolve", _NO_RANK)],
        wrong=[_refuses("TridiagonalSolve", _NONE)],
    ),
]

TABLE: list[Explanation] = [
    *_OF_VECTORS,
    *_WITHOUT_FACTORS,
    *_GRADIENTS,
    *_NOT_THERE,
]
