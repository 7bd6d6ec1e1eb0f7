# SPDX-License-Identifier: Apache-2.0
"""ArgMax and ArgMin against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

DTYPES = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
]


def numbers(dtype, shape, seed=0):
    return np.random.RandomState(seed).randint(0, 50, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES + ["bool"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [([7], 0), ([3, 4], 1), ([3, 4], -2), ([2, 5, 70], 1), ([0, 3], 1)],
)
def test_arg_max_and_arg_min(dtype, shape, axis):
    x = numbers(dtype, shape)
    most, least = fed(
        lambda v, a: [gen_math_ops.arg_max(v, a), gen_math_ops.arg_min(v, a)],
        x,
        np.int32(axis),
    )
    np.testing.assert_array_equal(most, x.argmax(axis))
    np.testing.assert_array_equal(least, x.argmin(axis))
    assert most.dtype == np.int64
    narrow = fed(
        lambda v, a: gen_math_ops.arg_max(v, a, output_type=tf.int32), x, np.int64(axis)
    )
    assert narrow.dtype == np.int32


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [[700, 3], [2, 601, 300]])
def test_more_rows_than_a_byte_counts(dtype, shape):
    """The places lie anywhere in the columns, ties before and after them."""
    x = np.random.RandomState(1).randint(1, 90, shape).astype(dtype)
    rng = np.random.RandomState(2)
    for value in (0, 120):
        for _ in range(2):
            places = rng.randint(0, shape[-2], x[..., :1, :].shape)
            np.put_along_axis(x, places, value, -2)
    most, least = fed(
        lambda v, a: [gen_math_ops.arg_max(v, a), gen_math_ops.arg_min(v, a)],
        x,
        np.int32(len(shape) - 2),
    )
    np.testing.assert_array_equal(most, x.argmax(-2))
    np.testing.assert_array_equal(least, x.argmin(-2))


@pytest.mark.parametrize("dtype", DTYPES + ["bool"])
@pytest.mark.parametrize("rows", [1, 3])
def test_rows_shared_out_in_pieces(dtype, rows):
    """The first of equal elements wins, wherever they lie; the last piece and block are not whole."""
    n = 200003
    rng = np.random.RandomState(3)
    for places in ([n - 1], [70001, 70002, 199999], [16383, 16384], [0, n - 1], []):
        for value in (0, 1, 120):
            x = np.ones([rows, n], dtype)
            x[rng.randint(rows), places] = value
            most, least = fed(
                lambda v, a: [gen_math_ops.arg_max(v, a), gen_math_ops.arg_min(v, a)],
                x,
                np.int32(1),
            )
            np.testing.assert_array_equal(most, x.argmax(1))
            np.testing.assert_array_equal(least, x.argmin(1))


@pytest.mark.parametrize("n", [100, 200003])
def test_a_nan_is_no_extreme_of_a_row(n):
    for number in (-np.inf, np.finfo(np.float64).min, -1, np.inf):
        x = np.full(n, np.nan)
        x[[n - 30, n - 20]] = number
        got = fed(gen_math_ops.arg_max, x, np.int32(0))
        # An infinity of the wrong sign is no better than a NaN.
        assert got == (0 if number == -np.inf else n - 30)
    assert fed(gen_math_ops.arg_min, np.full(n, np.nan), np.int32(0)) == 0


def test_a_nan_is_no_extreme_of_a_column():
    x = np.array([[np.nan, np.nan], [1, np.nan], [2, np.nan]], np.float32)
    np.testing.assert_array_equal(fed(gen_math_ops.arg_max, x, np.int32(0)), [2, 0])


def test_arg_max_refuses_empty_axes_and_axes_out_of_range():
    with pytest.raises(tf.errors.InvalidArgumentError, match="is empty"):
        fed(gen_math_ops.arg_max, np.zeros([0, 3], np.float32), np.int32(0))
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_math_ops.arg_max, np.zeros([2, 3], np.float32), np.int32(2))
