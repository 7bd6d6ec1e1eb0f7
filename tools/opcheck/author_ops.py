# SPDX-License-Identifier: Apache-2.0
"""Gradients of author_ops.cc's ops that need static shapes to be known, or not to be; for author_test.py."""

import tensorwright as tf


@tf.RegisterGradient("TwiceShapeless")
def _twice_shapeless_grad(op, grad):
    if op.inputs[0].shape.is_fully_defined():
        raise ValueError("only when I know nothing")
    return 2.0 * grad


@tf.RegisterGradient("TwiceShaped")
def _twice_shaped_grad(op, grad):
    return 2.0 * tf.reshape(grad, op.inputs[0].shape.as_list())
