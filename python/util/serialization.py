# SPDX-License-Identifier: Apache-2.0
"""Objects of programs in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def get_json_type(obj: object) -> object:
    """Returns what stands for an object that JSON has no value for: the `default` of `json.dumps`.

    An object with `get_config()` becomes {"class_name": ..., "config": ...}, a NumPy array a list, a NumPy scalar its
    item, a shape a list of sizes, a dtype or another class its name, a mapping a dict.

    Raises:
        TypeError: any other object.
    """
    kind = type(obj)
    some: Any = obj
    if hasattr(obj, "get_config") and not isinstance(obj, type):
        return {"class_name": kind.__name__, "config": some.get_config()}
    if isinstance(obj, np.ndarray):
        return obj.tolist()
    if isinstance(obj, np.generic):
        return obj.item()
    if hasattr(obj, "as_list"):
        return some.as_list()
    if kind.__name__ == "Dimension" and hasattr(obj, "value"):
        return some.value
    if kind.__name__ == "DType" and hasattr(obj, "name"):
        return some.name
    if isinstance(obj, Mapping):
        return dict(obj)
    if callable(obj) and hasattr(obj, "__name__"):
        return obj.__name__
    raise TypeError(f"Not JSON Serializable: {obj!r}")
