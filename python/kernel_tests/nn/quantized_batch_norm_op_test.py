# SPDX-License-Identifier: Apache-2.0
"""QuantizedBatchNormWithGlobalNormalization against its formula in whole numbers."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    codes,
    integers,
    limits,
    one_code,
    one_real,
)
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

F32 = np.float32
MOST = 2.0**20
ARGUMENTS = ("t", "m", "v", "beta", "gamma")
RANGES = {"t": (-4, 6), "m": (-1, 1), "v": (0, 3), "beta": (-2, 5), "gamma": (0.5, 2)}


def random_codes(*shape, seed=0):
    return np.random.RandomState(seed).randint(0, 256, shape).astype(np.uint8)


def arguments(shape, ranges=RANGES, seed=0):
    """{name: (codes, min, max)}"""
    depth = shape[-1]
    return {
        name: (
            random_codes(*(shape if name == "t" else [depth]), seed=seed + i),
            *ranges[name],
        )
        for i, name in enumerate(ARGUMENTS)
    }


def run(inputs, epsilon=1e-3, scales=True, known=False):
    flat = []
    for name in ARGUMENTS:
        x, low, high = inputs[name]
        flat += [codes(x, "quint8"), F32(low), F32(high)]
    out, low, high = fed(
        lambda *a: gen_nn_ops.quantized_batch_norm_with_global_normalization(
            *a,
            out_type=tf.qint32,
            variance_epsilon=epsilon,
            scale_after_normalization=scales,
        ),
        *flat,
        known=known,
    )
    return integers(out), low, high


def code(x):
    return np.clip(one_code(x, -MOST, MOST, "qint32"), *limits("qint32"))


def normalized(inputs, epsilon, scales):
    real = {
        name: one_real(x, low, high, "quint8")
        for name, (x, low, high) in inputs.items()
    }
    root = np.sqrt(real["v"] + F32(epsilon))
    scale = (real["gamma"] if scales else F32(1)) / root
    offset = (-real["m"] * scale) + real["beta"]
    product = code(real["t"]).astype(object) * code(scale).astype(object)
    one = int(code(1.0))
    quotient = np.array(
        [abs(int(p)) // one * (1 if p >= 0 else -1) for p in product.ravel()], object
    ).reshape(product.shape)
    total = quotient + code(offset).astype(object)
    return np.clip(total, *limits("qint32")).astype(np.int64)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("scales", [False, True])
@pytest.mark.parametrize(
    "shape", [[1, 1, 1, 1], [2, 3, 4, 5], [1, 7, 5, 33], [0, 2, 2, 3]]
)
def test_normalized_codes_are_those_of_numpy(shape, scales, known):
    inputs = arguments(shape)
    got, low, high = run(inputs, 1e-3, scales, known)
    np.testing.assert_array_equal(got, normalized(inputs, 1e-3, scales))
    assert (low, high) == (-MOST, MOST)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scales", [False, True])
def test_codes_stand_for_normalized_numbers(scales, seed):
    # Each range begins a whole number of steps below 0, so its codes are exactly where they are said to be.
    ranges = {**RANGES, "m": (-1, 1.55), "beta": (-2.1, 5.55)}
    inputs = arguments([4, 5, 5, 6], ranges, 10 * seed)
    got, *_ = run(inputs, scales=scales)
    t, m, v, beta, gamma = (
        low + x / 255 * (high - low) for x, low, high in inputs.values()
    )
    scale = (gamma if scales else 1) / np.sqrt(v + 1e-3)
    want = (t - m) * scale + beta
    # One code is 2^-11.  The codes of t, scale and offset are each half a code off at most; their product, divided by the
    # code of 1, is cut off, which is less than a code.
    bound = (abs(t) / 2 + scale / 2 + 2**-13 + 0.5 + 1) * 2.0**-11
    # The scale and the offset are rounded to float32, in three operations each.
    bound += 3 * 2.0**-24 * (abs(t) * scale + abs(m) * scale + abs(beta))
    assert np.all(abs(got * 2.0**-11 - want) <= bound)


def test_large_products_end_at_the_ends():
    """A scale of about 1e4 times numbers up to 1e3: beyond a million."""
    ranges = {**RANGES, "t": (-1e3, 1e3), "v": (0, 1e-8), "gamma": (100, 200)}
    inputs = arguments([2, 3, 3, 4], ranges)
    got, *_ = run(inputs, 1e-8)
    np.testing.assert_array_equal(got, normalized(inputs, 1e-8, True))
    assert got.max() == 2**31 - 1 and got.min() == -(2**31)


def test_arguments_must_fit():
    def refused(name, value, words):
        inputs = {**arguments([1, 2, 2, 3]), name: value}
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            run(inputs)

    refused("t", (random_codes(2, 3), 0, 1), "rank 4")
    for name in ARGUMENTS[1:]:
        refused(name, (random_codes(1, 3), 0, 1), "rank 1")
        refused(name, (random_codes(4), 0, 1), "equal|match")
    for name in ARGUMENTS:
        x = random_codes(*([1, 2, 2, 3] if name == "t" else [3]))
        refused(name, (x, [0.0, 0.0], 1), "must have 1 element")
        refused(name, (x, 0, []), "must have 1 element")
