# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues and singular values, and results from them: ranks, pseudoinverses, functions of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_linalg_ops,
    gen_math_ops,
    math_ops,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def self_adjoint_eig(
    tensor: TensorLike, name: str | None = None
) -> tuple[ops.Tensor, ops.Tensor]:
    """Eigenvalues, ascending, and eigenvectors, as columns: [..., n, n] -> [..., n], [..., n, n].

    `tensor` is float or complex and Hermitian; its lower triangle alone is read.  InvalidArgumentError in the run if the
    iteration does not end, as happens for NaN.
    """
    e, v = gen_linalg_ops.self_adjoint_eig_v2(tensor, compute_v=True, name=name)
    return e, v


def self_adjoint_eigvals(tensor: TensorLike, name: str | None = None) -> ops.Tensor:
    """The eigenvalues alone, ascending: [..., n, n] -> [..., n]; see `self_adjoint_eig`."""
    e, _ = gen_linalg_ops.self_adjoint_eig_v2(tensor, compute_v=False, name=name)
    return e


def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Singular values s [..., k], descending, k = min(m, n), of [..., m, n] = u diag(s) v^H.

    Args:
        tensor: float or complex.
        full_matrices: u and v are square, [..., m, m] and [..., n, n], not [..., m, k] and [..., n, k].
        compute_uv: returns (s, u, v); else s alone.  s is real, as v is, where `tensor` is.
    """
    s, u, v = gen_linalg_ops.svd(
        tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name
    )
    s = math_ops.real(s)
    return (s, u, v) if compute_uv else s


def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Sequence[float] | None = None,
    tol: float | None = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues, ascending, of a Hermitian matrix of three diagonals, and eigenvectors as columns.

    Args:
        alpha: float or complex [n], the main diagonal, of which the real parts count.
        beta: [n - 1], the diagonal below.
        eigvals_only: the eigenvalues alone, else (eigenvalues [k], eigenvectors [n, k]).
        select: "a": all; "i": those numbered select_range[0] to select_range[1]; "v": those between.
        tol: not needed: all digits are computed.

    Raises:
        ValueError: for another `select`, or a range that is none.
    """
    del tol
    with ops.name_scope(name or "eigh_tridiagonal"):
        alpha = ops.convert_to_tensor(alpha, name="alpha")
        beta = ops.convert_to_tensor(beta, dtype=alpha.dtype.base_dtype, name="beta")
        if select not in ("a", "i", "v"):
            raise ValueError(f"select must be 'a', 'i' or 'v', got {select!r}")
        if select != "a":
            bounds: Any = select_range
            low, high = bounds
            if not low <= high:
                raise ValueError(f"select_range must be ascending, got {select_range}")
        lower = array_ops.pad(array_ops.matrix_diag(beta), [[1, 0], [0, 1]])
        matrix = array_ops.matrix_diag(alpha) + lower
        if eigvals_only:
            e, v = self_adjoint_eigvals(matrix), None
        else:
            e, v = self_adjoint_eig(matrix)
        e = math_ops.real(e)
        if select == "i":
            e = e[low : high + 1]
            v = None if v is None else v[:, low : high + 1]
        elif select == "v":
            inside = gen_math_ops.logical_and(e >= low, e <= high)
            at = array_ops.where(inside)[:, 0]
            e = array_ops.gather(e, at)
            v = None if v is None else array_ops.gather(v, at, axis=1)
        return e if eigvals_only else (e, v)


def _threshold(a: ops.Tensor, s: ops.Tensor) -> ops.Tensor:
    """max(m, n) eps times the largest singular value: [..., 1]."""
    eps = float(np.finfo(s.dtype.base_dtype.as_numpy_dtype).eps)
    sizes = array_ops.shape(a)[-2:]
    largest = math_ops.reduce_max(s, axis=-1, keepdims=True)
    return math_ops.cast(math_ops.reduce_max(sizes), s.dtype.base_dtype) * eps * largest


def _checked_finite(a: ops.Tensor, validate: bool) -> ops.Tensor:
    if not validate:
        return a
    good = math_ops.reduce_all(math_ops.is_finite(math_ops.abs(a)))
    check = control_flow_ops.Assert(good, ["the matrices must be finite", a])
    with ops.control_dependencies([check]):
        return array_ops.identity(a)


def matrix_rank(
    a: TensorLike,
    tol: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Returns the number of singular values that are larger than `tol`: [..., m, n] -> int32 [...].

    Args:
        tol: a tensor of a's real dtype, [...]; None: max(m, n) eps times the largest singular value.
        validate_args: checks in the run that `a` is finite.
    """
    with ops.name_scope(name or "matrix_rank"):
        a = ops.convert_to_tensor(a, name="a")
        a = _checked_finite(a, validate_args)
        s = svd(a, compute_uv=False)
        if tol is None:
            least = _threshold(a, s)
        else:
            least = ops.convert_to_tensor(tol, dtype=s.dtype.base_dtype)[..., None]
        return math_ops.reduce_sum(math_ops.cast(s > least, dtypes.int32), axis=-1)


def pinv(
    a: TensorLike,
    rcond: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The pseudoinverse of Moore and Penrose: [..., m, n] -> [..., n, m].

    Args:
        a: float or complex.
        rcond: [...]; singular values up to `rcond` times the largest count as zero.  10 max(m, n) eps if it is None.
        validate_args: checks in the run that `a` is finite.
    """
    with ops.name_scope(name or "pinv"):
        a = ops.convert_to_tensor(a, name="a")
        a = _checked_finite(a, validate_args)
        s, u, v = svd(a)
        if rcond is None:
            least = 10 * _threshold(a, s)
        else:
            rcond = ops.convert_to_tensor(rcond, dtype=s.dtype.base_dtype)
            least = rcond[..., None] * math_ops.reduce_max(s, axis=-1, keepdims=True)
        # Dividing by infinity leaves out the singular values that are too small.
        s = array_ops.where_v2(s > least, s, array_ops.ones_like(s) * np.inf)
        scaled = v / math_ops.cast(s, v.dtype.base_dtype)[..., None, :]
        return math_ops.matmul(scaled, u, adjoint_b=True)


def slogdet(
    input: TensorLike, name: str | None = None
) -> tuple[ops.Tensor, ops.Tensor]:
    """(sign, log |det|) of square matrices: [..., n, n] -> [...], [...].

    The sign is a number of size 1; for a singular matrix, it is 0 and the logarithm -infinity.
    """
    result = gen_linalg_ops.log_matrix_determinant(input, name=name)
    return result


def logdet(matrix: TensorLike, name: str | None = None) -> ops.Tensor:
    """log det of Hermitian, positive definite matrices: [..., n, n] -> [...].

    Twice the sum of the logarithms of the diagonal of Cholesky's factor.
    """
    with ops.name_scope(name, "logdet", [matrix]):
        factor = gen_linalg_ops.cholesky(matrix)
        diagonal = math_ops.real(array_ops.matrix_diag_part(factor))
        return 2.0 * math_ops.reduce_sum(gen_math_ops.log(diagonal), axis=-1)


# Pade's numerators of exp, by degree, and up to which 1-norm they are exact in single and in double precision (Higham,
# "The scaling and squaring method for the matrix exponential revisited", 2005).
_PADE = {
    3: (120.0, 60.0, 12.0, 1.0),
    5: (30240.0, 15120.0, 3360.0, 420.0, 30.0, 1.0),
    7: (
        17297280.0,
        8648640.0,
        1995840.0,
        277200.0,
        25200.0,
        1512.0,
        56.0,
        1.0,
    ),
    13: (
        64764752532480000.0,
        32382376266240000.0,
        7771770303897600.0,
        1187353796428800.0,
        129060195264000.0,
        10559470521600.0,
        670442572800.0,
        33522128640.0,
        1323241920.0,
        40840800.0,
        960960.0,
        16380.0,
        182.0,
        1.0,
    ),
}
_EXP_DEGREE = {
    dtypes.float32: (7, 3.925724783138660),
    dtypes.float64: (13, 5.371920351148152),
}


def expm(input: TensorLike, name: str | None = None) -> ops.Tensor:
    """exp of square matrices, the sum of their powers over factorials: [..., n, n] -> [..., n, n].

    By Pade's approximant of the matrix over a power of two, squared as often (Higham, 2005).  Float or complex.
    """
    with ops.name_scope(name, "matrix_exponential", [input]):
        x = ops.convert_to_tensor(input, name="matrix")
        shape = x.get_shape().with_rank_at_least(2)
        shape[-1:].assert_is_compatible_with(shape[-2:-1])
        if shape.is_fully_defined() and 0 in shape.as_list():
            return x
        real = math_ops.real(x).dtype.base_dtype
        work = dtypes.float64 if real == dtypes.float64 else dtypes.float32
        degree, exact = _EXP_DEGREE[work]
        size = math_ops.reduce_max(
            math_ops.reduce_sum(math_ops.abs(x), axis=-2), axis=-1
        )
        halvings = gen_math_ops.ceil(
            gen_math_ops.log(gen_math_ops.maximum(size / exact, 1e-30)) / np.log(2.0)
        )
        halvings = gen_math_ops.maximum(halvings, 0.0)
        halvings = array_ops.stop_gradient(
            array_ops.where_v2(
                math_ops.is_finite(halvings), halvings, array_ops.zeros_like(halvings)
            )
        )
        scale = gen_math_ops._pow(math_ops.cast(2.0, real), -halvings)
        x = x * math_ops.cast(scale, x.dtype.base_dtype)[..., None, None]
        odd, even = _pade_halves(x, _PADE[degree])
        result = gen_linalg_ops.matrix_solve(even - odd, even + odd)
        result = _squared(result, halvings)
        result.set_shape(shape)
        return result


def _pade_halves(
    x: ops.Tensor, terms: tuple[float, ...]
) -> tuple[ops.Tensor, ops.Tensor]:
    """The odd and the even part of a polynomial of x."""
    identity = array_ops.matrix_diag(array_ops.ones_like(array_ops.matrix_diag_part(x)))
    square = math_ops.matmul(x, x)
    power, odd, even = identity, None, None
    for i in range(0, len(terms), 2):
        even = power * terms[i] if even is None else even + power * terms[i]
        odd = power * terms[i + 1] if odd is None else odd + power * terms[i + 1]
        if i + 2 < len(terms):
            power = math_ops.matmul(power, square)
    assert odd is not None and even is not None  # There are terms.
    return math_ops.matmul(x, odd), even


def _squared(x: ops.Tensor, times: ops.Tensor) -> ops.Tensor:
    """Each matrix squared as often as its own number says."""
    most = math_ops.reduce_max(times)

    def body(i: ops.Tensor, y: ops.Tensor) -> tuple[ops.Tensor, ops.Tensor]:
        again = (i < times)[..., None, None]
        return i + 1.0, array_ops.where_v2(again, math_ops.matmul(y, y), y)

    zero = array_ops.zeros_like(most)
    _, result = control_flow_ops.while_loop(lambda i, _: i < most, body, [zero, x])
    return result
