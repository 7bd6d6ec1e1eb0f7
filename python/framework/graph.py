# SPDX-License-Identifier: Apache-2.0
"""Graph: operations, and the scopes in effect while they are added."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import (
    control_dependencies as controls,
    device as pydev,
    name_scopes,
    op_hook,
    tensor_shape,
)
from tensorwright.python.framework.graph_collections import CollectionsMixin
from tensorwright.python.framework.graph_elements import ElementsMixin
from tensorwright.python.framework.operation import Operation
from tensorwright.python.framework.tensor import Tensor
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    GraphElement,
    TensorLike,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message


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


class Graph(_pywrap.GraphCore, CollectionsMixin, ElementsMixin):
    """A dataflow graph: `Operation`s connected by `Tensor`s.

    The nodes live in C++; this object adds the scopes (names, devices, control
    dependencies, ...) and collections.  From the core come `unique_name(name)`,
    `get_operations()` and `version`.

    Not safe for use by several threads at once while operations are added.
    """

    def __init__(self):
        self._collections: dict[str, list] = {}
        self._seed: int | None = None
        self._device_stack: list[Any] = []
        self._controllers: list[controls.ControlDependenciesController] = []
        self._context: Any = None
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
        # Tensor -> the Operation that a run that fetches the tensor runs as well.
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

    def _complete_op(self, op: Operation) -> None:
        """What can be done only once the operation exists.  Called by the core."""
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

    def _set_container(self, op: Operation) -> None:
        if not op._is_stateful:
            return
        try:
            current = op.get_attr("container")
        except ValueError:
            return
        if not current:
            op._set_attr("container", self._container)

    # --- Devices ----------------------------------------------------------------

    @contextlib.contextmanager
    def device(self, device_name_or_function: DeviceLike) -> Iterator[None]:
        """Operations added inside ask for a device.

        Args:
            device_name_or_function: a full or partial name; inner scopes win where
                both fix a field.  A callable gets the Operation and returns a
                name.  None: outer scopes have no effect.
        """
        self._push_device(device_name_or_function)
        try:
            yield
        finally:
            self._device_stack.pop()
            self._update_device()

    def _push_device(self, spec: Any) -> None:
        if spec is not None and not callable(spec):
            spec = pydev.canonical_name(spec)
        self._device_stack.append(spec)
        self._update_device()

    def _update_device(self) -> None:
        merged = ""
        for spec in self._device_stack:
            if callable(spec):
                merged = ""  # _complete_op works it out for every operation.
                break
            merged = "" if spec is None else pydev.merge_strings(merged, spec)
        self._device = merged
        self._update_plain()

    def _apply_device_functions(self, op: Operation) -> None:
        for spec in reversed(self._device_stack):
            if spec is None:
                break
            if callable(spec):
                op._set_device(spec(op))
            else:
                op._set_device(pydev.merge_strings(spec, op.device))

    # --- Colocation -------------------------------------------------------------

    @contextlib.contextmanager
    def colocate_with(
        self, op: Operation | TensorLike, ignore_existing: bool = False
    ) -> Iterator[None]:
        """Operations added inside are placed on the device of `op`.

        `ignore_existing`: outer colocation scopes have no effect.  `op` None with
        it: no colocation at all.
        """
        if op is None and not ignore_existing:
            raise ValueError(
                "colocate_with: op=None ends colocation, which needs "
                f"ignore_existing=True, got {ignore_existing}"
            )
        if op is not None and not isinstance(op, Operation):
            op = self.as_graph_element(getattr(op, "op", op), allow_tensor=False)
        # Device scopes outside do not apply: the device is that of `op`.
        device_stack, self._device_stack = self._device_stack, []
        self._update_device()
        outer = self._colocation_stack
        self._colocation_stack = [] if ignore_existing else list(outer)
        if op is not None:
            self._colocation_stack.append(op)
        if op is None:
            self._device_stack = device_stack
        self._update_device()
        try:
            yield
        finally:
            self._device_stack = device_stack
            self._colocation_stack = outer
            self._update_device()

    def _colocate(self, op: Operation) -> None:
        groups = []
        for other in self._colocation_stack:
            groups.extend(other.colocation_groups())
            if other.device and not op.device:
                op._set_device(other.device)
        if groups:
            op._set_attr("_class", sorted(set(groups)))

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
        attrs: dict[str, Any] | None = None,
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
    def graph_def_versions(self) -> Any:
        """The `VersionDef` proto of the GraphDefs this graph writes."""
        return self.as_graph_def().versions

    def as_graph_def(
        self,
        from_version: int | None = None,
        add_shapes: bool = False,
        use_pybind11_proto: bool = False,
    ) -> Any:
        """A `GraphDef` proto.

        Args:
            from_version: only operations added since `graph.version` was this.
            add_shapes: gives every node an attr `_output_shapes`.
        """
        del use_pybind11_proto
        from tensorwright.core.framework import graph_pb2

        return graph_pb2.GraphDef.FromString(
            self._graph_def_bytes(from_version or 0, add_shapes)
        )

    def op_def_for_type(self, type: str) -> Any:  # noqa: A002
        """The `OpDef` proto of an op type."""
        from tensorwright.core.framework import op_def_pb2

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

    # --- Scopes for special purposes --------------------------------------------

    @contextlib.contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Stateful operations added inside keep their state in a container."""
        outer, self._container = self._container, container_name
        self._update_plain()
        try:
            yield container_name
        finally:
            self._container = outer
            self._update_plain()

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Ops of a type added inside use the gradient registered for another."""
        with self._node_attr_map("_gradient_op_type", op_type_map):
            yield

    @contextlib.contextmanager
    def _kernel_label_map(self, op_to_kernel_label_map: dict[str, str]):
        """Ops of a type added inside use the kernels registered with a label."""
        with self._node_attr_map("_kernel", op_to_kernel_label_map):
            yield

    @contextlib.contextmanager
    def _node_attr_map(self, attr: str, by_type: dict[str, str]) -> Iterator[None]:
        if not isinstance(by_type, dict) or not all(
            isinstance(s, str) for pair in by_type.items() for s in pair
        ):
            raise TypeError(f"{attr}: expected a dict of str to str, got {by_type!r}")
        outer = self._node_attrs
        merged = {**outer.get(attr, {}), **by_type}
        self._node_attrs = {**outer, attr: merged}
        self._update_plain()
        try:
            yield
        finally:
            self._node_attrs = outer
            self._update_plain()

    @contextlib.contextmanager
    def _attr_scope(self, attr_map: dict[str, Any]) -> Iterator[None]:
        """Operations added inside get these attrs."""
        self._attr_scopes.append(dict(attr_map))
        self._update_plain()
        try:
            yield
        finally:
            self._attr_scopes.pop()
            self._update_plain()

    @contextlib.contextmanager
    def _original_op_scope(self, op: Operation) -> Iterator[None]:
        """Operations added inside derive from `op`."""
        outer, self._original_op = self._original_op, op
        self._update_plain()
        try:
            yield
        finally:
            self._original_op = outer
            self._update_plain()

    def __repr__(self) -> str:
        return f"<tf.Graph of {self.version} operations at {id(self):#x}>"

    def __reduce__(self):
        raise TypeError("A Graph cannot be pickled: use as_graph_def()")


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """`name` without `export_scope/` (after ^ or loc:@, if it has one of them)."""
    if not export_scope:
        return name
    return re.sub(
        rf"([\^]|loc:@|^){re.escape(export_scope)}[\/]+(.*)", r"\1\2", name, count=1
    )


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """`name` with `import_scope/` in front (after ^ or loc:@)."""
    if not import_scope:
        return name
    scope = import_scope.rstrip("/")
    return re.sub(r"([\^]|loc:@|^)(.*)", rf"\1{scope}/\2", name, count=1)


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
