# SPDX-License-Identifier: Apache-2.0
"""Options of datasets: accepted, merged and handed back.

No option changes an element; `tf.data.Options` says which ones change how elements are made.
"""

from __future__ import annotations

from typing import Any, TypeVar


class OptionsBase:
    """Attributes with defaults; any other is an AttributeError."""

    _DEFAULTS: dict[str, Any] = {}

    def __init__(self):
        object.__setattr__(self, "_values", {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._DEFAULTS:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        default = self._DEFAULTS[name]
        if isinstance(default, type):
            return self._values.setdefault(name, default())
        return self._values.get(name, default)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._DEFAULTS:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}."
            )
        self._values[name] = value

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values == other._values

    def __hash__(self) -> int:
        return id(self)


def _property(name: str, doc: str) -> property:
    return property(
        lambda self: OptionsBase.__getattr__(self, name),
        lambda self, value: self._values.__setitem__(name, value),
        doc=doc,
    )


_Options = TypeVar("_Options", bound=OptionsBase)


def merge(ours: _Options, theirs: _Options) -> _Options:
    """`theirs` where it says something, else `ours`."""
    result = type(ours)()
    for source in (ours, theirs):
        for name, value in source._values.items():
            old = result._values.get(name)
            if isinstance(value, OptionsBase) and isinstance(old, OptionsBase):
                value = merge(old, value)
            result._values[name] = value
    return result
