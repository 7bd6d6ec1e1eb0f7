# SPDX-License-Identifier: Apache-2.0
"""Finds the differences between two libraries' answers to the same calls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tensorwright.tools.difftest.difference import Arrays
from tensorwright.tools.opcheck import signature as sig, wire

# Relative tolerance of a dtype's values, in terms of the largest of the tensor.
TOLERANCE = {
    sig.HALF: 4e-3,
    sig.BFLOAT16: 2e-2,
    sig.FLOAT: 2e-5,
    sig.COMPLEX64: 2e-5,
    sig.DOUBLE: 1e-10,
    sig.COMPLEX128: 1e-10,
}


# TensorFlow's threads take a smaller number, a denormal one, for 0.
_SMALLEST = {"d": 2.3e-308, "D": 2.3e-308}
_SMALLEST_OF_OTHERS = 1.2e-38


class Gap(NamedTuple):
    """An output, or a gradient, that the two do not give alike."""

    index: int
    enum: int
    text: str
    arrays: Arrays


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


def promises(ours: Any, theirs: Any) -> bool:
    """Do we infer as much as TensorFlow's shape function, and nothing else?"""
    if theirs is None:
        return True
    if ours is None or len(ours) != len(theirs):
        return False
    return all(y is None or x == y for x, y in zip(ours, theirs))


def values(
    ours: list[wire.Array],
    theirs: list[wire.Array],
    what: str = "output",
    slack: float = 1.0,
) -> list[Gap]:
    """Finds where shapes, dtypes or values are apart; `slack` widens the tolerance."""
    gaps = []
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        text, far = _gap(a, b, slack)
        if text:
            enum = (a or b)[0]
            dtype = f" ({sig.type_name(enum)})" if far is not None else ""
            arrays = Arrays(array(a), array(b), far)
            gaps.append(Gap(i, enum, f"{what} {i}{dtype}: {text}", arrays))
    return gaps


def array(data: wire.Array | None) -> np.ndarray | None:
    """The array that came over a pipe; of quantized numbers their codes."""
    if data is None:
        return None
    x = wire.decode(data, sig.numpy_type(data[0]))
    return x.view(x.dtype[0]) if x.dtype.names else x


def _gap(a: wire.Array, b: wire.Array, slack: float) -> tuple[str, Any]:
    """Returns the difference in words and, if elements differ, their mask."""
    if a is None or b is None:
        if a is b or _zeros(a if b is None else b):
            return "", None
        return f"{'no path' if a is None else 'a path'} here only", None
    if a[0] != b[0]:
        return f"{sig.type_name(a[0])}, TensorFlow {sig.type_name(b[0])}", None
    if a[1] != b[1]:
        return f"shape {list(a[1])}, TensorFlow {list(b[1])}", None
    if a[2] == b[2]:
        return "", None
    x, y = array(a), array(b)
    assert x is not None and y is not None
    if a[0] in TOLERANCE:
        far = ~close(x, y, slack * TOLERANCE[a[0]])
    else:
        far = x != y
    if not far.any():
        return "", None
    place = tuple(int(i) for i in np.argwhere(far)[0])
    count = f" ({int(far.sum())} of {far.size})" if far.size > 1 else ""
    if a[0] == sig.STRING:
        return f"{list(place)} {x[place]!r}, TensorFlow {y[place]!r}{count}", far
    return f"{list(place)} {x[place]}, TensorFlow {y[place]}{count}", far


def widest(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def scale(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Per element, the size that its rounding is relative to."""
    finite = np.isfinite(x) & np.isfinite(y)
    size = np.where(finite, np.maximum(np.abs(x), np.abs(y)), 0)
    # Sums lose relative to the largest term, which is not seen here: half of the tensor's scale stands for it.
    return np.maximum(size, min(float(np.median(size)) if size.size else 0, 1.0))


def close(x: np.ndarray, y: np.ndarray, tolerance: float) -> np.ndarray:
    """Per element: within the tolerance, or the same infinity, or neither a number."""
    smallest = _SMALLEST.get(x.dtype.char, _SMALLEST_OF_OTHERS)
    x, y = widest(x), widest(y)
    with np.errstate(all="ignore"):
        near = np.abs(x - y) <= tolerance * scale(x, y) + smallest
        return np.where(np.isfinite(x) & np.isfinite(y), near, same_special(x, y))


def same_special(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Equal infinities, or both not a number; of a complex number any part counts."""
    nan = np.isnan(x) & np.isnan(y)
    if x.dtype.kind == "c":
        return nan | (x == y) | (~np.isfinite(x) & ~np.isfinite(y))
    return nan | (x == y)


def _zeros(data: wire.Array) -> bool:
    return data[0] != sig.STRING and not any(data[2])


def _line(text: str) -> str:
    return text.split("\n")[0][:110]
