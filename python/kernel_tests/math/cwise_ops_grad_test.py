# SPDX-License-Identifier: Apache-2.0
"""The ops that gradients of elementwise ops are made of."""

import numpy as np
import pytest

from tensorwright.python.kernel_tests.math.cwise_reference import (
    COMPLEX,
    FLOATS,
    SIZES,
    expect,
    numbers,
    run,
    sigmoid,
    wide,
)
from tensorwright.python.ops import gen_math_ops, gen_nn_ops

GRADIENTS = [
    # These two take the conjugate of a complex y as their argument.
    ("tanh_grad", lambda y, dy: dy * (1 - y**2), FLOATS + COMPLEX),
    ("sigmoid_grad", lambda y, dy: dy * y * (1 - y), FLOATS + COMPLEX),
    ("sqrt_grad", lambda y, dy: dy / 2 / np.conj(y), FLOATS + COMPLEX),
    ("rsqrt_grad", lambda y, dy: dy * -0.5 * np.conj(y) ** 3, FLOATS + COMPLEX),
    ("reciprocal_grad", lambda y, dy: -dy * np.conj(y) ** 2, FLOATS + COMPLEX),
    ("inv_grad", lambda y, dy: -dy * np.conj(y) ** 2, FLOATS + COMPLEX),
]


@pytest.mark.parametrize(("name", "numpy", "dtypes"), GRADIENTS)
def test_gradient_ops(name, numpy, dtypes):
    for dtype in dtypes:
        for size in SIZES:
            y, dy = numbers(dtype, [size], 0.5, 1, 1), numbers(dtype, [size], -1, 1, 2)
            got = run(getattr(gen_math_ops, name), dtype, y, dy)
            expect(got, numpy(wide(y), wide(dy)), dtype)


@pytest.mark.parametrize("name", ["sqrt_grad", "rsqrt_grad", "reciprocal_grad"])
def test_where_no_gradient_comes_down_none_goes_on(name):
    y = np.float32([np.inf, np.nan, 0, 2])
    got = run(getattr(gen_math_ops, name), "float32", y, np.zeros(4, np.float32))
    np.testing.assert_array_equal(got, np.zeros(4))


ACTIVATION_GRADIENTS = [
    ("relu_grad", lambda g, f: np.where(f > 0, g, 0)),
    ("relu6_grad", lambda g, f: np.where((f > 0) & (f < 6), g, 0)),
    ("elu_grad", lambda g, f: np.where(f < 0, g * (f + 1), g)),
    ("softplus_grad", lambda g, f: g * sigmoid(f)),
    ("softsign_grad", lambda g, f: g / (1 + np.abs(f)) ** 2),
]


@pytest.mark.parametrize(("name", "numpy"), ACTIVATION_GRADIENTS)
def test_activation_gradient_ops(name, numpy):
    for dtype in FLOATS:
        for size in SIZES:
            g, f = numbers(dtype, [size], -1, 1, 1), numbers(dtype, [size], -8, 8, 2)
            got = run(getattr(gen_nn_ops, name), dtype, g, f)
            expect(got, numpy(wide(g), wide(f)), dtype)
