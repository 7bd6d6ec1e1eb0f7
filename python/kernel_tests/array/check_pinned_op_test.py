# SPDX-License-Identifier: Apache-2.0
"""CheckPinned says that there is no CUDA, in a library without it."""

import numpy as np
import pytest

import tensorwright as tf


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_, np.str_])
@pytest.mark.parametrize("shape", [[], [0], [2, 3]])
def test_a_library_without_cuda_says_so(dtype, shape):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.as_dtype(dtype), shape)
        y = tf.check_pinned(x, name="pinned")
        assert y.op.name == "pinned" and y.op.type == "CheckPinned"
        assert y.dtype == x.dtype and y.shape.as_list() == shape
        with pytest.raises(tf.errors.FailedPreconditionError, match="without CUDA"):
            session.run(y, {x: np.zeros(shape, dtype)})


def test_the_gradient_passes_through():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0])
        (grad,) = tf.gradients(tf.check_pinned(x), [x], [tf.constant([3.0, 4.0])])
        assert session.run(grad).tolist() == [3, 4]
