# SPDX-License-Identifier: Apache-2.0
"""L2Loss against NumPy."""

import numpy as np

import tensorwright as tf
from tensorwright.python.kernel_tests import op_table

TABLE = [
    op_table.Entry(
        "l2_loss",
        tf.nn.l2_loss,
        lambda x: np.sum(x.astype(np.float64) ** 2) / 2,
        op_table.REALS,
        span=(-1, 1),
    ),
]
test_values = op_table.values_test(TABLE)
test_gradients = op_table.gradients_test(TABLE)
