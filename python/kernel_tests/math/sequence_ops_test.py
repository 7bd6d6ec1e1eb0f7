# SPDX-License-Identifier: Apache-2.0
"""Range and LinSpace against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize(
    ("start", "limit", "delta"),
    [(0, 5, 1), (3, 18, 3), (5, 0, -2), (2, 2, 1), (-3, 4, 2)],
)
def test_range(dtype, start, limit, delta):
    got = fed(
        gen_math_ops._range, *np.array([start, limit, delta], dtype)[:, None].reshape(3)
    )
    np.testing.assert_array_equal(got, np.arange(start, limit, delta).astype(dtype))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_long_ranges_do_not_drift(dtype):
    limit = 100 if dtype == "float16" else 100_000
    ends = [np.array(v, dtype) for v in (0, limit, 0.1)]
    got = fed(gen_math_ops._range, *ends)
    wide = np.arange(got.size) * ends[2].astype(np.float64)
    np.testing.assert_allclose(got, wide, rtol=np.finfo(dtype).eps)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 5, 0), "delta != 0"),
        ((5, 0, 1), "start <= limit"),
        ((0, 5, -1), "start >= limit"),
    ],
)
def test_range_refuses(arguments, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_math_ops._range, *[np.int32(a) for a in arguments])
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_math_ops._range, *[np.float32(a) for a in (0, np.inf, 1)])


def test_lin_space():
    for dtype in ("float32", "float64"):
        for num in (1, 2, 7):
            got = fed(
                gen_math_ops.lin_space,
                np.array(1, dtype),
                np.array(-3, dtype),
                np.int32(num),
            )
            np.testing.assert_allclose(
                got, np.linspace(1, -3, num, dtype=dtype), rtol=1e-6, atol=1e-6
            )
    with pytest.raises(tf.errors.InvalidArgumentError, match="num > 0"):
        fed(gen_math_ops.lin_space, np.float32(0), np.float32(1), np.int32(0))


def test_unsorted_segment_sum_refuses_ids_out_of_range():
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        fed(
            gen_math_ops.unsorted_segment_sum,
            np.zeros([2], np.float32),
            np.int32([0, 5]),
            np.int32(5),
        )
