# SPDX-License-Identifier: Apache-2.0
"""Compares a gradient with differences of the differentiated function, with an error that is computed, not guessed.

A worker (worker.py) uses this, so it needs nothing but NumPy.  Central differences of two steps are extrapolated to a
step of 0.  The remaining error is the rounding of the function, divided by the step, and about as much as the
extrapolation changed.  Along a line on which the function is not smooth, or not finite, a derivative says nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

# The error of a kernel, at most, in units of rounding of the function's value.
_ROUNDING = 16.0
# A slope that jumps by the same however near one looks is that of a kink.
_KINK = 0.75
# A derivative this much larger than its error would show a gradient that is a multiple of the right one.
_TELLING = 8.0


@dataclasses.dataclass(frozen=True)
class Total:
    """A weighted sum of all that a function gives: its value, and the sum of the terms' sizes."""

    value: float
    scale: float


@dataclasses.dataclass(frozen=True)
class Pair:
    """A derivative along a direction, by the gradient and by differences.

    `verdict`: "agree"; "differ"; or why the differences say nothing: "not finite", "a kink", "not converged".
    """

    verdict: str
    analytic: float
    numeric: float
    tolerance: float

    @property
    def clear(self) -> bool:
        return self.verdict in ("agree", "differ")

    @property
    def telling(self) -> bool:
        """Would a gradient times 3, of the other sign, or none at all have been found?"""
        return self.clear and abs(self.numeric) > _TELLING * self.tolerance


def compare(
    total: Callable[[np.ndarray], Total],
    x: np.ndarray,
    gradient: np.ndarray | None,
    rng: np.random.RandomState,
    epsilon: float | None = None,
) -> Pair:
    """Differentiates `total` at x along a random direction; `gradient` is what is said of it, None being zero.

    x and the gradient are of one shape and of a float or complex dtype; `epsilon` is the rounding of the function,
    that of x's dtype unless given.
    """
    if epsilon is None:
        epsilon = float(np.finfo(x.dtype).eps)
    direction = rng.normal(size=x.shape)
    if x.dtype.kind == "c":
        direction = direction + 1j * rng.normal(size=x.shape)
    # At this step, rounding, which grows as steps shrink, adds about as much error as the third derivative.
    step = epsilon ** (1 / 3)
    here = total(x)
    scale = here.scale
    numeric, apart, bends = [], [], []
    for h in (step, step / 2):
        above = (x + h * direction).astype(x.dtype)
        below = (x - h * direction).astype(x.dtype)
        high, low = total(above), total(below)
        numeric.append((high.value - low.value) / (2 * h))
        # Along the line that was really taken: x + h u is rounded too.
        taken = (_wide(above) - _wide(below)) / (2 * h)
        apart.append(numeric[-1] - _along(gradient, taken))
        bends.append((high.value - 2 * here.value + low.value) / h)
        scale = float(np.max([scale, high.scale, low.scale]))  # A NaN stays.
    derivative = (4 * numeric[1] - numeric[0]) / 3
    difference = (4 * apart[1] - apart[0]) / 3
    rest = abs(apart[1] - apart[0]) / 3
    # Each value is off by so much, and the smaller step's weigh four times as much.
    unit = 3 * _ROUNDING * epsilon / step
    rounding = unit * (scale + _sizes(gradient, x))
    tolerance = rounding + 2 * rest
    if not np.isfinite([*numeric, *bends, scale]).all():
        verdict = "not finite"
    elif abs(bends[1]) > max(_KINK * abs(bends[0]), 2 * unit * scale):
        verdict = "a kink"
    elif not np.isfinite([difference, tolerance]).all():
        # The function is fine, so the gradient is not.
        verdict = "differ"
    elif rest > rounding + 0.05 * abs(derivative):
        verdict = "not converged"
    else:
        verdict = "agree" if abs(difference) <= tolerance else "differ"
    return Pair(verdict, derivative - difference, derivative, tolerance)


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _along(gradient: np.ndarray | None, direction: np.ndarray) -> float:
    """The gradient times a direction; of complex numbers as of pairs of reals."""
    if gradient is None:
        return 0.0
    return float((np.conj(_wide(gradient)) * direction).real.sum())


def _sizes(gradient: np.ndarray | None, x: np.ndarray) -> float:
    """Returns sizes for rounding: sums lose digits relative to their terms, which are about this large."""
    if gradient is None:
        return 0.0
    return float((np.abs(_wide(gradient)) * np.abs(_wide(x))).sum())
