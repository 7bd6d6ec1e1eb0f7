# SPDX-License-Identifier: Apache-2.0
"""InputSpec, which Keras has in `engine.base_layer`."""

from typing import Any

from tensorwright.python.keras import _load


def __getattr__(name: str) -> Any:
    if name != "InputSpec":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _load.keras().engine.InputSpec
