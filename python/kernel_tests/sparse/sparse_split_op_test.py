# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.split against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.float32, np.int16, object])
@pytest.mark.parametrize(("axis", "count"), [(0, 1), (0, 2), (1, 3), (-1, 4), (1, 7)])
def test_parts_are_numpys(axis, count, dtype):
    parts = drawn.draw((3, 7, 5), dtype)
    got = drawn.run(
        lambda sp: tf.sparse.split(sp_input=sp, num_split=count, axis=axis), parts
    )
    want = np.array_split(drawn.dense(parts), count, axis)
    assert len(got) == count
    for own, reference in zip(got, want, strict=True):
        np.testing.assert_array_equal(drawn.dense(own), reference)


def test_arguments_have_names():
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 6])
    with pytest.raises(ValueError, match="Keyword"):
        tf.sparse.split(sparse, 2, 0)
    for given in ({"num_split": 2, "axis": 0}, {"sp_input": sparse, "axis": 0}):
        with pytest.raises(ValueError, match="required"):
            tf.sparse.split(**given)
    with pytest.raises(ValueError, match="axis is required"):
        tf.sparse.split(sp_input=sparse, num_split=2)


@pytest.mark.parametrize(
    ("axis", "count", "rows", "shape", "words"),
    [
        (0, 3, [[0, 1]], [2, 3], "between 1 and"),
        (2, 1, [[0, 1]], [2, 3], "range"),
        (-3, 1, [[0, 1]], [2, 3], "range"),
        (1, 2, [[0, 7]], [2, 3], "out of bounds"),
        (1, 2, [[0, -1]], [2, 3], "out of bounds"),
        (1, 2, [[0, 1]], [2, -3], "non-negative"),
        (1, 2, [[0, 1]], [1 << 40, 1 << 40], "."),
    ],
)
def test_bad_input(axis, count, rows, shape, words):
    parts = np.array(rows), np.float32([1]), np.array(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(
            lambda sp: tf.sparse.split(sp_input=sp, num_split=count, axis=axis), parts
        )
