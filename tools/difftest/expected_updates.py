# SPDX-License-Identifier: Apache-2.0
"""FTRL and dual averaging in NumPy, with which explanations of updates compare ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import Difference

_Rule = Callable[..., tuple[Any, Any, Any]]


def _ftrl(scalars: list[Any], by_lr: bool, v2: bool) -> _Rule:
    """McMahan et al. 2013; with shrinkage, `linear` sees the gradient of shrinkage * var^2 as well."""
    lr, l1, l2, *shrinkage, power = scalars
    one = type(lr)(1)
    of_linear, of_power = (lr, one) if by_lr else (one, one / lr)

    def root(x: Any) -> Any:
        return np.sqrt(x) if power == -0.5 else np.power(x, -power)

    def rule(var: Any, accum: Any, linear: Any, grad: Any) -> tuple[Any, Any, Any]:
        total = accum + grad * grad
        pull = grad + 2 * shrinkage[0] * var if v2 else grad
        linear = (
            linear + pull * of_linear - (root(total) - root(accum)) * of_power * var
        )
        threshold = l1 * of_linear
        x = np.where(linear > 0, threshold, -threshold) - linear
        y = root(total) * of_power + 2 * l2 * of_linear
        return np.where(np.abs(linear) > threshold, x / y, 0), total, linear

    return rule


def _averaged(scalars: list[Any]) -> _Rule:
    """Dual averaging, Duchi et al. 2011."""
    lr, l1, l2, step = scalars

    def rule(var: Any, total: Any, squares: Any, grad: Any) -> tuple[Any, Any, Any]:
        del var
        total, squares = total + grad, squares + grad * grad
        pull = total
        if not l1 * step <= 0:
            # The larger of a NaN and 0 is the first of the two.
            left = np.abs(total) - l1 * step
            sign = np.where(total == 0, total, np.sign(total))
            pull = sign * np.where(left < 0, 0, left)
        return -lr * pull / (l2 * step * lr + np.sqrt(squares)), total, squares

    return rule


def updated(d: Difference) -> np.ndarray:
    """The variable, or the slot, that the output of a difference is: after the update, row by row where it is sparse."""
    dtype = d.input(0).dtype
    wide = np.float64 if dtype == np.float64 else np.float32
    sparse = "Sparse" in d.op
    state = [np.array(d.input(i)) for i in range(3)]
    grad = d.input(3)
    scalars = [wide(d.input(i)) for i in range(5 if sparse else 4, len(d.case.inputs))]
    rule = (
        _ftrl(
            scalars,
            bool(d.attrs.get("multiply_linear_by_lr")),
            d.op.endswith("V2"),
        )
        if "Ftrl" in d.op
        else _averaged(scalars)
    )
    rows: list[Any] = [(..., ...)]
    if sparse:
        rows = [(int(at), i) for i, at in enumerate(d.input(4))]
    for at, of in rows:
        new = rule(*(s[at].astype(wide) for s in state), grad[of].astype(wide))
        for s, value in zip(state, new):
            s[at] = np.asarray(value).astype(dtype)
    # An op on references gives the variable first, and its state after it.
    return state[max(d.output - (len(d.outputs[0]) - 3), 0)]
