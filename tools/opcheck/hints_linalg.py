# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of linear algebra and of sets; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint


def _sizes(d: Drawer) -> tuple[list[int], int]:
    """The batch and the size of square matrices."""
    if d.huge:
        return [], 512
    if d.big:
        return [2], 128
    return [d.dim() for _ in range(d.int(0, 2))], d.int(1, 5)


def _normal(d: Drawer, shape: list[int]) -> np.ndarray:
    return d.values("T", shape, "normal")


def _adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def _positive(d: Drawer, shape: list[int]) -> np.ndarray:
    """Hermitian and positive definite."""
    x, n = _normal(d, shape), shape[-1]
    return (x @ _adjoint(x) + max(n, 1) * np.eye(n)).astype(x.dtype)


def _regular(d: Drawer, shape: list[int]) -> np.ndarray:
    """Well-conditioned."""
    x, n = _normal(d, shape), shape[-1]
    return (x + 3 * max(n, 1) ** 0.5 * np.eye(n)).astype(x.dtype)


@hint("Cholesky", "BatchCholesky", "MatrixSquareRoot")
def _cholesky(d: Drawer):
    batch, n = _sizes(d)
    if d.sig.name == "MatrixSquareRoot":
        n = min(n, 24)
        batch = [40] if d.big else batch
    return [_positive(d, [*batch, n, n])]


@hint("MatrixLogarithm")
def _matrix_logarithm(d: Drawer):
    batch, n = _sizes(d)
    return [_positive(d, [*([40] if d.big else batch), min(n, 24), min(n, 24)])]


@hint("CholeskyGrad", "BatchCholeskyGrad")
def _cholesky_grad(d: Drawer):
    batch, n = _sizes(d)
    shape = [*batch, n, n]
    return [np.tril(_regular(d, shape)), _normal(d, shape)]


@hint(
    "MatrixDeterminant", "BatchMatrixDeterminant", "LogMatrixDeterminant", "MatrixInverse",
    "BatchMatrixInverse", "Lu",
)  # fmt: skip
def _square(d: Drawer):
    batch, n = _sizes(d)
    if "Determinant" in d.sig.name and d.large:
        # The determinants of large ones are no numbers.
        batch, n = [4_000 if d.huge else 21_000], 16 if d.huge else 3
    return [_regular(d, [*batch, n, n])]


@hint(
    "SelfAdjointEig", "BatchSelfAdjointEig", "SelfAdjointEigV2", "BatchSelfAdjointEigV2",
)  # fmt: skip
def _self_adjoint(d: Drawer):
    batch, n = _sizes(d)
    x = _normal(d, [*batch, n, n])
    return [((x + _adjoint(x)) / 2).astype(x.dtype)]


@hint("MatrixSolve", "BatchMatrixSolve")
def _matrix_solve(d: Drawer):
    batch, n = _sizes(d)
    return [_regular(d, [*batch, n, n]), _normal(d, [*batch, n, _columns(d)])]


def _columns(d: Drawer) -> int:
    return 512 if d.huge else 120 if d.big else d.int(1, 4)


@hint("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def _matrix_triangular_solve(d: Drawer):
    batch, n = _sizes(d)
    of_rhs = batch
    if d.sig.name == "MatrixTriangularSolve" and batch and d.chance(0.3):
        batch, of_rhs = (
            ([1, *batch[1:]], batch) if d.chance(0.5) else (batch, batch[1:])
        )
    return [_regular(d, [*batch, n, n]), _normal(d, [*of_rhs, n, _columns(d)])]


@hint("MatrixSolveLs", "BatchMatrixSolveLs")
def _matrix_solve_ls(d: Drawer):
    if not (d.large or d.size == "small"):
        d.attrs["fast"] = True
    batch, n = _sizes(d)
    m = n if d.large else d.int(1, 5)
    l2 = d.array(sig.DOUBLE, d.pick([0.5, 1.0, 2.0]))
    return [_normal(d, [*batch, m, n]), _normal(d, [*batch, m, _columns(d)]), l2]


@hint("Qr", "Svd", "BatchSvd")
def _factors(d: Drawer):
    if d.size not in ("small", "big", "huge"):
        d.attrs["full_matrices"] = False
    batch, n = _sizes(d)
    return [_normal(d, [*batch, n if d.large else d.int(1, 5), n])]


@hint("TridiagonalSolve")
def _tridiagonal_solve(d: Drawer):
    d.attrs["perturb_singular"] = False
    batch, n = ([30], 100) if d.big else ([400], 100) if d.huge else _sizes(d)
    diagonals = _normal(d, [*batch, 3, n])
    diagonals[..., 1, :] += np.asarray(12, diagonals.dtype)
    return [diagonals, _normal(d, [*batch, n, 8 if d.large else d.int(1, 3)])]


# Sets. -------------------------------------------------------------------------------------------------------


def _groups(d: Drawer) -> list[int]:
    return [2_000] if d.huge else [500] if d.big else d.shape(low=1, high=2, min_dim=1)


def _dense_set(d: Drawer, groups: list[int]) -> np.ndarray:
    return d.values("T", [*groups, 100 if d.large else d.int(1, 5)], "small")


def _sparse_set(d: Drawer, groups: list[int]) -> list[np.ndarray]:
    """indices, values, shape."""
    shape = [*groups, 100 if d.large else d.int(1, 5)]
    here = d.rng.randint(0, 2, shape)
    indices = np.argwhere(here).astype(np.int64)
    values = d.values("T", [len(indices)], "small")
    return [indices, values, np.array(shape, np.int64)]


def _draw_operation(d: Drawer) -> None:
    d.attrs["set_operation"] = d.pick(["a-b", "b-a", "intersection", "union"])


@hint("SetSize")
def _set_size(d: Drawer):
    return _sparse_set(d, _groups(d))


@hint("DenseToDenseSetOperation")
def _dense_to_dense(d: Drawer):
    _draw_operation(d)
    groups = _groups(d)
    return [_dense_set(d, groups), _dense_set(d, groups)]


@hint("DenseToSparseSetOperation")
def _dense_to_sparse(d: Drawer):
    _draw_operation(d)
    groups = _groups(d)
    return [_dense_set(d, groups), *_sparse_set(d, groups)]


@hint("SparseToSparseSetOperation")
def _sparse_to_sparse(d: Drawer):
    _draw_operation(d)
    groups = _groups(d)
    return [*_sparse_set(d, groups), *_sparse_set(d, groups)]
