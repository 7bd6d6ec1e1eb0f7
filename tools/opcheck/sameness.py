# SPDX-License-Identifier: Apache-2.0
"""Whether two runs gave the same, and whether a value has the shape that was promised."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig, wire

_NO_NUMBERS = (sig.STRING, sig.RESOURCE, sig.VARIANT)


def compatible(static: list[int | None] | None, shape: tuple[int, ...]) -> bool:
    if static is None:
        return True
    return len(static) == len(shape) and all(
        s is None or s == d for s, d in zip(static, shape)
    )


def same(a: list[wire.Array], b: list[wire.Array]) -> bool:
    """Says whether dtypes, shapes and bits are the same; any NaN equals any other."""
    return all(
        x[:2] == y[:2] and (x[2] == y[2] or _same_numbers(x, y))
        for x, y in zip(a, b, strict=True)
    )


def _same_numbers(x: wire.Array, y: wire.Array) -> bool:
    if x[0] not in sig.FLOATS and x[0] not in sig.COMPLEXES:
        return False
    # Each part of a complex number counts.
    kind = {sig.COMPLEX64: sig.FLOAT, sig.COMPLEX128: sig.DOUBLE}.get(x[0], x[0])
    size = sig.numpy_type(kind).itemsize
    left, right = (
        wire.decode((kind, (len(v[2]) // size,), v[2]), sig.numpy_type(kind))
        for v in (x, y)
    )
    numbers = (left == left) | (right == right)
    bits = np.dtype(f"u{size}")
    return bool(np.array_equal(left.view(bits)[numbers], right.view(bits)[numbers]))


def difference(a: list[wire.Array], b: list[wire.Array]) -> float:
    """The largest; infinite where only one of the two is a number, an infinity, or there at all."""
    worst = 0.0
    for x, y in zip(a, b, strict=True):
        if x[0] in _NO_NUMBERS or x[:2] != y[:2]:
            return float("inf")
        left, right = (wire.decode(v, sig.numpy_type(v[0])) for v in (x, y))
        if left.dtype.names:
            left, right = left.view(left.dtype[0]), right.view(right.dtype[0])
        wide = np.complex128 if left.dtype.kind == "c" else np.float64
        left, right = left.astype(wide), right.astype(wide)
        with np.errstate(all="ignore"):
            gap = np.abs(left - right)
        alike = (left == right) | (np.isnan(left) & np.isnan(right))
        gap = np.where(alike, 0, np.where(np.isnan(gap), np.inf, gap))
        worst = max(worst, float(gap.max(initial=0)))
    return worst
