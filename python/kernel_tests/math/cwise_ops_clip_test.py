# SPDX-License-Identifier: Apache-2.0
"""ClipByValue against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

REALS = [
    np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.float16,
    ml_dtypes.bfloat16, np.float32, np.float64,
]  # fmt: skip


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("shape", [[], [0], [1], [17], [3, 5], [50_003]])
@pytest.mark.parametrize("bounds", ["scalars", "low", "high", "both"])
def test_values(dtype, shape, bounds):
    rng = np.random.RandomState(0)
    x = rng.randint(0, 100, shape).astype(dtype)
    low = rng.randint(20, 60, shape if bounds in ("low", "both") else []).astype(dtype)
    high = rng.randint(40, 90, shape if bounds in ("high", "both") else []).astype(
        dtype
    )
    want = np.maximum(np.minimum(x, high), low)
    for known in (False, True):
        got = fed(gen_math_ops.clip_by_value, x, low, high, known=known)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64))


def test_numbers_that_are_none():
    x = np.float32([np.nan, -5, 1, 5, np.inf, -np.inf])
    clip = gen_math_ops.clip_by_value
    got = fed(clip, x, np.float32(0), np.float32(2))
    np.testing.assert_array_equal(got, [np.nan, 0, 1, 2, 2, 0])
    got = fed(clip, x, np.float32(np.nan), np.float32(2))
    np.testing.assert_array_equal(got, [np.nan, -5, 1, 2, 2, -np.inf])
    got = fed(clip, x, np.float32(0), np.float32(np.nan))
    np.testing.assert_array_equal(got, [np.nan, 0, 1, 5, np.inf, 0])
    # The lower bound decides where they are the wrong way round.
    got = fed(clip, x, np.float32(2), np.float32(0))
    np.testing.assert_array_equal(got, [np.nan, 2, 2, 2, 2, 2])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_parts_of_complex_numbers_are_clipped_apart(dtype):
    x = np.array([5 + 5j, 1 - 7j, 1 + 7j, -3 + 2j, -3 - 2j, 1 + 2j], dtype)
    low, high = np.array([1j, 2 + 3j], dtype)
    want = np.array([2 + 3j, 1 + 1j, 1 + 3j, 2j, 1j, 1 + 2j], dtype)
    np.testing.assert_array_equal(fed(gen_math_ops.clip_by_value, x, low, high), want)
    rows = np.full(6, low), np.full(6, high)
    np.testing.assert_array_equal(fed(gen_math_ops.clip_by_value, x, *rows), want)


@pytest.mark.parametrize("whole", [True, False])
def test_gradients_go_to_what_decided(whole):
    x = np.float64([-1, 0.5, 3, 0.25, 7])
    low = np.float64([0, 0, 0, 0, 0]) if whole else np.float64(0)
    high = np.float64([2, 2, 2, 2, 2]) if whole else np.float64(2)
    g = np.float64([1, 10, 100, 1000, 10_000])

    def build(x, low, high):
        y = gen_math_ops.clip_by_value(x, low, high)
        return tf.gradients(y, [x, low, high], tf.constant(g))

    dx, dlow, dhigh = fed(build, x, low, high)
    np.testing.assert_array_equal(dx, [0, 10, 0, 1000, 0])
    np.testing.assert_array_equal(dlow, [1, 0, 0, 0, 0] if whole else 1)
    np.testing.assert_array_equal(dhigh, [0, 0, 100, 0, 10_000] if whole else 10_100)


@pytest.mark.parametrize(
    ("t", "low", "high"),
    [([5], [1], []), ([5], [], [4]), ([], [2], []), ([5, 1], [5], [])],
)
def test_bounds_of_other_shapes(t, low, high):
    arrays = [np.zeros(s, np.float32) for s in (t, low, high)]
    words = "must be equal|must be a scalar or have the shape|same rank|equal rank"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_math_ops.clip_by_value, *arrays)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        gen_math_ops.clip_by_value(*arrays)
