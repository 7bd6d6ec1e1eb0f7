# SPDX-License-Identifier: Apache-2.0
"""Pad and PadV2 against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)

PADS = [
    ([], np.zeros([0, 2])),
    ([0], [[0, 0]]),
    ([0], [[2, 1]]),
    ([1], [[0, 3]]),
    ([7], [[1, 0]]),
    ([3, 5], [[1, 2], [0, 3]]),
    ([4, 5], [[0, 0], [3, 0]]),
    ([2, 0, 3], [[0, 1], [2, 2], [1, 0]]),
    ([2, 3, 1, 2, 2], [[1, 0], [0, 0], [0, 2], [1, 1], [0, 1]]),
    ([70, 33], [[2, 3], [31, 1]]),
]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [*DTYPES, np.uint16, np.float64])
@pytest.mark.parametrize(("shape", "pads"), PADS)
def test_pad(known, index, dtype, shape, pads):
    x, pads = values(shape, dtype), np.array(pads, index)
    want = np.pad(x, pads) if shape else x
    np.testing.assert_array_equal(fed(tf.pad, x, pads, known=known), want)


def test_large_tensors_are_padded_by_several_threads():
    x = values([600, 500])
    pads = np.array([[5, 3], [2, 7]], np.int32)
    np.testing.assert_array_equal(fed(tf.pad, x, pads), np.pad(x, pads))


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.complex128])
@pytest.mark.parametrize(("shape", "pads"), PADS)
def test_pad_with_a_value(dtype, shape, pads):
    x, pads = values(shape, dtype), np.array(pads, np.int32)
    want = np.pad(x, pads, constant_values=7) if shape else x
    got = fed(lambda x, p: tf.pad(x, p, constant_values=dtype(7)), x, pads)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("pads", "words"),
    [
        ([[-1, 0]], "non-negative|>= 0"),
        ([[1, 0], [0, 1]], "matrix|rank|must be"),
        ([[1, 0, 2]], "matrix|must be|2"),
        ([1, 0], "rank|matrix"),
    ],
)
def test_refuses_bad_paddings(pads, words):
    pads = np.array(pads, np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(tf.pad, values([3]), pads)
    with pytest.raises(ValueError, match=words):
        fed(lambda x: tf.pad(x, pads), values([3]), known=True)


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda x: tf.pad(x, [[1, 2], [0, 1]]), [2, 3]),
        (lambda x: tf.pad(x, [[1, 2]], constant_values=3.0), [5]),
    ],
)
def test_gradient(build, shape):
    assert gradient_error(build, shape) < 1e-9
