# SPDX-License-Identifier: Apache-2.0
"""raw_rnn: a recurrent loop in which a function provides the inputs, chooses the outputs, and says when it ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    variable_scope as vs,
)
from tensorwright.python.ops._rnn import rnn_steps
from tensorwright.python.ops._rnn.rnn_cell_base import assert_like_rnncell
from tensorwright.python.ops.tensor_array_ops import TensorArray
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops._rnn.rnn_cell_base import RNNCell
    from tensorwright.python.ops.variable_scope import VariableScope


def raw_rnn(
    cell: RNNCell,
    loop_fn: Callable[..., tuple],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple:
    """Runs a cell until `loop_fn` says that all sequences have ended.

    Args:
        cell: an RNNCell.
        loop_fn: a function called as (time, cell_output, cell_state, loop_state), which returns (finished, next_input,
            next_cell_state, emit_output, next_loop_state).  It is called first at time 0, before any step, with None
            for all arguments but `time`: then `next_cell_state` is the initial state, and `emit_output` shows the
            structure, shapes (without the batch) and dtypes of the values that will be emitted; None stands for
            `cell.output_size`.  Then it is called after each step.  `finished` is [batch] bool.  `loop_state` is any
            value of the function's own, or None.
        parallel_iterations: steps under way at a time (32).
        swap_memory: see `while_loop`.
        scope: a variable scope, or its name; "rnn" if absent.

    Returns:
        (TensorArrays of the emitted values, in their structure; the last state; the last loop state).  A sequence that
        has finished emits zeros, and its state stays as it is.

    Raises:
        TypeError: if `cell` is no cell, or `loop_fn` not callable.
        ValueError: the batch size cannot be found from `next_input`.
    """
    assert_like_rnncell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with vs.variable_scope(scope or "rnn") as entered:
        rnn_steps.cache_variables(entered)
        time = array_ops.constant(0, name="time")
        finished, next_input, state, emit, loop_state = loop_fn(time, None, None, None)
        next_input = nest.map_structure(ops.convert_to_tensor, next_input)
        state = nest.map_structure(_as_value, state)
        zero_emit, structure = _zero_emit(cell, emit, next_input, state)
        arrays = [_array_of(zero) for zero in zero_emit]
        # If the function has no loop state, a constant goes round instead.
        has_loop_state = loop_state is not None
        if not has_loop_state:
            loop_state = array_ops.constant(0, name="unused_loop_state")
        loop_state = nest.map_structure(_as_value, loop_state)

        def step(
            time: Any, ended: Any, step_input: Any, arrays: list, state: Any, own: Any
        ) -> tuple:
            output, new_state = cell(step_input, state)
            nest.assert_same_structure(state, new_state)
            new_finished, following, new_state, emitted, new_own = loop_fn(
                time + 1, output, new_state, own if has_loop_state else None
            )
            nest.assert_same_structure(state, new_state)
            nest.assert_same_structure(step_input, following)
            nest.assert_same_structure(structure, emitted)
            emitted = _kept(ended, zero_emit, nest.flatten(emitted))
            arrays = [a.write(time, e) for a, e in zip(arrays, emitted, strict=True)]
            flat = _kept(ended, nest.flatten(state), nest.flatten(new_state))
            return (
                time + 1,
                math_ops.logical_or(ended, new_finished),
                following,
                arrays,
                nest.pack_sequence_as(state, flat),
                new_own if has_loop_state and new_own is not None else own,
            )

        finished = ops.convert_to_tensor(finished)
        result = control_flow_ops.while_loop(
            lambda time, ended, *_: math_ops.logical_not(math_ops.reduce_all(ended)),
            step,
            (time, finished, next_input, arrays, state, loop_state),
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        _, _, _, arrays, state, loop_state = result
        emitted = nest.pack_sequence_as(structure, list(arrays))
        return emitted, state, loop_state if has_loop_state else None


def _as_value(value: Any) -> Any:
    return value if isinstance(value, TensorArray) else ops.convert_to_tensor(value)


def _array_of(zero: ops.Tensor) -> TensorArray:
    """Makes an array for as many steps as there will be, each like `zero`."""
    return TensorArray(
        zero.dtype,
        size=0,
        dynamic_size=True,
        element_shape=zero.get_shape(),
        clear_after_read=False,
    )


def _kept(ended: ops.Tensor, old: list, new: list) -> list:
    """Returns the old values of ended sequences, and the new ones of others."""
    return [
        n
        if isinstance(n, TensorArray) or ops.convert_to_tensor(n).get_shape().ndims == 0
        else array_ops.where(ended, o, n)
        for o, n in zip(old, new, strict=True)
    ]


def _zero_emit(cell: Any, emit: Any, next_input: Any, state: Any) -> tuple[list, Any]:
    """Returns (zeros in the shape of a batch's emitted values, flat; their structure)."""
    first = nest.flatten(next_input)[0]
    static = first.get_shape()
    if static.ndims is None:
        raise ValueError(f"the rank of next_input must be known, got {first}")
    batch = static[0].value
    batch_size = array_ops.shape(first)[0] if batch is None else batch
    if emit is None:
        dtype = rnn_steps._infer_state_dtype(None, state)
        zeros = rnn_steps.zero_output_of(cell, batch_size, dtype)
        return nest.flatten(zeros), zeros
    flat = []
    for part in nest.flatten(emit):
        part = ops.convert_to_tensor(part)
        shape = part.get_shape()
        known = shape.is_fully_defined()
        tail: Any = shape.as_list() if known else array_ops.shape(part)
        if known and batch is not None:
            sizes: Any = [batch, *tail]
        else:
            sizes = array_ops.concat([[batch_size], tail], 0)
            if known and not tail:
                sizes = array_ops.reshape(batch_size, [1])
        zero = array_ops.zeros(sizes, part.dtype.base_dtype)
        zero.set_shape(tensor_shape.TensorShape([batch]).concatenate(shape))
        flat.append(zero)
    return flat, emit
