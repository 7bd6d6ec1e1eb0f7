# SPDX-License-Identifier: Apache-2.0
"""variable_creator_scope: functions that stand between a program and the variables that it makes."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops

_KEY = ("__variable_creators",)


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Inside, variables are what `variable_creator(next_creator, **arguments)` gives.

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
    """The class of a class with `_made_by_creators` of its own, whose calls go through the creators in force."""

    # Type checkers hold calls against `__init__` of the class.
    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            creators = ops.get_collection(_KEY)
            if not creators or "_made_by_creators" not in vars(cls):
                return super().__call__(*args, **kwargs)
            bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
            bound.apply_defaults()
            arguments = dict(list(bound.arguments.items())[1:])
            create: Callable[..., Any] = super().__call__
            for creator in creators:
                create = functools.partial(creator, create)
            return create(**arguments)
