# SPDX-License-Identifier: Apache-2.0
"""The making of variables: their class, and the creators between a program and its variables."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops

_KEY = ("__variable_creators",)

# The class of variables behind handles, and the function that decides for calls that do not
# say whether they want one.  The modules that know set both.
_resource_class: type | None = None
_default_use_resource: Callable[[], bool] = bool


def set_resource_class(cls: type) -> None:
    """Variables behind handles are made of `cls`."""
    global _resource_class
    _resource_class = cls


def set_default_use_resource(function: Callable[[], bool]) -> None:
    """`function` says whether a variable that is made now, without use_resource, is behind a handle."""
    global _default_use_resource
    _default_use_resource = function


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., object]) -> Iterator[None]:
    """Inside, `variable_creator(next_creator, **arguments)` makes the variables.

    It gets the arguments of `tf.Variable` by name, may change them, and has `next_creator(**arguments)` make the variable:
    the creator of the scope outside, or in the end `tf.Variable` itself.  Variables of `tf.get_variable` come this way,
    too.  The scope holds for the default graph.

    Example:
        def fixed(next_creator, **arguments):
            return next_creator(**{**arguments, "trainable": False})

        with tf.variable_creator_scope(fixed):
            v = tf.Variable(1.0)
    """
    stack = ops.get_collection_ref(_KEY)
    stack.append(variable_creator)
    depth = len(stack)
    try:
        yield
    finally:
        del stack[depth - 1 :]


class MadeByCreators(type):
    """The metaclass of classes with their own `_made_by_creators`, whose calls go through the creators in force."""

    # Type checkers hold calls against `__init__` of the class.
    if not TYPE_CHECKING:

        @property
        def __signature__(cls) -> inspect.Signature:
            """The signature of `__init__`, whose arguments `__call__` takes."""
            signature = inspect.signature(cls.__init__)
            return signature.replace(parameters=list(signature.parameters.values())[1:])

        def __call__(cls, *args: object, **kwargs: object) -> Any:
            if "_made_by_creators" not in vars(cls):
                return super().__call__(*args, **kwargs)
            creators = ops.get_collection(_KEY)
            if not creators:
                return _create(cls, *args, **kwargs)
            bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
            bound.apply_defaults()
            arguments = dict(list(bound.arguments.items())[1:])
            create: Callable[..., Any] = functools.partial(_create, cls)
            for creator in creators:
                create = functools.partial(creator, create)
            return create(**arguments)


# Positions of Variable's arguments, for calls that do not name them.
_VARIABLE_DEF, _USE_RESOURCE = 6, 11


def _create(cls: type, *args: Any, **kwargs: Any) -> Any:
    """A variable of `cls`, or one behind a handle if that is asked for."""

    def given(name: str, position: int) -> Any:
        return args[position] if position < len(args) else kwargs.get(name)

    variable_def = given("variable_def", _VARIABLE_DEF)
    use_resource = given("use_resource", _USE_RESOURCE)
    if variable_def is not None:
        use_resource = variable_def.is_resource
    elif use_resource is None:
        use_resource = _default_use_resource()
    if not use_resource or _resource_class is None:
        return type.__call__(cls, *args, **kwargs)
    # Its class has no other arguments than Variable, but for two that say nothing.
    bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
    arguments = dict(list(bound.arguments.items())[1:])
    arguments.pop("use_resource", None)
    arguments.pop("expected_shape", None)
    return type.__call__(_resource_class, **arguments)
