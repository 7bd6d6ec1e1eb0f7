# SPDX-License-Identifier: Apache-2.0
"""Tests of contrib.quantization: numbers come back within half a step."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

quantization = tf.contrib.quantization


def test_round_trip_and_concat():
    x = np.linspace(-3, 3, 20, dtype=np.float32)
    codes, low, high = quantization.quantize_v2(x, -4.0, 4.0, T=tf.quint8)
    back = quantization.dequantize(codes, low, high)
    both, *_ = quantization.quantized_concat(
        0, [codes, codes], [low, low], [high, high]
    )
    assert quantization.quantized_array_ops.dequantize is quantization.dequantize
    assert callable(quantization.quantized_nn_ops.quantized_conv2d)
    assert callable(quantization.quantized_math_ops.quantized_mat_mul)
    with tf.Session() as session:
        got, joined = session.run([back, both])
    np.testing.assert_allclose(got, x, atol=8 / 255 / 2 + 1e-6)
    assert joined.shape == (40,)
