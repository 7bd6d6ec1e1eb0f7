# SPDX-License-Identifier: Apache-2.0
"""tf.searchsorted against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    fed,
    run,
    values,
)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("out_type", [tf.int32, tf.int64])
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize(("n", "m"), [(0, 3), (1, 1), (5, 0), (50, 70)])
def test_searchsorted(side, out_type, dtype, n, m):
    rng = np.random.RandomState(n)
    rows = np.sort(rng.randint(0, 20, [3, n]), 1).astype(dtype)
    wanted = rng.randint(-2, 22, [3, m]).astype(dtype)
    want = [np.searchsorted(r, w, side) for r, w in zip(rows, wanted)]
    got = fed(lambda s, v: tf.searchsorted(s, v, side, out_type), rows, wanted)
    assert got.dtype == out_type.as_numpy_dtype
    np.testing.assert_array_equal(got, want)
    got = run(lambda: tf.searchsorted(rows[0], wanted[0], side))
    np.testing.assert_array_equal(got, want[0])


def test_searchsorted_refuses_other_rows():
    with pytest.raises(ValueError, match="side"):
        tf.searchsorted([1], [1], "middle")
    with pytest.raises(tf.errors.InvalidArgumentError, match="equal"):
        fed(tf.searchsorted, values([2, 3]), values([3, 3]))
