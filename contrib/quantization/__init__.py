# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.quantization`: ops of quantized arrays and layers."""

from tensorwright.contrib.quantization.python import (
    array_ops as quantized_array_ops,
    math_ops as quantized_math_ops,
    nn_ops as quantized_nn_ops,
)
from tensorwright.contrib.quantization.python.array_ops import (
    dequantize,
    quantize_v2,
    quantized_concat,
)
