# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.reshape against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ((6,), [2, 3]),
        ((2, 3), [6]),
        ((2, 3, 4), [4, -1]),
        ((2, 3, 4), [-1]),
        ((3, 4), [3, 4]),
        ((2, 6), [3, 1, 4]),
        ((0, 3), [3, 0]),
        ((1,), []),
    ],
)
def test_elements_keep_their_places(shape, wanted):
    parts = drawn.draw(shape)
    wanted = np.array(wanted, np.int64)
    for known in (False, True):
        got = drawn.run(tf.sparse.reshape, parts, wanted, known=known)
        np.testing.assert_array_equal(
            drawn.dense(got), drawn.dense(parts).reshape(wanted)
        )


def test_the_new_shape_is_known():
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 6])
    assert tf.sparse.reshape(sparse, [3, -1]).shape.as_list() == [3, 4]
    with pytest.raises(ValueError, match="Cannot reshape"):
        tf.sparse.reshape(sparse, [5, 2])
    with pytest.raises(ValueError, match="At most one"):
        tf.sparse.reshape(sparse, [-1, -1])


@pytest.mark.parametrize(
    ("shape", "wanted", "words"),
    [
        ([2, 3], [4, 2], "requested shape has"),
        ([2, 3], [4, -1], "multiple"),
        ([2, 3], [-1, -1], "only one"),
        ([2, 3], [-2, 3], "non-negative"),
        ([2, -3], [6], "non-negative"),
        ([0, 3], [0, -1], "cannot infer"),
        ([0, 3], [3, 0], "has none"),
        ([1 << 40, 1 << 40], [1], "."),
        ([2, 3], [1 << 40, 1 << 40], "too many"),
    ],
)
def test_bad_input(shape, wanted, words):
    parts = np.array([[0, 1]]), np.float32([1]), np.array(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(tf.sparse.reshape, parts, np.array(wanted))
