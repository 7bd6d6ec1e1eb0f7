# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops that quantize, and of ops on quantized numbers; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint
from tensorwright.tools.opcheck.hints_array import int32
from tensorwright.tools.opcheck.hints_math import matrix, sizes


def _range(d: Drawer, n: list[int] | None = None, what=sig.FLOAT):
    low = -np.abs(d.rng.normal(size=n)) - 0.1
    return d.array(what, low), d.array(
        what, low + np.abs(d.rng.normal(size=n)) * 4 + 0.5
    )


@hint("QuantizeV2")
def _quantize_v2(d: Drawer):
    d.attrs["mode"] = d.pick(["MIN_COMBINED", "MIN_FIRST", "SCALED"])
    if d["mode"] != "SCALED":
        d.attrs["round_mode"] = "HALF_AWAY_FROM_ZERO"
        d.attrs["narrow_range"] = False
    return [d.values(sig.FLOAT, d.shape(), "normal"), *_range(d)]


@hint("Dequantize")
def _dequantize(d: Drawer):
    d.attrs["mode"] = d.pick(["MIN_COMBINED", "MIN_FIRST", "SCALED"])
    return [d.values("T", d.shape()), *_range(d)]


@hint("QuantizeAndDequantize")
def _quantize_and_dequantize(d: Drawer):
    low, high = _range(d)
    d.attrs["input_min"], d.attrs["input_max"] = float(low), float(high)
    if not d["signed_input"]:
        d.attrs["input_min"] = 0.0
    # A graph that is old enough for this op says [] of a placeholder whose shape is unknown.
    return [d.values("T", d.shape(1), "normal")]


@hint("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3")
def _quantize_and_dequantize_v2(d: Drawer):
    low, high = _range(d, None, "T")
    if not d["signed_input"]:
        low = d.array("T", 0)
    out = [d.values("T", d.shape(), "normal"), low, high]
    return out + ([int32(d, 8)] if d.sig.name.endswith("V3") else [])


def _fake_quant_attrs(d: Drawer) -> None:
    d.attrs["num_bits"] = d.int(2, 16)


@hint("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxArgsGradient")
def _fake_quant_args(d: Drawer):
    _fake_quant_attrs(d)
    low, high = _range(d)
    d.attrs["min"], d.attrs["max"] = float(low), float(high)
    shape = d.shape()
    return [d.values(sig.FLOAT, shape, "normal") for _ in d.sig.inputs]


@hint("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsGradient")
def _fake_quant_vars(d: Drawer):
    _fake_quant_attrs(d)
    shape = d.shape()
    data = [d.values(sig.FLOAT, shape, "normal") for _ in d.sig.inputs[:-2]]
    return [*data, *_range(d)]


@hint("FakeQuantWithMinMaxVarsPerChannel", "FakeQuantWithMinMaxVarsPerChannelGradient")
def _fake_quant_channel(d: Drawer):
    _fake_quant_attrs(d)
    shape = d.pick([d.shape(1, 1), d.shape(2, 2), d.shape(4, 4)])
    data = [d.values(sig.FLOAT, shape, "normal") for _ in d.sig.inputs[:-2]]
    return [*data, *_range(d, [shape[-1]])]


@hint("QuantizedInstanceNorm")
def _quantized_instance_norm(d: Drawer):
    shape = [d.int(1, 3), d.int(1, 5), d.int(1, 5), d.int(1, 9)]
    if d.large:
        shape = [16, 56, 56, 64] if d.huge else [4, 17, 19, 17]
    d.attrs["given_y_min"], d.attrs["given_y_max"] = -1.5, 2.0
    return [d.values("T", shape), *_range(d)]


# Quantized. --------------------------------------------------------------------------------------------------


def _span(d: Drawer):
    """(min, max) of a quantized tensor, zero between them."""
    low, high = -abs(d.rng.normal()) - 0.1, abs(d.rng.normal()) + 0.1
    return d.array(sig.FLOAT, low), d.array(sig.FLOAT, high)


@hint("QuantizeDownAndShrinkRange", "RequantizationRange")
def _quantized_one(d: Drawer):
    return [d.values("Tinput", d.shape()), *_span(d)]


@hint("Requantize")
def _requantize(d: Drawer):
    return [d.values("Tinput", d.shape()), *_span(d), *_span(d)]


@hint("QuantizedAdd", "QuantizedMul")
def _quantized_binary(d: Drawer):
    a, b = d.broadcast_shapes(2)
    return [d.values("T1", a), d.values("T2", b), *_span(d), *_span(d)]


@hint("QuantizedMatMul")
def _quantized_matmul(d: Drawer):
    m, k, n = sizes(d)
    a = matrix(d, "T1", m, k, d["transpose_a"])
    b = matrix(d, "T2", k, n, d["transpose_b"])
    return [a, b, *_span(d), *_span(d)]
