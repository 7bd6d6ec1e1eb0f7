# SPDX-License-Identifier: Apache-2.0
"""tf.bitwise: operations on the bits of integers."""

# ruff: noqa: F401
from tensorwright.python.ops.gen_bitwise_ops import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    invert,
    left_shift,
    right_shift,
)
