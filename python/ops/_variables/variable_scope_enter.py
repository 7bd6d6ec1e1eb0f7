# SPDX-License-Identifier: Apache-2.0
"""variable_scope: entering a scope of variables, and the numbers of scopes that have one name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    InitializerLike,
    ReuseLike,
)
from tensorwright.python.ops._variables.variable_scope_scope import (
    _SCOPE_KEY,
    VariableScope,
    _graph_object,
    get_variable_scope,
)
from tensorwright.python.ops._variables.variable_scope_store import AUTO_REUSE

_COUNT_KEY = ("__varscope_counts",)


def _scope_counts() -> dict[str, int]:
    return _graph_object(_COUNT_KEY, dict)


def _unique_scope_name(prefix: str) -> str:
    """`prefix`, or the first of prefix_1, ... that is not open in this scope."""
    counts = _scope_counts()
    outer = get_variable_scope().name
    base = f"{outer}/{prefix}" if outer else prefix
    if not counts.get(base):
        return prefix
    i = 1
    while counts.get(f"{base}_{i}"):
        i += 1
    return f"{prefix}_{i}"


def _open_scope(name: str) -> None:
    counts = _scope_counts()
    counts[name] = counts.get(name, 0) + 1


def _close_subscopes(name: str) -> None:
    """The names under `name` can be used again."""
    counts = _scope_counts()
    for key in counts:
        if not name or key.startswith(name + "/"):
            counts[key] = 0


class variable_scope:
    """A scope for variables, and (unless `auxiliary_name_scope` is False) for names.

    Args:
        name_or_scope: a name, a VariableScope to enter again, or None.
        default_name: where that is None, made unique; reuse needs a name.
        values: the tensors used inside, for the check that they share a graph.
        initializer, regularizer, caching_device, partitioner, custom_getter, dtype,
            use_resource, constraint: defaults for `get_variable` inside.
        reuse: True: only find variables; AUTO_REUSE: find or make; None or False: as
            the scope outside.

    Example:
        with tf.variable_scope("layer", reuse=tf.AUTO_REUSE):
            w = tf.get_variable("w", [3, 2])  # layer/w
    """

    def __init__(
        self,
        name_or_scope: str | VariableScope | None,
        default_name: str | None = None,
        values: Iterable[object] | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Callable | None = None,
        caching_device: DeviceLike = None,
        partitioner: Callable | None = None,
        custom_getter: Callable | None = None,
        reuse: ReuseLike = None,
        dtype: DTypeLike | None = None,
        use_resource: bool | None = None,
        constraint: Callable | None = None,
        auxiliary_name_scope: bool = True,
    ):
        if default_name is None and name_or_scope is None:
            raise TypeError("variable_scope needs a name_or_scope or a default_name")
        if reuse not in (None, False, True, AUTO_REUSE):
            raise ValueError(
                "variable_scope: reuse must be None, a bool or tf.AUTO_REUSE, got "
                f"{reuse!r}"
            )
        if name_or_scope is not None and not isinstance(
            name_or_scope, (str, VariableScope)
        ):
            raise TypeError(
                "variable_scope: name_or_scope must be a str or VariableScope, got "
                f"{name_or_scope!r}"
            )
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "variable_scope: auxiliary_name_scope must be a bool, got "
                f"{auxiliary_name_scope!r}"
            )
        if name_or_scope is None and reuse:
            raise ValueError(f"variable_scope: reuse={reuse!r} needs a name_or_scope")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._values = [v for v in values or [] if v is not None]
        self._reuse = reuse or None
        self._settings = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "use_resource": use_resource,
            "constraint": constraint,
            "dtype": None if dtype is None else dtypes.as_dtype(dtype),
        }
        self._custom_getter = custom_getter
        self._auxiliary_name_scope = auxiliary_name_scope
        self._stacks: list[tuple] = []

    def __enter__(self) -> VariableScope:
        exits = contextlib.ExitStack()
        if self._values:
            graph = ops._get_graph_from_inputs(self._values)
            if graph is not ops.get_default_graph():
                exits.enter_context(graph.as_default())
        with contextlib.ExitStack() as guard:
            guard.push(exits)
            scope = self._enter(exits)
            guard.pop_all()
        self._stacks.append((exits,))
        return scope

    def __exit__(self, *exc_info: object) -> None:
        (exits,) = self._stacks.pop()
        exits.__exit__(*exc_info)

    def _enter(self, exits: contextlib.ExitStack) -> VariableScope:
        target = self._name_or_scope
        if isinstance(target, VariableScope):
            name_scope = target.name.split("/")[-1]
        elif target is not None:
            name_scope = target  # Also "", which adds nothing to names.
        else:
            assert self._default_name is not None
            name_scope = _unique_scope_name(self._default_name)
        names = ""
        if self._auxiliary_name_scope:
            if name_scope:
                names = exits.enter_context(ops.name_scope(name_scope))
            else:
                names = ops.get_default_graph()._scope
        else:
            names = ops.get_default_graph()._scope
        scope = self._make(target, name_scope, names)
        holder = ops.get_collection_ref(_SCOPE_KEY)
        outer = get_variable_scope()
        holder[0] = scope
        _open_scope(scope.name)
        # A scope that is entered again leaves the numbers of scopes inside as they were.
        counts = dict(_scope_counts()) if isinstance(target, VariableScope) else None
        exits.callback(self._leave, holder, outer, scope, counts)
        return scope

    def _leave(
        self,
        holder: list,
        outer: VariableScope,
        scope: VariableScope,
        counts: dict[str, int] | None,
    ) -> None:
        if counts is None:
            _close_subscopes(scope.name)
        else:
            _scope_counts().clear()
            _scope_counts().update(counts)
        holder[0] = outer

    def _make(self, target: Any, name: str, names: str) -> VariableScope:
        current = get_variable_scope()
        if isinstance(target, VariableScope):
            base, full_name, names = target, target.name, target.original_name_scope
            reuse = self._reuse if self._reuse is not None else target.reuse
        else:
            base = current
            full_name = f"{current.name}/{name}" if current.name else name
            reuse = self._reuse if self._reuse is not None else current.reuse
        settings = {
            key: getattr(base, key) if value is None else value
            for key, value in self._settings.items()
        }
        return VariableScope(
            reuse,
            name=full_name,
            name_scope=names,
            custom_getter=_chain(self._custom_getter, base.custom_getter),
            **settings,
        )


def _chain(new: Callable | None, old: Callable | None) -> Callable | None:
    """A getter that calls `new` with `old` as its getter."""
    if new is None or old is None:
        return new or old

    def getter(getter: Callable, *args: Any, **kwargs: Any) -> Any:
        def inner(*inner_args: Any, **inner_kwargs: Any) -> Any:
            return old(getter, *inner_args, **inner_kwargs)

        return new(inner, *args, **kwargs)

    return getter


@contextlib.contextmanager
def variable_op_scope(
    values: Iterable[object],
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Callable | None = None,
    caching_device: DeviceLike = None,
    partitioner: Callable | None = None,
    custom_getter: Callable | None = None,
    reuse: ReuseLike = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Callable | None = None,
) -> Iterator[VariableScope]:
    """`variable_scope` with its arguments in an older order."""
    settings = {
        "initializer": initializer,
        "regularizer": regularizer,
        "caching_device": caching_device,
        "partitioner": partitioner,
        "custom_getter": custom_getter,
        "reuse": reuse,
        "dtype": dtype,
        "use_resource": use_resource,
        "constraint": constraint,
    }
    with variable_scope(name_or_scope, default_name, values, **settings) as scope:
        yield scope


def _pure_variable_scope(
    name_or_scope: str | VariableScope,
    reuse: ReuseLike = None,
    initializer: InitializerLike | None = None,
    regularizer: Callable | None = None,
    caching_device: DeviceLike = None,
    partitioner: Callable | None = None,
    custom_getter: Callable | None = None,
    old_name_scope: str | None = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Callable | None = None,
) -> variable_scope:
    """A `variable_scope` that leaves the scope of names as it is; `old_name_scope` is not used."""
    del old_name_scope
    return variable_scope(
        name_or_scope,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        reuse=reuse,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
        auxiliary_name_scope=False,
    )
