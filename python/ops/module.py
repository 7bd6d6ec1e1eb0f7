# SPDX-License-Identifier: Apache-2.0
"""tf.Module: a named holder of variables and of other modules."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import variables

if TYPE_CHECKING:
    from tensorwright.python.framework.name_scopes import name_scope


def _snake_case(name: str) -> str:
    return re.sub("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


class Module:
    """Base class of objects that hold variables, which are found in their attributes.

    Args:
        name: a Python identifier; the class's name in snake_case where it is not given.

    Example:
        class Scale(tf.Module):
            def __init__(self, channels, name=None):
                super().__init__(name)
                with self.name_scope:
                    self.factors = tf.Variable(tf.ones([channels]), name="factors")

            @tf.Module.with_name_scope
            def __call__(self, image):
                return image * self.factors
    """

    # Attributes of these names are not looked into.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset = frozenset()

    def __init__(self, name: str | None = None):
        if name is None:
            name = _snake_case(type(self).__name__)
        if not name.isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name: it must be a Python identifier"
            )
        self._name = name
        with ops.name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The given name, or one made of the class's name; scopes are not part of it."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A context whose operations are in this module's scope, the same at every use."""
        return ops.name_scope(self._scope_name)

    @property
    def variables(self) -> tuple:
        """The variables of this module and of those in it, each once."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> tuple:
        """The trainable ones among `variables`."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple:
        """The ones among `variables` that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple:
        """The modules in this one, and those in them, each once."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self, recursive: bool = True, predicate: Callable[[Any], bool] | None = None
    ) -> Iterator[Any]:
        """The leaves of this module's attributes that `predicate` takes, then those of the modules among them.

        Attributes come in the order of their names; a leaf that is met again is left out.
        """
        return _walk(self, recursive, predicate or (lambda leaf: True), {id(self)})

    @classmethod
    def with_name_scope(cls, method: Callable[..., object]) -> Callable[..., Any]:
        """A decorator: the method's operations are in the module's scope."""

        @functools.wraps(method)
        def scoped(self: "Module", *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _is_variable(leaf: Any) -> bool:
    return isinstance(leaf, variables.Variable)


def _is_module(leaf: Any) -> bool:
    return isinstance(leaf, Module)


def _leaves(value: Any, outer: tuple = ()) -> Iterator[Any]:
    """The leaves of nested lists, tuples and dicts, whose keys are taken in order."""
    if any(value is o for o in outer):
        return
    if isinstance(value, Mapping):
        keys = sorted(value, key=str)
        parts = [value[key] for key in keys]
    elif isinstance(value, (list, tuple)):
        parts = value
    else:
        yield value
        return
    for part in parts:
        yield from _leaves(part, (*outer, value))


def _walk(
    module: Module,
    recursive: bool,
    predicate: Callable[[Any], bool],
    seen: set[int],
) -> Iterator[Any]:
    """`seen` has the ids of attributes given before, and of modules already searched."""
    inner: list[Module] = []
    for name in sorted(vars(module)):
        if name in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        for leaf in _leaves(vars(module)[name]):
            if id(leaf) in seen:
                continue
            is_module = _is_module(leaf)
            if predicate(leaf):
                seen.add(id(leaf))
                yield leaf
            if is_module and recursive:
                seen.add(id(leaf))
                inner.append(leaf)
    for leaf in inner:
        yield from _walk(leaf, recursive, predicate, seen)
