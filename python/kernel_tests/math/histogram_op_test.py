# SPDX-License-Identifier: Apache-2.0
"""HistogramFixedWidth against counts by NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed


@pytest.mark.parametrize("out", [tf.int32, tf.int64])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("shape", [[], [0], [9], [30, 40]])
def test_values_are_counted_in_their_bins(dtype, shape, out):
    x = np.random.RandomState(0).randint(-5, 26, shape).astype(dtype)
    edges = np.array([0, 20], dtype)
    got = fed(
        lambda v, e, n: gen_math_ops.histogram_fixed_width(v, e, n, dtype=out),
        x,
        edges,
        np.int32(8),
    )
    bins = np.clip(np.floor((x.astype(np.float64)) / 2.5), 0, 7).astype(int)
    want = np.bincount(bins.reshape(-1), minlength=8)
    assert got.dtype == out.as_numpy_dtype
    np.testing.assert_array_equal(got, want)


def test_what_is_no_finite_number_counts_to_an_end():
    x = np.float32([np.inf, 3e38, -np.inf, np.nan, 1])
    got = fed(lambda v: gen_math_ops.histogram_fixed_width(v, np.float32([0, 4]), 4), x)
    np.testing.assert_array_equal(got, [2, 1, 0, 2])


@pytest.mark.parametrize(
    ("edges", "bins", "words"),
    [
        ([1, 0], 3, "low < high"),
        ([1, 1], 3, "low < high"),
        ([1, 2, 3], 3, "vector of two|must be 2"),
        ([1, 2], 0, "must be > 0"),
        ([1, 2], [3], "scalar|rank"),
    ],
)
def test_wrong_ranges_and_numbers_of_bins_are_refused(edges, bins, words):
    arrays = np.zeros(3, np.float32), np.float32(edges), np.int32(bins)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_math_ops.histogram_fixed_width, *arrays)


def test_static_shape_is_the_number_of_bins():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        op = gen_math_ops.histogram_fixed_width
        assert op(x, [0.0, 1], 7).shape.as_list() == [7]
        assert op(x, [0.0, 1], tf.placeholder(tf.int32)).shape.as_list() == [None]
        with pytest.raises(ValueError, match="must be > 0"):
            op(x, [0.0, 1], 0)
