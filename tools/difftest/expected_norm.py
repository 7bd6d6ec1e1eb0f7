# SPDX-License-Identifier: Apache-2.0
"""Gradients of FusedBatchNormGrad in double precision, with which explanations compare ours."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import GRADIENT, Difference
from tensorwright.tools.difftest.explanation import UPSTREAM_SEED
from tensorwright.tools.opcheck.draws import Case


def _axes(case: Case) -> tuple[int, ...]:
    return (0, 1, 2) if case.attrs["data_format"] == "NHWC" else (0, 2, 3)


def _gradients(d: Difference, given: bool) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The gradients by dy, x and scale, and per channel the size of their terms.

    The mean and the variance are those of the call if `given`, else the images'.
    """
    axes = _axes(d.case)
    wide = lambda v: np.expand_dims(v, axes)  # noqa: E731
    dy, x = d.wide(0), d.wide(1)
    rng = np.random.RandomState(UPSTREAM_SEED)
    sizes = [dy.shape, d.input(2).shape, d.input(2).shape]
    u, a, b = (rng.normal(size=s).astype(np.float32).astype(float) for s in sizes)
    scale, a, b = wide(d.wide(2)), wide(a), wide(b)
    moments = [wide(d.wide(i)) for i in (3, 4)]
    if not given:
        moments = [f(x, axes, keepdims=True) for f in (np.mean, np.var)]
    r = 1 / np.sqrt(moments[1] + float(np.float32(d.attrs.get("epsilon", 1e-4))))
    h = (x - moments[0]) * r

    def total(z: np.ndarray) -> np.ndarray:
        return z.sum(axes, keepdims=True)

    n = float(np.prod([x.shape[i] for i in axes]))
    project = lambda z: z - (total(z) + h * total(z * h)) / n  # noqa: E731
    p_dy, p_u = project(dy), project(u)
    slope = h * total(u * p_dy) + p_u * total(dy * h) + p_dy * total(u * h)
    found = [
        scale * r * p_u + a * h + b,
        a * r * p_dy - scale * r * r * slope / n,
        (r * u * p_dy).sum(axes),
    ]
    # A projection takes as much from its input as there is, and more where h is large.
    most = 1 + (h * h).max(axes, keepdims=True)
    dy, u, h = (np.abs(z).max(axes, keepdims=True) for z in (dy, u, h))
    terms = [
        np.abs(scale) * r * u * most + np.abs(a) * h + np.abs(b),
        r * dy * most * (np.abs(a) + np.abs(scale) * r * u * most * h),
        (n * r * u * dy * most).max(axes),
    ]
    return found, terms


def rounds_as_its_terms(d: Difference) -> Any:
    """Ours is right but for the rounding of its terms, and TensorFlow's is hardly further off."""
    wanted, terms = (parts[d.output] for parts in _gradients(d, given=False))
    unit = 2.0**-20 * terms
    return (np.abs(d.here - wanted) <= unit) & (np.abs(d.here - d.there) <= 4 * unit)


def example(case: Case) -> np.ndarray:
    """The gradient by x of a call, with its moments."""
    d = Difference("FusedBatchNormGrad", GRADIENT, case=case)
    return _gradients(d, given=True)[0][1]
