# SPDX-License-Identifier: Apache-2.0
"""Quantized arithmetic: re-exports, no code."""

from tensorwright.python.ops.gen_math_ops import (
    quantize_down_and_shrink_range as quantize_down_and_shrink_range,
    quantized_mat_mul as quantized_mat_mul,
)
