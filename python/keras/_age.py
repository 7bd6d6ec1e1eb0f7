# SPDX-License-Identifier: Apache-2.0
"""Lets Keras 2.3.1, of 2019, live with Python 3.11, NumPy 2 and h5py 3.

Keras's modules get modules of their own in the place of `numpy`, `h5py`, `collections` and `inspect`, which have today's
names and those that Keras still uses.  The real modules, and Keras's files, stay as they are.
"""

from __future__ import annotations

import collections
import collections.abc
import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

_PACKAGES = ("keras", "keras_applications", "keras_preprocessing")
_ABSTRACT = ("Callable", "Container", "Iterable", "Iterator", "Mapping", "Sequence")


def _with_names(module: ModuleType, **names: Any) -> ModuleType:
    """A module with all names of `module`, and `names`."""
    made = ModuleType(module.__name__, module.__doc__)
    made.__dict__.update(vars(module))
    made.__dict__.update(names)
    made.__dict__.setdefault("__getattr__", lambda name: getattr(module, name))
    return made


def _array(values: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.array`; an array of objects for sequences of unequal lengths, as before NumPy 1.24."""
    try:
        return np.array(values, *args, **kwargs)
    except ValueError:
        if args or kwargs or not isinstance(values, (list, tuple)):
            raise
    made = np.empty(len(values), dtype=object)
    made[:] = list(values)
    return made


def _numpy() -> ModuleType:
    return _with_names(
        np,
        Inf=np.inf,
        array=_array,
        bool=bool,
        float=float,
        int=int,
        object=object,
        string_=np.bytes_,
        unicode_=np.str_,
    )


_ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def _as_bytes(value: Any) -> Any:
    """Text in attributes as h5py 2 gave it: bytes."""
    if isinstance(value, str):
        return value.encode("utf8")
    if isinstance(value, np.ndarray) and value.dtype.kind in "OU":
        return np.array([_as_bytes(x) for x in value.ravel()]).reshape(value.shape)
    return value


class _Attributes:
    """The attributes of a group, with texts as bytes."""

    def __init__(self, attributes: Any):
        self._attributes = attributes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._attributes, name)

    def __getitem__(self, name: str) -> Any:
        return _as_bytes(self._attributes[name])

    def __setitem__(self, name: str, value: Any) -> None:
        self._attributes[name] = value

    def __contains__(self, name: str) -> bool:
        return name in self._attributes

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)


def _h5py(real: ModuleType) -> tuple[ModuleType, Callable[[Any], Any]]:
    """Returns h5py with groups and files whose attributes read as bytes, and a function that makes such groups."""

    class Group(real.Group):  # type: ignore[name-defined, misc]
        @property
        def attrs(self) -> Any:
            return _Attributes(super().attrs)

        def __getitem__(self, name: Any) -> Any:
            return as_before(super().__getitem__(name))

    class File(Group, real.File):  # type: ignore[name-defined, misc]
        def __init__(self, name: Any, mode: Any = None, **kwargs: Any):
            # Files in memory were made for writing if nothing else was said.
            if mode is None and kwargs.get("driver") == "core":
                mode = "a"
            real.File.__init__(self, name, mode or "r", **kwargs)

        @property
        def fid(self) -> Any:
            """The name of `id` before h5py 3."""
            return self.id

    def as_before(found: Any) -> Any:
        if isinstance(found, real.Group) and not isinstance(found, Group):
            return Group(found.id)
        return found

    return _with_names(real, File=File), as_before


def _modules() -> Iterator[ModuleType]:
    """The modules of Keras that have been imported."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _PACKAGES and isinstance(module, ModuleType):
            yield module


def _group_first(function: Callable[..., Any], as_before: Any) -> Callable[..., Any]:
    """Makes `function`, whose first argument is an HDF5 group, accept a group of h5py 3."""

    def call(group: Any, *args: Any, **kwargs: Any) -> Any:
        return function(as_before(group), *args, **kwargs)

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    return call


def _read_groups(as_before: Any) -> None:
    """Lets Keras read groups that the program opened itself."""
    from keras.engine import saving
    from keras.utils import io_utils

    for name in ("load_weights_from_hdf5_group", "load_weights_from_hdf5_group_by_name"):  # fmt: skip # noqa: E501
        setattr(saving, name, _group_first(getattr(saving, name), as_before))
    made = io_utils.H5Dict.__init__

    def init(self: Any, path: Any, mode: str = "a") -> None:
        made(self, path, mode)
        self.data = as_before(self.data)

    io_utils.H5Dict.__init__ = init


@contextlib.contextmanager
def while_importing() -> Iterator[None]:
    """Gives `collections` the abstract classes that Keras imports from it, until it has."""
    lent = [n for n in _ABSTRACT if not hasattr(collections, n)]
    for name in lent:
        setattr(collections, name, getattr(collections.abc, name))
    try:
        yield
    finally:
        for name in lent:
            delattr(collections, name)


def adapt() -> None:
    """Gives the imported modules of Keras the names they use."""
    abstract = {n: getattr(collections.abc, n) for n in _ABSTRACT}
    instead = {
        "collections": _with_names(collections, **abstract),
        "inspect": _with_names(inspect, ArgSpec=_ArgSpec),
        "numpy": _numpy(),
    }
    real_h5py = sys.modules.get("h5py")
    if real_h5py is not None:
        instead["h5py"], as_before = _h5py(real_h5py)
        _read_groups(as_before)
    # A print for debugging was left in the way of every variable that a layer keeps.
    sys.modules["keras.engine.base_layer"].print = lambda *_: None  # type: ignore[attr-defined]
    for module in _modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, ModuleType) and sys.modules.get(value.__name__) is value:  # fmt: skip # noqa: E501
                if value.__name__ in instead:
                    setattr(module, name, instead[value.__name__])
