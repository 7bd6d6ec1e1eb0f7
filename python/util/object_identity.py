# SPDX-License-Identifier: Apache-2.0
"""Dictionaries and sets whose keys are equal only to themselves, whatever their `==` says.

Tensors need them where `==` of tensors is an op, and lists and other values without a hash.
"""

from __future__ import annotations

import collections.abc
import weakref
from collections.abc import Iterable, Iterator


class _ObjectIdentityWrapper:
    """An object as a key: equal to another wrapper of the same object."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: object):
        self._wrapped = wrapped

    @property
    def unwrapped(self) -> object:
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _ObjectIdentityWrapper):
            return False
        return self.unwrapped is other.unwrapped

    def __hash__(self) -> int:
        # As in TensorFlow: one object has one hash, which it keeps.
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


class Reference(_ObjectIdentityWrapper):
    """A key that gives its object back: `Reference(x).deref() is x`."""

    __slots__ = ()

    def deref(self) -> object:
        """The object."""
        return self.unwrapped


class _WeakObjectIdentityWrapper(_ObjectIdentityWrapper):
    """The same without keeping the object: `unwrapped` is None once it has gone."""

    __slots__ = ("_hash",)

    def __init__(self, wrapped: object):
        super().__init__(weakref.ref(wrapped))
        self._hash = id(wrapped)

    @property
    def unwrapped(self) -> object:
        return self._wrapped()  # type: ignore[operator]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _WeakObjectIdentityWrapper) and self.unwrapped is None:
            return self is other
        return super().__eq__(other)

    def __hash__(self) -> int:
        return self._hash


class ObjectIdentityDictionary(collections.abc.MutableMapping):
    """A dictionary whose keys are compared by `is`."""

    __slots__ = ("_storage",)

    def __init__(self, *args: object, **kwargs: object):
        """Takes what `dict` takes."""
        self._storage: dict = {}
        self.update(dict(*args, **kwargs))  # type: ignore[call-overload]

    def _wrap_key(self, key: object) -> _ObjectIdentityWrapper:
        return _ObjectIdentityWrapper(key)

    def __getitem__(self, key: object):
        return self._storage[self._wrap_key(key)]

    def __setitem__(self, key: object, value: object) -> None:
        self._storage[self._wrap_key(key)] = value

    def __delitem__(self, key: object) -> None:
        del self._storage[self._wrap_key(key)]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator:
        for key in list(self._storage):
            yield key.unwrapped

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self._storage)!r})"


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """The same without keeping its keys: an entry goes with its key."""

    __slots__ = ()

    def _wrap_key(self, key: object) -> _ObjectIdentityWrapper:
        return _WeakObjectIdentityWrapper(key)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __iter__(self) -> Iterator:
        for key in list(self._storage):
            found = key.unwrapped
            if found is None:
                del self._storage[key]
            else:
                yield found


class ObjectIdentitySet(collections.abc.MutableSet):
    """A set whose elements are compared by `is`."""

    __slots__ = ("_storage",)

    def __init__(self, *args: Iterable):
        """Takes what `set` takes."""
        self._storage = {self._wrap_key(item) for item in (args[0] if args else ())}

    def _wrap_key(self, key: object) -> _ObjectIdentityWrapper:
        return _ObjectIdentityWrapper(key)

    def __contains__(self, key: object) -> bool:
        return self._wrap_key(key) in self._storage

    def add(self, value: object) -> None:
        """Adds an object."""
        self._storage.add(self._wrap_key(value))

    def discard(self, value: object) -> None:
        """Removes an object, if it is there."""
        self._storage.discard(self._wrap_key(value))

    def update(self, items: Iterable) -> None:
        """Adds all of `items`."""
        for item in items:
            self.add(item)

    def clear(self) -> None:
        """Removes all."""
        self._storage.clear()

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator:
        for key in list(self._storage):
            yield key.unwrapped


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """The same without keeping its elements."""

    __slots__ = ()

    def _wrap_key(self, key: object) -> _ObjectIdentityWrapper:
        return _WeakObjectIdentityWrapper(key)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __iter__(self) -> Iterator:
        for key in list(self._storage):
            found = key.unwrapped
            if found is None:
                self._storage.discard(key)
            else:
                yield found
