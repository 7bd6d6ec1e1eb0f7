# SPDX-License-Identifier: Apache-2.0
"""QuantizedInstanceNorm against its formula in NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    RANGES,
    codes,
    integers,
    min_first_codes,
    min_first_reals,
)
from tensorwright.python.ops import array_ops
from tensorwright.python.testing.op_testing import fed

F32 = np.float32


def normal(c, ends, epsilon):
    x = min_first_reals(c, *ends, "quint8").astype(np.float64)
    x -= x.mean((1, 2), keepdims=True)
    return x / np.sqrt((x**2).mean((1, 2), keepdims=True) + epsilon)


def run(c, ends, **attrs):
    return fed(
        lambda x, a, b: array_ops.quantized_instance_norm(x, a, b, **attrs),
        codes(c, "quint8"),
        F32(ends[0]),
        F32(ends[1]),
    )


@pytest.mark.parametrize("shape", [[2, 3, 4, 5], [1, 1, 1, 2], [3, 16, 16, 2]])
@pytest.mark.parametrize("epsilon", [1e-5, 0.1])
def test_channels_are_normalized(shape, epsilon):
    c = np.random.RandomState(0).randint(0, 256, shape).astype(np.uint8)
    for ends in RANGES:
        want = normal(c, ends, epsilon)
        got, low, high = run(c, ends, variance_epsilon=epsilon)
        np.testing.assert_allclose(low, want.min(), rtol=1e-5, atol=1e-6)
        wide = max(want.max(), want.min() + 1e-3)
        np.testing.assert_allclose(high, wide, rtol=1e-5, atol=1e-6)
        off = integers(got) - min_first_codes(
            want.astype(F32), low, high, "quint8"
        ).astype(int)
        assert np.abs(off).max() <= 1
        assert np.mean(off != 0) < 0.01

        got, low, high = run(
            c,
            ends,
            variance_epsilon=epsilon,
            output_range_given=True,
            given_y_min=-1.5,
            given_y_max=2,
        )
        assert (low, high) == (-1.5, 2)
        off = integers(got) - min_first_codes(
            want.astype(F32), -1.5, 2, "quint8"
        ).astype(int)
        assert np.abs(off).max() <= 1


def test_ranges_are_kept_apart():
    c = np.full([1, 2, 2, 1], 7, np.uint8)
    _, low, high = run(c, (0, 1), min_separation=0.25)
    assert (low, high) == (0, 0.25)


@pytest.mark.parametrize("shape", [[0, 2, 2, 1], [1, 0, 2, 1], [1, 2, 2, 0]])
def test_no_elements(shape):
    got, low, high = run(np.zeros(shape, np.uint8), (0, 1))
    assert got.shape == tuple(shape)
    assert low == 0 < high


def test_bad_arguments_are_refused():
    x = np.zeros([1, 2, 2, 1], np.uint8)
    for ends in [(1, 0), (1, 1), (np.nan, 1)]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="larger than"):
            run(x, ends)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 4"):
        run(x[0], (0, 1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="given_y_min"):
        run(x, (0, 1), output_range_given=True, given_y_min=2, given_y_max=1)
