# SPDX-License-Identifier: Apache-2.0
"""Conditions that are decided while the graph is built, if they can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.layers import utils

__all__ = ["smart_cond", "smart_constant_value"]


def smart_cond(
    pred: bool | int | TensorLike,
    true_fn: Callable[..., object] | None = None,
    false_fn: Callable[..., object] | None = None,
    name: str | None = None,
) -> Any:
    """`tf.cond`, or the outputs of the one function that a known `pred` chooses.

    Args:
        pred: a bool, 0, 1, or a bool tensor [].
        true_fn, false_fn: functions without arguments that give tensors.
        name: the name of the cond.

    Raises:
        TypeError: a function cannot be called, or `pred` is none of these.
    """
    for role, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"`{role}` must be callable, got {function!r}")
    return utils.smart_cond(pred, true_fn, false_fn, name)


def smart_constant_value(pred: bool | int | TensorLike) -> bool | None:
    """The bool that `pred` (a bool, 0, 1, or a bool tensor []) is known to be; None if a run decides.

    Raises:
        TypeError: `pred` is none of these.
    """
    return utils.constant_value(pred)
