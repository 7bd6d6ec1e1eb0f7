# SPDX-License-Identifier: Apache-2.0
"""QuantizeV2 and Dequantize against their formulas in NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    INTEGERS,
    RANGES,
    codes,
    half_away,
    integers,
    limits,
    min_first_codes,
    min_first_reals,
    saturate,
)
from tensorwright.python.testing.op_testing import fed

F32 = np.float32


def widened(low, high, least=0.01):
    low, high = F32(low), F32(high)
    first = min(F32(0), low)
    gap = max(F32(1), abs(low), abs(high)) * F32(least)
    return first, max(F32(0), high, F32(first + gap))


def quantized(x, low, high, name, mode, to_even=False, narrow=False, least=0.01):
    """(codes, min, max) that quantize must give."""
    x, (first, last) = x.astype(F32), limits(name)
    low, high = widened(low, high, least)
    if mode == "MIN_FIRST":
        return min_first_codes(x, low, high, name), low, high
    if mode == "SCALED":
        first, scales = F32(first + narrow), [np.finfo(F32).max]
        if first * low > 0:
            scales.append(first / low)
        if F32(last) * high > 0:
            scales.append(F32(last) / high)
        scale = min(scales)
        low, high = first / scale, F32(last) / scale
        y = np.clip(x, low, high) * scale
        return saturate(np.rint(y) if to_even else half_away(y), name), low, high
    scale = F32((float(last) - float(first)) / float(high - low))
    above = (np.clip(x, low, high) - low) * scale
    if first == 0:
        return saturate(np.trunc(above + F32(0.5)), name), low, high
    half = F32((float(last) - float(first) + 1) / 2)
    return saturate(half_away(above - half), name), low, high


def dequantized(c, low, high, name, mode, narrow=False):
    low, high, x = F32(low), F32(high), c.astype(F32)
    first, last = limits(name)
    if mode == "MIN_FIRST":
        return min_first_reals(c, low, high, name)
    if mode == "SCALED":
        scale = high / F32(last)
        return x * (max(low / F32(first + narrow), scale) if first else scale)
    half = F32((float(last) - float(first) + 1) / 2 if first else 0)
    return (x + half) * (F32(high - low) / F32(F32(last) - F32(first))) + low


def numbers(low, high, n):
    rng = np.random.RandomState(n)
    return rng.uniform(low - 1, high + 1, n).astype(F32)


@pytest.mark.parametrize("name", list(INTEGERS))
@pytest.mark.parametrize(
    ("mode", "round_mode", "narrow"),
    [
        ("MIN_COMBINED", "HALF_AWAY_FROM_ZERO", False),
        ("MIN_FIRST", "HALF_AWAY_FROM_ZERO", False),
        ("SCALED", "HALF_AWAY_FROM_ZERO", False),
        ("SCALED", "HALF_AWAY_FROM_ZERO", True),
        ("SCALED", "HALF_TO_EVEN", False),
        ("SCALED", "HALF_TO_EVEN", True),
    ],
)
def test_numbers_become_codes(name, mode, round_mode, narrow):
    for low, high in RANGES:
        if low < 0 >= high and name.startswith("quint") and mode == "SCALED":
            continue  # Nothing of the range is left.
        for n in (0, 1, 3, 17, 1000):
            x = numbers(low, high, n)
            got, got_min, got_max = fed(
                lambda x, a, b: tf.quantize(
                    x, a, b, getattr(tf, name), mode, round_mode, narrow_range=narrow
                ),
                x,
                F32(low),
                F32(high),
            )
            to_even = round_mode == "HALF_TO_EVEN"
            want, want_min, want_max = quantized(
                x, low, high, name, mode, to_even, narrow
            )
            np.testing.assert_array_equal(integers(got), want)
            assert (got_min, got_max) == (want_min, want_max)


@pytest.mark.parametrize("name", list(INTEGERS))
@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
@pytest.mark.parametrize("narrow", [False, True])
def test_codes_become_numbers(name, mode, narrow):
    first, last = limits(name)
    rng = np.random.RandomState(0)
    for low, high in [*RANGES, (0, 0)]:
        for n in (0, 1, 5, 300):
            c = rng.randint(first, last + 1, n, np.int64).astype(INTEGERS[name])
            got = fed(
                lambda c, a, b: tf.dequantize(c, a, b, mode, narrow_range=narrow),
                codes(c, name),
                F32(low),
                F32(high),
            )
            want = dequantized(c, low, high, name, mode, narrow)
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_slices_have_ranges_of_their_own(mode, axis):
    x = numbers(-3, 5, 60).reshape([3, 4, 5])
    n = x.shape[axis]
    lows, highs = -np.arange(1, n + 1, dtype=F32), np.arange(2, n + 2, dtype=F32)
    got, mins, maxes = fed(
        lambda x, a, b: tf.quantize(x, a, b, tf.qint8, mode, axis=axis),
        x,
        lows,
        highs,
        known=True,
    )
    back = fed(
        lambda c, a, b: tf.dequantize(c, a, b, mode, axis=axis),
        got,
        mins,
        maxes,
        known=True,
    )
    for i in range(n):
        part = np.take(x, i, axis)
        want, low, high = quantized(part, lows[i], highs[i], "qint8", mode)
        np.testing.assert_array_equal(np.take(integers(got), i, axis), want)
        assert (mins[i], maxes[i]) == (low, high)
        want = dequantized(want, low, high, "qint8", mode)
        np.testing.assert_array_equal(np.take(back, i, axis), want)


@pytest.mark.parametrize("mode", ["MIN_COMBINED", "SCALED"])
def test_numbers_can_be_bfloat16(mode):
    c = np.arange(-128, 128).astype(np.int8)
    got = fed(
        lambda c: tf.cast(
            tf.dequantize(c, -2.0, 3.0, mode, dtype=tf.bfloat16), tf.float32
        ),
        codes(c, "qint8"),
    )
    want = dequantized(c, -2, 3, "qint8", mode)
    np.testing.assert_allclose(got, want, rtol=2.0**-8)


def test_the_range_is_widened():
    _, low, high = fed(
        lambda x: tf.quantize_v2(x, 2.0, 2.0, tf.quint8, ensure_minimum_range=0.5),
        np.zeros(1, F32),
    )
    assert (low, high) == (0, 2)
    _, low, high = fed(
        lambda x: tf.quantization.quantize(
            x, -2.0, -2.0, tf.quint8, ensure_minimum_range=1.5
        ),
        np.zeros(1, F32),
    )
    assert (low, high) == (-2, 1)


def test_absent_numbers_saturate():
    x = np.array([np.inf, -np.inf, np.nan, 3e38, -3e38], F32)
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        for name in INTEGERS:
            got = fed(
                lambda x: tf.quantize(x, -1.0, 1.0, getattr(tf, name), mode)[0], x
            )
            first, last = limits(name)
            c = integers(got).astype(np.int64)
            first = 0 if mode == "SCALED" and name.startswith("quint") else first
            top = 2147483520 if name == "qint32" else last
            assert list(c[[0, 1, 3, 4]]) == [top, first, top, first]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda x: tf.quantize(x, 3.0, 2.0, tf.quint8)[0], "larger than"),
        (
            lambda x: tf.quantize(x, 0.0, 2.0, tf.quint8, round_mode="HALF_TO_EVEN")[0],
            "SCALED only",
        ),
        (
            lambda x: tf.dequantize(
                tf.quantize(x, 0.0, 1.0, tf.quint8)[0],
                0.0,
                1.0,
                "MIN_FIRST",
                dtype=tf.bfloat16,
            ),
            "bfloat16",
        ),
    ],
)
def test_bad_arguments_are_refused(build, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(build, np.zeros([2, 3], F32))


@pytest.mark.parametrize("axis", [None, 0, 1, 2])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_ranges_must_fit_the_axis(axis, n):
    x, ends = np.zeros([2, 3], F32), np.ones([n], F32)
    if axis is None and n == 1:
        return  # One element is as good as a scalar when it runs.
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis|rank|element"):
        fed(
            lambda x, a, b: tf.quantize(x, a, b, tf.qint8, axis=axis)[0], x, -ends, ends
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis|rank|element"):
        fed(
            lambda c, a, b: tf.dequantize(c, a, b, axis=axis),
            codes(x, "qint8"),
            -ends,
            ends,
        )
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match=r"rank|equal|must be"),
    ):
        tf.quantize(x, -ends, ends, tf.qint8, axis=axis)
