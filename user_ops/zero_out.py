# SPDX-License-Identifier: Apache-2.0
"""tf.user_ops.zero_out: a Python function in front of the op, and its gradient."""

import tensorwright as tf
from tensorwright.python.ops import gen_user_ops


def zero_out(arg) -> tf.Tensor:
    """`arg`, int32 of any shape, with every element but the first set to 0."""
    return gen_user_ops._zero_out(arg)


# Integers have no derivative.
tf.NotDifferentiable("ZeroOut")
