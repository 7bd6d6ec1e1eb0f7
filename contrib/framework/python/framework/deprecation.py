# SPDX-License-Identifier: Apache-2.0
"""Warnings of deprecated names, with the arguments of TensorFlow 1.3."""

# ruff: noqa: F401
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.util import deprecation
from tensorwright.python.util.deprecation import deprecated, deprecated_args

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import F


def deprecated_arg_values(
    date: str | None, instructions: str, **deprecated_kwargs: object
) -> Callable[..., Any]:
    """Decorates functions, some values of whose arguments will go away.

    Args:
        date: after which they may, "2017-12-31"; None: in the future.
        instructions: the advice in the warning.
        deprecated_kwargs: the values by the names of arguments; `warn_once`, of later releases of TensorFlow, says
            whether there is one warning or one for each call.

    Raises:
        ValueError: no values, another form of date, or no instructions.
    """
    warn_once = bool(deprecated_kwargs.pop("warn_once", True))
    return deprecation.deprecated_arg_values(
        date, instructions, warn_once, **deprecated_kwargs
    )
