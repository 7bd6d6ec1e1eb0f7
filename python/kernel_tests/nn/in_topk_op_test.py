# SPDX-License-Identifier: Apache-2.0
"""InTopK and InTopKV2 against a search by NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("batch", "classes"), [(0, 3), (1, 1), (5, 7), (300, 3), (3, 1001)]
)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_target_is_in_where_fewer_than_k_are_larger(index, batch, classes, k):
    rng = np.random.RandomState(batch)
    x = rng.randint(0, 20, [batch, classes]).astype(np.float32)  # With equal ones.
    targets = rng.randint(0, classes, [batch]).astype(index)
    own = x[np.arange(batch), targets][:, None]
    got = fed(lambda p, t: gen_nn_ops.in_top_k(p, t, k=k), x, targets)
    np.testing.assert_array_equal(got, (x > own).sum(1) < k)
    got = fed(gen_nn_ops.in_top_kv2, x, targets, index(k))
    np.testing.assert_array_equal(got, (x > own).sum(1) < k)


def test_targets_outside_and_rows_with_nan_are_not_in():
    x = np.float32([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4], [0.1, np.nan, 0.2]])
    for index in (np.int32, np.int64):
        got = fed(lambda p, t: gen_nn_ops.in_top_k(p, t, k=2), x, index([2, 0, 2]))
        np.testing.assert_array_equal(got, [True, True, False])
        got = fed(lambda p, t: gen_nn_ops.in_top_k(p, t, k=2), x, index([0, 7, -1]))
        np.testing.assert_array_equal(got, [False, False, False])


@pytest.mark.parametrize(("x", "targets"), [([2], [2]), ([2, 3], [3]), ([2, 3], [])])
def test_refuses_other_shapes(x, targets):
    arrays = np.zeros(x, np.float32), np.zeros(targets, np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="InTopK|rank|Dimension"):
        fed(lambda p, t: gen_nn_ops.in_top_k(p, t, k=2), *arrays)
    with pytest.raises(ValueError, match="rank|imension"):
        fed(lambda p, t: gen_nn_ops.in_top_k(p, t, k=2), *arrays, known=True)


def test_refuses_more_than_one_k():
    arrays = np.zeros([2, 3], np.float32), np.zeros(2, np.int32), np.int32([1, 2])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="k must be a scalar|rank 0"
    ):
        fed(gen_nn_ops.in_top_kv2, *arrays)
    with pytest.raises(ValueError, match="rank"):
        fed(gen_nn_ops.in_top_kv2, *arrays, known=True)
