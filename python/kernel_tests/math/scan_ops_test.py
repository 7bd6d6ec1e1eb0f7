# SPDX-License-Identifier: Apache-2.0
"""Cumsum and Cumprod against NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests import op_table

SHAPES = ([5], [3, 4], [3, 4, 2], [0, 3], [2, 1])


def _scan(name, axis, exclusive, reverse):
    """The scan by NumPy: shifted by one where it is exclusive, flipped where reversed."""
    first = float(name == "cumprod")

    def reference(x):
        out = np.flip(x, axis) if reverse else x
        out = getattr(np, name)(out, axis, dtype=x.dtype)
        if exclusive and out.size:
            start = np.full_like(np.take(out, [0], axis), first)
            rest = np.take(out, range(out.shape[axis] - 1), axis)
            out = np.concatenate([start, rest], axis)
        return np.flip(out, axis) if reverse else out

    return reference


def _entries():
    for name, axis, exclusive, reverse in itertools.product(
        ("cumsum", "cumprod"), (0, -1), (False, True), (False, True)
    ):
        yield op_table.Entry(
            f"{name}-{axis}{'-exclusive' * exclusive}{'-reverse' * reverse}",
            lambda x, n=name, a=axis, e=exclusive, r=reverse: getattr(tf, n)(
                x, a, exclusive=e, reverse=r
            ),
            _scan(name, axis, exclusive, reverse),
            op_table.NUMBERS,
            span=(0.5, 2),
            shapes=SHAPES,
            bad=[([np.float32(1)], "rank|axis")],
        )


TABLE = list(_entries())
test_values = op_table.values_test(TABLE)
test_gradients = op_table.gradients_test(TABLE)
test_bad_input = op_table.bad_input_test(TABLE)


def test_more_columns_than_a_strip():
    x = np.random.RandomState(0).uniform(0.5, 1.5, [2, 5, 2500]).astype(np.float32)
    for options in itertools.product((False, True), repeat=2):
        with tf.Graph().as_default(), tf.Session() as sess:
            got = sess.run(tf.cumsum(tf.constant(x), 1, *options))
        want = _scan("cumsum", 1, *options)(x)
        np.testing.assert_allclose(got, want, rtol=1e-6)


def _run(x, axis, exclusive=False, reverse=False, product=False, threads=2):
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        scan = tf.cumprod if product else tf.cumsum
        return sess.run(scan(tf.constant(x), axis, exclusive, reverse))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int16, np.complex64])
@pytest.mark.parametrize("shape", [[150_001], [3, 70_003]])
def test_rows_of_many_blocks(dtype, shape):
    rng = np.random.RandomState(0)
    x = rng.randint(-3, 4, shape).astype(dtype)
    if dtype == np.complex64:
        x += 1j * rng.randint(-3, 4, shape).astype(np.float32)
    for options in itertools.product((False, True), repeat=2):
        want = _scan("cumsum", -1, *options)(x)
        np.testing.assert_array_equal(_run(x, -1, *options), want)


def test_rows_do_not_depend_on_threads():
    x = np.random.RandomState(0).normal(size=[300_007]).astype(np.float32)
    np.testing.assert_array_equal(_run(x, 0, threads=1), _run(x, 0, threads=2))
    want = np.cumsum(x.astype(np.float64))
    assert np.abs(_run(x, 0) - want).max() < 2e-7 * np.abs(x).sum()


@np.errstate(over="ignore", invalid="ignore")
@pytest.mark.parametrize("reverse", [False, True])
def test_a_block_may_overflow_where_its_row_does_not(reverse):
    """The second block's total is infinite, the row's sums are not."""
    x = np.zeros(100_000, np.float64)
    x[1000], x[20_000:20_002], x[40_000] = -1.6e308, 1e308, -1e308
    x = np.flip(x) if reverse else x
    got = _run(x, 0, reverse=reverse)
    assert np.isfinite(got).all()
    want = _scan("cumsum", 0, False, reverse)(x)
    np.testing.assert_allclose(got, want, rtol=1e-15)
    x[5] = np.inf
    want = _scan("cumsum", 0, False, reverse)(x)
    np.testing.assert_array_equal(_run(x, 0, reverse=reverse), want)


@pytest.mark.parametrize("product", [False, True])
def test_rows_side_by_side_and_few_columns(product):
    rng = np.random.RandomState(0)
    for shape, axis in (([7, 600], 1), ([9, 3], 1), ([5, 40, 3], 1), ([40, 9], 0)):
        x = rng.randint(1, 4, shape)
        for options in itertools.product((False, True), repeat=2):
            want = _scan("cumprod" if product else "cumsum", axis, *options)(x)
            np.testing.assert_array_equal(_run(x, axis, *options, product), want)
