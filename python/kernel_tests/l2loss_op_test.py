# SPDX-License-Identifier: Apache-2.0
"""L2Loss against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops

TOLERANCE = {"float16": 4e-3, "float32": 2e-6, "float64": 1e-13}


def run(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [tf.placeholder(tf.as_dtype(a.dtype)) for a in arrays]
        return sess.run(function(*placeholders), dict(zip(placeholders, arrays)))


def logits(dtype, shape, seed=0):
    return np.random.RandomState(seed).uniform(-5, 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_l2_loss(dtype):
    for size in (0, 1, 17, 5000, 200000):
        x = logits(dtype, [size]) / 8
        want = (x.astype(np.float64) ** 2).sum() / 2
        np.testing.assert_allclose(
            run(gen_nn_ops.l2_loss, x), want, rtol=TOLERANCE[dtype]
        )
