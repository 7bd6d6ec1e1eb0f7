# SPDX-License-Identifier: Apache-2.0
"""VariableScope: the prefix of names and the defaults that get_variable takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    InitializerLike,
    ReuseLike,
    ShapeLike,
)
from tensorwright.python.ops import variables
from tensorwright.python.ops._variables import variables_creators
from tensorwright.python.ops._variables.variable_scope_store import (
    VariableStore,
)

_STORE_KEY = ("__variable_store",)
_SCOPE_KEY = ("__varscope",)

AUTO = variables.VariableSynchronization.AUTO
NONE = variables.VariableAggregation.NONE


def _graph_object(key: tuple, make: Callable[[], Any]) -> Any:
    """The one object that the default graph keeps under a key."""
    collection = ops.get_collection_ref(key)
    if not collection:
        collection.append(make())
    return collection[0]


def _get_default_variable_store() -> VariableStore:
    return _graph_object(_STORE_KEY, VariableStore)


def no_regularizer(_: object) -> None:
    """A regularizer that stops a scope's from applying."""


class VariableScope:
    """Defaults for `get_variable`: a name prefix, reuse, an initializer, ..."""

    def __init__(
        self,
        reuse: ReuseLike,
        name: str = "",
        initializer: InitializerLike | None = None,
        regularizer: Callable | None = None,
        caching_device: DeviceLike = None,
        partitioner: Callable | None = None,
        custom_getter: Callable | None = None,
        name_scope: str = "",
        dtype: DTypeLike = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Callable | None = None,
    ):
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._reuse = reuse
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtypes.as_dtype(dtype)
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self) -> str:
        return self._name

    @property
    def original_name_scope(self) -> str:
        return self._name_scope

    @property
    def reuse(self) -> ReuseLike:
        return self._reuse

    @property
    def initializer(self) -> InitializerLike | None:
        return self._initializer

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        return self._use_resource

    @property
    def regularizer(self) -> Callable | None:
        return self._regularizer

    @property
    def caching_device(self) -> DeviceLike:
        return self._caching_device

    @property
    def partitioner(self) -> Callable | None:
        return self._partitioner

    @property
    def custom_getter(self) -> Callable | None:
        return self._custom_getter

    @property
    def constraint(self) -> Callable | None:
        return self._constraint

    def reuse_variables(self) -> None:
        """Makes `get_variable` only find variables in this scope from now on."""
        self._reuse = True

    def set_initializer(self, initializer: InitializerLike) -> None:
        """Sets the default initializer."""
        self._initializer = initializer

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Sets the default dtype."""
        self._dtype = dtypes.as_dtype(dtype)

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets whether variables are behind handles; None leaves it to the default."""
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Callable | None) -> None:
        """Sets the default regularizer."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: DeviceLike) -> None:
        """Sets the default caching device."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Callable | None) -> None:
        """Sets the default partitioner."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Callable | None) -> None:
        """Sets the default custom getter."""
        self._custom_getter = custom_getter

    def get_collection(self, name: str) -> list:
        """Returns the elements of a collection that have this scope's name."""
        scope = self._name + "/" if self._name else self._name
        return ops.get_collection(name, scope)

    def trainable_variables(self) -> list:
        """The trainable variables of this scope."""
        return self.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list:
        """The global variables of this scope."""
        return self.get_collection(ops.GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list:
        """The local variables of this scope."""
        return self.get_collection(ops.GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        var_store: VariableStore,
        name: str,
        shape: ShapeLike = None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Callable | None = None,
        reuse: ReuseLike = None,
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
        """The variable `name` of this scope; see `tf.get_variable`."""
        if regularizer is None:
            regularizer = self._regularizer
        if regularizer is no_regularizer:
            regularizer = None
        if initializer is None:
            initializer = self._initializer
        if dtype is None:
            dtype = self._dtype
            if initializer is not None and not callable(initializer):
                dtype = ops.convert_to_tensor(initializer).dtype.base_dtype
        full_name = f"{self.name}/{name}" if self.name else name
        # Variables have their scope's names, whatever name scope is open.
        with ops.name_scope(None):
            return var_store.get_variable(
                full_name,
                shape=shape,
                dtype=dtype,
                initializer=initializer,
                regularizer=regularizer,
                reuse=self._reuse if reuse is None else reuse,
                trainable=trainable,
                collections=collections,
                caching_device=caching_device or self._caching_device,
                partitioner=partitioner or self._partitioner,
                validate_shape=validate_shape,
                use_resource=self._use_resource
                if use_resource is None
                else use_resource,
                custom_getter=custom_getter or self._custom_getter,
                constraint=constraint or self._constraint,
                synchronization=synchronization,
                aggregation=aggregation,
            )


def get_variable_scope() -> VariableScope:
    """The current variable scope."""
    return _graph_object(_SCOPE_KEY, lambda: VariableScope(False))


# The setting for variables for which neither the call nor a scope decides; True: behind handles.
_use_resource_by_default = False


def set_resource_variables(enabled: bool) -> None:
    """Says whether variables are behind handles from now on, unless a call or a scope decides."""
    global _use_resource_by_default
    _use_resource_by_default = enabled


def resource_variables_enabled() -> bool:
    """Whether `enable_resource_variables` is in effect."""
    return _use_resource_by_default


def _use_resource() -> bool:
    said = get_variable_scope().use_resource
    return _use_resource_by_default if said is None else bool(said)


variables_creators.set_default_use_resource(_use_resource)
