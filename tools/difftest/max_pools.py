# SPDX-License-Identifier: Apache-2.0
"""Max pools as plain loops of NumPy, with which explanations of pools compare ours."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tensorwright.tools.opcheck.draws import Case


def _spatial(case: Case, rank: int) -> list[int]:
    """The axes that windows move along."""
    last = case.attrs["data_format"] in ("NHWC", "NDHWC")
    return list(range(1, rank - 1)) if last else list(range(2, rank))


def places(case: Case, x: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]] | None:
    """Per output element, the flat index in x of its window's maximum; and the output's shape.

    A NaN is greater than all else; of equal maxima the first counts.  None for windows that the op refuses.
    """
    if "ksize" in case.attrs:
        ksize, strides = case.attrs["ksize"], case.attrs["strides"]
    else:  # Inputs of later versions, the last two.
        ksize, strides = (np.ravel(x).tolist() for x in case.inputs[-2:])
    axes = _spatial(case, x.ndim)
    if len(ksize) != x.ndim or len(strides) != x.ndim or min(*ksize, *strides) < 1:
        return None
    shape, ranges = list(x.shape), {}
    for a in axes:
        size, k, s = x.shape[a], ksize[a], strides[a]
        before = 0
        if case.attrs["padding"] == "SAME":
            shape[a] = -(-size // s)
            before = max((shape[a] - 1) * s + k - size, 0) // 2
        else:
            shape[a] = max((size - k) // s + 1, 0)
        ranges[a] = [
            range(max(o * s - before, 0), min(o * s - before + k, size))
            for o in range(shape[a])
        ]
    flat = np.arange(x.size).reshape(x.shape)
    out = np.zeros(shape, np.int64)
    for place in itertools.product(*(range(shape[a]) for a in axes)):
        window: list[Any] = [slice(None)] * x.ndim
        target: list[Any] = [slice(None)] * x.ndim
        for a, o in zip(axes, place):
            taken = ranges[a][o]
            window[a], target[a] = slice(taken.start, taken.stop), o
        values, where = x[tuple(window)], flat[tuple(window)]
        # The window's elements on one axis, the rest as in the output.
        values, where = (
            np.moveaxis(v, axes, range(len(axes))).reshape(-1, *_rest(v, axes))
            for v in (values, where)
        )
        # argmax takes the first NaN for the largest.
        first = values.astype(np.float64).argmax(0)
        out[tuple(target)] = np.take_along_axis(where, first[None], 0)[0]
    return out, tuple(shape)


def _rest(x: np.ndarray, axes: list[int]) -> list[int]:
    return [n for i, n in enumerate(x.shape) if i not in axes]


def pooled(case: Case, x: np.ndarray) -> np.ndarray | None:
    """The maxima of the windows of x."""
    found = places(case, x)
    return None if found is None else x.reshape(-1)[found[0]]


def gathered(case: Case) -> np.ndarray | None:
    """MaxPoolGradGrad: returns the elements of the third input at the places of the first one's maxima."""
    found = places(case, case.inputs[0])
    return None if found is None else case.inputs[2].reshape(-1)[found[0]]


def scattered(case: Case) -> np.ndarray | None:
    """MaxPoolGrad: the third input, added up where the first has its maxima."""
    x, dy = case.inputs[0], case.inputs[2]
    found = places(case, x)
    if found is None or found[1] != dy.shape:
        return None
    out = np.zeros(x.size)
    np.add.at(out, found[0].reshape(-1), dy.reshape(-1).astype(np.float64))
    return out.reshape(x.shape)
