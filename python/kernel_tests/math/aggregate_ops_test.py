# SPDX-License-Identifier: Apache-2.0
"""AddN against NumPy."""

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


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9])
def test_add_n(dtype, count):
    for shape in ([], [0], [3, 7], [9000]):
        parts = [numbers(dtype, shape, i) for i in range(count)]
        np.testing.assert_array_equal(
            fed(lambda *p: gen_math_ops.add_n(list(p)), *parts), sum(parts)
        )
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            lambda a, b: gen_math_ops.add_n([a, b]),
            numbers(dtype, [2]),
            numbers(dtype, [3]),
        )


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.complex128])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_accumulate_n_v2_is_the_sum(dtype, count):
    arrays = [np.arange(6).reshape(2, 3).astype(dtype) + i for i in range(count)]
    got = fed(lambda *xs: gen_math_ops.accumulate_nv2(list(xs), [2, 3]), *arrays)
    np.testing.assert_array_equal(got, np.sum(arrays, 0, dtype=dtype))
    with tf.Session() as session:
        tensors = [tf.constant(np.ones([2]) * i) for i in range(count)]
        out = gen_math_ops.accumulate_nv2(tensors, [2])
        for g in session.run(tf.gradients(out, tensors)):
            np.testing.assert_array_equal(g, [1, 1])


def test_large_sums_on_several_threads():
    arrays = [numbers("float32", [1000, 1000], seed) for seed in range(3)]
    for op in (
        gen_math_ops.add_n,
        lambda xs: gen_math_ops.accumulate_nv2(xs, [1000, 1000]),
    ):
        got = fed(lambda *xs, op=op: op(list(xs)), *arrays)
        np.testing.assert_array_equal(got, sum(arrays))


def test_accumulate_n_v2_refuses_other_shapes():
    x = np.zeros([2, 3], np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape of the attr"):
        fed(lambda a, b: gen_math_ops.accumulate_nv2([a, b], [3, 2]), x, x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size and shape"):
        fed(lambda a, b: gen_math_ops.accumulate_nv2([a, b], [2, 3]), x, x[0])
