# SPDX-License-Identifier: Apache-2.0
"""ResourceVariable: a variable behind a handle."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_resource_variable_ops as gen,
)
from tensorwright.python.ops._resource_variable import resource_variable_ops_handle
from tensorwright.python.ops._resource_variable.resource_variable_ops_updates import (
    ResourceUpdatesMixin,
)
from tensorwright.python.ops._variables import variables_creators, variables_proto
from tensorwright.python.ops._variables.row_updates import RowUpdatesMixin
from tensorwright.python.ops._variables.variables_kinds import (
    VariableAggregation,
    VariableSynchronization,
)
from tensorwright.python.ops._variables.variables_variable import Variable

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.tensor import Tensor


class ResourceVariable(ResourceUpdatesMixin, Variable):
    """A variable whose operations carry a handle, not the value.

    Every use reads the variable anew.  A read value never changes afterwards; the read runs
    after its control inputs.  The read value shares the variable's memory, and the first
    update after the read takes new memory.

    `tf.Variable(use_resource=True)`, `tf.get_variable(use_resource=True)` and both in a
    `tf.variable_scope(use_resource=True)` make one; so does every variable after
    `tf.enable_resource_variables()`.

    Example:
        v = tf.Variable(1.0, use_resource=True)
        with tf.control_dependencies([v.assign_add(1.0)]):
            now = v.read_value()
    """

    def __init__(
        self,
        initial_value: TensorLike | Callable[[], TensorLike] | None = None,
        trainable: bool | None = None,
        collections: list[str] | None = None,
        validate_shape: bool = True,
        caching_device: DeviceLike = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        variable_def: Message | None = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], object] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike = None,
    ):
        """Makes a variable; see `tf.Variable` for the arguments."""
        super().__init__(
            initial_value,
            trainable,
            collections,
            validate_shape,
            caching_device,
            name,
            variable_def,
            dtype,
            import_scope=import_scope,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
            shape=shape,
        )

    # --- Making ---------------------------------------------------------------------

    def _build(
        self, initial_value: Any, dtype: Any, name: Any, validate: bool, shape: Any
    ) -> None:
        """Adds initial value, handle, initializer, and whether it has run."""
        is_callable = callable(initial_value)
        values = [] if is_callable else [initial_value]
        dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        with ops.name_scope(name, "Variable", values) as scope:
            shared_name = scope.removesuffix("/")
            # The initial value is placed with the handle, which comes later: the attr
            # that says so can name an operation that is not there yet.
            attr = {"_class": [f"loc:@{shared_name}".encode()]}
            graph = ops.get_default_graph()
            with (
                graph._attr_scope(attr),
                ops.name_scope("Initializer"),
                ops.device(None),
            ):
                value: Any = initial_value() if is_callable else initial_value
                self._initial_value = ops.convert_to_tensor(
                    value,
                    name="initial_value",
                    dtype=dtype,
                )
            variables_proto.refuse_control_flow(self._initial_value, scope)
            static = self._initial_value.get_shape()
            if shape is not None:
                static = tensor_shape.as_shape(shape)
            elif not validate:
                static = tensor_shape.unknown_shape()
            elif not static.is_fully_defined():
                raise ValueError(
                    f"initial_value must have a shape specified: {self._initial_value}"
                )
            self._dtype = self._initial_value.dtype.base_dtype
            self._shape = static
            self._handle = gen.var_handle_op(
                shape=static, dtype=self._dtype, shared_name=shared_name, name=scope
            )
            with ops.name_scope("IsInitialized"):
                self._is_initialized_op = gen.var_is_initialized_op(self._handle)
            with ops.name_scope("Assign") as assign, self._beside():
                self._initializer_op = gen.assign_variable_op(
                    self._handle, self._initial_value, name=assign
                )

    def _build_read(self, caching_device: Any) -> None:
        with ops.name_scope(self._handle.op.name + "/"), ops.name_scope("Read"):
            with self._beside():
                self._graph_element = self._read_variable_op()
            self._cached_value = None
            if caching_device is not None:
                with ops.device(caching_device):
                    self._cached_value = array_ops.identity(self._graph_element)

    def _from_def(self, variable_def: Any, import_scope: Any, constraint: Any) -> None:
        if not variable_def.is_resource:
            raise ValueError("Trying to restore Variable as ResourceVariable.")
        found = variables_proto.elements(variable_def, import_scope)
        self._handle, self._initial_value, initializer, snapshot = found
        self._initializer_op = getattr(initializer, "op", initializer)
        self._dtype = dtypes.as_dtype(self._handle.op.get_attr("dtype"))
        self._shape = tensor_shape.as_shape(self._handle.op.get_attr("shape"))
        self._is_initialized_op = gen.var_is_initialized_op(self._handle)
        is_read = snapshot.op.type == "ReadVariableOp"
        self._cached_value = None if is_read else snapshot
        self._graph_element = snapshot
        self._take_kinds(variable_def, import_scope, constraint)

    # --- Reading --------------------------------------------------------------------

    def _beside(self) -> Any:
        """The device of the variable, whatever else is in effect."""
        return ops.colocate_with(self._handle.op, ignore_existing=True)

    def _read_variable_op(self) -> ops.Tensor:
        value = gen.read_variable_op(self._handle, self._dtype)
        value.set_shape(self._shape)
        return value

    def value(self) -> ops.Tensor:
        """The value: a new read or, with a caching device, the cached one."""
        if self._cached_value is not None:
            return self._cached_value
        with self._beside():
            return self._read_variable_op()

    def read_value(self) -> ops.Tensor:
        """A new read of the value, which obeys the control dependencies in effect."""
        with ops.name_scope("Read"):
            with self._beside():
                value = self._read_variable_op()
        return array_ops.identity(value)

    def is_initialized(self, name: str | None = None) -> ops.Tensor:
        """Whether it has a value, a bool scalar."""
        return gen.var_is_initialized_op(self._handle, name=name)

    def initialized_value(self) -> ops.Tensor:
        """The value if it is initialized, else the initial value: for other initializers."""
        with ops.control_dependencies(None):
            return control_flow_ops.cond(
                self.is_initialized(), self.read_value, lambda: self._initial_value
            )

    def _after(self, op: Any) -> _UnreadVariable:
        return _UnreadVariable(self, op)

    def _as_graph_element(self) -> ops.Tensor:
        return self._graph_element

    def _AsTensor(self) -> ops.Tensor:
        return self.value()

    @property
    def _ref(self) -> Any:
        raise AttributeError(
            "a ResourceVariable has no reference: its operations take its handle"
        )

    def _dense_var_to_tensor(
        self, dtype: Any = None, name: str | None = None, as_ref: bool = False
    ) -> ops.Tensor:
        """The value for ops that read it; with `as_ref` the handle.  ValueError for another dtype."""
        del name
        if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(
            self.dtype
        ):
            raise ValueError(
                f"Incompatible type conversion requested to type "
                f"{dtypes.as_dtype(dtype).name!r} for variable of type "
                f"{self.dtype.name!r}"
            )
        return self._handle if as_ref else self.value()

    # --- What it stands for ---------------------------------------------------------

    @property
    def handle(self) -> ops.Tensor:
        """The handle, a resource scalar."""
        return self._handle

    @property
    def _variable(self) -> ops.Tensor:
        return self._handle

    @property
    def _snapshot(self) -> ops.Tensor:
        if self._cached_value is not None:
            return self._cached_value
        return self._graph_element

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def _shared_name(self) -> str:
        return self._handle.op.name

    @property
    def device(self) -> str:
        return self._handle.device

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the value, never a reference type."""
        return self._dtype

    @property
    def op(self) -> ops.Operation:
        """The operation that makes the handle."""
        return self._handle.op

    @property
    def graph(self) -> ops.Graph:
        return self._handle.graph

    @property
    def shape(self) -> tensor_shape.TensorShape:
        return self._shape

    @property
    def create(self) -> ops.Operation:
        """The operation that gives it its initial value."""
        return self._initializer_op

    def set_shape(self, shape: ShapeLike) -> None:
        """Merges `shape` into the static shape."""
        self._shape = self._shape.merge_with(tensor_shape.as_shape(shape))
        self._graph_element.set_shape(self._shape)

    @staticmethod
    def from_proto(
        variable_def: Message, import_scope: str | None = None
    ) -> ResourceVariable:
        """The variable that a `VariableDef` names, of the default graph (under `import_scope/`).

        It joins no collection.  KeyError where its operations are not in the graph.
        """
        return ResourceVariable(variable_def=variable_def, import_scope=import_scope)

    def eval(self, session: SessionInterface | None = None) -> Any:
        """Its value in a session (the default one) as a NumPy array."""
        return self._graph_element.eval(session=session)

    def ref(self) -> Any:
        """A hashable object that stands for this variable."""
        return self._handle.ref()

    experimental_ref = ref


class _UnreadVariable(ResourceVariable):
    """A variable as it is after an operation: every read of it waits for the operation.

    `op` is the operation, so that a program can run `.op` of an update.
    """

    def __init__(self, variable: ResourceVariable, parent: Any):
        vars(self).update(vars(variable))
        self._parent_op = getattr(parent, "op", parent)
        self._cached_value = None
        with self._waiting(), self._beside():
            self._graph_element = self._read_variable_op()

    def _waiting(self) -> Any:
        return ops.control_dependencies([self._parent_op])

    def value(self) -> ops.Tensor:
        """The value after the operation."""
        with self._waiting():
            return super().value()

    def read_value(self) -> ops.Tensor:
        """The value after the operation."""
        with self._waiting():
            return super().read_value()

    @property
    def op(self) -> ops.Operation:
        return self._parent_op


def _updates_wait() -> None:
    """Updates of an _UnreadVariable come after its operation, as reads do."""

    def waits(name: str) -> Callable[..., Any]:
        update = getattr(ResourceVariable, name)

        def run(self: _UnreadVariable, *args: Any, **kwargs: Any) -> Any:
            with self._waiting():
                return update(self, *args, **kwargs)

        run.__name__, run.__doc__ = name, update.__doc__
        return run

    methods = {**vars(RowUpdatesMixin), **vars(ResourceUpdatesMixin)}
    inner = ("_after", "_scatter", "_scatter_nd", "_scatter_slices")
    for name, value in methods.items():
        if callable(value) and name not in inner:
            setattr(_UnreadVariable, name, waits(name))


_updates_wait()


def _convert(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False):
    return value._dense_var_to_tensor(dtype, name, as_ref)


# This converter comes before the one for any Variable.
ops.register_tensor_conversion_function(ResourceVariable, _convert, priority=99)
variables_creators.set_resource_class(ResourceVariable)


def is_resource_variable(var: object) -> bool:
    """Whether a variable is behind a handle."""
    return isinstance(var, ResourceVariable) or (
        hasattr(var, "_should_act_as_resource_variable")
    )


def handle_or_reference(var: Variable) -> Tensor | Variable:
    """Returns a variable in the form that ops that change it take: its handle, or its reference; a tensor itself."""
    if isinstance(var, ResourceVariable):
        return var.handle
    return var._ref() if hasattr(var, "_ref") else var


def shape_safe_assign_variable_handle(
    handle: ops.Tensor, shape: ShapeLike, value: TensorLike, name: str | None = None
) -> ops.Operation:
    """Assigns `value` to the variable behind `handle`.  ValueError unless it can have that shape."""
    value = ops.convert_to_tensor(
        value, dtype=resource_variable_ops_handle.dtype_of(handle)
    )
    tensor_shape.as_shape(shape).assert_is_compatible_with(value.get_shape())
    return gen.assign_variable_op(handle, value, name=name)
