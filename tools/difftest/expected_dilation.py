# SPDX-License-Identifier: Apache-2.0
"""The gradients of Dilation2D as plain loops of NumPy, with which its explanation compares ours."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import Difference
from tensorwright.tools.difftest.explanation import upstream


def _ranges(n: int, window: int, stride: int, rate: int, same: bool) -> list[Any]:
    """Per output position, (pixel, tap) of those of its taps that are in the image."""
    reach = (window - 1) * rate + 1
    if same:
        count = -(-n // stride)
        before = max((count - 1) * stride + reach - n, 0) // 2
    else:
        count, before = max((n - reach) // stride + 1, 0), 0
    return [
        [
            (o * stride - before + k * rate, k)
            for k in range(window)
            if 0 <= o * stride - before + k * rate < n
        ]
        for o in range(count)
    ]


def gradient(d: Difference) -> np.ndarray:
    """The gradient by the image or by the filter: each upstream element goes to the first of the largest sums.

    A sum that is no number is larger than none, and none is larger than it.
    """
    x, f = (d.input(i) for i in (0, 1))
    wide = np.float64 if x.dtype == np.float64 else np.float32
    x, f = x.astype(wide), f.astype(wide)
    g = upstream(d.outputs[0][0]).astype(np.float64)
    strides, rates = d.attrs["strides"], d.attrs["rates"]
    same = d.attrs["padding"] == "SAME"
    rows, columns = (
        _ranges(x.shape[a], f.shape[a - 1], strides[a], rates[a], same) for a in (1, 2)
    )
    found = np.zeros((x, f)[d.output].shape)
    for b, (i, row), (j, column), c in itertools.product(
        range(len(x)), enumerate(rows), enumerate(columns), range(x.shape[3])
    ):
        best: Any = None
        for (y, ky), (z, kz) in itertools.product(row, column):
            total = x[b, y, z, c] + f[ky, kz, c]
            if best is None or total > best[0]:
                best = total, (b, y, z, c), (ky, kz, c)
        if best is not None:
            found[best[1 + d.output]] += g[b, i, j, c]
    return found
