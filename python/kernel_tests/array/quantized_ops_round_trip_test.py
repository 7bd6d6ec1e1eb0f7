# SPDX-License-Identifier: Apache-2.0
"""QuantizeAndDequantize, V2 and V3 against their formula in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import RANGES
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import fed


def there_and_back(x, low, high, signed, bits, given, half_up, narrow):
    t = x.dtype.type
    if not given:
        low, high = (x.min(), x.max()) if x.size else (0, 0)
    low, high = t(low), t(high)
    first = -(2 ** (bits - 1)) + narrow if signed else 0
    last = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
    most = np.finfo(t).max
    from_low = t(first) / low if first * low > 0 else most
    from_high = t(last) / high if last * high > 0 else most
    if from_low < from_high:
        scale, step = from_low, low / t(first)
        high = t(last) * step
    else:
        scale, step = from_high, high / t(last)
        low = t(first) * step
    y = np.maximum(np.minimum(x, high), low) if given else x
    y = np.floor(y * scale + t(0.5)) if half_up else np.rint(y * scale)
    return y * step


def numbers(low, high, shape, dtype, inside=False):
    rng = np.random.RandomState(7)
    margin = 0 if inside else 1
    return rng.uniform(low - margin, high + margin, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("signed", "given", "half_up", "narrow"),
    list(itertools.product([True, False], repeat=4)),
)
def test_numbers_are_rounded_to_the_integers_of_a_range(
    dtype, signed, given, half_up, narrow
):
    mode = "HALF_UP" if half_up else "HALF_TO_EVEN"
    for (low, high), bits, n in itertools.product(RANGES, (2, 8, 16, 30), (1, 33)):
        if high <= 0 and not signed:
            continue  # Nothing of the range is left.
        x = numbers(low, high, n, dtype)
        got = fed(
            lambda x, a, b: tf.quantization.quantize_and_dequantize(
                x, a, b, signed, bits, given, mode, narrow_range=narrow
            ),
            x,
            dtype(low),
            dtype(high),
        )
        if not given and not signed and x.max() <= 0:
            continue
        want = there_and_back(x, low, high, signed, bits, given, half_up, narrow)
        np.testing.assert_array_equal(got, want)
        if not half_up:
            got = fed(
                lambda x, a, b, n: gen_array_ops.quantize_and_dequantize_v3(
                    x, a, b, n, signed, given, narrow_range=narrow
                ),
                x,
                dtype(low),
                dtype(high),
                np.int32(bits),
            )
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("given", [True, False])
def test_slices_have_ranges_of_their_own(axis, given):
    x = numbers(-2, 3, [3, 4, 5], np.float32)
    n = x.shape[axis]
    low, high = -np.arange(1.0, n + 1, dtype="f"), np.arange(1.0, n + 1, dtype="f")
    for function in (
        tf.quantization.quantize_and_dequantize,
        tf.quantization.quantize_and_dequantize_v2,
    ):
        got = fed(
            lambda x, a, b, f=function: f(x, a, b, range_given=given, axis=axis),
            x,
            low,
            high,
            known=True,
        )
        for i in range(n):
            part = np.take(x, i, axis)
            want = there_and_back(part, low[i], high[i], True, 8, given, False, False)
            np.testing.assert_array_equal(np.take(got, i, axis), want)


@pytest.mark.parametrize("given", [True, False])
def test_the_first_version_has_its_range_in_attrs(given):
    x = numbers(-2, 3, 50, np.float32)

    def build(x):
        graph = tf.get_default_graph()
        graph.graph_def_versions.producer = 21
        return gen_array_ops.quantize_and_dequantize(
            x, range_given=given, input_min=-1.0, input_max=2.0
        )

    got = fed(build, x)
    want = there_and_back(x, -1, 2, True, 8, given, False, False)
    np.testing.assert_array_equal(got, want)


def test_no_elements():
    x = np.zeros([0, 2], np.float32)
    for axis in (None, 1):
        ends = np.zeros([] if axis is None else [2], np.float32)
        got = fed(
            lambda x, e, axis=axis: tf.quantization.quantize_and_dequantize(
                x, e, e, axis=axis
            ),
            x,
            ends,
        )
        assert got.shape == (0, 2)


def test_not_a_number_stays():
    x = np.array([np.nan, 0.5, np.inf], np.float32)
    got = fed(
        lambda x: tf.quantization.quantize_and_dequantize(
            x, 0.0, 1.0, range_given=True
        ),
        x,
    )
    assert np.isnan(got[0])
    assert got[2] == 1


def test_the_gradient_passes():
    x = np.array([-3, -1, 0, 2, 1, 5], np.float32)
    g = np.arange(1, 7, dtype=np.float32)

    def gradient(function):
        return fed(
            lambda x, g: tf.gradients(function(x, -1.0, 2.0, range_given=True), x, g)[
                0
            ],
            x,
            g,
        )

    def first(x, low, high, range_given):
        tf.get_default_graph().graph_def_versions.producer = 21
        return gen_array_ops.quantize_and_dequantize(
            x, range_given=range_given, input_min=low, input_max=high
        )

    def third(x, low, high, range_given):
        return gen_array_ops.quantize_and_dequantize_v3(
            x, low, high, 8, range_given=range_given
        )

    for function in (first, tf.quantization.quantize_and_dequantize, third):
        np.testing.assert_array_equal(gradient(function), g)
    want = g * ((x >= -1) & (x <= 2))
    np.testing.assert_array_equal(
        gradient(tf.quantization.quantize_and_dequantize_v2), want
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (dict(input_min=3.0, input_max=2.0, range_given=True), "Invalid range"),
        (dict(input_min=np.nan, input_max=2.0, range_given=True), "Invalid range"),
        (dict(input_min=0.0, input_max=2.0, num_bits=0), "num_bits"),
        (dict(input_min=0.0, input_max=2.0, num_bits=62), "num_bits"),
        (
            dict(input_min=0.0, input_max=2.0, num_bits=63, signed_input=False),
            "num_bits",
        ),
        (dict(input_min=[0.0], input_max=[2.0], axis=1, range_given=True), "equal"),
        (dict(input_min=[0.0], input_max=[2.0], axis=2, range_given=True), "rank"),
    ],
)
def test_bad_arguments_are_refused(arguments, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(
            lambda x: gen_array_ops.quantize_and_dequantize_v2(x, **arguments),
            np.zeros([2, 3], np.float32),
        )


@pytest.mark.parametrize("bits", [-8, 0, 62, [8, 8]])
def test_bad_bits_are_refused(bits):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"num_bits|rank 0"):
        fed(
            lambda x, n: gen_array_ops.quantize_and_dequantize_v3(x, 0.0, 1.0, n),
            np.zeros([2, 3], np.float32),
            np.array(bits, np.int32),
        )
