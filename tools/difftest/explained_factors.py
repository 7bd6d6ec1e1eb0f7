# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of factors of matrices that have an infinite element."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import GRADIENT, Difference
from tensorwright.tools.difftest.explanation import (
    Explanation,
    both,
    call,
    gave,
    ours_is,
    upstream,
)

# It stands for an infinite element of a diagonal: what it adds to results is less than they are rounded by.
_LARGE = 1e40
# How much further apart gradients may be than values, as in comparison.py.
_SLACK = 8.0


def _adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def _cholesky_gradient(d: Difference) -> np.ndarray:
    """Murray, "Differentiation of the Cholesky decomposition" (2016), in the limit of a large element; else NaN."""
    (factor,) = d.outputs[0]
    lower, g = compare.widest(factor), compare.widest(upstream(factor))
    lower = np.where(np.isposinf(lower.real), np.sqrt(_LARGE), lower)
    if not np.isfinite(lower).all():
        return np.full(lower.shape, np.nan)
    # A factor of ones in the diagonal, whose inverse loses nothing, and the sizes of its rows.
    sizes = np.diagonal(lower, axis1=-2, axis2=-1).real
    inverse = np.linalg.inv(lower / sizes[..., None]) / sizes[..., None, :]
    p = np.tril(_adjoint(lower) @ g)
    p = p * (1 - np.eye(p.shape[-1]) / 2)
    found = _adjoint(inverse) @ p @ inverse
    return (found + _adjoint(found)) / 2


def _infinite(ours: float, theirs: float, at: int = 0, last: float = 2.0) -> Difference:
    """The gradient by diag(1, inf) or diag(1, last^2), all of whose elements are the same but one on the diagonal."""
    factor = np.diag([1.0, last])
    g = upstream(factor)
    gradient = np.diag([g[0, 0] / 2, 0.0])
    of, other = gradient.copy(), gradient.copy()
    of[at, at], other[at, at] = ours, theirs
    outputs = [factor]
    return gave(
        call("Cholesky", factor**2), of, other, "float64", kind=GRADIENT,
        outputs=(outputs, outputs),
    )  # fmt: skip


_HALF = float(upstream(np.diag([1.0, np.inf]))[0, 0]) / 2

TABLE: list[Explanation] = [
    Explanation(
        "Cholesky",
        GRADIENT,
        "with an infinite element the order of products decides which others of the gradient are NaN: ours are its limits",
        dtypes="float32 float64 complex64 complex128",
        outputs=(0,),
        elements=both(
            lambda d: np.isnan(d.arrays.b),  # type: ignore[union-attr]
            lambda d: ours_is(_cholesky_gradient, _SLACK * compare.TOLERANCE[d.enum])(
                d
            ),
        ),
        bound=np.inf,
        when=lambda d: not np.isfinite(compare.widest(d.input(0))).all(),
        true=[_infinite(_HALF, np.nan, last=np.inf)],
        wrong=[
            _infinite(3 * _HALF, np.nan, last=np.inf),
            _infinite(np.nan, _HALF, last=np.inf),
            _infinite(_HALF, np.nan),
        ],
    ),
]
