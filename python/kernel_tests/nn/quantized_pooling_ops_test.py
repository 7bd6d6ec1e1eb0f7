# SPDX-License-Identifier: Apache-2.0
"""QuantizedAvgPool and QuantizedMaxPool against loops over windows."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    INTEGERS,
    codes,
    integers,
    limits,
)
from tensorwright.python.kernel_tests.nn.conv_reference import paddings
from tensorwright.python.testing.op_testing import fed

F32 = np.float32


def random_codes(shape, name, seed=0):
    low, high = limits(name)
    drawn = np.random.RandomState(seed).randint(low, high + 1, shape)
    return drawn.astype(INTEGERS[name])


def run(op, x, name, ksize, strides, padding, known=False, ends=(-1.5, 2.5)):
    """(codes, min, max)."""
    out, low, high = fed(
        lambda *a: op(*a, ksize=ksize, strides=strides, padding=padding),
        codes(x, name),
        *(F32(e) for e in ends),
        known=known,
    )
    return integers(out), low, high


def mean(window):
    """The mean of each channel, cut off towards 0."""
    total, n = window.astype(np.int64).sum((0, 1)), window.shape[0] * window.shape[1]
    return np.sign(total) * (np.abs(total) // n)


def pooled(reduce, x, ksize, strides, padding):
    sizes = x.shape[1:3]
    before = [
        paddings(padding, n, k, s, 1, None)[0] for n, k, s in zip(sizes, ksize, strides)
    ]
    out = [
        -(-n // s) if padding == "SAME" else (n - k) // s + 1
        for n, k, s in zip(sizes, ksize, strides)
    ]
    result = np.empty([x.shape[0], *out, x.shape[3]], x.dtype)
    for b, i, j in np.ndindex(x.shape[0], *out):
        top, left = i * strides[0] - before[0], j * strides[1] - before[1]
        window = x[
            b,
            max(top, 0) : max(top + ksize[0], 0),
            max(left, 0) : max(left + ksize[1], 0),
        ]
        result[b, i, j] = reduce(window)
    return result


POOLS = {
    "mean": (tf.nn.quantized_avg_pool, mean),
    "maximum": (tf.nn.quantized_max_pool, lambda w: w.max((0, 1))),
}
GEOMETRIES = [
    ([1, 1, 1, 1], (1, 1), (1, 1)),
    ([2, 5, 6, 3], (2, 2), (2, 2)),
    ([3, 7, 5, 4], (3, 2), (1, 2)),
    ([1, 9, 8, 17], (2, 3), (3, 3)),
    ([2, 6, 6, 1], (6, 6), (1, 1)),
    ([0, 4, 4, 2], (2, 2), (1, 1)),
    ([2, 4, 4, 0], (2, 2), (1, 1)),
    ([4, 33, 35, 40], (3, 3), (2, 2)),
]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("name", ["quint8", "qint8"])
@pytest.mark.parametrize("kind", POOLS)
def test_pooled_codes_are_those_of_numpy(kind, name, padding, known):
    op, reduce = POOLS[kind]
    for shape, ksize, strides in GEOMETRIES:
        x = random_codes(shape, name, sum(shape))
        got, low, high = run(
            op, x, name, [1, *ksize, 1], [1, *strides, 1], padding, known
        )
        np.testing.assert_array_equal(got, pooled(reduce, x, ksize, strides, padding))
        assert (low, high) == (F32(-1.5), F32(2.5))


@pytest.mark.parametrize("name", ["quint8", "qint8"])
def test_windows_over_channels(name):
    x = random_codes([2, 3, 4, 12], name)
    got, *_ = run(
        tf.nn.quantized_max_pool, x, name, [1, 1, 1, 3], [1, 1, 1, 3], "VALID"
    )
    np.testing.assert_array_equal(got, x.reshape(2, 3, 4, 4, 3).max(-1))


@pytest.mark.parametrize("name", ["quint8", "qint8"])
def test_means_are_cut_off_exactly(name):
    """Sums on both sides of every whole mean, in windows of each way to add up."""
    for size in (15, 16, 64, 70):
        count = size * size
        for mean_ in (0, 1, 100, 127, -1, -128):
            if mean_ < limits(name)[0]:
                continue
            x = np.full([3, size, size, 1], mean_, np.int64)
            step = 1 if mean_ < limits(name)[1] else 0
            x[0, 0, 0] -= 1 if mean_ > limits(name)[0] else 0
            x[2, 0, 0] += step
            sums = x.sum((1, 2, 3))
            got, *_ = run(
                tf.nn.quantized_avg_pool,
                x.astype(INTEGERS[name]),
                name,
                [1, size, size, 1],
                [1] * 4,
                "VALID",
            )
            want = np.sign(sums) * (np.abs(sums) // count)
            np.testing.assert_array_equal(got.ravel(), want)


def test_a_large_window_does_not_overflow():
    x = np.full([1, 3000, 3000, 1], 255, np.uint8)
    got, *_ = run(
        tf.nn.quantized_avg_pool, x, "quint8", [1, 3000, 3000, 1], [1] * 4, "VALID"
    )
    np.testing.assert_array_equal(got, [[[[255]]]])


@pytest.mark.parametrize("kind", POOLS)
def test_arguments_must_fit(kind):
    op, _ = POOLS[kind]
    x = random_codes([1, 4, 4, 2], "quint8")
    ones = [1, 1, 1, 1]
    invalid, undone = tf.errors.InvalidArgumentError, tf.errors.UnimplementedError
    for ksize, strides, ends, error, words in [
        ([1, 2, 2], ones, (0, 1), invalid, "ksize must have 4 values"),
        (ones, [1, 1], (0, 1), invalid, "strides must have 4 values"),
        ([1, 0, 1, 1], ones, (0, 1), invalid, "positive"),
        ([1, 5, 1, 1], ones, (0, 1), invalid, "[Nn]egative|larger"),
        ([2, 1, 1, 1], ones, (0, 1), undone, "batch dimension"),
        ([1, 2, 1, 2], [1, 1, 1, 2], (0, 1), undone, "depth|[Nn]on-spatial"),
        (ones, ones, ([0.0], 1), invalid, "rank 0"),
        (ones, ones, (0, [1.0]), invalid, "rank 0"),
    ]:
        with pytest.raises((error, ValueError), match=words):
            run(op, x, "quint8", ksize, strides, "VALID", ends=ends)
    with pytest.raises(invalid, match="rank 4"):
        run(op, x[0], "quint8", ones, ones, "VALID")
