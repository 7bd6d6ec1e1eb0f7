# SPDX-License-Identifier: Apache-2.0
"""Reverse and ReverseV2 against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)

CASES = [
    ([], []),
    ([0], [0]),
    ([1], [0]),
    ([7], [-1]),
    ([3, 5], [1]),
    ([3, 5], [0, 1]),
    ([3, 5], []),
    ([2, 0, 3], [0, 2]),
    ([2, 3, 4, 2], [1, -1]),
    ([3, 1001], [1]),
    ([33, 7, 3], [1]),
]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [*DTYPES, np.uint16, object])
@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_reverse(known, dtype, shape, axes):
    x = values(shape, dtype)
    want = np.flip(x, axes) if axes else x
    for index in (np.int32, np.int64):
        got = fed(tf.reverse, x, np.array(axes, index), known=known)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_reverse_by_flags(shape, axes):
    x, flags = values(shape), np.zeros(len(shape), np.bool_)
    flags[axes] = True
    want = np.flip(x, axes) if axes else x
    got = fed(lambda x, f: gen_array_ops._reverse(x, dims=f), x, flags)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ([2], "out of|range|axis"),
        ([-3], "out of|range|axis"),
        ([0, 0], "more than once|twice|unique|dupl"),
        ([0, -2], "more than once|twice|unique|dupl"),
    ],
)
def test_refuses_axes_that_there_are_not_or_twice(axes, words):
    axes = np.array(axes, np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(tf.reverse, values([2, 3]), axes)


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda x: tf.reverse(x, [1]), [2, 3]),
        (lambda x: tf.reverse(x, [0, -1]), [2, 3, 2]),
    ],
)
def test_gradient(build, shape):
    assert gradient_error(build, shape) < 1e-9
