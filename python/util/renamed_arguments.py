# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions that have two names: one home for what is asked of them."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def deprecated_argument_lookup(
    new_name: str, new_value: object, old_name: str, old_value: object
) -> Any:
    """The value of an argument that has two names, None where neither is set.  ValueError where both are."""
    if old_value is None:
        return new_value
    if new_value is None:
        return old_value
    raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")


def required_argument(
    new_name: str, new_value: T | None, old_name: str, old_value: T | None
) -> T:
    """The same, where one of them must be set: ValueError if none is."""
    value = deprecated_argument_lookup(new_name, new_value, old_name, old_value)
    if value is None:
        raise ValueError(f"Argument '{new_name}' is required")
    return value
