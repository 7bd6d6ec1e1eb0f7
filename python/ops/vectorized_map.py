# SPDX-License-Identifier: Apache-2.0
"""tf.vectorized_map: a function of one element, applied to all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.batching_registry import (
    Batched,
    CannotBatch,
    get_batching_rule,
)
from tensorwright.python.framework.type_aliases import TensorTree
from tensorwright.python.ops import array_ops, functional_ops, script_ops

# Importing them registers the rules.
from tensorwright.python.ops._vectorize import (
    rule_parts,
    rules_array as rules_array,
    rules_math as rules_math,
)
from tensorwright.python.platform import tf_logging
from tensorwright.python.util import nest

# Stateful ops that give the same whenever they run in a step.
_READS = frozenset(
    ["Variable", "VariableV2", "VarHandleOp", "ReadVariableOp", "TemporaryVariable"]
)
_USER_OPS = frozenset(["PyFunc", "PyFuncStateless"])


def vectorized_map(
    fn: Callable[..., object],
    elems: TensorTree,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> TensorTree:
    """Applies `fn` to every row of `elems` at once: [n, ...] -> [n, ...].

    `fn` is called once, with the first row, and each op that it adds is replaced by what
    the op's batching rule (`tf.RegisterBatchingRule`) makes of it.  What does not depend
    on the rows is computed once.

    Args:
        fn: takes a row, in the structure of `elems`, and returns tensors in any structure.
        elems: a tensor [n, ...] or a structure of such, all with the same n.
        fallback_to_while_loop: whether `tf.map_fn` does the work if some op has no rule,
            a rule does not cover it, or it has state, such as random numbers, which are
            to differ from row to row.
        warn: whether that is logged.

    Returns:
        The results of `fn`, each with a row for each row of `elems`.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if `elems` is empty, some of it is a scalar or has another n; or, without
            `fallback_to_while_loop`, naming the op that cannot be batched.

    Example:
        # The gradient for each example.
        tf.vectorized_map(lambda xy: tf.gradients(loss(*xy), weights)[0], (xs, ys))
    """
    if not callable(fn):
        raise TypeError(f"vectorized_map: fn must be callable, got {fn!r}")
    flat = [ops.convert_to_tensor(e) for e in nest.flatten(elems)]
    count = _static_count(flat)
    with ops.name_scope(None, "vectorized_map", flat):
        rows = [array_ops.gather(e, 0) for e in flat]
        first_new = min(row.op._id for row in rows)
        result = fn(nest.pack_sequence_as(elems, rows))
        outputs = [ops.convert_to_tensor(r) for r in nest.flatten(result)]
        try:
            batcher = _Batcher(rows, flat, first_new)
            stacked = [batcher.stacked(o, count) for o in outputs]
            return nest.pack_sequence_as(result, stacked)
        except CannotBatch as why:
            if not fallback_to_while_loop:
                raise ValueError(f"vectorized_map: {why}") from None
            if warn:
                tf_logging.warning("vectorized_map uses tf.map_fn: %s", why)
        types = nest.pack_sequence_as(result, [o.dtype for o in outputs])
        return functional_ops.map_fn(fn, elems, dtype=types)


def _static_count(flat: list[Any]) -> int | None:
    """The number of rows, or None if it is not known."""
    if not flat:
        raise ValueError("vectorized_map: elems must have a tensor")
    count = tensor_shape.Dimension(None)
    for elem in flat:
        shape = elem.get_shape()
        if shape.ndims == 0:
            raise ValueError(
                f"vectorized_map: elems must have rows, got the scalar {elem.name}"
            )
        if shape.ndims is None:
            continue
        if not count.is_compatible_with(shape[0]):
            raise ValueError(
                f"vectorized_map: elems must have equal numbers of rows, got {count} "
                f"and {shape[0]} of {elem.name}"
            )
        count = count.merge_with(shape[0])
    return count.value


class _Batcher:
    """Replaces the ops that depend on one row by ops on all of them."""

    def __init__(self, rows: list[Any], elems: list[Any], first_new: int):
        self._known: dict[Any, Batched] = {
            _key(row): Batched(elem, True)
            for row, elem in zip(rows, elems, strict=True)
        }
        self._elems = elems
        self._first_new = first_new
        # The ops that have no state, nor wait for what has.
        self._checked: set[int] = set()

    def stacked(self, output: ops.Tensor, count: int | None) -> ops.Tensor:
        """A result of the function, for all rows."""
        value = self._of(output)
        tensor = rule_parts.stack(value, array_ops.shape(self._elems[0])[0])
        rows = tensor_shape.TensorShape([count])
        tensor.set_shape(rows.concatenate(output.get_shape()))
        return tensor

    def _of(self, tensor: Any) -> Batched:
        """The tensor for all rows; inputs first, without recursion."""
        open_ops = [tensor.op]
        while open_ops:
            op = open_ops[-1]
            missing = [] if self._is_done(op) else self._missing(op)
            if missing:
                open_ops.extend(missing)
                continue
            open_ops.pop()
            if not self._is_done(op):
                self._replace(op)
        return self._known[_key(tensor)]

    def _is_done(self, op: Any) -> bool:
        return all(_key(o) in self._known for o in op.outputs) and bool(op.outputs)

    def _missing(self, op: Any) -> list[Any]:
        if op._id < self._first_new:
            return []
        return [t.op for t in op.inputs if _key(t) not in self._known]

    def _replace(self, op: Any) -> None:
        if op._id < self._first_new:
            inputs = []
        else:
            inputs = [self._known[_key(t)] for t in op.inputs]
            self._check(op)
        if not any(i.stacked for i in inputs):
            tensors = [i.tensor for i in inputs]
            moved = any(a is not b for a, b in zip(tensors, op.inputs, strict=False))
            made = rule_parts.again(op, tensors) if moved else op.outputs
            for output, value in zip(op.outputs, made, strict=True):
                self._known.setdefault(_key(output), Batched(value, False))
            return
        results = _call_rule(op, inputs)
        for output, result in zip(op.outputs, results, strict=True):
            self._known[_key(output)] = result

    def _check(self, op: Any) -> None:
        """CannotBatch if the op has state, or waits for an op of the function that has."""
        open_ops = [op]
        while open_ops:
            waited = open_ops.pop()
            if waited._id < self._first_new or waited._id in self._checked:
                continue
            self._checked.add(waited._id)
            if waited.type in _READS:
                continue
            if waited.op_def is None or waited.op_def.is_stateful:
                raise CannotBatch(f"{waited.name} ({waited.type}) has state")
            open_ops.extend(waited.control_inputs)
            if waited is not op:
                open_ops.extend(t.op for t in waited.inputs)


def _key(tensor: Any) -> tuple[int, int]:
    return tensor.op._id, tensor.value_index


def _rule_of(op: Any) -> tuple[Callable[..., Any] | None, str, Any]:
    """The rule of an op, its type for messages, and the op as the rule gets it."""
    if op.type in _USER_OPS:
        call = script_ops.details_of(op)
        user_op = getattr(call, "user_op", None)
        if user_op is not None:
            return user_op._batching, user_op.op_def.name, call.operation(op)
    return get_batching_rule(op.type), op.type, op


def _call_rule(op: Any, inputs: list[Batched]) -> list[Batched]:
    rule, op_type, given = _rule_of(op)
    if rule is None:
        raise CannotBatch(f"{op.name} ({op_type}) has no batching rule")
    with ops.name_scope(op.name.rsplit("/", 1)[-1] + "/batched"):
        try:
            made = rule(given, inputs)
        except CannotBatch as why:
            raise CannotBatch(f"{op.name} ({op_type}): {why}") from None
    values = list(made) if isinstance(made, (list, tuple)) else [made]
    if isinstance(made, Batched):
        values = [made]
    if len(values) != len(op.outputs):
        raise ValueError(
            f"vectorized_map: the batching rule of {op_type} returns {len(values)} "
            f"results, but the op has {len(op.outputs)} outputs"
        )
    return [_checked(op_type, v, o) for v, o in zip(values, op.outputs, strict=True)]


def _checked(op_type: str, value: Any, output: Any) -> Batched:
    """Gives the tensor that a rule made the shape and dtype of the output for which it stands."""
    batched = value if isinstance(value, Batched) else Batched(value, True)
    tensor = ops.convert_to_tensor(batched.tensor)
    shape = output.get_shape()
    if batched.stacked:
        shape = tensor_shape.TensorShape([None]).concatenate(shape)
    if tensor.dtype.base_dtype != output.dtype.base_dtype:
        raise ValueError(
            f"vectorized_map: the batching rule of {op_type} gives "
            f"{tensor.dtype.name} where the op gives {output.dtype.name}"
        )
    if not tensor.get_shape().is_compatible_with(shape):
        raise ValueError(
            f"vectorized_map: the batching rule of {op_type} gives shape "
            f"{tensor.get_shape()} where {shape} is due"
        )
    tensor.set_shape(shape)
    return Batched(tensor, batched.stacked)
