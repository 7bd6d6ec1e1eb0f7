# SPDX-License-Identifier: Apache-2.0
"""Gives packages of 2016 to 2021 the names of Python, NumPy, SciPy and Pillow that are gone since then.

main.py loads it before an example.  Nothing of TensorFlow is here.
"""

from __future__ import annotations

import collections
import collections.abc
import functools
import importlib.util
import inspect
import sys
import types
from typing import Any

import numpy as np

_NUMPY_ALIASES = {
    "complex": complex,
    "float": float,
    "int": int,
    "object": object,
    "str": str,
    "Inf": np.inf,
    "NaN": np.nan,
    "NINF": -np.inf,
    "PINF": np.inf,
    "alltrue": np.all,
    "asscalar": lambda value: value.item(),
    "bool8": np.bool_,
    "cumproduct": np.cumprod,
    "complex_": np.complex128,
    "float_": np.float64,
    "in1d": lambda a, b, **kwargs: np.isin(a, b, **kwargs).ravel(),
    "infty": np.inf,
    "product": np.prod,
    "row_stack": np.vstack,
    "round_": np.round,
    "sometrue": np.any,
    "string_": np.bytes_,
    "trapz": np.trapezoid,
    "unicode_": np.str_,
}


def _give_numpy_its_aliases() -> None:
    for name, value in _NUMPY_ALIASES.items():
        if not hasattr(np, name):
            setattr(np, name, value)
    np.issubdtype = _issubdtype(np.issubdtype)


def _issubdtype(before: Any) -> Any:
    """`np.issubdtype` to which `float`, `int` and `complex` are families, as they were before NumPy 1.20."""
    families = {float: np.floating, int: np.integer, complex: np.complexfloating}

    def issubdtype(arg1: Any, arg2: Any) -> bool:
        return before(arg1, families.get(arg2, arg2) if isinstance(arg2, type) else arg2)  # fmt: skip # noqa: E501

    return issubdtype


def _give_collections_its_classes() -> None:
    for name in collections.abc.__all__:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))


class _Casts(dict):
    """`np.cast`: a type -> the function that casts to it."""

    def __missing__(self, dtype: Any) -> Any:
        return lambda value: np.asarray(value).astype(dtype)


def _unequal(before: Any) -> Any:
    """`np.array` and the like, to which sequences of unequal lengths are an array of objects, as before NumPy 1.24."""

    def make(values: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return before(values, *args, **kwargs)
        except ValueError:
            if args or kwargs or not isinstance(values, (list, tuple)):
                raise
        made = np.empty(len(values), dtype=object)
        made[:] = list(values)
        return made

    return make


def _give_numpy_its_manners() -> None:
    """Makes functions take again the arguments that they took before NumPy 1.16 to 2.0."""
    np.cast = _Casts()  # type: ignore[attr-defined]
    np.array = _unequal(np.array)
    np.asarray = _unequal(np.asarray)
    savez, load = np.savez, np.load

    def save(file: Any, *arrays: Any, **named: Any) -> None:
        savez(file, *map(np.asarray, arrays), **{k: np.asarray(v) for k, v in named.items()})  # fmt: skip # noqa: E501

    np.savez = save
    # Arrays of objects were read unless a program said otherwise, until 1.16.3.
    np.load = lambda file, *args, **kwargs: load(
        file, *args, **({"allow_pickle": True} if len(args) < 2 else {}) | kwargs
    )


def _give_scipy_its_attribute() -> None:
    """`matrix.A`, until SciPy 1.14."""
    import scipy.sparse

    for name in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
        kind = getattr(scipy.sparse, f"{name}_matrix")
        if not hasattr(kind, "A"):
            kind.A = property(lambda self: self.toarray())


def _give_pillow_its_names() -> None:
    """`Image.ANTIALIAS`, until Pillow 10."""
    from PIL import Image

    if not hasattr(Image, "ANTIALIAS"):
        Image.ANTIALIAS = Image.LANCZOS  # type: ignore[attr-defined]


def _give_h5py_its_manners() -> None:
    """Until h5py 3, a file was opened for reading and writing, and made if it was not there; data sets had `value`."""
    import h5py

    if not hasattr(h5py.Dataset, "value"):
        h5py.Dataset.value = property(lambda self: self[()])
        opened = h5py.File.__init__

        @functools.wraps(opened)
        def open_(self: Any, name: Any, mode: str | None = "a", *args: Any, **kwargs: Any) -> None:  # fmt: skip # noqa: E501
            opened(self, name, mode, *args, **kwargs)

        h5py.File.__init__ = open_


ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def _getargspec(function: Any) -> ArgSpec:
    """`inspect.getargspec` of Python 3.10."""
    found = inspect.getfullargspec(function)
    if found.kwonlyargs or found.annotations and found.kwonlydefaults:
        raise ValueError("use getfullargspec: the function has keyword-only arguments")
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


def _give_inspect_its_function() -> None:
    if not hasattr(inspect, "getargspec"):
        inspect.ArgSpec = ArgSpec  # type: ignore[attr-defined]
        inspect.getargspec = _getargspec  # type: ignore[attr-defined]


def _load_source(name: str, path: str) -> types.ModuleType:
    """`imp.load_source`."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _give_the_module_imp() -> None:
    """Python 3.12 has no `imp`."""
    if importlib.util.find_spec("imp") is None:
        module = types.ModuleType(
            "imp", "The functions of `imp` that old packages use."
        )
        module.load_source = _load_source  # type: ignore[attr-defined]
        module.reload = importlib.reload  # type: ignore[attr-defined]
        sys.modules["imp"] = module


def live_in() -> None:
    """Gives the running process the libraries' behaviour of the packages' age."""
    _give_numpy_its_aliases()
    _give_numpy_its_manners()
    _give_collections_its_classes()
    _give_inspect_its_function()
    _give_the_module_imp()
    for give in (
        _give_scipy_its_attribute,
        _give_pillow_its_names,
        _give_h5py_its_manners,
    ):
        try:
            give()
        except ImportError:
            pass  # A package that is not there needs no names.
