# SPDX-License-Identifier: Apache-2.0
"""tf.bitwise: operations on the bits of integers."""

# ruff: noqa: F401
from tensorwright.python.ops.gen_bitwise_ops import (
    bitwise_and as bitwise_and,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    invert as invert,
    left_shift as left_shift,
    right_shift as right_shift,
)
