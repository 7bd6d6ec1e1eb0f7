# SPDX-License-Identifier: Apache-2.0
"""Graph: operations, and the scopes in effect while they are added."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import (
    control_dependencies as controls,
    name_scopes,
    op_hook,
    tensor_shape,
)
from tensorwright.python.framework.graph_attr_scopes import AttrScopesMixin
from tensorwright.python.framework.graph_collections import CollectionsMixin
from tensorwright.python.framework.graph_elements import ElementsMixin
from tensorwright.python.framework.graph_placement import PlacementMixin
from tensorwright.python.framework.operation import Operation
from tensorwright.python.framework.tensor import Tensor
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    GraphElement,
    TensorLike,
)
from tensorwright.python.util.lazy_protos import graph_pb2, op_def_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.framework.op_def_pb2 import OpDef
    from tensorwright.core.framework.versions_pb2 import VersionDef


class _DefaultGraphContext:
    """`with graph.as_default() as graph:`"""

    __slots__ = ("_graph",)

    def __init__(self, graph: "Graph"):
        self._graph = graph

    def __enter__(self) -> "Graph":
        _pywrap.push_default_graph(self._graph)
        return self._graph

    def __exit__(self, *exc_info: Any) -> None:
        _pywrap.pop_default_graph(self._graph)


class Graph(
    _pywrap.GraphCore,
    CollectionsMixin,
    ElementsMixin,
    PlacementMixin,
    AttrScopesMixin,
):
    """A dataflow graph: `Operation`s connected by `Tensor`s.

    The nodes live in C++; this object adds the scopes (names, devices, control
    dependencies, ...) and collections.  From the core come `unique_name(name)`,
    `get_operations()` and `version`.

    Not safe for use by several threads at once while operations are added.
    """

    def __init__(self):
        self._collections: dict[Any, list] = {}
        self._seed: int | None = None
        self._device_stack: list[Any] = []
        self._controllers: list[controls.ControlDependenciesController] = []
        self._context: Any = None
        # An op that is copied gets its context afterwards: Operation.from_node_def.
        self._copies_nodes = False
        self._colocation_stack: list[Operation] = []
        self._original_op: Operation | None = None
        self._container = ""
        self._node_attrs: dict[str, dict[str, Any]] = {}
        self._attr_scopes: list[dict[str, Any]] = []
        self._unfeedable_tensors: set[Tensor] = set()
        self._unfetchable_ops: set[Any] = set()
        self._functions: dict[str, Any] = {}
        self._building_function = False
        self._handle_feeders: dict[Any, Any] = {}
        self._handle_readers: dict[Any, Any] = {}
        self._handle_movers: dict[Any, Any] = {}
        self._handle_deleters: dict[Any, Any] = {}
        # Tensor -> the Operation that every run that fetches the tensor also runs.
        self._fetch_checks: dict[Tensor, Operation] = {}
        op_hook.add_graph(self)

    # --- What is in effect ------------------------------------------------------

    def as_default(self) -> _DefaultGraphContext:
        """A context in which new operations go to this graph (on this thread)."""
        return _DefaultGraphContext(self)

    def _update_plain(self) -> None:
        """Tells the core whether _prepare_op and _complete_op have work to do."""
        self._plain = not (
            self._controllers
            or self._context is not None
            or self._colocation_stack
            or self._node_attrs
            or self._attr_scopes
            or self._container
            or self._original_op is not None
            or op_hook.active is not None
            or any(callable(d) for d in self._device_stack)
        )

    def _prepare_op(self, op_type: str, inputs: list[Tensor]) -> tuple[list, dict]:
        """Control inputs and extra attrs of an operation about to be added.

        Called by the core unless the graph is plain.
        """
        attrs: dict[str, Any] = {}
        for scope in self._attr_scopes:
            attrs.update(scope)
        for name, by_type in self._node_attrs.items():
            if op_type in by_type:
                attrs[name] = by_type[op_type]
        waits_for = controls.for_inputs(self._controllers, inputs)
        if op_hook.active is not None:
            checks = op_hook.active.control_inputs(self, op_type, inputs)
            waits_for += [c for c in checks if c not in waits_for]
        return waits_for, attrs

    def _check_contexts(self, name: str, op_type: str, inputs: list[Tensor]) -> None:
        """Raises ValueError if an operation about to be added cannot use an input.

        Called by the core where an input belongs to a conditional or a loop.
        """
        if self._copies_nodes:
            return
        for x in inputs:
            context = x.op._control_flow_context
            if context is not None and context is not self._context:
                context.CheckUse(name, op_type, x.op, self._context)

    def _complete_op(self, op: Operation) -> None:
        """Sets the attributes that an operation can get only once it exists.  The core calls this."""
        if self._original_op is not None:
            op._original_op = self._original_op
        if self._context is not None:
            op._control_flow_context = self._context
            self._context.AddOp(op)
        for controller in self._controllers:
            controller.add_op(op)
        if any(callable(d) for d in self._device_stack):
            self._apply_device_functions(op)
        if self._colocation_stack:
            self._colocate(op)
        if self._container:
            self._set_container(op)
        if op_hook.active is not None:
            op_hook.active.added(self, op)

    # --- Control dependencies and contexts --------------------------------------

    def control_dependencies(self, control_inputs: Iterable[GraphElement] | None):
        """A context whose operations run after `control_inputs`.

        Args:
            control_inputs: Operations or Tensors.  None: no control dependencies
                and no control-flow context apply inside.
        """
        return controls.make_controller(self, control_inputs)

    @property
    def _control_dependencies_stack(self) -> list:
        return self._controllers

    @_control_dependencies_stack.setter
    def _control_dependencies_stack(self, stack: list) -> None:
        self._controllers = stack
        self._update_plain()

    @property
    def _control_flow_context(self) -> Any:
        return self._context

    @_control_flow_context.setter
    def _control_flow_context(self, context: Any) -> None:
        self._context = context
        self._update_plain()

    def _get_control_flow_context(self) -> Any:
        return self._context

    def _set_control_flow_context(self, context: Any) -> None:
        self._control_flow_context = context

    def _push_control_dependencies_controller(self, controller: Any) -> None:
        self._controllers.append(controller)
        self._update_plain()

    def _pop_control_dependencies_controller(self, controller: Any) -> None:
        assert self._controllers[-1] is controller
        self._controllers.pop()
        self._update_plain()

    def _current_control_dependencies(self) -> set:
        return {op for c in self._controllers for op in c.control_inputs}

    def _control_dependencies_for_inputs(self, input_tensors: Any) -> list:
        return controls.for_inputs(self._controllers, input_tensors)

    def _note_that_it_waits(self, op: Operation, waited: list) -> None:
        """Notes that `op` waits for the operations `waited`: users of its outputs need not wait for them again."""
        sources = {t.op for t in op.inputs}
        for controller in self._controllers:
            waits = all(c in waited or c in sources for c in controller.control_inputs)
            if waits or any(controller.op_in_group(source) for source in sources):
                controller.add_op(op)

    # --- Names ------------------------------------------------------------------

    def name_scope(self, name: str | None):
        """A context that puts `name/` in front of the names of operations.

        Entering gives the scope's full name.  A `name` that ends in "/" is taken
        as it is, so a scope can be entered again; None or "" is the root.
        """
        return name_scopes.GraphNameScope(self, name)

    @property
    def _name_stack(self) -> str:
        return self._scope.removesuffix("/")

    @_name_stack.setter
    def _name_stack(self, name: str | None) -> None:
        self._scope = f"{name}/" if name else ""

    def get_name_scope(self) -> str:
        """The current scope without the final "/"."""
        return self._scope.removesuffix("/")

    # --- Operations -------------------------------------------------------------

    def create_op(
        self,
        op_type: str,
        inputs: list,
        dtypes: Sequence[DTypeLike] | None = None,
        input_types: Sequence[DTypeLike] | None = None,
        name: str | None = None,
        attrs: Mapping[str, object] | None = None,
        op_def: Message | None = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Adds an operation from a flat list of input Tensors.

        `attrs` maps names to AttrValue protos or plain values.  `dtypes`,
        `input_types` and `op_def` follow from the registered op and are ignored.
        """
        del dtypes, input_types, op_def, compute_shapes, compute_device
        for index, value in enumerate(inputs):
            if not isinstance(value, Tensor):
                raise TypeError(f"Input #{index} is not a tensor: {value}")
        return _pywrap.create_op(self, op_type, list(inputs), name, attrs or {})

    def get(self) -> "Graph":
        """This graph."""
        return self

    def new_operations(self) -> list[Operation]:
        """Operations that Python does not know yet: none, each has its object as soon as it is added."""
        return []

    @property
    def _last_id(self) -> int:
        return self.version

    @property
    def graph_def_versions(self) -> VersionDef:
        """The `VersionDef` proto of the GraphDefs this graph writes."""
        return self.as_graph_def().versions

    def as_graph_def(
        self,
        from_version: int | None = None,
        add_shapes: bool = False,
        use_pybind11_proto: bool = False,
    ) -> GraphDef:
        """A `GraphDef` proto.

        Args:
            from_version: only operations added since `graph.version` was this.
            add_shapes: gives every node an attr `_output_shapes`.
        """
        del use_pybind11_proto
        return graph_pb2.GraphDef.FromString(
            self._graph_def_bytes(from_version or 0, add_shapes)
        )

    def op_def_for_type(self, type: str) -> OpDef:  # noqa: A002
        """The `OpDef` proto of an op type."""
        data = _pywrap.op_registration(type)
        return op_def_pb2.OpDef.FromString(data["op_def"])

    # --- State ------------------------------------------------------------------

    @property
    def seed(self) -> int | None:
        """The graph-level random seed."""
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed

    @property
    def finalized(self) -> bool:
        return self._finalized

    def finalize(self) -> None:
        """From now on adding operations is a RuntimeError."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    @property
    def building_function(self) -> bool:
        return self._building_function

    def switch_to_thread_local(self) -> None:
        """Accepted for compatibility: scopes belong to the graph, not a thread."""

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Marks a tensor as one that no run may feed."""
        self._unfeedable_tensors.add(tensor)

    def is_feedable(self, tensor: Tensor) -> bool:
        return tensor not in self._unfeedable_tensors

    def prevent_fetching(self, op: Operation) -> None:
        """Marks an operation as one that no run may fetch."""
        self._unfetchable_ops.add(op)

    def is_fetchable(self, tensor_or_op: Tensor | Operation) -> bool:
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return op not in self._unfetchable_ops

    def __repr__(self) -> str:
        return f"<tf.Graph of {self.version} operations at {id(self):#x}>"

    def __reduce__(self):
        raise TypeError("A Graph cannot be pickled: use as_graph_def()")


# Scopes of the default graph.

get_default_graph: Callable[[], Graph] = _pywrap.get_default_graph


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Operations added inside, such as a variable's initial value, are in no loop or branch and wait for nothing.

    The scopes of names and devices that are in force apply.
    """
    with get_default_graph().control_dependencies(None):
        yield


def device(device_name_or_function: DeviceLike):
    """`Graph.device` of the default graph."""
    return get_default_graph().device(device_name_or_function)


def container(container_name: str):
    """`Graph.container` of the default graph."""
    return get_default_graph().container(container_name)


def colocate_with(op: Operation | TensorLike, ignore_existing: bool = False):
    """`Graph.colocate_with` of the default graph."""
    return get_default_graph().colocate_with(op, ignore_existing)


def control_dependencies(control_inputs: Iterable[GraphElement] | None):
    """`Graph.control_dependencies` of the default graph."""
    return get_default_graph().control_dependencies(control_inputs)


_pywrap.set_classes(Graph, Operation, Tensor, tensor_shape.TensorShape)
