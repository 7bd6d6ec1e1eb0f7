# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of neural network ops whose signatures do not explain their inputs; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint


@hint("BiasAdd", "BiasAddV1", "BiasAddGrad")
def _bias(d: Drawer):
    first = "data_format" in d.attrs and d["data_format"] == "NCHW"
    shape = d.shape(low=3 if first else 2)
    if d.big and not first:
        shape = [3, 20_011]
    value = d.values("T", shape, "normal")
    if d.sig.name == "BiasAddGrad":
        return [value]
    return [value, d.values("T", [shape[1 if first else -1]], "normal")]


@hint(
    "EluGrad", "ReluGrad", "Relu6Grad", "SeluGrad", "SoftplusGrad", "SoftsignGrad",
    "LeakyReluGrad",
)  # fmt: skip
def _activation_grad(d: Drawer):
    shape = d.shape()
    return [d.values("T", shape, "normal") for _ in range(2)]


@hint("Softmax", "LogSoftmax")
def _softmax(d: Drawer):
    return [d.values("T", d.shape(low=1), "normal")]


@hint("SoftmaxCrossEntropyWithLogits")
def _xent(d: Drawer):
    shape = d.shape(low=2, high=2, min_dim=1)
    labels = d.values("T", shape, "probability")
    labels = (labels / labels.sum(1, keepdims=True)).astype(labels.dtype)
    return [d.values("T", shape, "normal"), labels]


@hint("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_xent(d: Drawer):
    shape = d.shape(low=2, high=2, min_dim=1)
    labels = d.ints("Tlabels", shape[:1], 0, shape[1] - 1)
    return [d.values("T", shape, "normal"), labels]


@hint("InTopK", "InTopKV2")
def _in_top_k(d: Drawer):
    shape = d.shape(low=2, high=2, min_dim=1)
    targets = d.ints("T", shape[:1], 0, shape[1] - 1)
    if d.big:
        shape = [20_011, 5]
        targets = d.ints("T", shape[:1], 0, shape[1] - 1)
    predictions = d.values(sig.FLOAT, shape)
    if d.sig.name == "InTopKV2":
        return [predictions, targets, d.array("T", d.int(1, 5))]
    d.attrs["k"] = d.int(1, 5)
    return [predictions, targets]


@hint("TopK", "TopKV2")
def _top_k(d: Drawer):
    shape = d.shape(low=1, min_dim=1)
    k = d.int(0, shape[-1]) if not d.large else 100 if d.big else 5
    x = d.values("T", shape, "normal")
    if d.sig.name == "TopK":
        d.attrs["k"] = k
        return [x]
    what = "Tk" if "Tk" in d.attrs else sig.INT32
    return [x, d.array(what, k)]


# Windows. ----------------------------------------------------------------------------------------------------


def _arranged(d: Drawer, n: int, h: int, w: int, c: int) -> list[int]:
    """A shape in the order of data_format."""
    if d.attrs.get("data_format", "NHWC") == "NCHW":
        return [n, c, h, w]
    return [n, h, w, c]


def _window_attrs(d: Drawer, formats=("NHWC",)) -> None:
    if "data_format" in d.attrs:
        d.attrs["data_format"] = d.pick(list(formats))
    d.attrs["padding"] = d.pick(["SAME", "VALID"])
    if "explicit_paddings" in d.attrs:
        d.attrs["explicit_paddings"] = []


def _convolution(d: Drawer):
    """(input shape, filter shape, output shape) of a random convolution; sets its attrs."""
    _window_attrs(d)
    stride, dilation = [d.int(1, 3), d.int(1, 3)], [1, 1]
    if d.big and d.chance(0.7):
        stride = [1, 1]
    if stride == [1, 1] and d.chance(0.4):
        dilation = [d.int(1, 2), d.int(1, 2)]
    d.attrs["strides"] = _arranged(d, 1, *stride, 1)
    if "dilations" in d.attrs:
        d.attrs["dilations"] = _arranged(d, 1, *dilation, 1)
    else:
        dilation = [1, 1]
    size = [d.int(5, 9), d.int(5, 9)] if not d.large else [57, 61]
    kernel = [d.int(1, 3), d.int(1, 3)]
    channels, filters = d.int(1, 4) + d.big, d.int(1, 5)
    out = []
    for s, k, st, di in zip(size, kernel, stride, dilation):
        reach = (k - 1) * di + 1
        if d["padding"] == "VALID" and s < reach:
            raise Unsuitable("window larger than image")
        valid = (s - reach) // st + 1
        out.append(-(-s // st) if d["padding"] == "SAME" else valid)
    batch = 3 if d.big else d.int(1, 3)
    return (
        _arranged(d, batch, *size, channels),
        [*kernel, channels, filters],
        _arranged(d, batch, *out, filters),
    )


@hint("Conv2D")
def _conv2d(d: Drawer):
    image, kernel, _ = _convolution(d)
    return [d.values("T", image, "normal"), d.values("T", kernel, "normal")]


@hint("Conv2DBackpropInput")
def _conv2d_backprop_input(d: Drawer):
    image, kernel, out = _convolution(d)
    return [
        d.array(sig.INT32, image),
        d.values("T", kernel, "normal"),
        d.values("T", out, "normal"),
    ]


@hint("Conv2DBackpropFilter")
def _conv2d_backprop_filter(d: Drawer):
    image, kernel, out = _convolution(d)
    return [
        d.values("T", image, "normal"),
        d.array(sig.INT32, kernel),
        d.values("T", out, "normal"),
    ]


@hint("Conv2DBackpropInputV2", "Conv2DBackpropFilterV2")
def _conv2d_backprop_v2(d: Drawer):
    return [d.values("T", shape, "normal") for shape in _convolution(d)]


def _pool(d: Drawer):
    """(input shape, output shape) of a random pooling; sets its attrs."""
    _window_attrs(d)
    kernel, stride = ([d.int(1, 3), d.int(1, 3)] for _ in range(2))
    if d.big and d.chance(0.7):
        stride = [1, 1]
    d.attrs["ksize"] = _arranged(d, 1, *kernel, 1)
    d.attrs["strides"] = _arranged(d, 1, *stride, 1)
    size = [d.int(4, 9), d.int(4, 9)] if not d.large else [57, 61]
    same = d["padding"] == "SAME"
    out = [
        -(-s // st) if same else (s - k) // st + 1
        for s, k, st in zip(size, kernel, stride)
    ]
    batch, channels = (3, d.int(2, 4)) if d.big else (d.int(1, 3), d.int(1, 4))
    return _arranged(d, batch, *size, channels), _arranged(d, batch, *out, channels)


@hint("MaxPool", "AvgPool")
def _pooling(d: Drawer):
    image, _ = _pool(d)
    return [d.values("T", image, "normal")]


@hint("AvgPoolGrad")
def _avg_pool_grad(d: Drawer):
    image, out = _pool(d)
    return [d.array(sig.INT32, image), d.values("T", out, "normal")]


@hint("MaxPoolGrad")
def _max_pool_grad(d: Drawer):
    image, out = _pool(d)
    x = d.values("T", image, "normal")
    return [x, _max_pooled(d, x, out), d.values("T", out, "normal")]


def _max_pooled(d: Drawer, x: np.ndarray, out: list[int]) -> np.ndarray:
    """Returns MaxPool's result for x in NHWC."""
    (_, kh, kw, _), (_, sh, sw, _) = d["ksize"], d["strides"]
    top, left = (
        max((o - 1) * s + k - n, 0) // 2 if d["padding"] == "SAME" else 0
        for o, s, k, n in zip(out[1:3], (sh, sw), (kh, kw), x.shape[1:3])
    )
    y = np.empty(out, x.dtype)
    for i in range(out[1]):
        for j in range(out[2]):
            rows = slice(max(i * sh - top, 0), i * sh - top + kh)
            cols = slice(max(j * sw - left, 0), j * sw - left + kw)
            y[:, i, j] = x[:, rows, cols].max((1, 2))
    return y
