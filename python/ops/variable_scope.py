# SPDX-License-Identifier: Apache-2.0
"""get_variable and variable_scope: shared variables under nested names."""

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
    ShapeLike,
    TensorLike,
)
from tensorwright.python.ops import variables
from tensorwright.python.ops._variables.variable_scope_scope import (
    AUTO,
    NONE,
    VariableScope as VariableScope,
    _get_default_variable_store,
    _graph_object,
    no_regularizer as no_regularizer,
)
from tensorwright.python.ops._variables.variable_scope_store import (
    AUTO_REUSE,
    VariableStore,
    _PartitionInfo,
    _ReuseMode,
)

_VariableStore = VariableStore
_SCOPE_KEY = ("__varscope",)
_COUNT_KEY = ("__varscope_counts",)


def get_variable_scope() -> VariableScope:
    """The current variable scope."""
    return _graph_object(_SCOPE_KEY, lambda: VariableScope(False))


def get_variable(
    name: str,
    shape: ShapeLike = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Callable | None = None,
    trainable: bool | None = None,
    collections: Iterable[str] | None = None,
    caching_device: DeviceLike = None,
    partitioner: Callable | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable | None = None,
    constraint: Callable | None = None,
    synchronization: variables.VariableSynchronization = AUTO,
    aggregation: variables.VariableAggregation = NONE,
) -> Any:
    """A variable of the current scope: an existing one, or a new one.

    Args:
        name: within the scope.
        shape: of a new variable; not with a constant initializer.
        dtype: float32 unless the scope or a constant initializer says otherwise.
        initializer: a constant, a tensor, or a callable `(shape, dtype)`; Glorot's
            uniform by default.
        regularizer: makes a loss of the variable, for REGULARIZATION_LOSSES.
        trainable, collections, caching_device, validate_shape, constraint: as for
            `tf.Variable`.
        partitioner: makes a PartitionedVariable.
        custom_getter: `f(getter, name, ...)`, called in place of the usual getter.

    Raises:
        ValueError: for a new variable in a scope that reuses, an existing one in a
            scope that does not, or one whose shape or dtype do not fit.
    """
    return get_variable_scope().get_variable(
        _get_default_variable_store(),
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(
    name: str,
    shape: ShapeLike = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Callable | None = None,
    trainable: bool = False,
    collections: Iterable[str] | None = None,
    caching_device: DeviceLike = None,
    partitioner: Callable | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable | None = None,
    constraint: Callable | None = None,
    synchronization: variables.VariableSynchronization = AUTO,
    aggregation: variables.VariableAggregation = NONE,
) -> Any:
    """`get_variable` of one that is in LOCAL_VARIABLES and not trained."""
    collections = [*(collections or []), ops.GraphKeys.LOCAL_VARIABLES]
    del trainable
    return get_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=False,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def _get_partitioned_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    partitioner: Callable | None = None,
) -> variables.PartitionedVariable:
    """`get_variable` with a partitioner that must be there."""
    if partitioner is None:
        raise ValueError("No partitioner was specified")
    if get_variable_scope().custom_getter is not None:
        raise ValueError(
            f"_get_partitioned_variable: {name} would pass by the custom getter of "
            "this scope"
        )
    return get_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        trainable=trainable,
        collections=collections,
        partitioner=partitioner,
    )


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
        else:
            name_scope = target or _unique_scope_name(self._default_name)
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
        if not isinstance(target, VariableScope):
            _open_scope(scope.name)
        exits.callback(self._leave, holder, outer, scope)
        return scope

    def _leave(self, holder: list, outer: VariableScope, scope: VariableScope) -> None:
        if not isinstance(self._name_or_scope, VariableScope):
            _close_subscopes(scope.name)
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
    with variable_scope(
        name_or_scope,
        default_name=default_name,
        values=values,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        reuse=reuse,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    ) as scope:
        yield scope


def variable(
    initial_value: TensorLike | Callable[[], TensorLike] | None = None,
    trainable: bool | None = None,
    collections: Iterable[str] | None = None,
    validate_shape: bool = True,
    caching_device: DeviceLike = None,
    name: str | None = None,
    dtype: DTypeLike | None = None,
) -> variables.Variable:
    """`tf.Variable` as a function."""
    return variables.Variable(
        initial_value,
        trainable=trainable,
        collections=collections,
        validate_shape=validate_shape,
        caching_device=caching_device,
        name=name,
        dtype=dtype,
    )


__all__ = [
    "AUTO_REUSE",
    "VariableScope",
    "_PartitionInfo",
    "_ReuseMode",
    "get_local_variable",
    "get_variable",
    "get_variable_scope",
    "no_regularizer",
    "variable",
    "variable_op_scope",
    "variable_scope",
]
