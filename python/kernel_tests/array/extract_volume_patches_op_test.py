# SPDX-License-Identifier: Apache-2.0
"""Patches of volumes, cut out by NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

DTYPES = [np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16]  # fmt: skip


def patches(x, sizes, strides, padding):
    counts, pads = [], []
    for n, k, s in zip(x.shape[1:4], sizes, strides):
        if padding == "SAME":
            counts.append(-(-n // s))
            before = max((counts[-1] - 1) * s + k - n, 0)
            pads.append((before // 2, before - before // 2))
        else:
            counts.append(max(-(-(n - k + 1) // s), 0))
            pads.append((0, 0))
    wide = np.pad(x, [(0, 0), *pads, (0, 0)])
    out = np.zeros([len(x), *counts, int(np.prod(sizes)) * x.shape[4]], x.dtype)
    for at in np.ndindex(*counts):
        cut = tuple(slice(i * s, i * s + k) for i, s, k in zip(at, strides, sizes))
        out[(slice(None), *at)] = wide[(slice(None), *cut)].reshape(
            len(x), out.shape[-1]
        )
    return out


def run(x, sizes, strides, padding, known=False):
    return fed(
        lambda x: tf.extract_volume_patches(x, [1, *sizes, 1], [1, *strides, 1], padding),
        x, known=known,
    )  # fmt: skip


CASES = [
    ([2, 4, 4, 4, 1], [2, 2, 2], [2, 2, 2]),
    ([1, 5, 3, 7, 3], [3, 2, 4], [2, 1, 3]),
    ([2, 3, 4, 5, 2], [1, 1, 1], [1, 2, 1]),
    ([1, 2, 2, 2, 2], [4, 1, 3], [3, 1, 2]),
    ([0, 3, 3, 3, 1], [2, 2, 2], [1, 1, 1]),
]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("shape, sizes, strides", CASES)
def test_patches_are_those_of_a_plain_loop(shape, sizes, strides, padding, known):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) + 1
    got = run(x, sizes, strides, padding, known)
    np.testing.assert_array_equal(got, patches(x, sizes, strides, padding))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    x = np.arange(96).reshape(2, 3, 4, 2, 2).astype(dtype)
    got = run(x, [2, 3, 2], [1, 2, 1], "SAME")
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, patches(x, [2, 3, 2], [1, 2, 1], "SAME"))


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_gradient(padding):
    x = np.random.RandomState(0).normal(size=[2, 3, 4, 3, 2])
    check_gradient(
        lambda x: tf.extract_volume_patches(x, [1, 2, 3, 2, 1], [1, 1, 2, 1, 1], padding),
        [x], [0],
    )  # fmt: skip


@pytest.mark.parametrize(
    "shape, sizes, strides, words",
    [
        ([4, 4, 4, 1], [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "rank 5"),
        ([1, 4, 4, 4, 1], [2, 2, 2, 2, 1], [1, 1, 1, 1, 1], "ksizes must be 1 for batch"),
        ([1, 4, 4, 4, 1], [1, 2, 2, 2, 1], [1, 1, 1, 1, 2], "strides must be 1 for batch"),
        ([1, 4, 4, 4, 1], [1, 0, 2, 2, 1], [1, 1, 1, 1, 1], "ksizes must be in"),
        ([1, 4, 4, 4, 1], [1, 2, 2, 2, 1, 1], [1, 1, 1, 1, 1], "ksizes must have 5 values"),
    ],
)  # fmt: skip
def test_bad_input(shape, sizes, strides, words):
    errors = (tf.errors.OpError, ValueError)
    with pytest.raises(errors, match=words):
        fed(
            lambda x: tf.extract_volume_patches(x, sizes, strides, "VALID"),
            np.zeros(shape, np.float32),
        )
