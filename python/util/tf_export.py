# SPDX-License-Identifier: Apache-2.0
"""Decorators that note the public names of functions and classes, and who has a name.

A note changes nothing of `tf`: a package of its own names uses it for its documentation.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.util import tf_decorator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.python.framework.type_aliases import T


TENSORFLOW_API_NAME = "tensorflow"
KERAS_API_NAME = "keras"
ESTIMATOR_API_NAME = "estimator"

# Name of an API -> the attributes that hold a symbol's names in its second and its first version.
API_ATTRS = {
    TENSORFLOW_API_NAME: ("_tf_api_names", "_tf_api_names_v1"),
    KERAS_API_NAME: ("_keras_api_names", "_keras_api_names_v1"),
    ESTIMATOR_API_NAME: ("_estimator_api_names", "_estimator_api_names_v1"),
}
_symbols: dict[str, Any] = {}


class SymbolAlreadyExposedError(Exception):
    """A name was given to a second symbol."""


class InvalidSymbolNameError(Exception):
    """A name is not one of the API."""


class api_export:
    """A decorator that notes the public names of what it decorates.

    Args:
        *args: the names, dotted, without the API's own.
        api_name: the API.
        v1: the names in its first version, if they are others.
        allow_multiple_exports: no longer of use.
        overrides: what had these names before.
    """

    def __init__(
        self,
        *args: str,
        api_name: str = TENSORFLOW_API_NAME,
        v1: Sequence[str] | None = None,
        allow_multiple_exports: bool = True,
        overrides: object = None,
    ):
        del allow_multiple_exports, overrides
        self._names = tuple(args)
        self._names_v1 = self._names if v1 is None else tuple(v1)
        self._api_name = api_name

    def __call__(self, func: T) -> T:
        """Notes the names on a function or class, and returns it."""
        _, target = tf_decorator.unwrap(func)
        for attribute, names in zip(
            API_ATTRS[self._api_name], (self._names, self._names_v1)
        ):
            # A class does not have the names of its base class.
            if attribute in vars(target):
                raise SymbolAlreadyExposedError(
                    f"Symbol {target.__name__} is already exposed as {vars(target)[attribute]}."  # noqa: E501
                )
            setattr(target, attribute, names)
        for name in {*self._names, *self._names_v1}:
            _symbols[f"{self._api_name}.{name}"] = func
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Notes the public names of a constant in the module's `_tf_api_constants`."""
        module = sys.modules[module_name]
        for suffix, names in (("", self._names), ("_v1", self._names_v1)):
            attribute = f"_{'tf' if self._api_name == TENSORFLOW_API_NAME else self._api_name}_api_constants{suffix}"  # fmt: skip # noqa: E501
            found = vars(module).setdefault(attribute, [])
            found.append((names, name))


tf_export: Callable[..., api_export] = functools.partial(
    api_export, api_name=TENSORFLOW_API_NAME
)
keras_export: Callable[..., api_export] = functools.partial(
    api_export, api_name=KERAS_API_NAME
)
estimator_export: Callable[..., api_export] = functools.partial(
    api_export, api_name=ESTIMATOR_API_NAME
)


def _names(symbol: Any, version: int) -> list[str]:
    found: list[str] = []
    for api, attributes in API_ATTRS.items():
        prefix = "" if api == TENSORFLOW_API_NAME else f"{api}."
        noted = vars(symbol).get(attributes[version], ()) if hasattr(symbol, "__dict__") else ()  # fmt: skip # noqa: E501
        found += [prefix + name for name in noted]
    return found


def get_v1_names(symbol: object) -> list[str]:
    """The names of a symbol in the first version."""
    return _names(tf_decorator.unwrap(symbol)[1], 1)


def get_v2_names(symbol: object) -> list[str]:
    """The names of a symbol in the second version."""
    return _names(tf_decorator.unwrap(symbol)[1], 0)


def get_canonical_name_for_symbol(
    symbol: object,
    api_name: str = TENSORFLOW_API_NAME,
    add_prefix_to_v1_names: bool = False,
) -> str | None:
    """The first of a symbol's names, of the second version if it has some; None of a symbol without names.

    `add_prefix_to_v1_names` puts "compat.v1." before a name that only the first version has.
    """
    _, target = tf_decorator.unwrap(symbol)
    if not hasattr(target, "__dict__"):
        return None
    names, names_v1 = (vars(target).get(a, ()) for a in API_ATTRS[api_name])
    if names:
        return names[0]
    if names_v1:
        return f"compat.v1.{names_v1[0]}" if add_prefix_to_v1_names else names_v1[0]
    return None


def get_symbol_from_name(name: str) -> Any:
    """The symbol that was noted under a name, with its API's before it; None if there is none."""
    return _symbols.get(name)
