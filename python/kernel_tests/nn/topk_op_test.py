# SPDX-License-Identifier: Apache-2.0
"""TopK and InTopK against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

DTYPES = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
]


def numbers(dtype, shape, seed=0):
    return np.random.RandomState(seed).randint(0, 50, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "k"), [([5], 2), ([4, 30], 30), ([2, 3, 70], 5), ([3, 4], 0), ([0, 4], 2)]
)
def test_top_k(dtype, shape, k):
    x = numbers(dtype, shape)
    order = np.argsort(-x.astype(np.float64), -1, kind="stable")[..., :k]
    values, indices = fed(lambda v, n: gen_nn_ops.top_kv2(v, n), x, np.int32(k))
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, -1))
    values, indices = fed(lambda v: gen_nn_ops.top_k(v, k=k, sorted=False), x)
    np.testing.assert_array_equal(np.sort(indices, -1), np.sort(order, -1))


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_both_versions_give_the_first_of_equals(dtype):
    x = np.array([[3, 1, 3, 2, 1, 1], [1, 1, 1, 5, 5, 0]]).astype(
        tf.as_dtype(dtype).as_numpy_dtype
    )
    for op in (gen_nn_ops.top_k, gen_nn_ops.top_kv2):
        values, indices = fed(lambda v, op=op: op(v, 4), x)
        np.testing.assert_array_equal(indices, [[0, 2, 3, 1], [3, 4, 0, 1]])
        np.testing.assert_array_equal(
            values.astype(np.float64), [[3, 3, 2, 1], [5, 5, 1, 1]]
        )


def test_top_k_survives_nan():
    x = np.float32([np.nan, 1, np.nan, 3] * 20)
    values, _ = fed(lambda v, n: gen_nn_ops.top_kv2(v, n), x, np.int32(50))
    assert np.isnan(values[:40]).all() and (values[40:] == 3).all()


@pytest.mark.parametrize("k", [1, 2, 37, 128, 129, 200])
def test_a_few_of_many(k):
    n = 800
    random = np.random.RandomState(1)
    rows = [np.arange(n), -np.arange(n), np.zeros(n), random.randint(0, 9, n)]
    rows += [np.where(random.rand(n) < p, np.nan, random.randn(n)) for p in (0.01, 1)]
    x = np.float32(rows)
    # NaN is the greatest; of equals the first comes first.
    order = np.argsort(np.where(np.isnan(x), -np.inf, -x), -1, kind="stable")[:, :k]
    values, indices = fed(lambda v, n: gen_nn_ops.top_kv2(v, n), x, np.int32(k))
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, -1))


@pytest.mark.parametrize("k", [-1, 5])
def test_top_k_refuses_a_bad_k(k):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            lambda v, n: gen_nn_ops.top_kv2(v, n),
            np.zeros([4], np.float32),
            np.int32(k),
        )
