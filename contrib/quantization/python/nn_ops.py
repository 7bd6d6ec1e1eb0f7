# SPDX-License-Identifier: Apache-2.0
"""Quantized layers: re-exports, no code."""

from tensorwright.python.ops.gen_nn_ops import (
    quantized_avg_pool as quantized_avg_pool,
    quantized_bias_add as quantized_bias_add,
    quantized_conv2d as quantized_conv2d,
    quantized_max_pool as quantized_max_pool,
    quantized_relu as quantized_relu,
    quantized_relu6 as quantized_relu6,
)
