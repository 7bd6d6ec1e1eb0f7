# SPDX-License-Identifier: Apache-2.0
"""get_variable and variable_scope: shared variables under nested names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    InitializerLike,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.ops import variables
from tensorwright.python.ops._variables.variable_scope_enter import (
    _pure_variable_scope,  # noqa: F401
    variable_op_scope as variable_op_scope,
    variable_scope as variable_scope,
)
from tensorwright.python.ops._variables.variable_scope_scope import (
    _SCOPE_KEY as _VARSCOPE_KEY,  # noqa: F401
    _STORE_KEY as _VARSTORE_KEY,  # noqa: F401
    AUTO,
    NONE,
    VariableScope as VariableScope,
    _get_default_variable_store,
    get_variable_scope as get_variable_scope,
    no_regularizer as no_regularizer,
    resource_variables_enabled as resource_variables_enabled,
    set_resource_variables,
)
from tensorwright.python.ops._variables.variable_scope_store import (
    AUTO_REUSE as AUTO_REUSE,
    VariableStore,
    _PartitionInfo,
    _ReuseMode,
)

_VariableStore = VariableStore


def enable_resource_variables() -> None:
    """Makes variables ResourceVariables where neither the call nor a scope says otherwise."""
    set_resource_variables(True)


def disable_resource_variables() -> None:
    """Undoes `enable_resource_variables`."""
    set_resource_variables(False)


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
        shape: the shape of a new variable; not with a constant initializer.
        dtype: float32 unless the scope or a constant initializer says otherwise.
        initializer: a constant, a tensor, or a callable `(shape, dtype)`; Glorot's
            uniform by default.
        regularizer: makes a loss of the variable, for REGULARIZATION_LOSSES.
        trainable, collections, caching_device, validate_shape, constraint: as for
            `tf.Variable`.
        partitioner: makes a PartitionedVariable.
        use_resource: True for a ResourceVariable, False for a reference; None leaves it
            to the scope, and to `tf.enable_resource_variables`.
        custom_getter: `f(getter, name, ...)`, called in place of the usual getter.

    Raises:
        ValueError: for a new variable in a scope that reuses, an existing one in a
            scope that does not, or one whose shape or dtype do not fit.
    """
    arguments = locals()
    store = _get_default_variable_store()
    return get_variable_scope().get_variable(store, **arguments)


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


def variable(
    initial_value: TensorLike | Callable[[], TensorLike] | None = None,
    trainable: bool | None = None,
    collections: Iterable[str] | None = None,
    validate_shape: bool = True,
    caching_device: DeviceLike = None,
    name: str | None = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Callable | None = None,
) -> variables.Variable:
    """`tf.Variable` as a function."""
    return variables.Variable(
        initial_value,
        trainable=trainable,
        collections=None if collections is None else list(collections),
        validate_shape=validate_shape,
        caching_device=caching_device,
        name=name,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    )


__all__ = [
    "AUTO_REUSE",
    "disable_resource_variables",
    "enable_resource_variables",
    "resource_variables_enabled",
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
