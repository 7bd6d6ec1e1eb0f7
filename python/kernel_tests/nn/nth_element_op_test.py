# SPDX-License-Identifier: Apache-2.0
"""NthElement against a sort by NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests import op_table
from tensorwright.python.kernel_tests.op_table import INTEGERS, REALS
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed


def _nth(n, reverse=False):
    return lambda x: gen_nn_ops.nth_element(x, n, reverse=reverse)


@pytest.mark.parametrize("dtype", [*INTEGERS, *REALS], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("shape", [[1], [7], [3, 5], [2, 3, 9], [0, 4], [300, 17]])
def test_values_are_those_of_a_sorted_row(dtype, shape):
    x = np.random.RandomState(0).randint(0, 30, shape).astype(dtype)
    ordered = np.sort(x.astype(np.float64), -1)
    for n in {0, shape[-1] // 2, shape[-1] - 1}:
        got = fed(_nth(n), x)
        assert got.dtype == x.dtype
        np.testing.assert_array_equal(got.astype(np.float64), ordered[..., n])
        got = fed(_nth(n, reverse=True), x).astype(np.float64)
        np.testing.assert_array_equal(got, ordered[..., -1 - n])


def test_nan_is_the_largest():
    x = np.float32([np.nan, 1, np.inf, -np.inf])
    assert np.isnan(fed(_nth(3), x))
    assert fed(_nth(2), x) == np.inf
    assert fed(_nth(0), x) == -np.inf


def test_gradient():
    x = np.random.RandomState(0).permutation(20).reshape(4, 5) / 7.0
    op_table.check_gradient(_nth(2), [x], [0])


def test_equal_elements_share_the_gradient():
    with tf.Session() as session:
        x = tf.constant([1.0, 2, 2, 3])
        (g,) = session.run(tf.gradients(_nth(1)(x), x))
    np.testing.assert_array_equal(g, [0, 0.5, 0.5, 0])


@pytest.mark.parametrize(
    ("shape", "n", "words"),
    [
        ([3], 3, "must be in"),
        ([3], -1, "must be in"),
        ([0], 0, "must be in"),
        ([], 0, "rank"),
        ([3], [1], "scalar|rank"),
    ],
)
def test_places_outside_of_rows_and_wrong_ranks_are_refused(shape, n, words):
    x, n = np.zeros(shape, np.float32), np.int32(n)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_nn_ops.nth_element, x, n)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        gen_nn_ops.nth_element(tf.constant(x), n)
