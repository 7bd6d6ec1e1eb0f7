# SPDX-License-Identifier: Apache-2.0
"""RequantizationRange, Requantize and QuantizeDownAndShrinkRange."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    RANGES,
    codes,
    integers,
    min_first_codes,
    min_first_reals,
    one_real,
)
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

F32 = np.float32
# To quint8 the ops count with 16 bits behind the point, whose last one may be wrong both in the factor and the offset.
NEAREST = 0.5 + 2 * 2.0**-16
NEW_RANGES = [(-1, 1), (0, 6), (-3.3, 7.7), (-5, 0), (-2.5, 2)]


def random_codes(n, shift=0):
    rng = np.random.RandomState(n)
    return (rng.randint(-(2**31), 2**31, n, np.int64) >> shift).astype(np.int32)


def used_range(c, ends):
    if not c.size:
        return F32(0), F32(0)
    low, high = one_real(np.array([c.min(), c.max()]), *ends, "qint32")
    return min(F32(0), low), high


def requantized(c, ends, new, name):
    if name == "qint8":
        return min_first_codes(min_first_reals(c, *ends, "qint32"), *new, name)
    # The real number, not yet rounded to a code.
    (low, high), (new_low, new_high) = np.array([ends, new], np.float64)
    if new_low == new_high:
        return np.zeros(c.shape, np.uint8)
    real = (low + high) / 2 + c * ((high - low) / 2**32)
    return np.clip((real - new_low) * 255 / (new_high - new_low), 0, 255)


@pytest.mark.parametrize("n", [1, 2, 9, 1000])
@pytest.mark.parametrize("shift", [0, 8, 20])
def test_the_range_is_that_of_the_codes(n, shift):
    c = random_codes(n, shift)
    for ends in RANGES:
        got = fed(
            gen_math_ops.requantization_range,
            codes(c, "qint32"),
            F32(ends[0]),
            F32(ends[1]),
        )
        assert tuple(got) == used_range(c, ends)


@pytest.mark.parametrize("name", ["quint8", "qint8"])
@pytest.mark.parametrize("n", [0, 1, 9, 1000])
@pytest.mark.parametrize("shift", [0, 8])
def test_codes_of_another_range(name, n, shift):
    c = random_codes(n, shift)
    for ends in RANGES:
        for new in NEW_RANGES:
            got, low, high = fed(
                lambda c, *e: gen_math_ops.requantize(
                    c, *e, out_type=getattr(tf, name)
                ),
                codes(c, "qint32"),
                *(F32(e) for e in (*ends, *new)),
            )
            assert (low, high) == (F32(new[0]), F32(new[1]))
            want = requantized(c, np.array(ends, F32), np.array(new, F32), name)
            got = integers(got)
            if name == "qint8":
                np.testing.assert_array_equal(got, want)
            else:
                np.testing.assert_allclose(got, want, rtol=0, atol=NEAREST)


@pytest.mark.parametrize("n", [0, 1, 9, 1000])
@pytest.mark.parametrize("shift", [0, 8, 16])
def test_codes_of_the_range_there_is(n, shift):
    c = random_codes(n, shift)
    for ends in [(-1, 1), (0, 6), (-3.3, 7.7), (-1e6, 1e6)]:
        got, low, high = fed(
            lambda c, a, b: gen_math_ops.quantize_down_and_shrink_range(
                c, a, b, out_type=tf.quint8
            ),
            codes(c, "qint32"),
            F32(ends[0]),
            F32(ends[1]),
            known=True,
        )
        assert (low, high) == used_range(c, ends)
        want = requantized(c, np.array(ends, F32), (low, high), "quint8")
        np.testing.assert_allclose(integers(got), want, rtol=0, atol=NEAREST)


def test_rows_of_codes_are_those_of_their_numbers():
    c = random_codes(12, 8)

    def build(c):
        op = gen_math_ops.quantize_down_and_shrink_range
        return op(c, F32(-3.3), F32(7.7), out_type=tf.quint8)[0]

    whole, rows = (fed(build, codes(x, "qint32")) for x in (c, c.reshape(3, 4)))
    np.testing.assert_array_equal(integers(rows), integers(whole).reshape(3, 4))


@pytest.mark.parametrize("ends", [(np.nan, 1), (-1, np.nan)])
def test_every_number_in_a_nan_range_is_the_lowest_code(ends):
    """The lower end stays one that a range may have, the upper one says that it is none."""
    c = codes(random_codes(9), "qint32")
    low, high = fed(gen_math_ops.requantization_range, c, F32(ends[0]), F32(ends[1]))
    assert low == 0 and np.isnan(high)
    got, low, high = fed(
        lambda c, a, b: gen_math_ops.quantize_down_and_shrink_range(
            c, a, b, out_type=tf.quint8
        ),
        c,
        F32(ends[0]),
        F32(ends[1]),
    )
    assert low == 0 and np.isnan(high)
    np.testing.assert_array_equal(integers(got), np.zeros(9))


def test_a_fixed_point_example():
    # [-1, 1] to [0, 1]: real 0 is code 0, real 0.5 is 127.5 and rounds up.
    c = np.array([0, 2**30, 2**31 - 1, -(2**31)], np.int32)
    got, _, _ = fed(
        lambda c: gen_math_ops.requantize(c, -1.0, 1.0, 0.0, 1.0, out_type=tf.quint8),
        codes(c, "qint32"),
    )
    np.testing.assert_array_equal(integers(got), [0, 128, 255, 0])


def test_absurd_ranges_do_not_crash():
    c = random_codes(20)
    for ends in [(0, 0), (1, 0), (np.nan, 1), (-np.inf, np.inf), (-3e38, 3e38)]:
        for new in [(0, 0), (0, 1e-45), (-np.inf, np.inf), (-3e38, 3e38)]:
            for t in (tf.quint8, tf.qint8):
                got, _, _ = fed(
                    lambda c, *e, t=t: gen_math_ops.requantize(c, *e, out_type=t),
                    codes(c, "qint32"),
                    *(F32(e) for e in (*ends, *new)),
                )
                assert got.shape == (20,)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.0, 1.0, 1.0, 2.0), "must be <= 0"),
        ((0.0, 1.0, -1.0, -2.0), "must be >= requested_output_min"),
        ((0.0, 1.0, np.nan, 1.0), "must be <= 0"),
        (([0.0], 1.0, 0.0, 1.0), "input_min has shape"),
        ((0.0, 1.0, 0.0, [1.0]), "requested_output_max has shape"),
    ],
)
def test_bad_ranges_are_refused(ends, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(
            lambda c, *e: gen_math_ops.requantize(c, *e, out_type=tf.quint8),
            codes(random_codes(3), "qint32"),
            *(np.array(e, F32) for e in ends),
        )
