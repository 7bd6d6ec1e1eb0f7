# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.concat against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.float32, np.int16, object])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_joined_along_an_axis(axis, dtype):
    shapes = [[2, 3, 4] for _ in range(3)]
    shapes[1][axis] = 5
    shapes[2][axis] = 0
    parts = [drawn.draw(s, dtype, seed=i) for i, s in enumerate(shapes)]
    for known in (False, True):
        got = drawn.run(lambda *p: tf.sparse.concat(axis, list(p)), *parts, known=known)
        want = np.concatenate([drawn.dense(p) for p in parts], axis)
        np.testing.assert_array_equal(drawn.dense(got), want)
        np.testing.assert_array_equal(
            got.indices, np.argwhere(want != type(want.flat[0])())
        )


def test_other_dimensions_may_grow():
    a, b = drawn.draw((2, 3)), drawn.draw((4, 1), seed=1)
    got = drawn.run(
        lambda x, y: tf.sparse.concat(1, [x, y], expand_nonconcat_dim=True), a, b
    )
    want = np.zeros((4, 4), np.float32)
    want[:2, :3], want[:, 3:] = drawn.dense(a), drawn.dense(b)
    np.testing.assert_array_equal(drawn.dense(got), want)


def test_one_is_itself():
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 6])
    assert tf.sparse.concat(0, [sparse]) is sparse
    assert tf.sparse.concat(0, [sparse, sparse]).shape.as_list() == [4, 6]
    with pytest.raises(TypeError, match="not a list"):
        tf.sparse.concat(0, sparse)


@pytest.mark.parametrize(
    ("axis", "shapes", "words"),
    [
        (2, ([2, 3], [2, 3]), "range"),
        (1, ([2, 3], [3, 3]), "must match"),
        (1, ([2, -3], [2, 3]), ">= 0"),
        (1, ([2, 1 << 62], [2, 1 << 62]), "sum"),
    ],
)
def test_bad_input(axis, shapes, words):
    parts = [(np.array([[0, 1]]), np.float32([1]), np.array(s)) for s in shapes]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(lambda *p: tf.sparse.concat(axis, list(p)), *parts)
