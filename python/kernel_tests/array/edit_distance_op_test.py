# SPDX-License-Identifier: Apache-2.0
"""EditDistance against a table filled by hand."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import fed


def levenshtein(a, b):
    d = np.zeros([len(a) + 1, len(b) + 1], int)
    d[:, 0], d[0, :] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            d[i + 1, j + 1] = min(d[i, j] + (x != y), d[i, j + 1] + 1, d[i + 1, j] + 1)
    return d[-1, -1]


def sparse(lists, dtype, width=None):
    """Lists of elements as indices, values and shape of a matrix of them."""
    indices = [[i, j] for i, row in enumerate(lists) for j in range(len(row))]
    values = [v for row in lists for v in row]
    if dtype is object:
        values = [b"%d" % v for v in values]
    width = max([len(row) for row in lists], default=0) if width is None else width
    return (
        np.array(indices, np.int64).reshape([-1, 2]),
        np.array(values, dtype),
        np.array([len(lists), width], np.int64),
    )


def distance(hypothesis, truth, normalize=True):
    return fed(
        lambda *a: tf.edit_distance(
            tf.SparseTensor(*a[:3]), tf.SparseTensor(*a[3:]), normalize
        ),
        *hypothesis,
        *truth,
    )


def random_lists(rng, n, longest):
    return [rng.randint(0, 4, rng.randint(0, longest + 1)).tolist() for _ in range(n)]


@pytest.mark.parametrize(
    "dtype",
    [np.int8, np.int32, np.int64, np.float16, np.float32, np.complex64, object],
)
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize(("n", "longest"), [(1, 1), (1, 9), (5, 6), (60, 30)])
def test_distances_are_levenshteins(dtype, normalize, n, longest):
    rng = np.random.RandomState(n)
    h, t = random_lists(rng, n, longest), random_lists(rng, n, longest)
    want = np.array([levenshtein(a, b) for a, b in zip(h, t)], np.float32)
    if normalize:
        sizes = np.array([len(b) for b in t], np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            want = np.where(want == 0, 0, want / sizes)
    got = distance(sparse(h, dtype), sparse(t, dtype), normalize)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_groups_that_one_side_lacks():
    h = sparse([[1, 2], [], [3]], np.int32)
    t = sparse([[], [1, 2], [3], [4]], np.int32)
    np.testing.assert_array_equal(distance(h, t), [np.inf, 1, 0, 1])
    np.testing.assert_array_equal(distance(h, t, False), [2, 2, 0, 1])


def test_more_dimensions_are_groups():
    indices = np.array([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]], np.int64)
    h = indices, np.array([1, 2, 3, 4]), np.array([2, 2, 2])
    t = indices[2:], np.array([3, 5]), np.array([2, 2, 5])
    np.testing.assert_array_equal(distance(h, t, False), [[1, 1], [0, 1]])
    with tf.Graph().as_default():
        d = tf.edit_distance(tf.SparseTensorValue(*h), tf.SparseTensorValue(*t))
        assert d.shape.as_list() == [2, 2]


def test_where_values_stand_in_their_group_does_not_count():
    h = np.array([[0, 5], [0, -1]]), np.array([1, 2]), np.array([1, 3])
    t = np.array([[0, 0], [0, 1]]), np.array([1, 2]), np.array([1, 2])
    np.testing.assert_array_equal(distance(h, t, False), [0])


@pytest.mark.parametrize(
    ("h", "words"),
    [
        ((np.array([[-1, 0]]), np.array([1]), np.array([1, 3])), "out of bounds"),
        ((np.array([[2, 0]]), np.array([1]), np.array([1, 3])), "out of bounds"),
        (
            (np.array([[1, 0], [0, 0]]), np.array([1, 1]), np.array([2, 3])),
            "out of order",
        ),
        ((np.array([[0, 0]]), np.array([1]), np.array([1, -3])), "must be >= 0"),
        ((np.array([[0, 0]]), np.array([1, 2]), np.array([1, 3])), "equal"),
        ((np.array([[0]]), np.array([1]), np.array([1])), "equal"),
    ],
)
def test_bad_sparse_tensors_are_refused(h, words):
    good = np.array([[0, 0]]), np.array([1]), np.array([1, 3])
    for first, second in ((h, good), (good, h)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            distance(first, second)


def test_only_sparse_tensors():
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.edit_distance([1], [2])
