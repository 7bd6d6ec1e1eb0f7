# SPDX-License-Identifier: Apache-2.0
"""The gradient of one of broken_ops.cc's ops, wrong; for opcheck_test.py."""

import tensorwright as tf


@tf.RegisterGradient("BrokenGradient")
def _broken_gradient_grad(op, grad):
    """d y / d x is 2, not 3."""
    del op
    return 3.0 * grad
