# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops with windows in two or three dimensions, and of normalisations; see draws.hint.

The hints of Conv2D, MaxPool and AvgPool are in hints_nn.py.
"""

from __future__ import annotations

import itertools

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint

# Images of so many dimensions whose windows are worth more than one thread.
_BIG = {2: [57, 61], 3: [17, 19, 13]}


def _out(d: Drawer, size: int, reach: int, stride: int) -> int:
    """The output's size along a dimension; `reach` is the dilated window's."""
    if d["padding"] == "SAME":
        return -(-size // stride)
    if size < reach:
        raise Unsuitable("window larger than image")
    return (size - reach) // stride + 1


def _attrs(d: Drawer, rank: int) -> None:
    d.attrs["padding"] = d.pick(["SAME", "VALID"])
    if "data_format" in d.attrs:
        d.attrs["data_format"] = "NDHWC" if rank == 3 else "NHWC"
    if "explicit_paddings" in d.attrs:
        d.attrs["explicit_paddings"] = []


def _convolution(d: Drawer, rank: int, depthwise: bool = False):
    """Shapes of a convolution's image, filter and output; sets the attrs."""
    _attrs(d, rank)
    stride = [d.int(1, 2)] * rank if depthwise else [d.int(1, 2) for _ in range(rank)]
    if d.big and d.chance(0.7):
        stride = [1] * rank
    d.attrs["strides"] = [1, *stride, 1]
    if "dilations" in d.attrs:
        d.attrs["dilations"] = [1] * (rank + 2)
    size = [d.int(3, 7) for _ in range(rank)] if not d.big else _BIG[rank]
    kernel = [d.int(1, 3) for _ in range(rank)]
    channels, filters = d.int(1, 3) + d.big, d.int(1, 3)
    out = [_out(d, s, k, t) for s, k, t in zip(size, kernel, stride)]
    batch = 3 if d.big else d.int(1, 2)
    depth = channels * filters if depthwise else filters
    return (
        [batch, *size, channels],
        [*kernel, channels, filters],
        [batch, *out, depth],
    )


def _normal(d: Drawer, shape, what="T"):
    return d.values(what, shape, "normal")


def _forward(rank: int, depthwise: bool = False):
    def draw(d: Drawer):
        image, kernel, _ = _convolution(d, rank, depthwise)
        return [_normal(d, image), _normal(d, kernel)]

    return draw


def _backprop(rank: int, sizes_of: str, depthwise: bool = False):
    """Gradients of a convolution; `sizes_of` is the argument that is only a shape."""

    def draw(d: Drawer):
        image, kernel, out = _convolution(d, rank, depthwise)
        first = d.array(d.types_of(0), image) if sizes_of == "input" else None
        second = d.array(sig.INT32, kernel) if sizes_of == "filter" else None
        return [
            _normal(d, image) if first is None else first,
            _normal(d, kernel) if second is None else second,
            _normal(d, out),
        ]

    return draw


hint("Conv3D")(_forward(3))


@hint("Conv")
def _any_convolution(d: Drawer):
    rank = d.pick([2, 3])
    image, kernel, _ = _convolution(d, rank)
    d.attrs["data_format"], d.attrs["groups"] = "CHANNELS_LAST", 1
    if d.chance(0.3):
        d.attrs["dilations"] = []
    d.attrs["batch_dims"] = batch_dims = d.pick([0, 1, 1, 2, 3])
    batch = image[:1] if batch_dims else []
    image = [1] * (batch_dims - 1) + batch + image[1:]
    return [_normal(d, image), _normal(d, kernel)]


hint("DepthwiseConv2dNative")(_forward(2, depthwise=True))
hint("Conv3DBackpropInput", "Conv3DBackpropFilter")(_backprop(3, ""))
hint("Conv3DBackpropInputV2")(_backprop(3, "input"))
hint("Conv3DBackpropFilterV2")(_backprop(3, "filter"))
hint("DepthwiseConv2dNativeBackpropInput")(_backprop(2, "input", depthwise=True))
hint("DepthwiseConv2dNativeBackpropFilter")(_backprop(2, "filter", depthwise=True))


# Pooling. ----------------------------------------------------------------------------------------------------


def _pool(d: Drawer, rank: int):
    """Shapes of a pooling's input and output; sets the attrs."""
    _attrs(d, rank)
    kernel = [d.int(1, 3) for _ in range(rank)]
    stride = [d.int(1, 2) for _ in range(rank)]
    if d.big and d.chance(0.7):
        stride = [1] * rank
    d.attrs["ksize"], d.attrs["strides"] = [1, *kernel, 1], [1, *stride, 1]
    size = [d.int(4, 7) for _ in range(rank)] if not d.big else _BIG[rank]
    out = [_out(d, s, k, t) for s, k, t in zip(size, kernel, stride)]
    batch, channels = (3, d.int(2, 3)) if d.big else (d.int(1, 2), d.int(1, 3))
    return [batch, *size, channels], [batch, *out, channels]


def _maxima(d: Drawer, x: np.ndarray, out: list[int]):
    """Returns max pooling's result for x, and the place of each maximum in its image."""
    kernel, stride = d["ksize"][1:-1], d["strides"][1:-1]
    before = [
        max((o - 1) * s + k - n, 0) // 2 if d["padding"] == "SAME" else 0
        for o, s, k, n in zip(out[1:-1], stride, kernel, x.shape[1:-1])
    ]
    y, places = np.empty(out, x.dtype), np.empty(out, np.int64)
    image = np.arange(int(np.prod(x.shape[1:]))).reshape(x.shape[1:])
    for at in itertools.product(*(range(o) for o in out[1:-1])):
        cut = tuple(
            slice(max(i * s - b, 0), i * s - b + k)
            for i, s, b, k in zip(at, stride, before, kernel)
        )
        window = x[(slice(None), *cut)].reshape(out[0], -1, out[-1])
        index = image[cut].reshape(-1, out[-1])
        best = window.argmax(1)
        y[(slice(None), *at)] = np.take_along_axis(window, best[:, None], 1)[:, 0]
        places[(slice(None), *at)] = np.take_along_axis(index[None], best[:, None], 1)[
            :, 0
        ]
    return y, places


@hint("MaxPool3D", "AvgPool3D")
def _pool3d(d: Drawer):
    return [_normal(d, _pool(d, 3)[0])]


@hint("MaxPoolWithArgmax")
def _max_pool_with_argmax(d: Drawer):
    return [_normal(d, _pool(d, 2)[0])]


@hint("AvgPool3DGrad")
def _avg_pool3d_grad(d: Drawer):
    image, out = _pool(d, 3)
    return [d.array(sig.INT32, image), _normal(d, out)]


@hint("MaxPool3DGrad", "MaxPool3DGradGrad", "MaxPoolGradGrad")
def _max_pool_grad(d: Drawer):
    image, out = _pool(d, 3 if "3D" in d.sig.name else 2)
    what = "TInput" if "TInput" in d.attrs else "T"
    if what == "TInput":
        d.attrs["TInput"] = d["T"]
    x = _normal(d, image, what)
    grad = image if d.sig.name.endswith("GradGrad") else out
    return [x, _maxima(d, x, out)[0], _normal(d, grad)]


@hint("MaxPoolV2", "MaxPoolGradV2", "MaxPoolGradGradV2")
def _max_pool_v2(d: Drawer):
    """ksize and strides are inputs, and no attrs."""
    image, out = _pool(d, 2)
    x = _normal(d, image)
    inputs = [x]
    if "Grad" in d.sig.name:
        grad = image if "GradGrad" in d.sig.name else out
        inputs += [_maxima(d, x, out)[0], _normal(d, grad)]
    sizes = (d.attrs.pop(name) for name in ("ksize", "strides"))
    return [*inputs, *(d.array(sig.INT32, size) for size in sizes)]


@hint("MaxPoolGradWithArgmax", "MaxPoolGradGradWithArgmax")
def _max_pool_grad_with_argmax(d: Drawer):
    image, out = _pool(d, 2)
    d.attrs["include_batch_in_index"] = False
    x = _normal(d, image)
    grad = image if "GradGrad" in d.sig.name else out
    return [x, _normal(d, grad), d.array("Targmax", _maxima(d, x, out)[1])]


@hint("FractionalMaxPool", "FractionalAvgPool")
def _fractional_pool(d: Drawer):
    d.attrs["pooling_ratio"] = [1.0, *(float(d.rng.uniform(1, 2)) for _ in "hw"), 1.0]
    d.attrs["seed"], d.attrs["seed2"] = d.int(1, 99), d.int(1, 99)
    d.attrs["deterministic"] = True
    if d.big:
        return [_normal(d, [3, 97, 101, 3])]
    return [_normal(d, [d.int(1, 2), d.int(4, 9), d.int(4, 9), d.int(1, 3)])]


def _cuts(d: Drawer, size: int):
    """The rows or columns where pooling cells begin, and the end."""
    inner = 1 + np.flatnonzero(d.rng.random_sample(size - 1) < 0.6)
    return np.array([0, *inner, size])


@hint("FractionalMaxPoolGrad", "FractionalAvgPoolGrad")
def _fractional_pool_grad(d: Drawer):
    d.attrs["overlapping"] = False
    shape = [d.int(1, 2), d.int(3, 6), d.int(3, 6), d.int(1, 3)]
    if d.big:
        shape = [2, 61, 67, 3]
    rows, cols = _cuts(d, shape[1]), _cuts(d, shape[2])
    out = [shape[0], len(rows) - 1, len(cols) - 1, shape[3]]
    cuts = [d.array(sig.INT64, rows), d.array(sig.INT64, cols)]
    grad = _normal(d, out)
    if "Avg" in d.sig.name:
        return [d.array(sig.INT64, shape), grad, *cuts]
    x, y = _normal(d, shape), np.empty(out, sig.numpy_type(d["T"]))
    for i, j in itertools.product(range(out[1]), range(out[2])):
        cell = x[:, rows[i] : rows[i + 1], cols[j] : cols[j + 1]]
        y[:, i, j] = cell.max((1, 2))
    return [x, y, grad, *cuts]


# Dilation and normalisation. ---------------------------------------------------------------------------------


@hint("Dilation2D", "Dilation2DBackpropInput", "Dilation2DBackpropFilter")
def _dilation(d: Drawer):
    _attrs(d, 2)
    stride, rate = ([d.int(1, 2), d.int(1, 2)] for _ in range(2))
    d.attrs["strides"], d.attrs["rates"] = [1, *stride, 1], [1, *rate, 1]
    size, kernel = ([d.int(4, 7), d.int(4, 7)], [d.int(1, 3), d.int(1, 3)])
    if d.big:
        size = _BIG[2]
    out = [
        _out(d, s, (k - 1) * r + 1, t) for s, k, r, t in zip(size, kernel, rate, stride)
    ]
    batch, depth = (3, d.int(2, 3)) if d.big else (d.int(1, 2), d.int(1, 3))
    inputs = [_normal(d, [batch, *size, depth]), _normal(d, [*kernel, depth])]
    if d.sig.name == "Dilation2D":
        return inputs
    return [*inputs, _normal(d, [batch, *out, depth])]


@hint("LRN", "LRNGrad")
def _lrn(d: Drawer):
    d.attrs["depth_radius"] = d.int(1, 4)
    shape = d.shape(low=4, high=4)
    return [_normal(d, shape) for _ in d.sig.inputs]


def _images_shape(d: Drawer) -> list[int]:
    d.attrs["data_format"] = "NHWC"
    if d.sig.name.endswith("V3") and d.chance(0.4):
        d.attrs["data_format"] = "NDHWC"
    rank = len(d.attrs["data_format"])
    return d.shape(low=rank, high=rank, min_dim=1)


@hint("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _fused_batch_norm(d: Drawer):
    shape = _images_shape(d)
    what = "U" if "U" in d.attrs else "T"
    c = shape[-1:]
    scale, offset = (_normal(d, c, what) for _ in range(2))
    given = [0] if d["is_training"] else c
    mean, variance = d.values(what, given, "normal"), d.values(what, given, "positive")
    return [_normal(d, shape), scale, offset, mean, variance]


@hint("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _fused_batch_norm_grad(d: Drawer):
    shape = _images_shape(d)
    what = "U" if "U" in d.attrs else "T"
    c = shape[-1:]
    x = _normal(d, shape)
    spaces = [d.values(what, c, "normal"), d.values(what, c, "positive")]
    if d["is_training"]:
        # The forward op saved these: gradients of the second order rely on them.
        wide = x.astype(np.float64)
        spaces = [
            d.array(what, wide.mean(tuple(range(len(shape) - 1)))),
            d.array(what, wide.var(tuple(range(len(shape) - 1)))),
        ]
    if d.sig.name.endswith("V3"):
        spaces.append(d.values(what, []))
    scale = "T" if what == "T" else sig.FLOAT
    return [_normal(d, shape), x, _normal(d, c, scale), *spaces]


@hint("BatchNormWithGlobalNormalization", "BatchNormWithGlobalNormalizationGrad")
def _batch_norm(d: Drawer):
    d.attrs["variance_epsilon"] = d.pick([1e-3, 0.1])
    shape = d.shape(low=4, high=4)
    out = []
    for arg in d.sig.inputs:
        kind = "positive" if arg.name == "v" else "normal"
        mine = shape if arg.name in ("t", "backprop") else shape[-1:]
        out.append(d.values("T", mine, kind))
    return out
