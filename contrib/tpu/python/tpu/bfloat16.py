# SPDX-License-Identifier: Apache-2.0
"""A variable scope for models whose arithmetic is in bfloat16."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes
from tensorwright.python.ops import math_ops, variable_scope

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variable_scope_scope import VariableScope


__all__ = ["bfloat16_scope"]


def _float32_getter(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A variable that is asked for as bfloat16 is kept as float32, and cast."""
    if kwargs.get("dtype") != dtypes.bfloat16:
        return getter(*args, **kwargs)
    kwargs["dtype"] = dtypes.float32
    return math_ops.cast(getter(*args, **kwargs), dtypes.bfloat16)


@contextlib.contextmanager
def bfloat16_scope(name: str = "") -> Iterator[VariableScope]:
    """The variable scope `name` in which bfloat16 variables are float32 ones, cast where they are used."""
    with variable_scope.variable_scope(name, custom_getter=_float32_getter) as scope:
        yield scope
