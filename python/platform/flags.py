# SPDX-License-Identifier: Apache-2.0
"""tf.flags over absl's: DEFINE_* and FLAGS, parsed at the first look at a flag if not before."""

from __future__ import annotations

import sys
from typing import Any

from absl import flags as _flags
from absl.flags import (  # noqa: F401 (re-exported)
    DEFINE,
    DEFINE_alias,
    DEFINE_enum,
    DEFINE_enum_class,
    DEFINE_flag,
    DEFINE_list,
    DEFINE_multi_enum,
    DEFINE_multi_float,
    DEFINE_multi_integer,
    DEFINE_multi_string,
    DEFINE_spaceseplist,
    Error,
    FlagValues,
    adopt_module_key_flags,
    declare_key_flag,
    mark_flag_as_required,
    mark_flags_as_required,
    multi_flags_validator,
    register_multi_flags_validator,
    register_validator,
    validator,
)


class _Flags:
    """absl's FLAGS, but reading a flag before parsing parses sys.argv, as TF 1.x programs expect."""

    def __init__(self, values: _flags.FlagValues) -> None:
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        values = object.__getattribute__(self, "_values")
        if not values.is_parsed() and not name.startswith("_"):
            values(list(sys.argv), known_only=True)
        return getattr(values, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(object.__getattribute__(self, "_values"), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(object.__getattribute__(self, "_values"), name)

    def __dir__(self) -> list[str]:
        return dir(object.__getattribute__(self, "_values"))

    def __contains__(self, name: str) -> bool:
        return name in object.__getattribute__(self, "_values")

    def __getitem__(self, name: str) -> Any:
        return object.__getattribute__(self, "_values")[name]

    def __iter__(self) -> Any:
        return iter(object.__getattribute__(self, "_values"))

    def __len__(self) -> int:
        return len(object.__getattribute__(self, "_values"))

    def __call__(self, *args: Any, **kwargs: Any) -> list[str]:
        return object.__getattribute__(self, "_values")(*args, **kwargs)


FLAGS = _Flags(_flags.FLAGS)


def _definer(define: Any) -> Any:
    """TF 1.x names the arguments flag_name, default_value, docstring; absl name, default, help."""

    def definer(
        flag_name: str | None = None,
        default_value: Any = None,
        docstring: str | None = None,
        **kwargs: Any,
    ) -> Any:
        name = kwargs.pop("name", flag_name)
        default = kwargs.pop("default", default_value)
        help_text = kwargs.pop("help", docstring)
        return define(name, default, help_text, **kwargs)

    definer.__name__ = define.__name__
    definer.__doc__ = f"absl.flags.{define.__name__} with TF 1.x's argument names."
    return definer


DEFINE_string = _definer(_flags.DEFINE_string)
DEFINE_integer = _definer(_flags.DEFINE_integer)
DEFINE_float = _definer(_flags.DEFINE_float)
DEFINE_boolean = _definer(_flags.DEFINE_boolean)
DEFINE_bool = DEFINE_boolean
