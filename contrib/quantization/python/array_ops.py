# SPDX-License-Identifier: Apache-2.0
"""Ops of quantized arrays: re-exports, no code."""

from tensorwright.python.ops.gen_array_ops import (
    dequantize as dequantize,
    quantize_v2 as quantize_v2,
    quantized_concat as quantized_concat,
)
