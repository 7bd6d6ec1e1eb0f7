# SPDX-License-Identifier: Apache-2.0
"""The parts of gradients: aggregation methods, paths between tensors, sums of slices."""

from __future__ import annotations

import collections
import contextlib
import warnings
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    control_flow_state,
    gen_math_ops,
    math_ops,
)
from tensorwright.python.ops._resource_variable import resource_variable_ops_handle


def _as_list(x: Any) -> list:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _is_trainable(tensor: ops.Tensor) -> bool:
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_complex


def _wants_zeros(tensor: ops.Tensor) -> bool:
    """Whether an output without a gradient gets zeros if another has one: numbers, and handles of number variables."""
    if tensor.dtype.base_dtype != dtypes.resource:
        return _is_trainable(tensor)
    dtype = resource_variable_ops_handle.dtype_of(tensor)
    return dtype is not None and (dtype.is_floating or dtype.is_complex)


def _handle(x: Any) -> Any:
    """Returns the tensor whose gradient is that of `x`: a variable's handle or reference."""
    if isinstance(getattr(x, "handle", None), ops.Tensor):
        return x.handle
    if hasattr(x, "_ref"):
        return x._ref()
    return ops.internal_convert_to_tensor_or_indexed_slices(x, name="x", as_ref=True)


# Ops beside those of lists that may have one as a result.
_PASS_LISTS_ON = frozenset(
    """AddN Case Enter Exit Identity IdentityN If Merge NextIteration PartitionedCall
    StatefulPartitionedCall StatelessCase StatelessIf StatelessWhile Switch While""".split()
)


def _may_give_list(op: ops.Operation) -> bool:
    return op.type.startswith("TensorList") or op.type in _PASS_LISTS_ON


def _reachable_from(from_ops: list) -> set:
    """The operations that depend on `from_ops` through numbers that have derivatives, lists of them, or a variable's handle.

    Without this a loop's counter would be on the way whenever its condition depends on
    an x.  `from_ops` are included.
    """
    reached = set()
    asked = set(from_ops)
    queue = collections.deque(from_ops)
    while queue:
        op = queue.popleft()
        if op in reached:
            continue
        reached.add(op)
        for output in op.outputs:
            dtype = output.dtype.base_dtype
            if (
                _is_trainable(output)
                or dtype == dtypes.resource
                or (dtype == dtypes.variant and (op in asked or _may_give_list(op)))
            ):
                queue.extend(output.consumers())
    return reached


class _Between:
    """The operations on the paths from xs to ys, and how many uses each waits for."""

    def __init__(self, to_ops: list, from_ops: list, stops: set):
        reached = _reachable_from(from_ops)
        self.ops: list = []
        self.set: set = set()
        queue = collections.deque(dict.fromkeys(to_ops))
        seen = set()
        while queue:
            op = queue.popleft()
            if op in seen or op not in reached:
                continue
            seen.add(op)
            self.set.add(op)
            self.ops.append(op)
            queue.extend(t.op for t in op.inputs if t not in stops)
        self.loops = control_flow_state.maybe_create_state(self.ops, self.set)
        self.pending: dict = collections.defaultdict(int)
        for op in self.ops:
            for t in op.inputs:
                if t.op in self.set:
                    self.pending[t.op] += 1


def _check_grad_ys(ys: list, grad_ys: list, colocate: bool) -> list:
    """The initial gradients: ones where none is given."""
    if len(ys) != len(grad_ys):
        raise ValueError(
            f"gradients: grad_ys must be as many as ys, got {len(grad_ys)} for {len(ys)}"
        )
    result = []
    for i, (y, grad_y) in enumerate(zip(ys, grad_ys, strict=True)):
        dtype = y.dtype.base_dtype
        if grad_y is None:
            if dtype.is_complex:
                raise TypeError(
                    f"Gradients of complex tensors must set grad_ys (y.dtype = {dtype})"
                )
            with _colocated(y.op, colocate):
                result.append(array_ops.ones_like(y, name=f"grad_ys_{i}"))
            continue
        grad_y = ops.convert_to_tensor_or_indexed_slices(grad_y, name=f"grad_y_{i}")
        grad_dtype = grad_y.dtype.base_dtype
        if (dtype.is_floating or dtype.is_integer) and not (
            grad_dtype.is_floating or grad_dtype.is_integer
        ):
            raise TypeError(
                f"a gradient of {y}, which is {dtype.name}, must be real or integer, "
                f"got {grad_dtype.name}"
            )
        if dtype.is_complex and not grad_dtype.is_complex:
            raise TypeError(
                f"a gradient of {y}, which is {dtype.name}, must be complex, got "
                f"{grad_dtype.name}"
            )
        if isinstance(grad_y, ops.Tensor):
            if not y.get_shape().is_compatible_with(grad_y.get_shape()):
                grad_y = _of_shape(y, grad_y)
            # Named in this call's scope, by which TensorArrays tell calls apart.
            grad_y = array_ops.identity(grad_y, name=f"grad_ys_{i}")
        result.append(grad_y)
    return result


def _of_shape(y: ops.Tensor, grad_y: ops.Tensor) -> ops.Tensor:
    """`grad_y` in the shape of `y`, which it has but for sizes of 1: [1] for a scalar; ValueError for another shape."""
    shapes = (y.get_shape(), grad_y.get_shape())
    if all(shape.is_fully_defined() for shape in shapes):
        sizes = [[n for n in shape.as_list() if n != 1] for shape in shapes]
        if sizes[0] == sizes[1]:
            return array_ops.reshape(grad_y, shapes[0])
    shapes[0].assert_is_compatible_with(shapes[1])
    return grad_y


def _colocated(op: ops.Operation, colocate: bool) -> Any:
    return ops.colocate_with(op) if colocate else contextlib.nullcontext()


def _index(tensor: Any) -> int:
    return tensor.value_index if isinstance(tensor, ops.Tensor) else 0


def _stop_ops(from_ops: list, stops: set, pending: dict) -> set:
    """Operations at which the sweep ends: xs that depend on no other x, and stops."""
    result = set()
    for op in from_ops:
        is_stop = True
        for t in op.inputs:
            if pending.get(t.op, 0) > 0 and t not in stops:
                is_stop = False
                break
        if is_stop:
            result.add(op)
    result.update(t.op for t in stops)
    return result


def _check_kind(op: ops.Operation, x: ops.Tensor, grad: Any) -> None:
    """Raises TypeError unless `grad` is a kind of number that fits `x`."""
    if grad is None:
        return
    if not isinstance(grad, (ops.Tensor, ops.IndexedSlices)):
        raise TypeError(
            f"The gradient of op '{op.name}' ({op.type}) for input {x.name} is not a "
            f"tensor: {grad!r}"
        )
    dtype, grad_dtype = x.dtype.base_dtype, grad.dtype.base_dtype
    if dtype.is_floating and not (grad_dtype.is_floating or grad_dtype.is_integer):
        raise TypeError(
            f"Gradient type {grad_dtype.name} generated for real-valued op {op.name} "
            f"with type {dtype.name} must be real"
        )
    if dtype.is_complex and not grad_dtype.is_complex:
        raise TypeError(
            f"Gradient type {grad_dtype.name} generated for complex-valued op "
            f"{op.name} with type {dtype.name} must be complex"
        )


def _concat_slices(slices: list) -> ops.IndexedSlices:
    """The sum of IndexedSlices: all their rows."""
    indices = [s.indices for s in slices]
    if len({i.dtype.base_dtype for i in indices}) > 1:
        indices = [math_ops.to_int64(i) for i in indices]
    return ops.IndexedSlices(
        array_ops.concat([s.values for s in slices], 0),
        array_ops.concat(indices, 0),
        slices[0].dense_shape,
    )


_LARGE = 100_000_000


def _densify(
    value: ops.IndexedSlices, dtype: Any = None, name: Any = None, as_ref: bool = False
) -> Any:
    """IndexedSlices -> Tensor: rows that occur several times add up."""
    del as_ref
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name}, and the IndexedSlices have "
            f"{value.dtype.name}"
        )
    if value.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices without dense_shape: {value}"
        )
    shape = value.shape
    if shape.is_fully_defined() and (shape.num_elements() or 0) >= _LARGE:
        warnings.warn(
            f"Converting sparse IndexedSlices to a dense Tensor with "
            f"{shape.num_elements()} elements, which take as much memory",
            stacklevel=2,
        )
    rows = array_ops.gather(value.dense_shape, 0)
    result = gen_math_ops.unsorted_segment_sum(
        value.values, value.indices, rows, name=name
    )
    if shape.ndims is not None:
        result.set_shape(shape)
    return result
