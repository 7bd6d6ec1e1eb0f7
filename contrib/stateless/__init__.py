# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.stateless`: random numbers that are a function of a seed [2]."""

from tensorwright.python.ops.gen_stateless_random_ops import (
    stateless_random_normal,
    stateless_random_uniform,
    stateless_truncated_normal,
)
