# SPDX-License-Identifier: Apache-2.0
"""Collections of a graph: named lists of anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework.type_aliases import CollectionNames


class CollectionsMixin:
    """The collection methods of `Graph`."""

    _collections: dict[Any, list]

    if TYPE_CHECKING:

        def _check_not_finalized(self) -> None: ...

    def add_to_collection(self, name: str, value: object) -> None:
        """Appends `value`; a collection may hold it more than once."""
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: str | Iterable[str], value: object) -> None:
        """Appends `value` once to each of several collections."""
        names = (names,) if isinstance(names, str) else dict.fromkeys(names)
        for name in names:
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: str | tuple[str, ...]) -> list:
        """The list itself, made where there is none: changes to it are kept."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: str, scope: str | None = None) -> list:
        """A copy of a collection; empty where there is none.

        `scope` is a regular expression: only items whose `name` it matches from
        the start.
        """
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        match = re.compile(scope).match
        return [i for i in items if hasattr(i, "name") and match(i.name)]

    def get_all_collection_keys(self) -> list[str]:
        return [k for k in self._collections if isinstance(k, str)]

    @property
    def collections(self) -> list[str]:
        return list(self._collections)

    def clear_collection(self, name: str) -> None:
        self._check_not_finalized()
        self._collections.pop(name, None)


def add_to_collection(name: str, value: object) -> None:
    """`Graph.add_to_collection` of the default graph."""
    _pywrap.get_default_graph().add_to_collection(name, value)


def add_to_collections(names: CollectionNames, value: object) -> None:
    """`Graph.add_to_collections` of the default graph."""
    _pywrap.get_default_graph().add_to_collections(names, value)


def get_collection(key: str, scope: str | None = None) -> list:
    """`Graph.get_collection` of the default graph."""
    return _pywrap.get_default_graph().get_collection(key, scope)


def get_collection_ref(key: str | tuple[str, ...]) -> list:
    """`Graph.get_collection_ref` of the default graph."""
    return _pywrap.get_default_graph().get_collection_ref(key)


def get_all_collection_keys() -> list[str]:
    """`Graph.get_all_collection_keys` of the default graph."""
    return _pywrap.get_default_graph().get_all_collection_keys()
