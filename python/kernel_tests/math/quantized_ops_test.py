# SPDX-License-Identifier: Apache-2.0
"""QuantizedAdd, Mul and MatMul against their formulas in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    RANGES,
    codes,
    integers,
    one_code,
    one_real,
)
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

F32 = np.float32


def random_codes(shape, seed=0):
    return np.random.RandomState(seed).randint(0, 256, shape).astype(np.uint8)


def run(op, x, y, range_x, range_y, known=False, **attrs):
    """(codes, min, max) of the op on codes with those ranges."""
    ends = [F32(e) for e in (*range_x, *range_y)]
    z, low, high = fed(
        lambda x, y, *e: op(x, y, *e, **attrs),
        codes(x, "quint8"),
        codes(y, "quint8"),
        *ends,
        known=known,
    )
    return integers(z), low, high


def product_range(range_x, range_y):
    (a, b), (c, d) = np.array([range_x, range_y], F32)
    step = ((b - a) / F32(255)) * ((d - c) / F32(255))
    return step * F32(-(2.0**31)), step * F32(2.0**31 - 1)


def zero_code(ends):
    return int(one_code(0.0, *ends, "quint8"))


PAIRS = list(itertools.product(RANGES, RANGES))
SHAPES = [
    ([], []),
    ([1], [1]),
    ([7], [7]),
    ([2, 3], [3]),
    ([3], [2, 3]),
    ([2, 3], [2, 1]),
    ([4, 1, 3], [5, 1]),
    ([0, 3], [3]),
    ([40, 50], []),
    ([], [300]),
    ([100, 33], [100, 33]),
]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("x_shape", "y_shape"), SHAPES)
def test_sums_of_codes_are_those_of_numpy(known, x_shape, y_shape):
    x, y = random_codes(x_shape, 1), random_codes(y_shape, 2)
    for range_x, range_y in PAIRS[:: 1 if x.size < 10 else 7]:
        ends = np.abs(np.array([*range_x, *range_y], F32))
        high = max(range_x[1], -range_x[0], range_y[1], -range_y[0])
        high = F32(high) * F32(2**14)
        assert ends.max() * F32(2**14) >= high

        def recode(c, ends, exact, high=high):
            def code(c):
                real = one_real(c, *ends, "quint8")
                return one_code(real, -high, high, "qint32")

            if exact:
                return code(c)
            first = code(np.array(0))
            return first + c.astype(np.int64) * (code(np.array(1)) - first)

        want = recode(x, range_x, x.size == 1) + recode(
            y, range_y, y.size == 1 and x.size != 1
        )
        got, low, top = run(gen_math_ops.quantized_add, x, y, range_x, range_y, known)
        np.testing.assert_array_equal(got, want)
        assert (low, top) == (-high, high)


def test_the_middle_of_the_codes_is_rounded_as_tensorflow_does():
    """TensorFlow's codes: -min * scale ends in a half, which its formula for the scale decides."""
    z, *_ = run(
        gen_math_ops.quantized_add,
        np.uint8(20),
        np.uint8([229, 188]),
        (-0.58332336, 1.9629796),
        (-0.8825959, 1.410774),
    )
    np.testing.assert_array_equal(z, [53212, 28612])


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("x_shape", "y_shape"), SHAPES)
def test_products(known, x_shape, y_shape):
    x, y = random_codes(x_shape, 1), random_codes(y_shape, 2)
    for range_x, range_y in PAIRS[:: 1 if x.size < 10 else 7]:
        want = (x.astype(np.int64) - zero_code(range_x)) * (
            y.astype(np.int64) - zero_code(range_y)
        )
        got, *ends = run(gen_math_ops.quantized_mul, x, y, range_x, range_y, known)
        np.testing.assert_array_equal(got, want.astype(np.int32))
        assert tuple(ends) == product_range(range_x, range_y)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize(
    ("m", "k", "n"),
    [
        (1, 1, 1),
        (5, 7, 3),
        (4, 2, 16),
        (0, 3, 2),
        (2, 0, 3),
        (3, 300, 5),
        (67, 33, 270),
        (130, 513, 259),
    ],
)
def test_products_of_matrices(transpose_a, transpose_b, m, k, n):
    a, b = random_codes([m, k], 1), random_codes([k, n], 2)
    for range_a, range_b in PAIRS[:: 1 if m * k * n < 200 else 17]:
        want = (a.astype(np.int64) - zero_code(range_a)) @ (
            b.astype(np.int64) - zero_code(range_b)
        )
        got, *ends = run(
            gen_math_ops.quantized_mat_mul,
            a.T if transpose_a else a,
            b.T if transpose_b else b,
            range_a,
            range_b,
            known=True,
            transpose_a=transpose_a,
            transpose_b=transpose_b,
        )
        np.testing.assert_array_equal(got, want.astype(np.int32))
        assert tuple(ends) == product_range(range_a, range_b)


OPS = [
    gen_math_ops.quantized_add,
    gen_math_ops.quantized_mul,
    gen_math_ops.quantized_mat_mul,
]


@pytest.mark.parametrize("op", OPS)
def test_ranges_must_be_increasing_scalars(op):
    x = random_codes([2, 2])
    for bad in [(1, 0), (1, 1), (np.nan, 1), (0, np.nan)]:
        for ranges in [(bad, (0, 1)), ((0, 1), bad)]:
            with pytest.raises(tf.errors.InvalidArgumentError, match="larger than"):
                run(op, x, x, *ranges)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0"):
        run(op, x, x, ([0.0, 1.0], 1), (0, 1))


@pytest.mark.parametrize(
    ("op", "words"),
    [
        (OPS[0], "Incompatible shapes"),
        (OPS[1], "Incompatible shapes"),
        (OPS[2], "equal|match"),
    ],
)
def test_shapes_must_fit(op, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(op, random_codes([2, 3]), random_codes([2, 3])[:, :2], (0, 1), (0, 1))
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"[Dd]imensions"):
        x = tf.placeholder(tf.quint8, [2, 3])
        y = tf.placeholder(tf.quint8, [4, 2])
        op(x, y, 0.0, 1.0, 0.0, 1.0)


def test_matrices_only():
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 2"):
        run(OPS[2], random_codes([3]), random_codes([3, 3]), (0, 1), (0, 1))
