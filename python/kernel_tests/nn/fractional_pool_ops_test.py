# SPDX-License-Identifier: Apache-2.0
"""Fractional pools: what holds of every random sequence, and pooling by them in NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import evaluate

DTYPES = ["float32", "float64", "int32", "int64"]


def values(shape, dtype, seed=0):
    n = int(np.prod(shape))
    return np.random.RandomState(seed).permutation(n).reshape(shape).astype(dtype)


def windows(sequence, overlapping, size):
    return [
        slice(a, min(size, b + overlapping)) for a, b in zip(sequence, sequence[1:])
    ]


def each_window(rows, cols, overlapping, shape):
    for i, r in enumerate(windows(rows, overlapping, shape[1])):
        for j, c in enumerate(windows(cols, overlapping, shape[2])):
            yield i, j, r, c


@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize("pseudo_random", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_pools_and_gradients(dtype, pseudo_random, overlapping):
    shape, ratio = [2, 13, 11, 3], [1.0, 1.5, 1.7, 1.0]
    x = values(shape, dtype)
    for seed in range(1, 6):
        with tf.Graph().as_default():
            options = dict(
                pseudo_random=pseudo_random,
                overlapping=overlapping,
                deterministic=True,
                seed=seed,
                seed2=7,
            )
            y, rows, cols = evaluate(tf.nn.fractional_max_pool(x, ratio, **options))
            mean, rows2, cols2 = evaluate(
                tf.nn.fractional_avg_pool(x, ratio, **options)
            )
            np.testing.assert_array_equal(rows, rows2)
            np.testing.assert_array_equal(cols, cols2)
            for sequence, size, r in [(rows, 13, 1.5), (cols, 11, 1.7)]:
                assert len(sequence) == int(size / r) + 1
                assert sequence[0] == 0 and sequence[-1] == size
                assert set(np.diff(sequence)) <= {1, 2}
            g = values(y.shape, dtype, 3)
            d_max, d_avg = np.zeros(shape), np.zeros(shape)
            for i, j, r, c in each_window(rows, cols, overlapping, shape):
                part = x[:, r, c]
                np.testing.assert_array_equal(y[:, i, j], part.max((1, 2)))
                want = part.sum((1, 2)) / (part.shape[1] * part.shape[2])
                np.testing.assert_allclose(mean[:, i, j], want.astype(dtype), rtol=1e-5)
                hit = part == y[:, i, j][:, None, None]
                d_max[:, r, c] += hit * g[:, i, j][:, None, None]
                area = part.shape[1] * part.shape[2]
                d_avg[:, r, c] += (g[:, i, j] / area)[:, None, None]
            got = evaluate(
                gen_nn_ops.fractional_max_pool_grad(
                    x, y, g, rows, cols, overlapping=overlapping
                )
            )
            np.testing.assert_array_equal(got, d_max)
            got = evaluate(
                gen_nn_ops.fractional_avg_pool_grad(
                    np.int64(shape), g, rows, cols, overlapping=overlapping
                )
            )
            np.testing.assert_allclose(
                got, d_avg.astype(dtype), rtol=1e-5, atol=1 if "int" in dtype else 1e-4
            )


def test_randomness():
    x, ratio = values([1, 30, 30, 1], "float32"), [1.0, 1.4, 1.4, 1.0]
    with tf.Graph().as_default(), tf.Session() as sess:
        fresh = tf.nn.fractional_max_pool(x, ratio)[1]
        fixed = tf.nn.fractional_max_pool(x, ratio, deterministic=True)[1]
        sequences = {tuple(sess.run(fresh)) for _ in range(10)}
        assert len(sequences) > 1
        assert len({tuple(sess.run(fixed)) for _ in range(10)}) == 1
        # Window sizes come at every place.
        sizes = np.mean([np.diff(sess.run(fresh)) for _ in range(200)], 0)
        assert sizes.min() > 1.1 and sizes.max() < 1.8


def test_a_seed_draws_what_it_draws_in_tensorflow():
    x = values([2, 8, 9, 2], "float32")
    with tf.Graph().as_default():
        _, rows, cols = evaluate(
            tf.nn.fractional_avg_pool(
                x, [1.0, 1.534, 1.506, 1.0], deterministic=True, seed=84, seed2=48
            )
        )
    np.testing.assert_array_equal(rows, [0, 2, 4, 5, 6, 8])
    np.testing.assert_array_equal(cols, [0, 2, 3, 5, 7, 9])
    # Rows that divide evenly draw, too.
    x = values([1, 6, 6, 3], "float32")
    with tf.Graph().as_default():
        _, rows, cols = evaluate(
            tf.nn.fractional_max_pool(
                x, [1.0, 1.717, 1.151, 1.0], deterministic=True, seed=86, seed2=33
            )
        )
    np.testing.assert_array_equal(rows, [0, 2, 4, 6])
    np.testing.assert_array_equal(cols, [0, 2, 3, 4, 5, 6])


def test_a_seed_needs_deterministic():
    with (
        tf.Graph().as_default(),
        pytest.raises(tf.errors.InvalidArgumentError, match="seed and seed2 must be 0"),
    ):
        evaluate(
            tf.nn.fractional_max_pool(
                values([1, 6, 6, 1], "float32"), [1.0, 2.0, 2.0, 1.0], seed=3
            )
        )


def test_an_integer_ratio_leaves_nothing_to_chance():
    with tf.Graph().as_default():
        x = values([1, 6, 4, 2], "float32")
        y, rows, cols = evaluate(tf.nn.fractional_max_pool(x, [1.0, 2.0, 2.0, 1.0]))
    np.testing.assert_array_equal(rows, [0, 2, 4, 6])
    np.testing.assert_array_equal(cols, [0, 2, 4])
    np.testing.assert_array_equal(y, x.reshape(1, 3, 2, 2, 2, 2).max((2, 4)))


def test_sums_of_integers_wrap():
    x = np.full([1, 2, 2, 1], 2**31 - 1, np.int32)
    with tf.Graph().as_default():
        y = evaluate(tf.nn.fractional_avg_pool(x, [1.0, 2.0, 2.0, 1.0])[0])
    np.testing.assert_array_equal(y, [[[[-1]]]])  # -4 / 4


def test_sizes_are_divided_in_floats():
    # 6 / 1.2 is 5, although the float nearest to 1.2 is larger than 1.2.
    with tf.Graph().as_default():
        y, rows, cols = tf.nn.fractional_max_pool(
            values([1, 6, 6, 1], "float32"), [1.0, 1.2, 1.5, 1.0]
        )
        assert y.get_shape().as_list() == [1, 5, 4, 1]
        assert rows.get_shape().as_list() == [6]
        got = evaluate([y, rows, cols])
        assert [g.shape for g in got] == [(1, 5, 4, 1), (6,), (5,)]


@pytest.mark.parametrize("name", ["fractional_max_pool", "fractional_avg_pool"])
def test_numeric_gradient(name):
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(values([1, 7, 5, 2], "float64"))
        y = getattr(tf.nn, name)(
            x, [1.0, 1.5, 1.3, 1.0], overlapping=True, deterministic=True, seed=1
        )[0]
        shape = y.eval().shape
        error = tf.test.compute_gradient_error(
            x, [1, 7, 5, 2], y, shape, x_init_value=x.eval()
        )
        assert error < 1e-6


@pytest.mark.parametrize(
    ("shape", "ratio", "words"),
    [
        ([4, 4, 1], [1.0, 1.5, 1.5, 1.0], "rank 4|4-dim"),
        ([1, 4, 4, 1], [1.0, 0.5, 1.5, 1.0], ">= 1"),
        ([1, 4, 4, 1], [1.0, float("nan"), 1.5, 1.0], ">= 1"),
        ([1, 4, 4, 1], [2.0, 1.5, 1.5, 1.0], "batch"),
        ([1, 4, 4, 1], [1.0, 5.0, 1.5, 1.0], "at least its pooling_ratio"),
    ],
)
def test_bad_arguments(shape, ratio, words):
    errors = (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError, ValueError)
    with tf.Graph().as_default(), pytest.raises(errors, match=words):
        p = tf.placeholder(tf.float32)
        evaluate(
            tf.nn.fractional_max_pool(p, ratio),
            {p: np.zeros(shape, np.float32)},
        )


@pytest.mark.parametrize(
    "rows", [[0, 2], [0, 3, 2], [0, 2, 9], [-1, 2, 4], [0, 2, 2], [[0, 2, 4]]]
)
def test_bad_sequences(rows):
    x, y = np.zeros([1, 4, 4, 1], np.float32), np.zeros([1, 2, 2, 1], np.float32)
    errors = (tf.errors.InvalidArgumentError, ValueError)
    with tf.Graph().as_default():
        with pytest.raises(errors):
            evaluate(
                gen_nn_ops.fractional_max_pool_grad(
                    x, y, y, np.int64(rows), np.int64([0, 2, 4])
                )
            )
        with pytest.raises(errors):
            evaluate(
                gen_nn_ops.fractional_avg_pool_grad(
                    np.int64([1, 4, 4, 1]), y, np.int64([0, 2, 4]), np.int64(rows)
                )
            )


@pytest.mark.parametrize("dtype", DTYPES)
def test_windows_of_equal_elements_have_their_maximum(dtype):
    x = np.array([[3, 1, 3, 0], [3, 1, 0, 0], [2, 2, 0, 3], [2, 2, 0, 3]], dtype)
    with tf.Graph().as_default():
        got = evaluate(
            tf.nn.fractional_max_pool(x.reshape(1, 4, 4, 1), [1.0, 2.0, 2.0, 1.0])
        )
    np.testing.assert_array_equal(got[0][0, ..., 0], [[3, 3], [2, 3]])
    np.testing.assert_array_equal(got[1:], [[0, 2, 4], [0, 2, 4]])


def test_what_is_no_number_is_no_maximum_of_numbers():
    """It is one where there are none."""
    nan = np.nan
    x = np.float32([[1, 5, nan, 2], [nan, 3, 4, 1], [nan, nan, 1, 2], [nan, nan, 3, 4]])
    with tf.Graph().as_default():
        got = evaluate(
            tf.nn.fractional_max_pool(x.reshape(1, 4, 4, 1), [1.0, 2.0, 2.0, 1.0])
        )
    np.testing.assert_array_equal(got[0][0, ..., 0], [[5, 4], [nan, 4]])
    np.testing.assert_array_equal(got[1:], [[0, 2, 4], [0, 2, 4]])
