# SPDX-License-Identifier: Apache-2.0
"""Variables of the default graph by scope, suffix, name or pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ScopeLike
from tensorwright.python.ops import variable_scope

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


def get_variables(
    scope: ScopeLike | None = None,
    suffix: str | None = None,
    collection: str = ops.GraphKeys.GLOBAL_VARIABLES,
) -> list[Variable]:
    """Returns the variables of a collection whose names match.

    Args:
        scope: a VariableScope, or a regular expression that names begin with.
        suffix: the end of the names.
        collection: the collection.
    """
    if isinstance(scope, variable_scope.VariableScope):
        scope = scope.name
    if suffix is not None:
        if ":" not in suffix:
            suffix += ":"
        scope = (scope or "") + ".*" + suffix
    return ops.get_collection(collection, scope)


def get_model_variables(
    scope: ScopeLike | None = None, suffix: str | None = None
) -> list[Variable]:
    """`get_variables` of MODEL_VARIABLES."""
    return get_variables(scope, suffix, ops.GraphKeys.MODEL_VARIABLES)


def get_local_variables(
    scope: ScopeLike | None = None, suffix: str | None = None
) -> list[Variable]:
    """`get_variables` of LOCAL_VARIABLES."""
    return get_variables(scope, suffix, ops.GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(
    scope: ScopeLike | None = None, suffix: str | None = None
) -> list[Variable]:
    """`get_variables` of TRAINABLE_VARIABLES."""
    return get_variables(scope, suffix, ops.GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(
    suffix: str, scope: ScopeLike | None = None
) -> list[Variable]:
    """The global variables whose names end with `suffix`."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(
    given_name: str, scope: ScopeLike | None = None
) -> list[Variable]:
    """The global variables of a name, without scopes: "weights" finds "a/weights" and "weights"."""
    suffix = f"/{given_name}:|^{given_name}:"
    return get_variables(scope=scope, suffix=suffix)


def _listed(what: str, scopes: Any) -> Sequence[Any]:
    if not isinstance(scopes, (list, tuple)):
        raise TypeError(f"{what} is provided but is not a list or a tuple.")
    return scopes


def get_variables_to_restore(
    include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
) -> list[Variable]:
    """The global variables of some scopes and not of others.

    Args:
        include: scopes; None: all variables.
        exclude: scopes.

    Raises:
        TypeError: either is neither list nor tuple.
    """
    if include is None:
        found = get_variables()
    else:
        found = []
        for scope in _listed("include", include):
            found += get_variables(scope)
    out: set[int] = set()
    for scope in () if exclude is None else _listed("exclude", exclude):
        out.update(id(v) for v in get_variables(scope))
    return [v for v in found if id(v) not in out]


def get_unique_variable(var_op_name: str) -> Variable:
    """The global variable of a full name.

    Raises:
        ValueError: there is none, or only others whose names begin so.
    """
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def get_variable_full_name(var: Variable) -> str:
    """A variable's name in a checkpoint: that of the whole for a part of one."""
    info = getattr(var, "_get_save_slice_info", lambda: None)()
    return var.op.name if info is None else info.full_name


def filter_variables(
    var_list: Iterable[Variable],
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Variable]:
    """The variables whose names match.

    Args:
        var_list: variables.
        include_patterns: regular expressions, of which one must match; None: all do.
        exclude_patterns: regular expressions, of which none may match.
        reg_search: whether they match anywhere in the name, or at its start only.
    """
    match = re.search if reg_search else re.match

    def matches(name: str, patterns: Sequence[str] | None) -> bool:
        return any(match(pattern, name) for pattern in patterns or ())

    return [
        v
        for v in var_list
        if (include_patterns is None or matches(v.op.name, include_patterns))
        and not matches(v.op.name, exclude_patterns)
    ]
