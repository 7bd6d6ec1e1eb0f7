# SPDX-License-Identifier: Apache-2.0
"""MirrorPad, its gradient and PadV2 against NumPy's pad."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    DTYPES,
    NUMBERS,
    fed,
    gradient_error,
    values,
)

CASES = [
    ([3], [[1, 2]]),
    ([3], [[0, 0]]),
    ([1], [[0, 0]]),
    ([4, 5], [[2, 1], [0, 3]]),
    ([4, 5], [[0, 0], [3, 0]]),
    ([2, 3, 4], [[1, 1], [2, 2], [3, 3]]),
    ([0, 3], [[0, 0], [1, 1]]),
    ([], np.zeros([0, 2])),
    ([40, 50, 3], [[7, 9], [30, 11], [0, 0]]),
]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(("shape", "paddings"), CASES)
def test_mirrors_are_numpys(known, mode, dtype, shape, paddings):
    x = values(shape, dtype)
    pads = np.array(paddings, np.int32)
    want = np.pad(x, pads, mode=mode.lower()) if x.size and x.ndim else None
    if want is None:  # NumPy has no mirror of nothing.
        want = np.zeros(np.array(shape, int) + pads.sum(1), dtype) if x.ndim else x
    for p in (pads, pads.astype(np.int64)):
        got = fed(lambda x, p=p: tf.pad(x, p, mode), x, known=known)
        np.testing.assert_array_equal(got, want)
        got = fed(lambda x, p: tf.pad(x, p, mode.lower()), x, p)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize(("shape", "paddings"), CASES)
def test_the_gradient_adds_the_edges_back(mode, dtype, shape, paddings):
    pads = np.array(paddings, np.int32)
    if not np.prod(shape):
        return
    positions = np.arange(int(np.prod(shape))).reshape(shape)
    where = np.pad(positions, pads, mode=mode.lower()) if shape else positions
    dy = (values(where.shape) % 3).astype(dtype)
    want = np.zeros(positions.size, dtype)
    np.add.at(want, where.reshape(-1), dy.reshape(-1))
    got = fed(lambda g, p: gen_array_ops._mirror_pad_grad(g, p, mode=mode), dy, pads)
    np.testing.assert_array_equal(got, want.reshape(shape))


@pytest.mark.parametrize(
    ("mode", "paddings", "words"),
    [
        ("REFLECT", [[2, 0], [0, 0]], "no greater than the dimension size less 1"),
        ("REFLECT", [[0, 0], [0, 3]], "no greater"),
        ("SYMMETRIC", [[3, 0], [0, 0]], "no greater"),
        ("SYMMETRIC", [[-1, 0], [0, 0]], "non-negative"),
        ("SYMMETRIC", [[1, 1]], "rank|must be"),
        ("SYMMETRIC", [[1], [1]], "must be 2"),
        ("SYMMETRIC", [[2**62, 2**62], [0, 0]], "no greater"),
    ],
)
def test_bad_mirrors_are_refused(mode, paddings, words):
    x, pads = values([2, 3]), np.array(paddings, np.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(lambda x, p: tf.pad(x, p, mode), x, pads)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        tf.pad(x, pads, mode)


@pytest.mark.parametrize("paddings", [[[3, 3], [0, 0]], [[0, 0], [4, 0]]])
def test_a_gradient_must_be_of_the_padded_shape(paddings):
    pads = np.array(paddings, np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            lambda x, p: gen_array_ops._mirror_pad_grad(x, p, mode="REFLECT"),
            values([5, 3]),
            pads,
        )


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(
    ("shape", "paddings"), [*CASES, ([2, 3], [[5, 0], [0, 70]]), ([0], [[2, 1]])]
)
def test_a_constant_around(known, dtype, shape, paddings):
    x = values(shape, dtype)
    pads = np.array(paddings, np.int32)
    value = np.array(b"around" if dtype is object else 1).astype(dtype)
    want = np.pad(x, pads, constant_values=value[()]) if x.ndim else x
    got = fed(
        lambda x, v: tf.pad(x, pads, constant_values=v),
        x,
        value,
        known=known,
    )
    np.testing.assert_array_equal(got, want)


def test_the_value_around_is_a_scalar_and_modes_are_known():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="rank 0"):
            gen_array_ops._pad_v2([1.0], [[1, 1]], [0.0])
        with pytest.raises(ValueError, match="Unknown padding mode"):
            tf.pad([1.0], [[1, 1]], "EDGE")
        # A padding of zeros needs no constant.
        assert tf.pad([1.0], [[1, 1]]).op.type == "Pad"
        assert tf.pad([1.0], [[1, 1]], constant_values=2.0).op.type == "PadV2"


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC", "CONSTANT"])
@pytest.mark.parametrize(
    ("shape", "paddings"), [([3], [[2, 1]]), ([2, 3, 2], [[1, 0], [2, 2], [1, 1]])]
)
def test_gradients(mode, shape, paddings):
    constant = 0.5 if mode == "CONSTANT" else 0
    error = gradient_error(
        lambda x: tf.pad(x, paddings, mode, constant_values=constant), shape
    )
    assert error < 1e-9
