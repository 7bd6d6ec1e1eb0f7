# SPDX-License-Identifier: Apache-2.0
"""Cast between all numbers against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

NUMBERS = [
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
    "complex64",
    "complex128",
]


def numbers(dtype, shape, seed=0):
    return np.random.RandomState(seed).randint(0, 5, shape).astype(dtype)


@pytest.mark.parametrize("source", NUMBERS + ["bool"])
@pytest.mark.parametrize("target", NUMBERS + ["bool"])
def test_cast(source, target):
    x = numbers(source, [37])
    got = fed(lambda v: gen_math_ops.cast(v, DstT=tf.as_dtype(target)), x)
    want = (
        x.real.astype(target) if np.dtype(target).kind not in "cb" else x.astype(target)
    )
    np.testing.assert_array_equal(got, want)
    assert got.dtype == np.dtype(target)


def test_cast_truncates_toward_zero_and_rounds_floats():
    x = np.float64([1.9, -1.9, 1e-3, 1 + 2**-12])
    np.testing.assert_array_equal(
        fed(lambda v: gen_math_ops.cast(v, DstT=tf.int32), x), [1, -1, 0, 1]
    )
    np.testing.assert_array_equal(
        fed(lambda v: gen_math_ops.cast(v, DstT=tf.float16), x), x.astype(np.float16)
    )
    y = np.float32([1 + 2**-11 + 2**-12])  # Nearest is 1 + 2**-10.
    assert fed(lambda v: gen_math_ops.cast(v, DstT=tf.float16), y)[0] == 1 + 2**-10
    assert (
        fed(lambda v: gen_math_ops.cast(v, DstT=tf.float16, Truncate=True), y)[0] == 1
    )


def test_there_is_no_cast_of_strings():
    with tf.Graph().as_default(), tf.Session() as sess:
        bad = gen_math_ops.cast(tf.constant(["a"]), DstT=tf.int32)
        with pytest.raises(tf.errors.UnimplementedError, match="Cast string to int32"):
            sess.run(bad)
