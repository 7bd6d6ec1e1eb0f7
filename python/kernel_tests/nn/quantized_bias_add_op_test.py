# SPDX-License-Identifier: Apache-2.0
"""QuantizedBiasAdd against its formula in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    INTEGERS,
    RANGES,
    codes,
    integers,
    limits,
    min_first_codes,
    min_first_reals,
    one_code,
)
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

F32 = np.float32


def random_codes(shape, name, seed=0):
    low, high = limits(name)
    drawn = np.random.RandomState(seed).randint(low, high + 1, shape)
    return drawn.astype(INTEGERS[name])


def run(x, bias, name, range_x, range_bias, known=False):
    """(codes, min, max)."""
    out, low, high = fed(
        lambda *a: gen_nn_ops.quantized_bias_add(*a, out_type=tf.qint32),
        codes(x, name),
        codes(bias, name),
        *(F32(e) for e in (*range_x, *range_bias)),
        known=known,
    )
    return integers(out), low, high


def sums(x, bias, name, range_x, range_bias):
    """The codes of both in the range of the sums, whose ends are 2^17 times the largest."""
    a, b, c, d = F32([*range_x, *range_bias])
    high = max(b, -a, d, -c) * F32(2**17)

    def recode(v, ends):
        reals = min_first_reals(v, *ends, name)
        return min_first_codes(reals, -high, high, "qint32").astype(np.int64)

    zero = one_code(0.0, -high, high, "qint32")
    return recode(x, range_x) + recode(bias, range_bias) + zero, high


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("name", ["quint8", "qint8"])
@pytest.mark.parametrize(
    "shape", [[1, 1], [2, 3], [0, 3], [2, 0], [3, 4, 5, 6], [40, 300], [1000, 7]]
)
def test_sums_of_codes_and_bias_are_those_of_numpy(shape, name, known):
    x = random_codes(shape, name, 1)
    bias = random_codes(shape[-1:], name, 2)
    pairs = list(itertools.product(RANGES, RANGES))
    for range_x, range_bias in pairs[:: 1 if x.size < 10 else 9]:
        got, low, high = run(x, bias, name, range_x, range_bias, known)
        want, top = sums(x, bias, name, range_x, range_bias)
        np.testing.assert_array_equal(got, want)
        assert (low, high) == (-top, top)


def test_sums_stand_for_the_sums_of_what_codes_stand_for():
    x, bias = random_codes([20, 5], "quint8", 1), random_codes([5], "quint8", 2)
    got, low, high = run(x, bias, "quint8", (-1, 3), (-2, 2))
    real = got * (float(high) - low) / 2**32
    want = (x / 255 * 4 - 1) + (bias / 255 * 4 - 2)
    # The zero of a range is rounded to a code.
    np.testing.assert_allclose(real, want, atol=0.02)


def test_a_range_of_no_width_is_one_number():
    x, bias = random_codes([3, 4], "quint8", 1), random_codes([4], "quint8", 2)
    got, *_ = run(x, bias, "quint8", (2, 2), (0, 1))
    want, _ = sums(x, bias, "quint8", (2, 2), (0, 1))
    np.testing.assert_array_equal(got, want)
    assert (got == got[0]).all()


def test_arguments_must_fit():
    x, bias = random_codes([2, 3], "quint8"), random_codes([3], "quint8")
    good = (0, 1)
    for args, words in [
        ((x[0], bias, good, good), "rank"),
        ((x, x, good, good), "rank 1"),
        ((x, bias[:2], good, good), "bias must have as many"),
        ((x, bias, ([0.0], 1), good), "rank 0"),
        ((x, bias, good, (0, [1.0, 2.0])), "rank 0"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            run(args[0], args[1], "quint8", *args[2:])
