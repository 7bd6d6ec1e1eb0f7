# SPDX-License-Identifier: Apache-2.0
"""Command-line flags: absl's, which parse themselves when first read."""

import sys
from typing import Any

from absl import flags as _absl
from absl.flags import (
    DEFINE_alias as DEFINE_alias,
    DEFINE_bool as DEFINE_bool,
    DEFINE_boolean as DEFINE_boolean,
    DEFINE_enum as DEFINE_enum,
    DEFINE_enum_class as DEFINE_enum_class,
    DEFINE_float as DEFINE_float,
    DEFINE_integer as DEFINE_integer,
    DEFINE_list as DEFINE_list,
    DEFINE_multi_enum as DEFINE_multi_enum,
    DEFINE_multi_enum_class as DEFINE_multi_enum_class,
    DEFINE_multi_float as DEFINE_multi_float,
    DEFINE_multi_integer as DEFINE_multi_integer,
    DEFINE_multi_string as DEFINE_multi_string,
    DEFINE_string as DEFINE_string,
    DuplicateFlagError as DuplicateFlagError,
    Error as Error,
    FlagHolder as FlagHolder,
    FlagValues as FlagValues,
    IllegalFlagValueError as IllegalFlagValueError,
    UnparsedFlagAccessError as UnparsedFlagAccessError,
    adopt_module_key_flags as adopt_module_key_flags,
    declare_key_flag as declare_key_flag,
    mark_flag_as_required as mark_flag_as_required,
    mark_flags_as_required as mark_flags_as_required,
    register_validator as register_validator,
    validator as validator,
)


class _FlagValues:
    """`FLAGS`: a flag is an attribute; `sys.argv` is parsed at the first access."""

    def __init__(self, values: Any):
        object.__setattr__(self, "_values", values)

    def _parsed(self) -> Any:
        values = object.__getattribute__(self, "_values")
        if not values.is_parsed():
            values(sys.argv, known_only=True)
        return values

    def __getattr__(self, name: str) -> Any:
        values = object.__getattribute__(self, "_values")
        if name in values:
            return getattr(self._parsed(), name)
        return getattr(values, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._parsed(), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(object.__getattribute__(self, "_values"), name)

    def __getitem__(self, name: str) -> Any:
        return object.__getattribute__(self, "_values")[name]

    def __contains__(self, name: str) -> bool:
        return name in object.__getattribute__(self, "_values")

    def __iter__(self):
        return iter(object.__getattribute__(self, "_values"))

    def __dir__(self) -> list[str]:
        return dir(object.__getattribute__(self, "_values"))

    def __call__(self, *args: Any, **kwargs: Any) -> list[str]:
        return object.__getattribute__(self, "_values")(*args, **kwargs)


FLAGS = _FlagValues(_absl.FLAGS)
