# SPDX-License-Identifier: Apache-2.0
"""Gradients of quantization simulated in floats: as if nothing had been rounded."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_array_ops

ops.NotDifferentiable("FakeQuantWithMinMaxArgsGradient")
ops.NotDifferentiable("FakeQuantWithMinMaxVarsGradient")
ops.NotDifferentiable("FakeQuantWithMinMaxVarsPerChannelGradient")


@ops.RegisterGradient("QuantizeAndDequantize")
@ops.RegisterGradient("QuantizeAndDequantizeV2")
@ops.RegisterGradient("QuantizeAndDequantizeV3")
def _quantize_and_dequantize_grad(op: ops.Operation, grad: Any) -> Any:
    """g for the numbers; the range and num_bits have none."""
    return [grad] + [None] * (len(op.inputs) - 1)


@ops.RegisterGradient("FakeQuantWithMinMaxArgs")
def _fake_quant_args_grad(op: ops.Operation, grad: Any) -> Any:
    """g within the range, 0 outside."""
    return gen_array_ops.fake_quant_with_min_max_args_gradient(
        grad,
        op.inputs[0],
        min=op.get_attr("min"),
        max=op.get_attr("max"),
        num_bits=op.get_attr("num_bits"),
        narrow_range=op.get_attr("narrow_range"),
    )


@ops.RegisterGradient("FakeQuantWithMinMaxVars")
def _fake_quant_vars_grad(op: ops.Operation, grad: Any) -> Any:
    """g within the range; to its ends, the sum of g beyond each."""
    return list(
        gen_array_ops.fake_quant_with_min_max_vars_gradient(
            grad,
            *op.inputs,
            num_bits=op.get_attr("num_bits"),
            narrow_range=op.get_attr("narrow_range"),
        )
    )


@ops.RegisterGradient("FakeQuantWithMinMaxVarsPerChannel")
def _fake_quant_per_channel_grad(op: ops.Operation, grad: Any) -> Any:
    """The same for each channel."""
    return list(
        gen_array_ops.fake_quant_with_min_max_vars_per_channel_gradient(
            grad,
            *op.inputs,
            num_bits=op.get_attr("num_bits"),
            narrow_range=op.get_attr("narrow_range"),
        )
    )
