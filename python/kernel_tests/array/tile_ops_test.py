# SPDX-License-Identifier: Apache-2.0
"""Tile and TileGrad against NumPy."""

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
    ([], []),
    ([0], [3]),
    ([1], [5]),
    ([7], [0]),
    ([7], [3]),
    ([3, 5], [1, 2]),
    ([3, 5], [2, 1]),
    ([2, 0, 3], [2, 2, 1]),
    ([2, 1, 3, 2], [1, 3, 2, 2]),
    ([33, 17], [3, 5]),
    ([1], [1001]),
]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [*DTYPES, np.uint16, object])
@pytest.mark.parametrize(("shape", "multiples"), CASES)
def test_tile(known, dtype, shape, multiples):
    x = values(shape, dtype)
    for index in (np.int32, np.int64):
        got = fed(tf.tile, x, np.array(multiples, index), known=known)
        np.testing.assert_array_equal(got, np.tile(x, multiples))


@pytest.mark.parametrize("dtype", [*NUMBERS, np.uint32, np.uint64])
@pytest.mark.parametrize(
    ("shape", "multiples"),
    [([3], [2]), ([2, 3], [3, 1]), ([2, 1, 2], [1, 3, 2]), ([4, 2], [1, 1])],
)
def test_tile_grad_adds_up_the_copies(dtype, shape, multiples):
    whole = values([n * m for n, m in zip(shape, multiples, strict=True)], dtype)
    apart = [n for pair in zip(multiples, shape, strict=True) for n in pair]
    axes = tuple(range(0, len(apart), 2))
    want = whole.reshape(apart).sum(axes, dtype=whole.dtype)
    got = fed(gen_array_ops.tile_grad, whole, np.array(multiples, np.int32))
    assert got.dtype == whole.dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", [np.bool_, object])
def test_tile_grad_passes_on_what_cannot_be_added(dtype):
    whole = values([2, 3], dtype)
    once = np.array([1, 1], np.int32)
    np.testing.assert_array_equal(fed(gen_array_ops.tile_grad, whole, once), whole)
    name = "string" if dtype is object else "bool"
    with pytest.raises(tf.errors.UnimplementedError, match=f"type {name} cannot be"):
        fed(gen_array_ops.tile_grad, whole, np.array([2, 1], np.int32))


@pytest.mark.parametrize(
    ("multiples", "words"),
    [
        ([-1, 1], ">= 0|negative"),
        ([2], "multiples|shape|rank"),
        ([[1, 1]], "rank|vector|multiples"),
    ],
)
def test_refuses_bad_multiples(multiples, words):
    multiples = np.array(multiples, np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(tf.tile, values([2, 3]), multiples)


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda x: tf.tile(x, [2, 3]), [2, 3]),
        (lambda x: tf.tile(x, [3]), [5]),
    ],
)
def test_gradient(build, shape):
    assert gradient_error(build, shape) < 1e-9
