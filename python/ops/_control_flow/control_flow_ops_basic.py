# SPDX-License-Identifier: Apache-2.0
"""The primitives of control flow, and running things in order."""

from __future__ import annotations

import builtins
import collections
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    GraphElement,
    TensorLike,
    TensorTree,
)
from tensorwright.python.ops import (
    gen_array_ops,
    gen_control_flow_ops,
    gen_logging_ops,
    gen_no_op,
)
from tensorwright.python.ops._array import array_ops_shape
from tensorwright.python.ops._math.math_ops_slices import alike, as_indexed_slices

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor

no_op = gen_no_op.no_op
loop_cond = gen_control_flow_ops.loop_cond

Merged = collections.namedtuple("Merge", ["output", "value_index"])


def _is_ref(t: Any) -> bool:
    return t.dtype._is_ref_dtype


def identity(data: TensorLike | SparseTensor, name: str | None = None) -> Any:
    """The same Tensor, reference or IndexedSlices from ops of its own."""
    if isinstance(data, ops.IndexedSlices):
        return _map_slices(array_ops_shape.identity, data, name)
    if isinstance(data, ops.Tensor) and _is_ref(data):
        return gen_array_ops._ref_identity(data, name=name)
    return array_ops_shape.identity(data, name=name)


def _map_slices(function: Any, data: ops.IndexedSlices, name: str | None) -> Any:
    with ops.name_scope(name, "IndexedSlices"):
        dense_shape = data.dense_shape
        return ops.IndexedSlices(
            function(data.values),
            function(data.indices),
            None if dense_shape is None else function(dense_shape),
        )


def switch(
    data: TensorLike | SparseTensor,
    pred: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> builtins.tuple[Any, Any]:
    """(output_false, output_true): `data` at one of them, by the scalar `pred`.

    The other output is dead, and so is all that depends on it.
    """
    if isinstance(data, ops.IndexedSlices):
        pairs = [
            None if t is None else switch(t, pred)
            for t in (data.values, data.indices, data.dense_shape)
        ]
        false, true = (
            ops.IndexedSlices(*cast(Any, [None if p is None else p[i] for p in pairs]))
            for i in (0, 1)
        )
        return false, true
    data = ops.convert_to_tensor(cast(Any, data), dtype=dtype, name="data")
    false, true = gen_control_flow_ops.switch(data, pred, name=name)
    return false, true


def ref_switch(
    data: ops.Tensor, pred: TensorLike, name: str | None = None
) -> builtins.tuple:
    """`switch` for a reference: its outputs are references too."""
    return builtins.tuple(gen_control_flow_ops.ref_switch(data, pred, name=name))


def switch_ref_or_tensor(
    data: TensorLike | SparseTensor, pred: TensorLike, name: str = "Switch"
) -> builtins.tuple:
    """`ref_switch` of a reference, else `switch`, on the device of `data`."""
    if not isinstance(data, ops.IndexedSlices):
        data = ops.internal_convert_to_tensor(cast(Any, data), name="data", as_ref=True)
    with ops.colocate_with(data.op, ignore_existing=True):
        if isinstance(data, ops.Tensor) and _is_ref(data):
            return ref_switch(data, pred, name=name)
        return switch(data, pred, name=name)


def merge(
    inputs: Sequence[TensorLike | SparseTensor], name: str | None = None
) -> Merged:
    """(output, value_index): the one input that is not dead, and which it was.

    Raises ValueError if an input is None.
    """
    if any(v is None for v in inputs):
        raise ValueError(f"merge: no input can be None, got {inputs}")
    inputs = [
        ops.internal_convert_to_tensor_or_indexed_slices(cast(Any, v), as_ref=True)
        for v in inputs
    ]
    if all(isinstance(v, ops.Tensor) for v in inputs):
        if all(_is_ref(v) for v in inputs):
            return Merged(*gen_control_flow_ops.ref_merge(inputs, name=name))
        return Merged(*gen_control_flow_ops.merge(inputs, name=name))
    inputs = [as_indexed_slices(v, optimize=False) for v in inputs]
    with ops.name_scope(name, "Merge"):
        values, chosen = gen_control_flow_ops.merge([v.values for v in inputs])
        indices, _ = gen_control_flow_ops.merge(alike([v.indices for v in inputs]))
        dense_shape = None
        if all(v.dense_shape is not None for v in inputs):
            shapes = alike([v.dense_shape for v in inputs])
            dense_shape, _ = gen_control_flow_ops.merge(shapes)
        return Merged(ops.IndexedSlices(values, indices, dense_shape), chosen)


def enter(
    data: TensorLike | SparseTensor,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    use_ref: bool = True,
    use_input_shape: bool = True,
    name: str | None = None,
) -> Any:
    """Brings a Tensor or IndexedSlices into the frame of a loop."""
    if isinstance(data, ops.IndexedSlices):
        return _map_slices(
            lambda t: enter(
                t,
                frame_name,
                is_constant,
                parallel_iterations,
                use_ref,
                use_input_shape,
            ),
            data,
            name,
        )
    data = ops.internal_convert_to_tensor(cast(Any, data), as_ref=True)
    make = (
        gen_control_flow_ops.ref_enter
        if use_ref and _is_ref(data)
        else gen_control_flow_ops.enter
    )
    result = make(
        data,
        frame_name=frame_name,
        is_constant=is_constant,
        parallel_iterations=parallel_iterations,
        name=name,
    )
    if use_input_shape:
        result.set_shape(data.get_shape())
    return result


def exit(data: TensorLike | SparseTensor, name: str | None = None) -> Any:
    """Brings a Tensor or IndexedSlices out of the frame of a loop."""
    if isinstance(data, ops.IndexedSlices):
        return _map_slices(exit, data, name)
    data = ops.internal_convert_to_tensor(cast(Any, data), as_ref=True)
    if _is_ref(data):
        return gen_control_flow_ops.ref_exit(data, name=name)
    return gen_control_flow_ops.exit(data, name=name)


def next_iteration(data: TensorLike | SparseTensor, name: str | None = None) -> Any:
    """Hands a Tensor or IndexedSlices to the next iteration of a loop."""
    if isinstance(data, ops.IndexedSlices):
        return _map_slices(next_iteration, data, name)
    data = ops.internal_convert_to_tensor(cast(Any, data), as_ref=True)
    if _is_ref(data):
        return gen_control_flow_ops.ref_next_iteration(data, name=name)
    return gen_control_flow_ops.next_iteration(data, name=name)


# --- Order ------------------------------------------------------------------------


def with_dependencies(
    dependencies: Sequence[GraphElement],
    output_tensor: TensorLike | SparseTensor,
    name: str | None = None,
) -> Any:
    """`output_tensor`, available once all of `dependencies` have run."""
    with (
        ops.name_scope(
            name, "control_dependency", [*dependencies, output_tensor]
        ) as scope,
        ops.colocate_with(cast(Any, output_tensor)),
        ops.control_dependencies(dependencies),
    ):
        output_tensor = ops.convert_to_tensor_or_indexed_slices(
            cast(Any, output_tensor)
        )
        if isinstance(output_tensor, ops.Tensor):
            return identity(output_tensor, name=scope)
        return ops.IndexedSlices(
            identity(output_tensor.values, name=scope),
            output_tensor.indices,
            output_tensor.dense_shape,
        )


def _grouped(deps: list, name: str | None = None) -> ops.Operation:
    with ops.control_dependencies(deps):
        return no_op(name=name)


def _flat_ops(inputs: Any) -> list:
    """The tensors and operations in nested lists."""
    flat = []
    for item in inputs:
        if isinstance(item, dict):
            flat.extend(_flat_ops([item[k] for k in sorted(item)]))
        elif isinstance(item, (list, builtins.tuple)):
            flat.extend(_flat_ops(item))
        elif item is not None:
            flat.append(item)
    return flat


def group(*inputs: ops.Operation | TensorTree, **kwargs: str | None) -> ops.Operation:
    """An operation that is done once all `inputs` are: tensors, ops, lists of them.

    Raises TypeError for anything else, ValueError for keywords other than `name`.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"group: name is the only keyword there is, got {[*kwargs]}")
    with ops.name_scope(name, "group_deps", _flat_ops(inputs)) as scope:
        by_device: dict[str, list] = {}
        for item in _flat_ops(inputs):
            if not hasattr(item, "device"):
                raise TypeError(
                    f"Expected tf.Tensor or tf.Operation, got {item!r} of type "
                    f"{type(item).__name__}"
                )
            by_device.setdefault(item.device or "", []).append(item)
        if not by_device:
            return no_op(name=scope)
        if len(by_device) == 1:
            ((device, deps),) = by_device.items()
            with ops.device(device):
                return _grouped(deps, name=scope)
        # One op a device, so that only one signal crosses from each.
        partial = []
        for device in sorted(by_device):
            with ops.device(device):
                partial.append(_grouped(by_device[device]))
        return _grouped(partial, name=scope)


def tuple(
    tensors: Sequence[TensorLike | SparseTensor | ops.Operation | None],
    name: str | None = None,
    control_inputs: Sequence[GraphElement] | None = None,
) -> list:
    """The same tensors, none of which is available before all of them are.

    Raises ValueError if there is no Tensor or IndexedSlices (None entries stay
    None), TypeError for control inputs that are not tensors or operations.
    """
    with ops.name_scope(name, "tuple", [t for t in tensors if t is not None]):
        tensors = [
            t
            if t is None or isinstance(t, (ops.Operation, ops.IndexedSlices))
            else ops.convert_to_tensor(cast(Any, t))
            for t in tensors
        ]
        made = [t for t in tensors if t is not None]
        gates = [t if isinstance(t, ops.Operation) else t.op for t in made]
        for c in control_inputs or []:
            if isinstance(c, ops.Tensor):
                c = c.op
            elif not isinstance(c, ops.Operation):
                raise TypeError(f"Control input must be Operation or Tensor: {c}")
            gates.append(c)
        gates = sorted(set(gates), key=lambda op: op._id)
        if not gates:
            raise ValueError(f"Must have at least one Tensor: {tensors}")
        gate = group(*gates)
        return [
            None
            if t is None
            else gate
            if isinstance(t, ops.Operation)
            else with_dependencies([gate], t)
            for t in tensors
        ]


def Assert(
    condition: TensorLike,
    data: Sequence[TensorLike],
    summarize: int | None = None,
    name: str | None = None,
) -> ops.Operation:
    """Makes an operation that fails with InvalidArgumentError unless `condition` holds.

    The message shows the tensors in the list `data`, `summarize` elements of each.
    """
    with ops.name_scope(name, "Assert", [condition, data]):
        # TensorFlow makes constants of Python's values here and again for the operation.  The seeds of later draws follow
        # from the number of operations, so these are made too.
        for value in data:
            ops.convert_to_tensor(value)
        return gen_logging_ops._assert(
            condition, data, summarize=cast(Any, summarize), name="Assert"
        )
