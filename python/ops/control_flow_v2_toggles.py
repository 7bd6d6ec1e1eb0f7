# SPDX-License-Identifier: Apache-2.0
"""Whether conditionals and loops are single ops that call functions (`If`, `While`), or made of Switch, Merge, Enter, ..."""

from __future__ import annotations

__all__ = [
    "control_flow_v2_enabled",
    "disable_control_flow_v2",
    "enable_control_flow_v2",
]

_enabled = False


def enable_control_flow_v2() -> None:
    """Lets `tf.cond`, `tf.case`, `tf.switch_case` and `tf.while_loop` make single ops, If and While, that call functions.

    What is made before stays as it is.  Gradients of these ops have gradients themselves, also those of loops.  They run
    the functions once more, and raise a LookupError if that would do something else: for functions that draw random
    numbers or write variables, and loops that write TensorArrays.  An operation inside a function cannot be fetched.
    """
    global _enabled
    _enabled = True


def disable_control_flow_v2() -> None:
    """Undoes `enable_control_flow_v2`."""
    global _enabled
    _enabled = False


def control_flow_v2_enabled() -> bool:
    """Whether `enable_control_flow_v2` is in effect."""
    return _enabled
