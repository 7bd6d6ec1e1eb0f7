# SPDX-License-Identifier: Apache-2.0
"""Two libraries' answers to the same calls: what differs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig, wire

# Relative tolerance of a dtype's values, in terms of the largest of the tensor.
_TOLERANCE = {
    sig.HALF: 4e-3,
    sig.BFLOAT16: 2e-2,
    sig.FLOAT: 2e-5,
    sig.COMPLEX64: 2e-5,
    sig.DOUBLE: 1e-10,
    sig.COMPLEX128: 1e-10,
}


def errors(ours: Any, theirs: Any) -> str:
    """ "" where both failed alike or neither did; each is None or (class, text)."""
    if ours is None and theirs is None:
        return ""
    if ours is None or theirs is None:
        who, error = ("we", ours) if ours else ("TensorFlow", theirs)
        return f"only {who} refused: {error[0]}: {_line(error[1])}"
    if ours[0] != theirs[0]:
        return f"error class: {ours[0]}, TensorFlow {theirs[0]}: {_line(theirs[1])}"
    return ""


def static_shapes(ours: Any, theirs: Any, actual: Any) -> str:
    """ "" unless we promise less than TensorFlow's shape function, or something else."""
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if b is None:
            continue
        if a is None or (
            len(a) == len(b) and any(x is None and y is not None for x, y in zip(a, b))
        ):
            return f"output {i}: we infer {a}, TensorFlow {b}"
        if len(a) != len(b) or any(
            x is not None and y is not None and x != y for x, y in zip(a, b)
        ):
            return (
                f"output {i}: we infer {a}, TensorFlow {b}, it is {list(actual[i][1])}"
            )
    return ""


def values(
    ours: list[wire.Array],
    theirs: list[wire.Array],
    what: str = "output",
    slack: float = 1.0,
) -> str:
    """Nothing where shapes, dtypes and values agree; `slack` widens the tolerance."""
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a is None or b is None:
            if a is not b and not _zeros(a if b is None else b):
                return f"{what} {i}: {'no path' if a is None else 'a path'} here only"
            continue
        if a[0] != b[0]:
            return (
                f"{what} {i}: {sig.type_name(a[0])}, TensorFlow {sig.type_name(b[0])}"
            )
        if a[1] != b[1]:
            return f"{what} {i}: shape {list(a[1])}, TensorFlow {list(b[1])}"
        text = _elements(a, b, slack)
        if text:
            return f"{what} {i} ({sig.type_name(a[0])}): {text}"
    return ""


def nearer(ours: list, theirs: list, reference: list, slack: float = 1.0) -> bool:
    """Are our values as near to those of a wider dtype as TensorFlow's are, where the two are apart?"""
    for a, b, r in zip(ours, theirs, reference, strict=True):
        if a is None or b is None or r is None or not a[1] == b[1] == r[1]:
            return False
        if sig.STRING in (a[0], b[0], r[0]) or sig.numpy_type(a[0]).names:
            return False
        x, y, z = (_wide(v) for v in (a, b, r))
        with np.errstate(all="ignore"):
            fine = np.abs(x - z) <= np.abs(y - z) * 1.5 + _ulp(a[0]) * np.abs(z)
            same = _same_special(x, z) | _same_special(x, y)
            # What the narrow dtype cannot hold is infinite in it.
            fine |= same | (np.isinf(x) & (np.abs(z) > _largest(a[0])))
            fine |= _close(x, y, slack * _TOLERANCE.get(a[0], 0.0))
        if not fine.all():
            return False
    return True


def _wide(array: wire.Array) -> np.ndarray:
    x = wire.decode(array, sig.numpy_type(array[0]))
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _ulp(enum: int) -> float:
    return _TOLERANCE.get(enum, 0.0) / 4


def _largest(enum: int) -> float:
    return {sig.HALF: 65504.0, sig.BFLOAT16: 3.3e38, sig.FLOAT: 3.4e38}.get(
        enum, np.inf
    )


def _zeros(array: wire.Array) -> bool:
    return array[0] != sig.STRING and not any(array[2])


def _elements(a: wire.Array, b: wire.Array, slack: float) -> str:
    if a[2] == b[2]:
        return ""
    if a[0] == sig.STRING:
        i = next(i for i, (x, y) in enumerate(zip(a[2], b[2])) if x != y)
        return f"[{i}] {a[2][i]!r}, TensorFlow {b[2][i]!r}"
    x, y = (wire.decode(v, sig.numpy_type(v[0])) for v in (a, b))
    if x.dtype.names:
        x, y = x.view(x.dtype[0]), y.view(y.dtype[0])
    if a[0] not in _TOLERANCE:
        far = x != y
    else:
        far = ~_close(x, y, slack * _TOLERANCE[a[0]])
    if not far.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(far)[0])
    count = f" ({int(far.sum())} of {far.size})" if far.size > 1 else ""
    return f"{list(place)} {x[place]}, TensorFlow {y[place]}{count}"


def _close(x: np.ndarray, y: np.ndarray, tolerance: float) -> np.ndarray:
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    x, y = x.astype(wide), y.astype(wide)
    with np.errstate(all="ignore"):
        finite = np.isfinite(x) & np.isfinite(y)
        size = np.where(finite, np.maximum(np.abs(x), np.abs(y)), 0)
        # Sums lose relative to the largest term, which is not seen here: half of the tensor's scale stands for it.
        scale = np.maximum(size, min(float(np.median(size)) if size.size else 0, 1.0))
        near = np.abs(x - y) <= tolerance * scale + 1e-300
        return np.where(finite, near, _same_special(x, y))


def _same_special(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Equal infinities, or both not a number; of a complex number any part counts."""
    nan = np.isnan(x) & np.isnan(y)
    if x.dtype.kind == "c":
        return nan | (x == y) | (~np.isfinite(x) & ~np.isfinite(y))
    return nan | (x == y)


def _line(text: str) -> str:
    return text.split("\n")[0][:110]
