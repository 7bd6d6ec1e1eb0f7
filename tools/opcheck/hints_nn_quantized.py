# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of quantized ops of neural networks, and of convolutions with steps before; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint


def _float(d: Drawer, value: float) -> np.ndarray:
    return d.array(sig.FLOAT, value)


def _range(d: Drawer, low: float = -3, high: float = 3) -> list[np.ndarray]:
    """(min, max) of codes, within [low, high]."""
    a, b = np.sort(d.rng.uniform(low, high, 2))
    return [_float(d, a), _float(d, b + (high - low) / 16)]


def _channels(d: Drawer) -> list[int]:
    """A shape with channels last."""
    if d.large:
        return [64, 250, 256] if d.huge else [3, 97, 101]
    return d.shape(low=2, min_dim=1)


@hint("QuantizedRelu", "QuantizedRelu6")
def _activation(d: Drawer):
    return [d.values("Tinput", d.shape()), *_range(d, -9, 9)]


@hint("QuantizedReluX")
def _activation_with_ceiling(d: Drawer):
    ceiling = _float(d, d.rng.uniform(0, 9))
    return [d.values("Tinput", d.shape()), ceiling, *_range(d, -9, 9)]


@hint("QuantizedBiasAdd")
def _bias_add(d: Drawer):
    shape = _channels(d)
    bias = d.values("T2", shape[-1:])
    return [d.values("T1", shape), bias, *_range(d), *_range(d)]


@hint("QuantizedBatchNormWithGlobalNormalization")
def _batch_norm(d: Drawer):
    shape = [d.int(1, 3), d.int(1, 5), d.int(1, 5), d.int(1, 9)]
    if d.large:
        shape = [16, 56, 56, 80] if d.huge else [3, 19, 23, 17]
    d.attrs["variance_epsilon"] = d.pick([1e-3, 0.1])
    vector = shape[-1:]
    out = [d.values("Tinput", shape), *_range(d, -1, 1)]
    for low, high in [(-1, 1), (0.3, 2), (-2, 2), (0.2, 1.5)]:
        out += [d.values("Tinput", vector), *_range(d, low, high)]
    return out


# Windows. ----------------------------------------------------------------------------------------------------


def _image(d: Drawer, channels: int) -> list[int]:
    if d.large:
        return [8, 128, 128, 32] if d.huge else [3, 57, 61, channels]
    return [d.int(1, 3), d.int(3, 9), d.int(3, 9), channels]


def _window_attrs(d: Drawer, strides: list[int]) -> None:
    d.attrs["padding"] = d.pick(["SAME", "VALID"])
    d.attrs["strides"] = [1, *strides, 1]


@hint("QuantizedAvgPool", "QuantizedMaxPool")
def _pool(d: Drawer):
    _window_attrs(d, [d.int(1, 2 if d.large else 3) for _ in range(2)])
    d.attrs["ksize"] = [1, d.int(1, 3), d.int(1, 3), 1]
    return [d.values("T", _image(d, d.int(1, 4) + 4 * d.big)), *_range(d)]


@hint("QuantizedConv2D")
def _conv(d: Drawer):
    # TensorFlow's kernel has one stride, and no dilations.
    _window_attrs(d, [d.int(1, 1 if d.large else 3)] * 2)
    d.attrs["dilations"] = [1, 1, 1, 1]
    if d.chance(0.1):
        d.attrs["dilations"] = [1, d.int(1, 2), d.int(1, 2), 1]
    image = _image(d, d.int(1, 5))
    kernel = [d.int(1, 3), d.int(1, 3), image[-1], 32 if d.huge else d.int(1, 5)]
    reach = [(k - 1) * r + 1 for k, r in zip(kernel, d["dilations"][1:3], strict=False)]
    if d["padding"] == "VALID" and (reach[0] > image[1] or reach[1] > image[2]):
        raise Unsuitable("window larger than image")
    values = [d.values("Tinput", image), d.values("Tfilter", kernel)]
    return [*values, *_range(d), *_range(d)]


def _paddings(d: Drawer, rows: int, cols: int) -> np.ndarray:
    most = [min(3, n - (d["mode"] == "REFLECT")) for n in (rows, cols)]
    sides = [[d.int(0, m), d.int(0, m)] for m in most]
    return d.array(sig.INT32, [[0, 0], *sides, [0, 0]])


@hint("FusedPadConv2D", "FusedResizeAndPadConv2D")
def _fused(d: Drawer):
    _window_attrs(d, [d.int(1, 1 if d.large else 2)] * 2)
    image = _image(d, d.int(1, 4))
    kernel = [d.int(1, 3), d.int(1, 3), image[-1], 32 if d.huge else d.int(1, 5)]
    size = []
    rows, cols = image[1:3]
    if d.sig.name == "FusedResizeAndPadConv2D":
        if not d.large:
            rows, cols = d.int(3, 12), d.int(3, 12)
        size = [d.array(sig.INT32, [rows, cols])]
    paddings = _paddings(d, rows, cols)
    return [
        d.values("T", image, "normal"),
        *size,
        paddings,
        d.values("T", kernel, "normal"),
    ]
