# SPDX-License-Identifier: Apache-2.0
"""Extends methods of Keras's classes in place, so that Keras's own code uses the additions too."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def wrap(
    owner: type | ModuleType,
    name: str,
    make: Callable[[Callable[..., object]], Callable[..., object]],
) -> None:
    """Replaces the function `name` of a class or module by `make(function)`, which keeps its name and docstring."""
    before = vars(owner)[name]
    setattr(owner, name, functools.wraps(before)(make(before)))


def add(owner: type, **members: object) -> None:
    """Adds members to a class that lacks them."""
    for name, member in members.items():
        if name in vars(owner):
            raise AssertionError(f"{owner.__name__} has a member {name} of its own")
        setattr(owner, name, member)
