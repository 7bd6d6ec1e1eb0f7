# SPDX-License-Identifier: Apache-2.0
"""FakeQuantWithMinMax* and their gradients against their formulas in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import RANGES, half_away
from tensorwright.python.testing.op_testing import fed

F32 = np.float32


def nudged(low, high, bits, narrow):
    """The range (min, max, step) shifted so that 0 is in it."""
    first, last = F32(1 if narrow else 0), F32(2**bits - 1)
    step = (F32(high) - F32(low)) / (last - first)
    zero = half_away(np.clip(first - F32(low) / step, first, last))
    return (first - zero) * step, (last - zero) * step, step


def fake(x, low, high, bits=8, narrow=False):
    a, b, step = nudged(low, high, bits, narrow)
    per_step = F32(1) / step
    zero = np.floor(-a * per_step + F32(0.5))
    return np.floor((np.clip(x, a, b) - a) * per_step - zero + F32(0.5)) * step


def numbers(low, high, n):
    rng = np.random.RandomState(n)
    x = rng.uniform(low - 1, high + 1, n)
    x[: n // 2] = rng.uniform(low, high, n // 2)
    return x.astype(F32)


def test_equal_numbers_are_rounded_alike():
    x = np.array([3.2, 300, -5, 300, -5, 3.2], F32)
    for build in (
        lambda x: tf.fake_quant_with_min_max_args(x, 0.0, 255.0),
        lambda x: tf.fake_quant_with_min_max_vars(x, 0.0, 255.0),
    ):
        np.testing.assert_array_equal(fed(build, x), [3, 255, 0, 255, 0, 3])


SETTINGS = list(itertools.product([2, 3, 8, 16], [False, True]))


@pytest.mark.parametrize(("bits", "narrow"), SETTINGS)
@pytest.mark.parametrize("n", [0, 1, 9, 1000])
def test_numbers_are_rounded_to_the_steps_of_a_range(bits, narrow, n):
    for low, high in RANGES:
        x = numbers(low, high, n)
        want = fake(x, low, high, bits, narrow)
        got = fed(
            lambda x: tf.fake_quant_with_min_max_args(x, low, high, bits, narrow), x
        )
        np.testing.assert_array_equal(got, want)
        got = fed(
            lambda x, a, b: tf.fake_quant_with_min_max_vars(x, a, b, bits, narrow),
            x,
            F32(low),
            F32(high),
        )
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("bits", "narrow"), SETTINGS)
def test_gradients_pass_within_the_range(bits, narrow):
    for low, high in RANGES:
        x = numbers(low, high, 200).reshape(20, 10)
        g = (np.arange(200) % 17 - 8).astype(F32).reshape(20, 10)
        a, b, _ = nudged(low, high, bits, narrow)
        want = g * ((x >= a) & (x <= b))
        got = fed(
            lambda x, g: tf.gradients(
                tf.fake_quant_with_min_max_args(x, low, high, bits, narrow), x, g
            )[0],
            x,
            g,
        )
        np.testing.assert_array_equal(got, want)

        def gradients(x, a, b, g):
            y = tf.fake_quant_with_min_max_vars(x, a, b, bits, narrow)
            return tf.gradients(y, [x, a, b], g)

        got = fed(gradients, x, F32(low), F32(high), g)
        np.testing.assert_array_equal(got[0], want)
        assert got[1] == g[x < a].sum()
        assert got[2] == g[x > b].sum()


@pytest.mark.parametrize(
    "shape",
    [[4], [5, 4], [2, 3, 4], [2, 3, 2, 4], [0, 4], [1, 1], [40000, 3], [300, 301]],
)
@pytest.mark.parametrize("narrow", [False, True])
def test_channels_have_ranges_of_their_own(shape, narrow):
    channels = shape[-1]
    low = np.resize(np.array([-1, 0, -3.3, 0], F32), channels)
    high = np.resize(np.array([1, 6, 7.7, 0], F32), channels)
    x = numbers(-2, 3, int(np.prod(shape))).reshape(shape)
    g = (np.arange(x.size) % 7 - 3).astype(F32).reshape(shape)
    dx, dmin, dmax = np.array(g), np.zeros_like(low), np.zeros_like(high)
    want = np.zeros_like(x)
    for c in range(channels):
        if (low[c], high[c]) == (0, 0):
            continue  # An empty range: everything becomes 0, every gradient passes.
        a, b, _ = nudged(low[c], high[c], 8, narrow)
        xc, gc = x[..., c], g[..., c]
        want[..., c] = fake(xc, low[c], high[c], 8, narrow)
        dx[..., c] = gc * ((xc >= a) & (xc <= b))
        dmin[c], dmax[c] = gc[xc < a].sum(), gc[xc > b].sum()

    def build(x, a, b, g):
        y = tf.fake_quant_with_min_max_vars_per_channel(x, a, b, narrow_range=narrow)
        return [y, *tf.gradients(y, [x, a, b], g)]

    for known in (False, True):
        got = fed(build, x, low, high, g, known=known)
        for actual, expected in zip(got, [want, dx, dmin, dmax], strict=True):
            np.testing.assert_array_equal(actual, expected)


def test_an_empty_range_leaves_zeros():
    x, g = np.array([-1, 0, 2], F32), np.array([1, 2, 3], F32)
    got = fed(lambda x: tf.fake_quant_with_min_max_vars(x, 0.0, 0.0), x)
    np.testing.assert_array_equal(got, [0, 0, 0])
    dx, low, high = fed(
        lambda g, x: tf.fake_quant_with_min_max_vars_gradient(g, x, 0.0, 0.0), g, x
    )
    np.testing.assert_array_equal(dx, g)
    assert (low, high) == (0, 0)


def test_not_a_number_stays():
    x = np.array([np.nan, np.inf, -np.inf], F32)
    got = fed(lambda x: tf.fake_quant_with_min_max_args(x), x)
    want = fake(np.array([0, 9, -9], F32), -6, 6)
    assert np.isnan(got[0])
    np.testing.assert_array_equal(got[1:], want[1:])


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda x: tf.fake_quant_with_min_max_args(x, 4, 4), "smaller than max"),
        (lambda x: tf.fake_quant_with_min_max_args(x, num_bits=1), "num_bits"),
        (lambda x: tf.fake_quant_with_min_max_args(x, num_bits=17), "num_bits"),
        (
            lambda x: tf.fake_quant_with_min_max_args_gradient(x, x[:1]),
            "same shape|equal",
        ),
        (
            lambda x: tf.fake_quant_with_min_max_vars(
                x, tf.placeholder_with_default([0.0], None), 1.0
            ),
            "rank 0",
        ),
        (
            lambda x: tf.fake_quant_with_min_max_vars_gradient(x, x[:1], 0.0, 1.0)[0],
            "same shape|equal",
        ),
        (
            lambda x: tf.fake_quant_with_min_max_vars_per_channel(
                x, [0.0, 0.0], [1.0, 1.0]
            ),
            "incorrect size|equal",
        ),
        (
            lambda x: tf.fake_quant_with_min_max_vars_per_channel(
                x[0, 0], [0.0], [1.0]
            ),
            "rank",
        ),
        (
            lambda x: tf.fake_quant_with_min_max_vars_per_channel_gradient(
                x, x, [0.0], [1.0]
            )[0],
            "incorrect size|equal",
        ),
    ],
)
def test_bad_arguments_are_refused(build, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(build, np.zeros([2, 3], F32))


def test_shapes_are_checked_in_the_graph():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 3])
        for low in ([0.0, 0.0], 0.0):
            with pytest.raises(ValueError, match=r"equal|rank"):
                tf.fake_quant_with_min_max_vars_per_channel(x, low, low)
        with pytest.raises(ValueError, match="rank 0"):
            tf.fake_quant_with_min_max_vars(x, [0.0], 1.0)
