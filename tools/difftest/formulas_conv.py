# SPDX-License-Identifier: Apache-2.0
"""Convolutions and their gradients in NumPy, a tap of the filter at a time: an unread element spoils nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tensorwright.tools.opcheck.draws import Case

_Sizes = tuple[int, ...]


def _spatial(case: Case, rank: int) -> list[int]:
    """The axes that windows move along."""
    first = 2 if case.attrs.get("data_format", "NHWC").startswith("NC") else 1
    return list(range(first, first + rank - 2))


def _last(x: np.ndarray, case: Case) -> np.ndarray:
    """An image with its channels last."""
    if case.attrs.get("data_format", "NHWC").startswith("NC"):
        return np.moveaxis(x, 1, -1)
    return x


def _back(x: np.ndarray, case: Case) -> np.ndarray:
    if case.attrs.get("data_format", "NHWC").startswith("NC"):
        return np.moveaxis(x, -1, 1)
    return x


def _of_axes(case: Case, name: str, rank: int) -> list[int]:
    found = case.attrs.get(name) or [1] * rank
    return [found[a] for a in _spatial(case, rank)]


def _before(case: Case, sizes: _Sizes, windows: _Sizes, outs: _Sizes) -> list[int]:
    """How many zeros stand before each axis."""
    rank = len(sizes) + 2
    if case.attrs["padding"] == "EXPLICIT":
        return [case.attrs["explicit_paddings"][2 * a] for a in _spatial(case, rank)]
    if case.attrs["padding"] == "VALID":
        return [0] * len(sizes)
    strides = _of_axes(case, "strides", rank)
    dilations = _of_axes(case, "dilations", rank)
    return [
        max((o - 1) * s + (w - 1) * d + 1 - n, 0) // 2
        for n, w, o, s, d in zip(sizes, windows, outs, strides, dilations)
    ]


def _taps(
    case: Case, sizes: _Sizes, windows: _Sizes, outs: _Sizes
) -> Iterator[tuple[_Sizes, tuple[slice, ...], tuple[slice, ...]]]:
    """Per tap of the filter: its place, the part of the image that it meets, and of the output where it does."""
    rank = len(sizes) + 2
    strides = _of_axes(case, "strides", rank)
    dilations = _of_axes(case, "dilations", rank)
    before = _before(case, sizes, windows, outs)
    for tap in np.ndindex(*windows):
        image, out = [slice(None)], [slice(None)]
        for k, n, o, s, d, p in zip(tap, sizes, outs, strides, dilations, before):
            at = [i for i in range(o) if 0 <= i * s + k * d - p < n]
            if not at:
                break
            out.append(slice(at[0], at[-1] + 1))
            first = at[0] * s + k * d - p
            image.append(slice(first, first + (len(at) - 1) * s + 1, s))
        else:
            yield tap, tuple(image), tuple(out)


def _outs(case: Case, sizes: _Sizes, windows: _Sizes) -> _Sizes:
    """The output's size along each axis."""
    rank, found = len(sizes) + 2, []
    strides = _of_axes(case, "strides", rank)
    dilations = _of_axes(case, "dilations", rank)
    for n, w, s, d in zip(sizes, windows, strides, dilations):
        if case.attrs["padding"] == "SAME":
            found.append(-(-n // s))
        else:
            found.append(max((n - (w - 1) * d - 1) // s + 1, 0))
    return tuple(found)


def _convolved(case: Case, x: list[np.ndarray]) -> Any:
    image_, w = _last(x[0], case), x[1]
    outs = _outs(case, image_.shape[1:-1], w.shape[:-2])
    y = np.zeros([len(image_), *outs, w.shape[-1]])
    for tap, image, out in _taps(case, image_.shape[1:-1], w.shape[:-2], outs):
        y[out] += image_[image] @ w[tap]
    return _back(y, case)


def _input_gradient(case: Case, x: list[np.ndarray], plain: bool) -> Any:
    g, w = _last(x[2], case), x[1]
    sizes = [int(n) for n in x[0].reshape(-1)] if x[0].ndim == 1 else x[0].shape
    dx = _last(np.zeros([int(n) for n in sizes]), case).copy()
    taps = _taps(case, dx.shape[1:-1], w.shape[:-2], g.shape[1:-1])
    for tap, image, out in taps:
        if plain:
            dx[image] += g[out] @ w[tap].T
        else:
            parts = g[out].reshape(*g[out].shape[:-1], *w.shape[-2:])
            dx[image] += (parts * w[tap]).sum(-1)
    return _back(dx, case)


def _filter_gradient(case: Case, x: list[np.ndarray], plain: bool) -> Any:
    image_, g = _last(x[0], case), _last(x[2], case)
    shape = [int(n) for n in x[1].reshape(-1)] if x[1].ndim == 1 else x[1].shape
    dw = np.zeros(shape)
    taps = _taps(case, image_.shape[1:-1], tuple(dw.shape[:-2]), g.shape[1:-1])
    for tap, image, out in taps:
        a = image_[image].reshape(-1, image_.shape[-1])
        b = g[out].reshape(-1, g.shape[-1])
        if plain:
            dw[tap] = a.T @ b
        else:
            parts = b.reshape(-1, *dw.shape[-2:])
            dw[tap] = (a[:, :, None] * parts).sum(0)
    return dw


def _plain(function: Callable[..., Any], plain: bool = True) -> Callable[..., Any]:
    return lambda case, x: function(case, x, plain)


FORMULAS: dict[str, Callable[[Case, list[np.ndarray]], Any]] = {
    "Conv3D": _convolved,
    "Conv2DBackpropFilter": _plain(_filter_gradient),
    "Conv2DBackpropFilterV2": _plain(_filter_gradient),
    "Conv2DBackpropInput": _plain(_input_gradient),
    "Conv2DBackpropInputV2": _plain(_input_gradient),
    "Conv3DBackpropFilter": _plain(_filter_gradient),
    "Conv3DBackpropFilterV2": _plain(_filter_gradient),
    "Conv3DBackpropInput": _plain(_input_gradient),
    "Conv3DBackpropInputV2": _plain(_input_gradient),
    "DepthwiseConv2dNativeBackpropFilter": _plain(_filter_gradient, False),
    "DepthwiseConv2dNativeBackpropInput": _plain(_input_gradient, False),
}
