# SPDX-License-Identifier: Apache-2.0
"""WhileContext: which ops belong to a while loop, and how it is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import (
    tensor_array_ops as arrays,
)
from tensorwright.python.ops._control_flow import (
    control_flow_ops_basic as basic,
    control_flow_ops_proto as protos,
)
from tensorwright.python.ops._control_flow.control_flow_ops_context import (
    ControlFlowContext,
    add_class,
    is_loop_exit,
    loop_constant_enter,
    nested_from_proto,
    output_context,
    while_context_of,
)
from tensorwright.python.ops._control_flow.control_flow_ops_while_invariants import (
    covers,
    set_invariants,
)
from tensorwright.python.ops._math.math_ops_slices import as_indexed_slices
from tensorwright.python.util import compat, nest
from tensorwright.python.util.lazy_protos import control_flow_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.protobuf.control_flow_pb2 import WhileContextDef
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import ShapeTree, TensorTree
    from tensorwright.python.ops._control_flow.control_flow_state_loop import (
        GradLoopState,
    )


class WhileContext(ControlFlowContext):
    """The frame of one loop; of a gradient's loop if it has a `grad_state`."""

    def __init__(
        self,
        maximum_iterations: ops.Tensor | None = None,
        parallel_iterations: int = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        name: str = "while_context",
        grad_state: GradLoopState | None = None,
        context_def: Message | None = None,
        import_scope: str | None = None,
    ):
        super().__init__()
        if grad_state is None:
            self._join_outer()
        if context_def is not None:
            self._from_def(context_def, import_scope)
            return
        is_number = isinstance(parallel_iterations, compat.integral_types)
        if not is_number or parallel_iterations <= 0:
            raise ValueError(
                "`parallel_iterations` must be a positive integer: "
                f"{parallel_iterations}"
            )
        self._name = self._frame_name = ops.get_default_graph().unique_name(name)
        self._maximum_iterations = maximum_iterations
        self._parallel_iterations = parallel_iterations
        self._back_prop = back_prop
        self._swap_memory = swap_memory
        self._grad_state = grad_state
        self._pivot: Any = None
        self._pivot_for_pred: Any = None
        self._pivot_for_body: Any = None
        self._loop_exits: list = []
        self._loop_enters: list = []

    def _from_def(self, context_def: Any, import_scope: str | None) -> None:
        """Becomes the loop that operations of the graph are already."""

        def found(name: str) -> Any:
            return protos.find(name, import_scope)

        self._name = ops.prepend_name_scope(context_def.context_name, import_scope)
        self._maximum_iterations = found(context_def.maximum_iterations_name)
        self._parallel_iterations = context_def.parallel_iterations
        self._back_prop = context_def.back_prop
        self._swap_memory = context_def.swap_memory
        self._grad_state = None
        self._pivot = found(context_def.pivot_name)
        self._pivot_for_pred = found(context_def.pivot_for_pred_name)
        self._pivot_for_body = found(context_def.pivot_for_body_name)
        self._loop_exits = [found(name) for name in context_def.loop_exit_names]
        self._loop_enters = [found(name) for name in context_def.loop_enter_names]
        # The loop's Enters carry the frame's name without the import scope.
        self._frame_name = self._name
        if self._loop_enters:
            frame = self._loop_enters[0].op.get_attr("frame_name")
            self._frame_name = compat.as_str(frame)
        protos.read_values(self, context_def.values_def, import_scope)

    def to_proto(self, export_scope: str | None = None) -> WhileContextDef | None:
        """The WhileContextDef; None outside `export_scope`."""
        if not protos.in_scope(self, export_scope):
            return None

        def names(values: list) -> list[str]:
            flat = [v for value in values for v in _parts(value)]
            return [ops.strip_name_scope(v.name, export_scope) for v in flat]

        proto = control_flow_pb2.WhileContextDef(
            context_name=ops.strip_name_scope(self._name, export_scope),
            parallel_iterations=self._parallel_iterations,
            back_prop=self._back_prop,
            swap_memory=self._swap_memory,
            pivot_name=names([self._pivot])[0],
            pivot_for_pred_name=names([self._pivot_for_pred])[0],
            pivot_for_body_name=names([self._pivot_for_body])[0],
            loop_exit_names=names(self._loop_exits),
            loop_enter_names=names(self._loop_enters),
        )
        if self._maximum_iterations is not None:
            proto.maximum_iterations_name = names([self._maximum_iterations])[0]
        protos.write_values(self, proto.values_def, export_scope)
        protos.write_nested(self, proto, export_scope)
        return proto

    @staticmethod
    def from_proto(
        context_def: WhileContextDef, import_scope: str | None = None
    ) -> WhileContext:
        """The context of a WhileContextDef, with those inside it."""
        context = WhileContext(context_def=context_def, import_scope=import_scope)
        nested_from_proto(context, context_def, import_scope)
        return context

    @property
    def maximum_iterations(self) -> Tensor | None:
        return self._maximum_iterations

    @property
    def parallel_iterations(self) -> int:
        return self._parallel_iterations

    @property
    def back_prop(self) -> bool:
        return self._back_prop

    @property
    def swap_memory(self) -> bool:
        return self._swap_memory

    @property
    def pivot(self) -> ops.Tensor:
        """The LoopCond: whether another iteration runs."""
        return self._pivot

    @property
    def loop_enters(self) -> list:
        return self._loop_enters

    @property
    def loop_exits(self) -> list:
        return self._loop_exits

    @property
    def grad_state(self) -> GradLoopState | None:
        return self._grad_state

    @property
    def frame_name(self) -> str:
        """The name by which the executor knows the loop, an attr of its Enters."""
        return self._frame_name

    def IsWhileContext(self) -> bool:
        return True

    def GetWhileContext(self) -> WhileContext:
        return self

    def GetControlPivot(self) -> ops.Tensor:
        return (
            self._pivot_for_pred
            if self._pivot_for_body is None
            else self._pivot_for_body
        )

    def set_pivots(
        self,
        pred: ops.Tensor | None = None,
        pivot: ops.Tensor | None = None,
        body: ops.Tensor | None = None,
    ) -> None:
        """Sets the results of `GetControlPivot` and `pivot`, while a loop is being built."""
        self._pivot_for_pred = self._pivot_for_pred if pred is None else pred
        self._pivot = self._pivot if pivot is None else pivot
        self._pivot_for_body = self._pivot_for_body if body is None else body

    # --- Taking in values and operations -----------------------------------------

    def AddValue(self, val: ops.Tensor) -> ops.Tensor:
        if val in self._values:
            return self._external_values.get(val, val)
        self._values.add(val)
        recorded = self._recorded_value(val)
        if recorded is not None:
            self._external_values[val] = recorded
            return recorded
        result = val
        if self._outer_context is not None:
            result = self._outer_context.AddValue(val)
        # Outside every context but the one around the loop.
        with ops.control_dependencies(None):
            entered = basic.enter(
                result,
                self._frame_name,
                is_constant=True,
                parallel_iterations=self._parallel_iterations,
            )
            entered.graph.prevent_feeding(entered)
        self.fix_enters([entered])
        self._values.add(entered)
        self._external_values[val] = entered
        return entered

    def _recorded_value(self, val: ops.Tensor) -> ops.Tensor | None:
        """Returns, in a gradient's loop, the value that an iteration of the forward loop recorded."""
        loop = ops.get_default_graph()._get_control_flow_context()
        loop = None if loop is None else loop.GetWhileContext()
        state = None if loop is None else loop.grad_state
        if state is None:
            return None
        forward = while_context_of(val.op)
        if forward is not None and is_loop_exit(val.op):
            forward = forward.outer_context
            forward = None if forward is None else forward.GetWhileContext()
        if forward is not state.forward_context:
            return None
        return state.real_value(val)

    def AddOp(self, op: ops.Operation) -> None:
        # A gradient that asks for the shape of a forward value should record the
        # shape and not the value: the op moves to the forward loop.
        if op.type in ("Shape", "Size", "Rank") and self._grad_state is not None:
            source = op.inputs[0].op
            if while_context_of(source) is self._grad_state.forward_context:
                context = source._get_control_flow_context()
                op._set_control_flow_context(context)
                op._remove_all_control_inputs()
                context._take_in(op)
                return
        self._take_in(op)

    def _take_in(self, op: ops.Operation) -> None:
        if not op.inputs:
            kept, external = self._drop_external_controls(op)
            if not kept:
                op._add_control_input(self.GetControlPivot().op)
        else:
            for i, x in enumerate(op.inputs):
                real = self.AddValue(x)
                if real is not x:
                    op._update_input(i, real)
            _, external = self._drop_external_controls(op)
            self._pace(op)
        self._values.update(op.outputs)
        self._wait_for(op, external)
        self._hide(op)

    def _pace(self, op: ops.Operation) -> None:
        """An op of loop invariants alone must still run once an iteration."""
        if op.control_inputs or is_loop_exit(op):
            return
        if all(_is_constant_enter(x.op) for x in op.inputs):
            op._add_control_input(self.GetControlPivot().op)

    def fix_enters(self, enters: list) -> None:
        """Takes Enter ops, made outside, into the context.

        They wait for the control inputs of `tf.control_dependencies` around the loop, and so
        does the loop.
        """
        graph = ops.get_default_graph()
        for value in enters:
            for part in _parts(value):
                controls = graph._control_dependencies_for_inputs(part.op.inputs)
                outside = [c for c in controls if not self._contains(c)]
                near = [c for c in outside if self._reaches(c)]
                part.op._set_control_flow_context(self)
                part.op._add_control_inputs(near)
                if self._outer_context is not None:
                    far = [c for c in outside if c not in near]
                    self._outer_context._wait_for(part.op, far)
                graph._note_that_it_waits(part.op, outside)

    def _reaches(self, op: ops.Operation) -> bool:
        """Whether an Enter may wait for `op`: it is between this loop and the next outer one."""
        target = output_context(op)
        outer = self._outer_context
        limit = None if outer is None else outer.GetWhileContext()
        while outer is not target:
            if outer is None or outer is limit:
                return False
            outer = outer.outer_context
        return True

    # --- Building ------------------------------------------------------------------

    def BuildLoop(
        self,
        pred: Callable[..., object],
        body: Callable[..., object],
        loop_vars: TensorTree,
        shape_invariants: ShapeTree | None,
        return_same_structure: bool = False,
    ) -> Any:
        """Adds the loop, and returns the final values of its variables."""
        flat = _as_values(nest.flatten(loop_vars))
        with self:
            body_result, exits = self._build(
                pred, body, loop_vars, flat, shape_invariants
            )
        packed = _pack(body_result, exits)
        if return_same_structure:
            return packed
        return packed[0] if len(exits) == 1 and nest.is_sequence(packed) else packed

    def _enter_variables(self, variables: list, invariants: Any) -> list:
        self.own(*variables)
        if self._outer_context is not None:
            variables = [self._from_outside(x) for x in variables]
        with ops.control_dependencies(None):
            entered = [
                basic.enter(
                    x,
                    self._frame_name,
                    is_constant=False,
                    parallel_iterations=self._parallel_iterations,
                    use_input_shape=invariants is None,
                )
                for x in variables
            ]
        if self._outer_context is not None:
            # A constant of the loop outside arrives in its first iteration only,
            # unless something of each iteration lets it go.
            pivot = self._outer_context.GetControlPivot()
            for value in entered:
                first = value.op.inputs[0]
                if pivot is not None and loop_constant_enter(first) is not None:
                    value.op._add_control_input(pivot.op)
        set_invariants(variables, entered, invariants)
        self.fix_enters(entered)
        self._values.clear()
        self.own(*entered)
        self._loop_enters = entered
        return entered

    def _from_outside(self, value: Any) -> Any:
        add = self._outer_context.AddValue
        if isinstance(value, ops.IndexedSlices):
            shape = value.dense_shape
            return ops.IndexedSlices(
                add(value.values),
                add(value.indices),
                None if shape is None else add(shape),
            )
        return add(value)

    def _build(
        self, pred: Any, body: Any, loop_vars: Any, flat: list, invariants: Any
    ) -> tuple[Any, list]:
        entered = self._enter_variables(flat, invariants)
        merged = [basic.merge([x, x])[0] for x in entered]
        self._pivot_for_pred = _first_tensor(merged[0])
        condition = pred(*_pack(loop_vars, merged))
        condition = ops.convert_to_tensor(condition)
        self._pivot = basic.loop_cond(condition, name="LoopCond")
        switched = [basic.switch_ref_or_tensor(x, self._pivot) for x in merged]
        inside = [basic.identity(x[1]) for x in switched]
        self._pivot_for_body = _first_tensor(inside[0])
        for value in inside:
            self._pivot_for_body.graph.prevent_fetching(value.op)
        packed = _pack(loop_vars, inside)
        result = body(*packed)
        result = result if nest.is_sequence(result) else [result]
        nest.assert_same_structure(list(packed), list(result))
        flat_result = _as_values(nest.flatten(result))
        for m, v in zip(merged, flat_result, strict=True):
            add_back_edge(m, v)
        self._loop_exits = exits = [basic.exit(x[0]) for x in switched]
        self.ExitResult(exits)
        # The exits belong outside: a caller may use them at once.
        return result, exits


add_class("while_ctxt", WhileContext)


def _parts(value: Any) -> list:
    """The tensors that a loop variable is."""
    if isinstance(value, ops.IndexedSlices):
        parts = (value.values, value.indices, value.dense_shape)
        return [part for part in parts if part is not None]
    return [value]


def _as_values(flat: list) -> list:
    """Returns the values that go round the loop; a TensorArray is represented by its flow."""
    flat = [arrays.to_flow(x) for x in flat]
    return ops.convert_n_to_tensor_or_indexed_slices(flat)


def _pack(structure: Any, values: list) -> Any:
    """`values` in `structure`, as TensorArrays where it has them."""
    flat = arrays.from_flows(nest.flatten(structure), values)
    return nest.pack_sequence_as(structure, flat)


def _is_constant_enter(op: ops.Operation) -> bool:
    return op.type in ("Enter", "RefEnter") and op.get_attr("is_constant")


def _first_tensor(value: Any) -> ops.Tensor:
    return value.values if isinstance(value, ops.IndexedSlices) else value


def add_back_edge(
    merge: Any, value: ops.Tensor | ops.IndexedSlices, check_shape: bool = True
) -> Any:
    """Closes the loop of a variable: `value` becomes it in the next iteration.

    Raises ValueError if the variable's static shape would not hold any more.
    """
    if isinstance(merge, ops.IndexedSlices):
        value = as_indexed_slices(value, optimize=False)
        add_back_edge(merge.values, value.values, check_shape)
        add_back_edge(merge.indices, value.indices, check_shape)
        if merge.dense_shape is not None:
            if value.dense_shape is None:
                raise ValueError(f"Slices {value} lack the dense_shape of {merge}")
            add_back_edge(merge.dense_shape, value.dense_shape, check_shape)
        return value
    value = ops.convert_to_tensor(value)
    if value.dtype.base_dtype != merge.dtype.base_dtype:
        raise TypeError(
            f"The loop variable {merge.op.inputs[0].name} enters the loop as "
            f"{merge.dtype.base_dtype.name} but is {value.dtype.base_dtype.name} after "
            "one iteration."
        )
    following = basic.next_iteration(value)
    if check_shape and not covers(merge.get_shape(), following.get_shape()):
        raise ValueError(
            f"The shape for {merge.name} is not an invariant for the loop. It enters "
            f"the loop with shape {merge.get_shape()}, but has shape "
            f"{following.get_shape()} after one iteration. Provide shape invariants "
            "using either the `shape_invariants` argument of tf.while_loop or "
            "set_shape() on the loop variables."
        )
    merge.op._update_input(1, following)
    return following


def _tensors(loop_vars: Any) -> list:
    return [arrays.to_flow(x) for x in nest.flatten(loop_vars)] if loop_vars else []
