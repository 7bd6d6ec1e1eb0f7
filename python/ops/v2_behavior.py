# SPDX-License-Identifier: Apache-2.0
"""tf.enable_v2_behavior and tf.disable_v2_behavior: what graphs have of TensorFlow 2's behaviour, on or off."""

from __future__ import annotations

from tensorwright.python.framework import tensor_shape
from tensorwright.python.ops import control_flow_v2_toggles, variable_scope
from tensorwright.python.platform import tf_logging

__all__ = ["disable_v2_behavior", "enable_v2_behavior"]


def enable_v2_behavior() -> None:
    """Switches to TensorFlow 2's behaviour where graphs have it.

    From now on variables are ResourceVariables unless a call or a scope says otherwise, as after
    `tf.enable_resource_variables`, and the sizes in a TensorShape are ints and None, as after
    `tf.enable_v2_tensorshape`.  Call it before a graph is built.

    There is no eager execution, which TensorFlow switches on here as well: operations are still added to the default
    graph, a Session runs them, and `tf.executing_eagerly()` is False.  A warning says so.  What a Tensor has in eager
    mode alone raises an error when it is used: `numpy()` an AttributeError, its truth value a TypeError.  Conditionals
    and loops stay as they are; `tf.enable_control_flow_v2` changes them.
    """
    variable_scope.enable_resource_variables()
    tensor_shape.enable_v2_tensorshape()
    tf_logging.warning(
        "enable_v2_behavior: there is no eager execution; operations are added to a "
        "graph, and a Session runs them."
    )


def disable_v2_behavior() -> None:
    """Undoes `enable_v2_behavior`, `enable_control_flow_v2`, `enable_resource_variables` and `enable_v2_tensorshape`."""
    variable_scope.disable_resource_variables()
    tensor_shape.disable_v2_tensorshape()
    control_flow_v2_toggles.disable_control_flow_v2()
