# SPDX-License-Identifier: Apache-2.0
"""CheckNumerics."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    fed,
    gradient_error,
    values,
)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_check_numerics_finds_nan_and_infinity(dtype):
    x = values([1000], dtype)

    def check(v):
        return gen_array_ops.check_numerics(v, message="here")

    np.testing.assert_array_equal(fed(check, x), x)
    for bad, words in [(np.nan, "NaN"), (np.inf, "Inf"), (-np.inf, "Inf")]:
        y = x.copy()
        y[777] = bad
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"here.*{words}"):
            fed(check, y)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [[], [0], [1], [7], [3, 5], [100_003]])
def test_finite_values_pass(dtype, shape):
    x = values(shape, dtype)
    np.testing.assert_array_equal(fed(lambda x: tf.check_numerics(x, "m"), x), x)


def test_gradient_is_the_identity():
    assert gradient_error(lambda x: tf.check_numerics(x, "m"), [2, 3]) < 1e-9
