# SPDX-License-Identifier: Apache-2.0
"""Max pools whose windows and strides are inputs against those that have them as attrs, and against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

DTYPES = [
    np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.float16,
    ml_dtypes.bfloat16, np.float32, np.float64,
]  # fmt: skip
GRADIENT_DTYPES = [*DTYPES, np.uint32, np.uint64]
CASES = [
    # window, strides, padding, data_format
    ([1, 2, 2, 1], [1, 2, 2, 1], "VALID", "NHWC"),
    ([1, 3, 2, 1], [1, 2, 1, 1], "SAME", "NHWC"),
    ([1, 1, 2, 3], [1, 1, 2, 2], "SAME", "NCHW"),
    ([1, 1, 1, 2], [1, 1, 1, 2], "VALID", "NHWC"),
]
SHAPE = [2, 6, 5, 4]


def image(dtype, shape, seed=0):
    """Different numbers, as far as the dtype has so many."""
    n = int(np.prod(shape))
    numbers = np.random.RandomState(seed).permutation(n)
    if np.dtype(dtype).itemsize == 1:
        numbers %= 120
    return numbers.astype(dtype).reshape(shape)


def attrs(case):
    return dict(zip(("ksize", "strides", "padding", "data_format"), case))


def sizes(case):
    return [np.int32(case[0]), np.int32(case[1])]


def layout(case):
    return dict(padding=case[2], data_format=case[3])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", CASES)
def test_values(dtype, case):
    x = image(dtype, SHAPE)
    want = fed(lambda x: gen_nn_ops.max_pool(x, **attrs(case)), x)
    for known in (False, True):
        got = fed(
            lambda x, k, s: gen_nn_ops.max_pool_v2(x, k, s, **layout(case)),
            x,
            *sizes(case),
            known=known,
        )
        assert got.dtype == x.dtype
        np.testing.assert_array_equal(got, want)


def test_windows_are_numpys():
    x = image(np.float32, [1, 4, 6, 2])
    got = fed(
        lambda x, k, s: gen_nn_ops.max_pool_v2(x, k, s, padding="VALID"),
        x,
        np.int32([1, 2, 3, 1]),
        np.int32([1, 2, 3, 1]),
    )
    np.testing.assert_array_equal(got, x.reshape(1, 2, 2, 2, 3, 2).max((2, 4)))


@pytest.mark.parametrize("dtype", GRADIENT_DTYPES)
@pytest.mark.parametrize("case", CASES)
def test_gradients_are_those_of_attrs(dtype, case):
    x = image(dtype, SHAPE)
    # Large unsigned integers have no forward pool.
    wide = x.astype(np.int64) if dtype in (np.uint32, np.uint64) else x
    y = fed(lambda x: gen_nn_ops.max_pool(x, **attrs(case)), wide).astype(dtype)
    for second in (False, True):
        name = "max_pool_grad_grad" if second else "max_pool_grad"
        g = image(dtype, SHAPE if second else y.shape, seed=1)
        want = fed(
            lambda x, y, g, name=name: getattr(gen_nn_ops, name)(
                x, y, g, **attrs(case)
            ),
            x,
            y,
            g,
        )
        got = fed(
            lambda x, y, g, k, s, name=name: getattr(gen_nn_ops, f"{name}_v2")(
                x, y, g, k, s, **layout(case)
            ),
            x,
            y,
            g,
            *sizes(case),
        )
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("case", CASES)
def test_first_and_second_derivatives(case):
    x = image(np.float64, SHAPE)
    rng = np.random.RandomState(3)
    step = 1e-4 * rng.normal(size=SHAPE)

    def pool(x):
        return gen_nn_ops.max_pool_v2(x, *sizes(case), **layout(case))

    g = rng.normal(size=fed(pool, x).shape)
    (dx,) = fed(lambda x: tf.gradients(pool(x), x, tf.constant(g)), x)
    moved = (g * (fed(pool, x + step) - fed(pool, x - step))).sum()
    np.testing.assert_allclose((dx * 2 * step).sum(), moved, rtol=1e-6)

    def twice(g, h):
        x_ = tf.constant(x)
        (first,) = tf.gradients(pool(x_), x_, g)
        (second,) = tf.gradients(first, g, h)
        (third,) = tf.gradients(second, h, g)
        return first, second, third

    h = rng.normal(size=SHAPE)
    first, second, third = fed(twice, g, h)
    # It is linear in g: h . d(g) = second . g.
    np.testing.assert_allclose((first * h).sum(), (second * g).sum(), rtol=1e-9)
    np.testing.assert_array_equal(third, first)


@pytest.mark.parametrize(
    ("ksize", "strides", "error", "words"),
    [
        ([1, 2, 2], [1, 2, 2, 1], "InvalidArgument", "must be 4|must have 4"),
        ([1, 0, 2, 1], [1, 2, 2, 1], "InvalidArgument", "ksize must be positive"),
        ([1, 2, 2, 1], [1, -1, 2, 1], "InvalidArgument", "strides must be positive"),
        ([2, 2, 2, 1], [1, 2, 2, 1], "Unimplemented", "batch dimension"),
        ([1, 2, 2, 2], [1, 2, 2, 2], "Unimplemented", "exactly one of pooling"),
        ([1, 9, 2, 1], [1, 1, 1, 1], "InvalidArgument", "MaxPoolV2"),
    ],
)
def test_bad_sizes(ksize, strides, error, words):
    x = np.zeros(SHAPE, np.float32)
    with pytest.raises(getattr(tf.errors, f"{error}Error"), match=words):
        fed(
            lambda x, k, s: gen_nn_ops.max_pool_v2(x, k, s, padding="VALID"),
            x,
            np.int32(ksize),
            np.int32(strides),
        )


def test_gradients_of_other_shapes():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected .*shape"):
        fed(
            lambda x, y, g, k, s: gen_nn_ops.max_pool_grad_v2(
                x, y, g, k, s, padding="VALID"
            ),
            np.zeros([1, 4, 4, 1]),
            np.zeros([1, 2, 2, 1]),
            np.zeros([1, 3, 2, 1]),
            np.int32([1, 2, 2, 1]),
            np.int32([1, 2, 2, 1]),
        )
