# SPDX-License-Identifier: Apache-2.0
"""tf.broadcast_to against NumPy."""

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
@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(
    ("shape", "to"),
    [
        ([], []),
        ([], [2, 3]),
        ([3], [3]),
        ([3], [2, 3]),
        ([2, 1], [2, 3]),
        ([1, 3, 1], [4, 2, 3, 5]),
        ([1], [0]),
        ([0, 1], [0, 3]),
        ([40, 1], [40, 70]),
    ],
)
def test_broadcast_to(known, dtype, shape, to):
    x = values(shape, dtype)
    for index_dtype in (np.int32, np.int64):
        sizes = np.array(to, index_dtype)
        want = np.broadcast_to(x, to)
        got = fed(lambda x, s=sizes: tf.broadcast_to(x, s), x, known=known)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(fed(tf.broadcast_to, x, sizes), want)


@pytest.mark.parametrize(("shape", "to"), [([2], [3]), ([2, 1], [1]), ([3], [-1])])
def test_broadcast_to_refuses_what_does_not_fit(shape, to):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.broadcast_to, values(shape), np.array(to, np.int32))


@pytest.mark.parametrize(
    ("build", "shapes"),
    [
        (lambda x: tf.broadcast_to(x, [2, 3, 4]), [[3, 1]]),
        (lambda x: tf.broadcast_to(x, [2]), [[]]),
    ],
)
def test_gradients(build, shapes):
    assert gradient_error(build, *shapes) < 1e-9
