# SPDX-License-Identifier: Apache-2.0
"""The steps of recurrent networks: batch sizes, dtypes, and a step that stops where a sequence ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    variable_scope as vs,
)
from tensorwright.python.ops._rnn.rnn_cell_base import (
    map_sizes,
    static_with_batch,
    with_batch,
)
from tensorwright.python.ops.tensor_array_ops import TensorArray
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops._rnn.rnn_cell_base import RNNCell


def _transpose_batch_time(x: ops.Tensor) -> ops.Tensor:
    """[batch, time, ...] <-> [time, batch, ...]; tensors with fewer, or unknown, dimensions stay."""
    static = x.get_shape()
    if static.ndims is None or static.ndims < 2:
        return x
    result = array_ops.transpose(x, [1, 0, *range(2, static.ndims)])
    sizes = static.as_list()
    result.set_shape([sizes[1], sizes[0], *sizes[2:]])
    return result


def _best_effort_input_batch_size(flat_input: list) -> Any:
    """The batch size of inputs [time, batch, ...]: an int where one of them knows it, else a scalar tensor."""
    for value in flat_input:
        shape = value.get_shape()
        if shape.ndims is None:
            continue
        if shape.ndims < 2:
            raise ValueError(
                "Expected the input to have rank at least 2, got rank "
                f"{shape.ndims}: {value}"
            )
        if shape[1].value is not None:
            return shape[1].value
    return array_ops.shape(flat_input[0])[1]


def _infer_state_dtype(explicit_dtype: Any, state: Any) -> dtypes.DType:
    """`explicit_dtype` if it is given, else that of the state's parts, which must be one."""
    if explicit_dtype is not None:
        return dtypes.as_dtype(explicit_dtype)
    found = [s.dtype.base_dtype for s in nest.flatten(state)]
    if not found:
        raise ValueError("Unable to infer dtype from empty state.")
    if any(d != found[0] for d in found):
        raise ValueError(
            "State has tensors of different dtypes, so that of the outputs must be "
            f"given: {found}"
        )
    return found[0]


def cache_variables(scope: vs.VariableScope) -> None:
    """Variables that steps in `scope` read are read once, on the device of the steps."""
    if scope.caching_device is None:
        scope.set_caching_device(lambda op: op.device)


def initial_state_of(
    cell: RNNCell, given: Any, batch_size: TensorLike, dtype: DTypeLike | None
) -> Any:
    """The state that was given, or else the cell's own to begin with."""
    if given is not None:
        return given
    if not dtype:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def zero_output_of(cell: RNNCell, batch_size: TensorLike, dtype: DTypeLike) -> Any:
    """Zeros in the structure and sizes of the cell's outputs."""

    def zeros(size: Any) -> ops.Tensor:
        made = array_ops.zeros(with_batch(batch_size, size), dtype=dtype)
        made.set_shape(static_with_batch(batch_size, size))
        return made

    return map_sizes(zeros, cell.output_size)


def lengths(sequence_length: TensorLike | None) -> ops.Tensor | None:
    """`sequence_length` as an int32 vector; ValueError where it is no vector."""
    if sequence_length is None:
        return None
    sequence_length = math_ops.to_int32(sequence_length)
    shape = sequence_length.get_shape()
    if shape.ndims not in (None, 1):
        raise ValueError(
            f"sequence_length must be a vector of batch_size lengths, got shape {shape}"
        )
    return array_ops.identity(sequence_length, name="sequence_length")


def rnn_step(
    time: TensorLike,
    sequence_length: ops.Tensor,
    zero_output: TensorTree | None,
    state: TensorTree,
    call_cell: Callable[[], tuple],
    bounds: tuple | None = None,
) -> tuple:
    """One step; sequences that have ended give zeros and keep their state.

    Args:
        time: the time of the step, an int32 scalar.
        sequence_length: [batch] int32.
        zero_output: the output of ended sequences, in the structure of the outputs.
        state: the state before the step.
        call_cell: returns (outputs, next state).
        bounds: the least and the largest length, int32 scalars, if the step should be skipped when all sequences have
            ended, and should choose nothing while none has.  Loops end in time anyway, and do without.

    Returns:
        (outputs, next state).

    Raises:
        TypeError, ValueError: the cell returns another structure than `zero_output` and `state` have.
    """
    flat_zero, flat_state = nest.flatten(zero_output), nest.flatten(state)

    def called() -> tuple[list, list]:
        output, new_state = call_cell()
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, new_state)
        return nest.flatten(output), nest.flatten(new_state)

    def chosen(output: list, new_state: list) -> list:
        ended = time >= sequence_length
        pairs = zip([*flat_zero, *flat_state], [*output, *new_state], strict=True)
        return [_choose(ended, old, new) for old, new in pairs]

    if bounds is None:
        flat = chosen(*called())
    else:
        least, largest = bounds

        def some_go_on() -> list:
            output, new_state = called()
            return _branch(
                time < least,
                lambda: [*output, *new_state],
                lambda: chosen(output, new_state),
            )

        flat = _branch(time >= largest, lambda: [*flat_zero, *flat_state], some_go_on)
    for old, new in zip([*flat_zero, *flat_state], flat, strict=True):
        if not isinstance(new, TensorArray):
            new.set_shape(old.get_shape())
    count = len(flat_zero)
    return (
        nest.pack_sequence_as(zero_output, flat[:count]),
        nest.pack_sequence_as(state, flat[count:]),
    )


def _branch(condition: Any, true_fn: Callable, false_fn: Callable) -> list:
    result = control_flow_ops.cond(condition, true_fn, false_fn)
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _choose(ended: ops.Tensor, old: Any, new: Any) -> Any:
    """Rows of `old` where sequences have ended.  TensorArrays and scalars have no rows."""
    if isinstance(old, TensorArray) or new.get_shape().ndims == 0:
        return new
    with ops.colocate_with(new):
        return array_ops.where(ended, old, new)


def output_shapes(cell: RNNCell, batch: int | None) -> list[tensor_shape.TensorShape]:
    """The static shapes of the cell's flat outputs."""
    shapes: list = []
    map_sizes(
        lambda size: shapes.append(static_with_batch(batch, size)), cell.output_size
    )
    return shapes
