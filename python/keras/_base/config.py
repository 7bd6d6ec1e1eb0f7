# SPDX-License-Identifier: Apache-2.0
"""Keras's settings of a process: the float type, the smallest divisor, the order of image axes, and counters of names."""

from __future__ import annotations

import collections
import threading
import weakref
from typing import Any

import numpy as np

from tensorwright.python.framework import ops
from tensorwright.python.ops import math_ops

_FLOATS = ("float16", "float32", "float64")
_FORMATS = ("channels_first", "channels_last")


class _Settings(threading.local):
    def __init__(self) -> None:
        self.manual_initialization = False


_floatx = "float32"
_epsilon = 1e-7
_image_data_format = "channels_last"
_settings = _Settings()
# Graph -> prefix -> how many names with that prefix were given.
_uids: weakref.WeakKeyDictionary[Any, collections.Counter[str]] = (
    weakref.WeakKeyDictionary()
)


def floatx() -> str:
    """The float type of layers and variables that name none."""
    return _floatx


def set_floatx(value: str) -> None:
    """Sets the float type of layers and variables that name none.

    Raises:
        ValueError: `value` is not one of float16, float32, float64.
    """
    global _floatx
    if value not in _FLOATS:
        raise ValueError(f"set_floatx: value must be one of {_FLOATS}, got {value!r}")
    _floatx = str(value)


def epsilon() -> float:
    """The number that keeps divisors and arguments of logarithms away from zero."""
    return _epsilon


def set_epsilon(value: float) -> None:
    """Sets the number that keeps divisors away from zero."""
    global _epsilon
    _epsilon = value


def image_data_format() -> str:
    """`channels_last` or `channels_first`: how image layers read their input if they are not told."""
    return _image_data_format


def set_image_data_format(data_format: str) -> None:
    """Sets how image layers read their input if they are not told.

    Raises:
        ValueError: `data_format` is neither channels_first nor channels_last.
    """
    global _image_data_format
    if data_format not in _FORMATS:
        raise ValueError(
            f"set_image_data_format: data_format must be one of {_FORMATS}, got {data_format!r}"
        )
    _image_data_format = str(data_format)


def cast_to_floatx(x: Any) -> Any:
    """`x` as an array of the default float type; a tensor stays one."""
    if ops.is_dense_tensor_like(x):
        return math_ops.cast(x, _floatx)
    return np.asarray(x, dtype=_floatx)


def get_uid(prefix: str = "") -> int:
    """Counts, for the graph, how often a name with this prefix was asked for, and returns the number with this call."""
    names = _uids.setdefault(ops.get_default_graph(), collections.Counter())
    names[prefix] += 1
    return names[prefix]


def reset_uids() -> None:
    """Lets names of every graph be counted from 1 again."""
    _uids.clear()


def manual_variable_initialization(value: bool) -> None:
    """Says whether the program initializes variables itself instead of `get_session`."""
    _settings.manual_initialization = bool(value)


def is_manual_initialization() -> bool:
    """Does the program initialize variables itself?"""
    return _settings.manual_initialization
