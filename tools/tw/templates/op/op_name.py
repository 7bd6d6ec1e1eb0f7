# SPDX-License-Identifier: Apache-2.0
"""The Python function of OpName, and its gradient."""

import os

import tensorwright as tf

_ops = tf.load_op_library(os.path.join(os.path.dirname(__file__), "libop_name.so"))

op_name = _ops.op_name


@tf.RegisterGradient("OpName")
def _op_name_grad(op, grad):
    """d y / d x = scale."""
    return _ops.op_name(grad, scale=op.get_attr("scale"))
