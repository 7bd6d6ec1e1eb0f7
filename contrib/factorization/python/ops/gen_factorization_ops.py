# SPDX-License-Identifier: Apache-2.0
"""The ops of factorizations, by TensorFlow's module: re-exports, no code."""

from tensorwright.python.ops.gen_contrib_ops import (
    masked_matmul as masked_matmul,
    wals_compute_partial_lhs_and_rhs as wals_compute_partial_lhs_and_rhs,
)
