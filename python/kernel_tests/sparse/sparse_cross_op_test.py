# SPDX-License-Identifier: Apache-2.0
"""Crossed features: strings against loops, hashes against values that TensorFlow 2.21 gives."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import gen_sparse_ops, sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

_ROWS = np.array([[0, 0], [1, 0], [1, 1]])
_LETTERS = (_ROWS, np.array([b"a", b"b", b"c"], object), np.array([2, 2]))
_NUMBERS = (_ROWS, np.array([1, 2, -3]), np.array([2, 2]))


def _features(column):
    """Returns the features of each row, as text."""
    if isinstance(column, tuple):
        rows, values, shape = column
        return [[v for r, v in zip(rows, values) if r[0] == i] for i in range(shape[0])]
    return [list(row) for row in column]


def _joined(columns, separator):
    rows = []
    for features in zip(*(_features(c) for c in columns), strict=True):
        texts = [
            [f if isinstance(f, bytes) else b"%d" % f for f in own] for own in features
        ]
        rows.append([separator.join(c) for c in itertools.product(*texts)])
    return rows


@pytest.mark.parametrize("separator", [None, "-"])
def test_strings_are_joined(separator):
    dense = np.array([[b"x", b"y"], [b"z", b"w"]], object)
    for columns in ([_LETTERS, _NUMBERS], [_NUMBERS, dense], [dense], [_LETTERS] * 3):
        got = drawn.run(
            lambda *c: tf.sparse.cross(list(c), separator=separator), *columns
        )
        want = _joined(columns, (separator or "_X_").encode())
        assert got.values.tolist() == [v for row in want for v in row]
        indices = [(i, j) for i, row in enumerate(want) for j in range(len(row))]
        np.testing.assert_array_equal(got.indices, indices)
        np.testing.assert_array_equal(got.dense_shape, [2, max(map(len, want))])


def _hashed(columns, **arguments):
    return drawn.run(
        lambda *c: tf.sparse.cross_hashed(list(c), **arguments), *columns
    ).values.tolist()


def test_hashes_are_tensorflows():
    assert _hashed([_NUMBERS, _NUMBERS], hash_key=0) == [
        31671901469556583,
        4115949343439953744,
        8261334651801819783,
        7313670482642066927,
        7434349966515678702,
    ]
    assert _hashed([_NUMBERS], hash_key=7) == [
        1943644128140658881,
        1899975218489478876,
        5123118741266240455,
    ]
    assert _hashed([_NUMBERS, _NUMBERS], hash_key=123, num_buckets=100) == [
        41, 61, 66, 53, 71,
    ]  # fmt: skip
    other = (_ROWS, np.array([b"d", b"e", b"f"], object), _LETTERS[2])
    assert _hashed([_LETTERS, other])[:2] == [1584069791037555375, 4171697120956746554]


@pytest.mark.parametrize(
    ("columns", "strong", "want"),
    [
        (1, False, [7601041269982238804, 6706320920252439311, 3607656348661279943]),
        (2, False, [9125599089571650417, 724171258188987151]),
        (1, True, [1473837617647431863, 3245733509133875844, 1353763778610995666]),
        (2, True, [1387331726775683545, 1375628798772175913]),
    ],
)
def test_strong_and_fast_hashes_are_tensorflows(columns, strong, want):
    with tf.Graph().as_default(), tf.Session() as session:
        parts = [tf.constant(p) for p in _NUMBERS]
        _, values, _ = gen_sparse_ops.sparse_cross_hashed(
            *([p] * columns for p in parts), [], 0, strong, [1, 2]
        )
        assert session.run(values).tolist()[: len(want)] == want


def test_rows_that_a_column_lacks_are_left_out():
    lone = (np.array([[1, 0]]), np.array([b"q"], object), np.array([2, 2]))
    got = drawn.run(lambda *c: tf.sparse.cross(list(c)), lone, _LETTERS)
    np.testing.assert_array_equal(got.indices, [[1, 0], [1, 1]])
    assert got.values.tolist() == [b"q_X_b", b"q_X_c"]


def test_batches_must_be_as_large():
    short = np.array([[b"x"]], object)
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch size"):
        drawn.run(lambda *c: tf.sparse.cross(list(c)), _LETTERS, short)
    negative = *_LETTERS[:2], np.array([-2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes .*, got -2"):
        drawn.run(lambda *c: tf.sparse.cross(list(c)), negative)
    with pytest.raises(TypeError, match="list"):
        tf.sparse.cross(tf.constant(short))
    with pytest.raises(TypeError, match="must be Tensor"):
        tf.sparse.cross([[b"x"]])


def test_huge_batches_are_no_work():
    far = (np.array([[1 << 40, 0]]), np.array([b"q"], object), np.array([1 << 41, 1]))
    got = drawn.run(lambda *c: tf.sparse.cross(list(c)), far, far)
    np.testing.assert_array_equal(got.indices, [[1 << 40, 0]])


@pytest.mark.parametrize("columns", [[_LETTERS, _NUMBERS], [_NUMBERS, _NUMBERS]])
def test_the_op_of_version_1_crosses_likewise(columns):
    for hashed, public in ((False, tf.sparse.cross), (True, tf.sparse.cross_hashed)):
        got, want = (
            drawn.run(lambda *c, f=f: f(list(c)), *columns)
            for f in (
                lambda c, hashed=hashed: sparse_ops._sparse_cross_internal(c, hashed),
                public,
            )
        )
        assert got.values.tolist() == want.values.tolist()
        np.testing.assert_array_equal(got.indices, want.indices)
    assert sparse_ops._sparse_cross is tf.sparse.cross
    assert sparse_ops._sparse_cross_hashed is tf.sparse.cross_hashed
