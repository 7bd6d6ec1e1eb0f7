# SPDX-License-Identifier: Apache-2.0
"""BroadcastArgs and BroadcastGradientArgs."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    fed,
)


def test_broadcast_arguments():
    s0, s1 = np.array([2, 1, 3], np.int32), np.array([4, 1], np.int32)
    np.testing.assert_array_equal(fed(gen_array_ops._broadcast_args, s0, s1), [2, 4, 3])
    r0, r1 = fed(gen_array_ops._broadcast_gradient_args, s0, s1)
    np.testing.assert_array_equal(r0, [1])
    np.testing.assert_array_equal(r1, [0, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        fed(gen_array_ops._broadcast_args, s0, np.array([2], np.int32))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([], []),
        ([3], []),
        ([2, 1], [1, 3]),
        ([1], [0]),
        ([5, 1, 7], [6, 1]),
        ([1], [1]),
    ],
)
def test_shapes_and_what_was_repeated(dtype, a, b):
    want = np.broadcast_shapes(tuple(a), tuple(b))
    shapes = np.array(a, dtype), np.array(b, dtype)
    got = fed(gen_array_ops.broadcast_args, *shapes)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, want)
    repeated = fed(gen_array_ops.broadcast_gradient_args, *shapes)
    for shape, axes in zip((a, b), repeated, strict=True):
        padded = [1] * (len(want) - len(shape)) + shape
        assert axes.dtype == dtype
        # Each repeated dimension is summed over; one that has size 1 on both sides may be.
        must = {i for i, n in enumerate(padded) if n != want[i]}
        may = must | {i for i, n in enumerate(want) if n == 1}
        may |= set(range(len(want) - len(shape)))
        assert must <= set(axes.tolist()) <= may


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([2], [3], "ncompatible shapes"),
        ([[2]], [2], "vector|rank"),
        (2, [2], "vector|rank"),
    ],
)
def test_refuses_what_does_not_fit(a, b, words):
    shapes = np.array(a, np.int32), np.array(b, np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_array_ops.broadcast_args, *shapes)
