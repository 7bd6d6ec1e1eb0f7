# SPDX-License-Identifier: Apache-2.0
"""SpaceToDepth and DepthToSpace against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "block"),
    [([1, 2, 2, 1], 2), ([2, 6, 3, 5], 3), ([2, 0, 4, 1], 2), ([3, 16, 18, 7], 2)],
)
def test_space_to_depth_and_back(known, dtype, shape, block):
    x = values(shape, dtype)
    n, h, w, c = shape
    blocks = x.reshape([n, h // block, block, w // block, block, c])
    want = blocks.transpose([0, 1, 3, 2, 4, 5]).reshape(
        [n, h // block, w // block, block * block * c]
    )
    got = fed(lambda x: tf.space_to_depth(x, block), x, known=known)
    np.testing.assert_array_equal(got, want)
    got = fed(lambda x: tf.depth_to_space(x, block), want, known=known)
    np.testing.assert_array_equal(got, x)
    # Channels first: the same with both ends transposed.
    first, want = x.transpose([0, 3, 1, 2]), want.transpose([0, 3, 1, 2])
    got = fed(lambda x: tf.space_to_depth(x, block, data_format="NCHW"), first)
    np.testing.assert_array_equal(got, want)
    got = fed(lambda x: tf.depth_to_space(x, block, data_format="NCHW"), want)
    np.testing.assert_array_equal(got, first)


@pytest.mark.parametrize(
    ("function", "shape", "words"),
    [
        (tf.space_to_depth, [1, 3, 4, 1], "divisible"),
        (tf.space_to_depth, [4, 4, 1], "rank"),
        (tf.depth_to_space, [1, 2, 2, 6], "divisible"),
    ],
)
def test_refuses_what_blocks_do_not_divide(function, shape, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(lambda x: function(x, 2), values(shape))
    with pytest.raises(ValueError, match=words):
        fed(lambda x: function(x, 2), values(shape), known=True)


def test_gradients_are_each_other():
    assert gradient_error(lambda x: tf.space_to_depth(x, 2), [1, 2, 4, 2]) < 1e-9
    assert gradient_error(lambda x: tf.depth_to_space(x, 2), [1, 2, 1, 8]) < 1e-9
