# SPDX-License-Identifier: Apache-2.0
"""Variable: state that a session keeps between runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.tensor import _TensorLike
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_state_ops,
    state_ops,
)
from tensorwright.python.ops._variables import variables_proto
from tensorwright.python.ops._variables.variables_creators import MadeByCreators
from tensorwright.python.ops._variables.variables_kinds import (
    SaveSliceInfo,
    VariableAggregation,
    VariableSynchronization,
)
from tensorwright.python.ops._variables.variables_updates import UpdatesMixin

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.framework.variable_pb2 import VariableDef
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.tensor_operators import TensorOperators
else:
    TensorOperators = object


class Variable(UpdatesMixin, _TensorLike, TensorOperators, metaclass=MadeByCreators):
    """A tensor that keeps its value between runs of a session.

    Adds four operations: the variable, its initial value, the initializer that
    assigns it, and a read.  It can be used wherever a Tensor can, and has the same
    operators.  It must be initialized in a session before it is used.

    Example:
        w = tf.Variable(tf.zeros([3, 2]), name="w")
        train = w.assign_sub(0.1 * tf.gradients(loss, w)[0])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
    """

    SaveSliceInfo = SaveSliceInfo
    _made_by_creators = True

    def __init__(
        self,
        initial_value: TensorLike | Callable[[], TensorLike] | None = None,
        trainable: bool | None = None,
        collections: list[str] | None = None,
        validate_shape: bool = True,
        caching_device: DeviceLike = None,
        name: str | None = None,
        variable_def: Message | None = None,
        dtype: DTypeLike | None = None,
        expected_shape: ShapeLike = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], object] | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike = None,
    ):
        """Makes a variable.

        Args:
            initial_value: anything convertible to a Tensor, or a callable without
                arguments that gives it (then `dtype` is needed only to convert).
            trainable: whether optimizers train it by default (None: yes).
            collections: the graph collections it joins (GLOBAL_VARIABLES).
            validate_shape: False: its shape may change with every assignment.
            caching_device: a device on which reads are cached, one a device scope.
            name: the name of its operation.
            variable_def: a `VariableDef` of operations that the graph has, under
                `import_scope`; with it, but for `constraint`, all else is ignored.
            dtype: the dtype of the initial value and the variable.
            use_resource: True makes a ResourceVariable, False does not; None leaves it
                to the variable scope, and to `tf.enable_resource_variables`.
            shape: the static shape, if other than that of the initial value.

        Raises:
            ValueError: without an initial value, or one of unknown shape while
                `validate_shape`.
        """
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError(
                    "variable_def and initial_value are mutually exclusive."
                )
            self._from_def(variable_def, import_scope, constraint)
            return
        # `use_resource` has chosen the class already (variables_creators.py).
        del expected_shape, import_scope, use_resource
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        default = [ops.GraphKeys.GLOBAL_VARIABLES]
        collections = default if collections is None else collections
        if not isinstance(collections, (list, tuple, set)):
            raise ValueError(
                f"Variable: collections must be a list, tuple or set, got {collections!r}"
            )
        if not (constraint is None or callable(constraint)):
            raise ValueError(
                f"Variable: constraint must be callable, got {constraint!r}"
            )
        self._trainable = trainable is None or bool(trainable)
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._constraint = constraint
        self._save_slice_info: SaveSliceInfo | None = None
        self._in_graph_mode = True
        if self._trainable and ops.GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections = [*collections, ops.GraphKeys.TRAINABLE_VARIABLES]
        with ops.control_dependencies(None):
            self._build(initial_value, dtype, name, validate_shape, shape)
            self._build_read(caching_device)
        self._caching_device = caching_device
        ops.add_to_collections(collections, self)

    def _from_def(self, variable_def: Any, import_scope: Any, constraint: Any) -> None:
        """Becomes the variable that operations of the graph are already."""
        if variable_def.is_resource:
            raise ValueError("Trying to restore ResourceVariable as Variable.")
        found = variables_proto.elements(variable_def, import_scope)
        self._variable, self._initial_value, initializer, self._snapshot = found
        self._initializer_op = getattr(initializer, "op", initializer)
        self._take_kinds(variable_def, import_scope, constraint)

    def _take_kinds(
        self, variable_def: Any, import_scope: Any, constraint: Any
    ) -> None:
        """Takes the properties of a VariableDef other than the operations."""
        self._trainable = variable_def.trainable
        self._synchronization = VariableSynchronization(variable_def.synchronization)
        self._aggregation = VariableAggregation(variable_def.aggregation)
        self._constraint = constraint
        self._caching_device = None
        self._in_graph_mode = True
        self._save_slice_info = None
        if variable_def.HasField("save_slice_info_def"):
            self._save_slice_info = SaveSliceInfo(
                save_slice_info_def=variable_def.save_slice_info_def,
                import_scope=import_scope,
            )

    def _build(
        self, initial_value: Any, dtype: Any, name: Any, validate: bool, shape: Any
    ) -> None:
        """Adds initial value, variable and initializer."""
        is_callable = callable(initial_value)
        values = [] if is_callable else [initial_value]
        dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        with ops.name_scope(name, "Variable", values) as scope:
            if is_callable:
                # The initial value is placed with the variable, which comes later:
                # the attr that says so can name an operation that is not there yet.
                attr = {"_class": [f"loc:@{scope.removesuffix('/')}".encode()]}
                graph = ops.get_default_graph()
                with (
                    graph._attr_scope(attr),
                    ops.name_scope("Initializer"),
                    ops.device(None),
                ):
                    made: Any = initial_value()
                    self._initial_value = ops.convert_to_tensor(
                        made, name="initial_value", dtype=dtype
                    )
            else:
                self._initial_value = ops.convert_to_tensor(
                    initial_value, name="initial_value", dtype=dtype
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
            self._variable = state_ops.variable_op_v2(
                static, self._initial_value.dtype.base_dtype, name=scope
            )
            with ops.colocate_with(self._variable.op):
                self._initializer_op = gen_state_ops.assign(
                    self._variable,
                    self._initial_value,
                    validate_shape=validate,
                    name="Assign",
                ).op

    def _build_read(self, caching_device: Any) -> None:
        scope = self._variable.op.name + "/read/"
        with ops.name_scope(self._variable.op.name + "/"):
            beside = caching_device is None
            with (
                ops.colocate_with(self._variable.op)
                if beside
                else ops.device(caching_device)
            ):
                self._snapshot = array_ops.identity(self._variable, name=scope)

    # --- What it stands for ---------------------------------------------------------

    def _as_graph_element(self) -> ops.Tensor:
        return self._variable

    def _AsTensor(self) -> ops.Tensor:
        """The value, as other ops see it."""
        return self._snapshot

    def _ref(self) -> ops.Tensor:
        """The reference, for ops that change the variable."""
        return self._variable

    def value(self) -> ops.Tensor:
        """The value: a snapshot that other ops of the run may or may not precede."""
        return self._snapshot

    def read_value(self) -> ops.Tensor:
        """A new read of the value, which obeys the control dependencies in effect."""
        return array_ops.identity(self._variable, name="read")

    def initialized_value(self) -> ops.Tensor:
        """The value if it is initialized, else the initial value: for other initializers."""
        with ops.control_dependencies(None):
            return control_flow_ops.cond(
                state_ops.is_variable_initialized(self),
                self.read_value,
                lambda: self._initial_value,
            )

    @property
    def initial_value(self) -> ops.Tensor:
        """The tensor that the initializer assigns."""
        return self._initial_value

    @property
    def initializer(self) -> ops.Operation:
        """The operation that gives the variable its initial value."""
        return self._initializer_op

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that projects the value after an optimizer's update, or None."""
        return self._constraint

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def synchronization(self) -> VariableSynchronization:
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        return self._aggregation

    @property
    def name(self) -> str:
        return self._variable.name

    @property
    def _shared_name(self) -> str:
        return self.name.removesuffix(":0")

    @property
    def device(self) -> str:
        return self._variable.device

    @property
    def dtype(self) -> dtypes.DType:
        """The reference type, such as float32_ref."""
        return self._variable.dtype

    @property
    def op(self) -> ops.Operation:
        return self._variable.op

    @property
    def graph(self) -> ops.Graph:
        return self._variable.graph

    @property
    def shape(self) -> tensor_shape.TensorShape:
        return self._variable.get_shape()

    def get_shape(self) -> tensor_shape.TensorShape:
        """The static shape."""
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Merges `shape` into the static shape."""
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    def _set_save_slice_info(self, save_slice_info: SaveSliceInfo) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> SaveSliceInfo | None:
        return self._save_slice_info

    # --- As a proto -----------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> VariableDef | None:
        """A `VariableDef`, names without `export_scope/`; None where it is not in that scope."""
        return variables_proto.to_proto(self, export_scope)

    @staticmethod
    def from_proto(variable_def: Message, import_scope: str | None = None) -> Variable:
        """The variable that a `VariableDef` names, of the default graph (under `import_scope/`).

        It joins no collection.  KeyError where its operations are not in the graph.
        """
        return Variable(variable_def=variable_def, import_scope=import_scope)

    # --- With a session -------------------------------------------------------------

    def eval(self, session: SessionInterface | None = None) -> Any:
        """Its value in a session (the default one) as a NumPy array."""
        return self._variable.eval(session=session)

    def load(self, value: TensorLike, session: SessionInterface | None = None) -> None:
        """Gives it a value in a session (the default one), adding nothing to the graph."""
        session = session or ops.get_default_session()
        if session is None:
            raise ValueError(f"{self.name}.load: no session, given or by default")
        session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})

    def ref(self) -> Any:
        """A hashable object that stands for this variable."""
        return self._variable.ref()

    experimental_ref = ref

    def __iter__(self):
        raise TypeError("'Variable' object is not iterable.")

    def __repr__(self) -> str:
        shape, dtype = self.get_shape(), self.dtype.name
        return f"<tf.Variable '{self.name}' shape={shape} dtype={dtype}>"

    # `array * variable` is our __rmul__, not an elementwise object product.
    __array_priority__ = 100


def _operator(name: str) -> Callable[..., Any]:
    function = getattr(ops.Tensor, name)

    def run(variable: Variable, *args: Any) -> Any:
        return function(variable._AsTensor(), *args)

    run.__name__ = name
    return run


def _slice(variable: Variable, slice_spec: Any) -> ops.Tensor:
    return array_ops.slice_helper(variable._AsTensor(), slice_spec, variable)


for _name in ops.Tensor.OVERLOADABLE_OPERATORS - {"__eq__", "__ne__", "__getitem__"}:
    setattr(Variable, _name, _operator(_name))
setattr(Variable, "__getitem__", _slice)


def _convert(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False):
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type "
            f"'{dtypes.as_dtype(dtype).name}' for variable of type "
            f"'{value.dtype.name}'"
        )
    return value._ref() if as_ref else value._AsTensor()


ops.register_tensor_conversion_function(Variable, _convert)
ops.register_dense_tensor_like_type(Variable)
