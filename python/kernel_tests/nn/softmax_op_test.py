# SPDX-License-Identifier: Apache-2.0
"""Softmax and LogSoftmax against SciPy."""

import numpy as np
import scipy.special

from tensorwright.python.kernel_tests import op_table
from tensorwright.python.ops import gen_nn_ops

ROWS = ([7], [3, 10], [1, 1], [0, 4], [200, 3], [5, 3000], [2, 3, 4])
SCALAR = [([np.float32(1)], "must be at least rank 1")]


def _entry(name, reference):
    return op_table.Entry(
        name,
        getattr(gen_nn_ops, name),
        lambda x: reference(x, axis=-1) if x.size else x,
        op_table.REALS,
        span=(-5, 5),
        shapes=ROWS,
        gradient_by=(),
        tolerance=2,
        bad=SCALAR,
    )


TABLE = [
    _entry("softmax", scipy.special.softmax),
    _entry("log_softmax", scipy.special.log_softmax),
]
test_values = op_table.values_test(TABLE)
test_bad_input = op_table.bad_input_test(TABLE)


def test_gradients():
    x = np.random.RandomState(0).uniform(-2, 2, [3, 4])
    for name in ("softmax", "log_softmax"):
        op_table.check_gradient(getattr(gen_nn_ops, name), [x], by=[0])


def test_large_logits_do_not_overflow():
    x = np.float32([[1000, 1000, -1000], [-1e30, 0, 1e30]])
    got = op_table.run(gen_nn_ops.softmax, [x])
    np.testing.assert_allclose(got, [[0.5, 0.5, 0], [0, 0, 1]])
    got = op_table.run(gen_nn_ops.log_softmax, [x])
    np.testing.assert_allclose(got[0, :2], np.log([0.5, 0.5]), rtol=1e-6)
