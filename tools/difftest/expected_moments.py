# SPDX-License-Identifier: Apache-2.0
"""Gradients of FusedBatchNormGrad in NumPy, by the moments that the call gives."""

import numpy as np

from tensorwright.tools.difftest import examples
from tensorwright.tools.difftest.difference import GRADIENT, Difference
from tensorwright.tools.difftest.explanation import upstreams
from tensorwright.tools.opcheck.draws import Case


def _axes(d: Difference) -> tuple[int, ...]:
    """The axes of images beside the channels."""
    channel = 1 if d.attrs["data_format"].startswith("NC") else d.input(1).ndim - 1
    return tuple(i for i in range(d.input(1).ndim) if i != channel)


def own_variance(d: Difference) -> np.ndarray:
    """The variance of each channel of the images."""
    return d.wide(1).var(_axes(d))


def given(d: Difference) -> np.ndarray:
    """A gradient of FusedBatchNormGrad by dy, x or the scale, in which the mean and the variance are the call's."""
    axes, (dy, x) = _axes(d), (d.wide(0), d.wide(1))
    s, mean, variance = (np.expand_dims(d.wide(i), axes) for i in (2, 3, 4))
    u, a, b = (v.astype(np.float64) for v in upstreams(d.outputs[0][:3]))
    a, b = (np.expand_dims(v, axes) for v in (a, b))
    r = 1 / np.sqrt(variance + d.attrs["epsilon"])
    h = (x - mean) * r

    def part(z, w=1.0):
        return (z * w).mean(axes, keepdims=True)

    def rest(z):
        return z - part(z) - h * part(z, h)

    if d.output == 0:
        return s * r * rest(u) + a * h + b
    if d.output == 2:
        return (r * u * rest(dy)).sum(axes)
    slope = h * part(u, rest(dy)) + rest(u) * part(dy, h) + rest(dy) * part(u, h)
    return a * r * rest(dy) - s * r * r * slope


_X = np.arange(6, dtype=np.float32).reshape(1, 1, 3, 2)
_V = np.float32([1, 2])
OUTPUTS = [_X, _V, _V]


def call(which: int) -> Case:
    """A call with a variance of 0, or with the images' own."""
    variance = np.float32((np.zeros(2), _X.var((0, 1, 2)))[which])
    inputs = _X[..., ::-1] ** 2, _X, _V, _V, variance
    attrs = {"is_training": True, "data_format": "NHWC", "epsilon": 1e-3}
    return examples.call("FusedBatchNormGradV3", *inputs, **attrs)


def of_call(which: int) -> np.ndarray:
    """The gradient by the first input of such a call."""
    outputs = OUTPUTS, OUTPUTS
    case = call(which)
    return given(Difference(case.op, GRADIENT, case=case, output=0, outputs=outputs))
