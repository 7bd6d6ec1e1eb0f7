# SPDX-License-Identifier: Apache-2.0
"""The base class of optimizers: gradients of a loss, applied to variables."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_training_ops,
    gradients,
    math_ops,
    resource_variable_ops,
    state_ops,
    variables,
)
from tensorwright.python.training import slot_creator
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


_VALID_DTYPES = frozenset(
    (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
)


def _deduplicated(values: ops.Tensor, indices: ops.Tensor) -> tuple[Any, Any]:
    """Sums the rows of `values` that have one index: (summed rows, unique indices)."""
    unique, positions = array_ops.unique(indices)
    summed = math_ops.unsorted_segment_sum(
        values, positions, array_ops.shape(unique)[0]
    )
    return summed, unique


def _variable_key(var: Any) -> tuple[Any, str]:
    return (var.op.graph, var.op.name)


def _add_one(global_step: Any, name: str) -> ops.Operation:
    if resource_variable_ops.is_resource_variable(global_step):
        return global_step.assign_add(1, name=name, read_value=False)
    return state_ops.assign_add(global_step, 1, name=name).op


class Optimizer:
    """Minimizes a loss by changing variables; subclasses define the step.

    A subclass implements `_apply_dense` and `_apply_sparse`, and makes the variables it
    keeps for each trained variable ("slots") in `_create_slots`.  Hyperparameters become
    tensors in `_prepare`.  For a variable behind a handle `_resource_apply_dense` and
    `_resource_apply_sparse` are called, which by themselves call the other two.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(
        self,
        use_locking: bool,
        name: str,
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        """
        use_locking: whether updates of a variable exclude each other.
        use_own_namescope_for_non_slot_vars: whether variables of the whole optimizer are named under its name.
        """
        if not name:
            raise ValueError(f"Optimizer: name must not be empty, got {name!r}")
        self._use_locking = use_locking
        self._name = name
        self._use_own_namescope = use_own_namescope_for_non_slot_vars
        # Slot name -> variable key -> slot variable.
        self._slots: dict[str, dict[Any, Any]] = {}
        # (name, graph) -> variable that is not tied to a trained one.
        self._non_slots: dict[tuple[str, Any], Any] = {}

    def get_name(self) -> str:
        """The name given at construction."""
        return self._name

    def minimize(
        self,
        loss: TensorLike,
        global_step: variables.Variable | ops.Tensor | None = None,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> ops.Operation:
        """An op that takes one step: compute_gradients, then apply_gradients.

        Raises ValueError if no variable of `var_list` has a gradient of `loss`.
        """
        grads_and_vars = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(g is None for g, _ in grads_and_vars):
            names = [str(v) for _, v in grads_and_vars]
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that "
                f"do not support gradients, between variables {names} and loss {loss}."
            )
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: TensorLike,
        var_list: Iterable[object] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """Returns (gradient, variable) for each variable; the gradient is None where there is none.

        Args:
          loss: the tensor to minimize; any shape, its elements are summed.
          var_list: variables, the graph's trainable ones when not given.
          gate_gradients: GATE_GRAPH waits for all gradients before any is used, GATE_OP
            for those of one op, GATE_NONE for none.
          aggregation_method: see tf.AggregationMethod.
          colocate_gradients_with_ops: place each gradient beside its op.
          grad_loss: the gradient of `loss`, of its shape; ones when not given.
        """
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be GATE_NONE, GATE_OP or GATE_GRAPH of Optimizer, "
                f"got {gate_gradients!r}"
            )
        self._check_dtypes([loss])
        if var_list is None:
            var_list = variables.trainable_variables() + ops.get_collection(
                ops.GraphKeys.TRAINABLE_RESOURCE_VARIABLES
            )
        if isinstance(var_list, (variables.Variable, ops.Tensor)):
            var_list = [var_list]
        var_list = nest.flatten(list(var_list))
        if not var_list:
            raise ValueError("No variables to optimize.")
        for var in var_list:
            if not isinstance(var, (variables.Variable, ops.Tensor)):
                raise TypeError(f"Argument is not a tf.Variable: {var}")
        grads = gradients.gradients(
            loss,
            [resource_variable_ops.handle_or_reference(v) for v in var_list],
            grad_ys=grad_loss,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
        )
        if gate_gradients == self.GATE_GRAPH:
            grads = control_flow_ops.tuple(grads)
        pairs = list(zip(grads, var_list, strict=True))
        self._check_dtypes([v for g, v in pairs if g is not None])
        return pairs

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[TensorLike | None, variables.Variable]],
        global_step: variables.Variable | ops.Tensor | None = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> ops.Operation:
        """An op that changes each variable by its gradient, then adds 1 to `global_step`.

        Pairs whose gradient is None are left alone.

        Raises:
          TypeError: for a pair that is no (gradient, Variable).
          ValueError: if no pair has a gradient.
        """
        del skip_gradients_aggregation
        grads_and_vars = tuple(grads_and_vars)
        if not grads_and_vars:
            raise ValueError("No variables provided.")
        converted = []
        for grad, var in grads_and_vars:
            if not isinstance(var, variables.Variable):
                raise TypeError(f"Variable must be a tf.Variable: {var}")
            if grad is not None:
                grad = ops.convert_to_tensor_or_indexed_slices(grad)
            converted.append((grad, var))
        trained = [v for g, v in converted if g is not None]
        if not trained:
            names = [str(v) for _, v in converted]
            raise ValueError(f"No gradients provided for any variable: {names}.")
        with ops.control_dependencies(None):
            self._create_slots(trained)
        updates = []
        with ops.name_scope(name, self._name) as scope:
            self._prepare()
            for grad, var in converted:
                if grad is None:
                    continue
                with ops.name_scope(f"update_{var.op.name}"), ops.colocate_with(var):
                    updates.append(self._update(grad, var))
            if global_step is None:
                step = self._finish(updates, scope)
            else:
                with ops.control_dependencies([self._finish(updates, "update")]):
                    with ops.colocate_with(global_step):
                        step = _add_one(global_step, scope)
            train_ops = ops.get_collection_ref(ops.GraphKeys.TRAIN_OP)
            if step not in train_ops:
                train_ops.append(step)
            return step

    def get_slot(self, var: variables.Variable, name: str) -> Any:
        """The slot called `name` kept for `var`, or None."""
        return self._slots.get(name, {}).get(_variable_key(var))

    def get_slot_names(self) -> list[str]:
        """The names of this optimizer's slots, sorted."""
        return sorted(self._slots)

    def variables(self) -> list[variables.Variable]:
        """Returns the optimizer's own variables in the current graph, sorted by name."""
        graph = ops.get_default_graph()
        kept = [v for (_, g), v in self._non_slots.items() if g is graph]
        for slots in self._slots.values():
            kept.extend(v for (g, _), v in slots.items() if g is graph)
        return sorted(kept, key=lambda v: v.name)

    # ---- For subclasses.

    def _create_slots(self, var_list: list[Any]) -> None:
        """Makes the slots that `var_list` needs."""

    def _prepare(self) -> None:
        """Makes tensors of hyperparameters."""

    def _apply_dense(self, grad: ops.Tensor, var: Any) -> Any:
        """An op that updates `var` by `grad`, of its shape."""
        raise NotImplementedError

    def _apply_sparse(self, grad: ops.IndexedSlices, var: Any) -> Any:
        """An op that updates rows of `var`; `grad.indices` has no index twice."""
        raise NotImplementedError

    def _finish(self, update_ops: list[Any], name_scope: str) -> ops.Operation:
        """An op that runs after (or is) all updates."""
        return control_flow_ops.group(*update_ops, name=name_scope)

    def _resource_apply_dense(self, grad: ops.Tensor, handle: Any) -> Any:
        """`_apply_dense` for a ResourceVariable."""
        return self._apply_dense(grad, handle)

    def _resource_apply_sparse(
        self, grad: ops.Tensor, handle: Any, indices: ops.Tensor
    ) -> Any:
        """`_apply_sparse` for a ResourceVariable; `indices` has no index twice."""
        return self._apply_sparse(ops.IndexedSlices(grad, indices), handle)

    def _apply_sparse_duplicate_indices(self, grad: ops.IndexedSlices, var: Any) -> Any:
        """`_apply_sparse` for a gradient that may have an index twice."""
        values, indices = _deduplicated(grad.values, grad.indices)
        unique = ops.IndexedSlices(values, indices, grad.dense_shape)
        return self._apply_sparse(unique, var)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: ops.Tensor, handle: Any, indices: ops.Tensor
    ) -> Any:
        """`_resource_apply_sparse` for a gradient that may have an index twice."""
        values, indices = _deduplicated(grad, indices)
        return self._resource_apply_sparse(values, handle, indices)

    def _update(self, grad: Any, var: Any) -> Any:
        is_sparse = isinstance(grad, ops.IndexedSlices)
        if resource_variable_ops.is_resource_variable(var):
            if is_sparse:
                update = self._resource_apply_sparse_duplicate_indices(
                    grad.values, var, grad.indices
                )
            else:
                update = self._resource_apply_dense(grad, var)
        elif is_sparse:
            update = self._apply_sparse_duplicate_indices(grad, var)
        else:
            update = self._apply_dense(grad, var)
        if var.constraint is None:
            return update
        with ops.control_dependencies([update]):
            return var.assign(var.constraint(var)).op

    def _step(self, step: str, var: Any, slots: Any, *values: Any, **attrs: Any) -> Any:
        """The operation `step`, such as "sparse_apply_adam", on `var` and its slots, all of one kind.

        `slots` are names; `values` and `attrs` are the other inputs and the attrs.
        """
        trained = [var, *(self.get_slot(var, name) for name in slots)]
        attrs["use_locking"] = self._use_locking
        if resource_variable_ops.is_resource_variable(var):
            apply = getattr(gen_training_ops, f"resource_{step}")
            return apply(*(v.handle for v in trained), *values, **attrs)
        apply = getattr(gen_training_ops, step)
        return apply(*(v._ref() for v in trained), *values, **attrs).op

    def _scatter_sub(self, var: Any, grad: ops.IndexedSlices, rate: Any) -> Any:
        """The operation var[grad.indices] -= rate * grad.values."""
        delta = ops.IndexedSlices(grad.values * rate, grad.indices, grad.dense_shape)
        return var.scatter_sub(delta, use_locking=self._use_locking).op

    def _valid_dtypes(self) -> frozenset[dtypes.DType]:
        return _VALID_DTYPES

    def _check_dtypes(self, tensors: list[Any]) -> None:
        for tensor in tensors:
            if not hasattr(tensor, "dtype"):
                tensor = ops.convert_to_tensor(tensor)
            dtype = dtypes.as_dtype(tensor.dtype).base_dtype
            if dtype not in self._valid_dtypes():
                allowed = sorted(d.name for d in self._valid_dtypes())
                raise ValueError(
                    f"Invalid type {dtype.name!r} for {tensor}, expected: {allowed}."
                )

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param

    def _tensor(self, value: Any, like: Any) -> ops.Tensor:
        """A hyperparameter with the dtype of variable `like`."""
        return math_ops.cast(value, like.dtype.base_dtype)

    def _slot_dict(self, slot_name: str) -> dict[Any, Any]:
        return self._slots.setdefault(slot_name, {})

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        """The slot, made with zeros at first use."""
        slots = self._slot_dict(slot_name)
        key = _variable_key(var)
        if key not in slots:
            slots[key] = slot_creator.create_zeros_slot(var, op_name)
        return slots[key]

    def _get_or_make_slot(
        self, var: Any, val: Any, slot_name: str, op_name: str
    ) -> Any:
        """The slot, made with the value `val` at first use."""
        slots = self._slot_dict(slot_name)
        key = _variable_key(var)
        if key not in slots:
            slots[key] = slot_creator.create_slot(var, val, op_name)
        return slots[key]

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Any
    ) -> Any:
        """A variable of the whole optimizer, one a graph."""
        key = (name, colocate_with.op.graph)
        if key not in self._non_slots:
            scope = contextlib.nullcontext()
            if self._use_own_namescope:
                scope = ops.name_scope(f"{self._name}/")
            with ops.colocate_with(colocate_with), scope:
                self._non_slots[key] = variables.Variable(
                    initial_value,
                    name=name,
                    trainable=False,
                    use_resource=resource_variable_ops.is_resource_variable(
                        colocate_with
                    ),
                )
        return self._non_slots[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        return self._non_slots.get((name, graph or ops.get_default_graph()))
