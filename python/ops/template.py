# SPDX-License-Identifier: Apache-2.0
"""make_template: a function whose variables all its calls share."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import variable_scope as vs
from tensorwright.python.platform import tf_logging

_KEYS = ops.GraphKeys


def make_template(
    name_: str,
    func_: Callable[..., object],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable | None = None,
    **kwargs: object,
) -> Template:
    """Puts `func_` in a variable scope of its own: its first call makes variables, later calls find them.

    It must get its variables by `tf.get_variable`, or make no trainable ones.

    Args:
        name_: the name of the scope, made unique.
        func_: the function to call.
        create_scope_now_: whether the scope belongs to the place of this call, not to that of the first call.
        unique_name_: the exact name of the scope, in place of `name_`.
        custom_getter_: the custom getter of the scope; see `tf.variable_scope`.
        **kwargs: arguments that each call of `func_` gets.

    Raises:
        ValueError: if `name_` is None.  In calls, for a variable that exists in the scope before the first, and for a
            trainable one that is new after it.

    Example:
        scale = tf.make_template("scale", lambda x: x * tf.get_variable("w", []))
        y, z = scale(x), scale(2 * x)  # One variable, scale/w.
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(
        name_,
        func_,
        create_scope_now=create_scope_now_,
        unique_name=unique_name_,
        custom_getter=custom_getter_,
    )


class Template:
    """The callable that `make_template` returns."""

    def __init__(
        self,
        name: str,
        func: Callable[..., object],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Callable | None = None,
    ):
        if name is None:
            raise ValueError("name cannot be None.")
        self._func = func
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._made_at = traceback.format_list(traceback.extract_stack()[:-2])
        self._variables_created = False
        self._variable_scope: Any = None
        if create_scope_now:
            with self._new_scope(auxiliary_name_scope=False) as scope:
                self._variable_scope = scope

    def _new_scope(self, **options: Any) -> vs.variable_scope:
        return vs.variable_scope(
            self._unique_name,
            default_name=self._name,
            custom_getter=self._custom_getter,
            **options,
        )

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if self._variable_scope is None:
            with self._new_scope() as scope:
                self._variable_scope = scope
                return self._call(args, kwargs)
        with vs.variable_scope(self._variable_scope, reuse=self._variables_created):
            return self._call(args, kwargs)

    def _call(self, args: tuple, kwargs: dict) -> Any:
        known = ops.get_collection(_KEYS.GLOBAL_VARIABLES)
        trainable = ops.get_collection(_KEYS.TRAINABLE_VARIABLES)
        try:
            result = self._func(*args, **kwargs)
            if self._variables_created:
                self._check_new(known, trainable)
        except Exception as error:
            told = "\n\noriginally defined at:\n" + "".join(self._made_at)
            first = error.args[0] if error.args else ""
            error.args = (f"{first}{told}", *error.args[1:])
            raise
        self._variables_created = True
        return result

    def _check_new(self, known: list, trainable: list) -> None:
        """Complains about variables that a call after the first made."""
        new = ops.get_collection(_KEYS.TRAINABLE_VARIABLES)[len(trainable) :]
        if new:
            raise ValueError(
                f"Template {self._name}: a call after the first made the trainable "
                f"variables {new}; a function shares what tf.get_variable makes, not "
                "what tf.Variable does"
            )
        new = ops.get_collection(_KEYS.GLOBAL_VARIABLES)[len(known) :]
        if new:
            tf_logging.info(
                "Template %s: a call after the first made the variables %s; it shares "
                "what tf.get_variable makes, not what tf.Variable does",
                self._name,
                new,
            )

    @property
    def name(self) -> str:
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        return self._func

    @property
    def variable_scope(self) -> vs.VariableScope | None:
        """The scope of its variables, None before the first call makes it."""
        return self._variable_scope

    @property
    def var_scope(self) -> vs.VariableScope | None:
        """`variable_scope` under its older name."""
        return self._variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The prefix that the names of its variables have, with a slash; None without a scope."""
        if self._variable_scope is None:
            return None
        name = self._variable_scope.name
        return name if not name or name.endswith("/") else name + "/"

    def _collection(self, key: str) -> list:
        if self._variable_scope is None:
            return []
        return ops.get_collection(key, self.variable_scope_name)

    @property
    def global_variables(self) -> list:
        return self._collection(_KEYS.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list:
        return self._collection(_KEYS.LOCAL_VARIABLES)

    @property
    def variables(self) -> list:
        """The global and local variables in the scope."""
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self) -> list:
        return self._collection(_KEYS.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list:
        trained = self.trainable_variables
        return [v for v in self.variables if not any(v is t for t in trained)]

    @property
    def weights(self) -> list:
        return self.variables

    @property
    def trainable_weights(self) -> list:
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list:
        return self.non_trainable_variables
