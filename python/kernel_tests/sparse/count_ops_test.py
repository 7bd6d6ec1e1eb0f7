# SPDX-License-Identifier: Apache-2.0
"""Counts as sparse tensors, and tf.sparse.bincount."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_sparse_ops
from tensorwright.python.testing.op_testing import evaluate, fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

DTYPES = [np.int32, np.int64, np.float32, np.float64]


def dense(counts):
    indices, values, shape = counts
    assert [tuple(i) for i in indices] == sorted({tuple(i) for i in indices})
    out = np.zeros(shape, values.dtype)
    out[tuple(indices.T)] = values
    return out


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [[0], [17], [3, 20], [2, 0]])
def test_dense(shape, index, dtype):
    rng = np.random.RandomState(1)
    x = rng.randint(0, 9, shape).astype(index)
    weights = rng.randint(1, 6, shape).astype(dtype)
    for limits in (
        {},
        {"minlength": 12},
        {"maxlength": 5},
        {"maxlength": 0},
        {"minlength": 12, "maxlength": 4},
    ):
        got = fed(
            lambda x, w: gen_sparse_ops.dense_count_sparse_output(
                x, w, binary_output=False, **limits
            ),
            x, weights,
        )  # fmt: skip
        most = limits.get("maxlength")
        size = max(int(x.max(initial=0)) + 1, limits.get("minlength", 0))
        size = size if most is None else most
        want = np.zeros([*shape[:-1], size], dtype)
        for at in np.ndindex(*shape):
            if x[at] < size:
                want[(*at[:-1], x[at])] += weights[at]
        np.testing.assert_array_equal(dense(got), want)
        assert got[1].dtype == dtype
    got = fed(
        lambda x: gen_sparse_ops.dense_count_sparse_output(
            x, np.zeros(0, dtype), binary_output=True
        ),
        x,
    )
    assert (got[1] == 1).all() and len(got[1]) == len(
        {(*at[:-1], x[at]) for at in np.ndindex(*shape)}
    )


def test_sparse_and_ragged():
    indices = np.int64([[1, 0], [0, 2], [1, 3], [1, 1]])
    values = np.int32([4, 1, 2, 4])
    got = fed(
        lambda *a: gen_sparse_ops.sparse_count_sparse_output(*a, binary_output=False),
        indices, values, np.int64([3, 4]), np.float32([1, 2, 3, 4]),
    )  # fmt: skip
    np.testing.assert_array_equal(
        dense(got), [[0, 2, 0, 0, 0], [0, 0, 3, 0, 5], [0] * 5]
    )
    got = fed(
        lambda *a: gen_sparse_ops.ragged_count_sparse_output(*a, binary_output=False),
        np.int64([0, 1, 1, 4]), values, np.zeros(0, np.int64),
    )  # fmt: skip
    np.testing.assert_array_equal(
        dense(got), [[0, 0, 0, 0, 1], [0] * 5, [0, 1, 1, 0, 1]]
    )


def test_the_public_function():
    x = np.int64([[1, 2, 2], [0, 4, 4]])
    weights = np.float32([[1, 2, 3], [4, 5, 6]])

    def count(*args, **kwargs):
        return dense(evaluate(tf.sparse.bincount(*args, **kwargs)))

    np.testing.assert_array_equal(count(x), [1, 1, 2, 0, 2])
    np.testing.assert_array_equal(count(x, axis=None), [1, 1, 2, 0, 2])
    np.testing.assert_array_equal(count(x, axis=-1), [[0, 1, 2, 0, 0], [1, 0, 0, 0, 2]])
    np.testing.assert_array_equal(
        count(x, weights, axis=-1), [[0, 1, 5, 0, 0], [4, 0, 0, 0, 11]]
    )
    np.testing.assert_array_equal(count(x, weights), [4, 1, 5, 0, 11])
    np.testing.assert_array_equal(count(x, minlength=7), [1, 1, 2, 0, 2, 0, 0])
    np.testing.assert_array_equal(count(x, maxlength=3), [1, 1, 2])
    np.testing.assert_array_equal(count(x, binary_output=True), [1, 1, 1, 0, 1])
    rows = tf.SparseTensor([[0, 1], [0, 3], [1, 0]], np.int32([2, 2, 1]), [2, 4])
    np.testing.assert_array_equal(count(rows, axis=-1), [[0, 0, 2], [0, 1, 0]])
    np.testing.assert_array_equal(count(rows), [0, 1, 2])
    weighted = tf.SparseTensor(rows.indices, np.float32([1, 2, 3]), [2, 4])
    np.testing.assert_array_equal(
        count(rows, weighted, axis=-1), [[0, 0, 3], [0, 3, 0]]
    )


def test_bad_arguments():
    with pytest.raises(ValueError, match="mutually exclusive"):
        tf.sparse.bincount([1], weights=[1.0], binary_output=True)
    with pytest.raises(NotImplementedError, match="axis"):
        tf.sparse.bincount([1], axis=1)
    with pytest.raises(ValueError, match="minlength"):
        tf.sparse.bincount([1], minlength=-1)


NONE = np.zeros(0, np.int64)


@pytest.mark.parametrize(
    "op, arguments, words",
    [
        ("dense", (np.int32([1, -1]), NONE), "non-negative, got -1"),
        ("dense", (np.int32(1), NONE), "at least rank 1"),
        ("dense", (np.int32([1, 1]), np.int64([1])), "weights must be empty or"),
        ("sparse", (np.int64([[3, 0]]), np.int32([1]), np.int64([3, 4]), NONE), r"indices\[0, 0\] must be in"),
        ("sparse", (np.int64([[0, 0]]), np.int32([1, 2]), np.int64([3, 4]), NONE), "imension"),
        ("sparse", (np.int64([[0, 0]]), np.int32([1]), np.int64([3, 4]), np.int64([[1]])), "weights must be empty or"),
        ("ragged", (np.int64([0, 2]), np.int32([1]), NONE), "splits must start"),
        ("ragged", (np.int64([0, 1]), np.int32([1]), np.int64([[1]])), "weights must be empty or"),
    ],
)  # fmt: skip
def test_bad_input(op, arguments, words):
    function = getattr(gen_sparse_ops, f"{op}_count_sparse_output")
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(lambda *a: function(*a, binary_output=False), *arguments)
