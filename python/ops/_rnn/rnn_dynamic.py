# SPDX-License-Identifier: Apache-2.0
"""dynamic_rnn: a cell over the steps of a tensor, as a loop in the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    tensor_array_ops,
    variable_scope as vs,
)
from tensorwright.python.ops._rnn import rnn_steps
from tensorwright.python.ops._rnn.rnn_cell_base import assert_like_rnncell
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops._rnn.rnn_cell_base import RNNCell
    from tensorwright.python.ops.variable_scope import VariableScope


def dynamic_rnn(
    cell: RNNCell,
    inputs: TensorTree,
    sequence_length: TensorLike | None = None,
    initial_state: TensorTree | None = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple:
    """Runs a cell over the steps of `inputs`, as many as there are in a run.

    Args:
        cell: an RNNCell.
        inputs: [batch, time, ...], or a structure of such; all but batch and time must be known statically.
        sequence_length: [batch] int32 or int64: how many steps of each sequence count.  Behind them outputs are zero and
            the state stays as it is.  All count if it is absent.
        initial_state: in the structure of `cell.state_size`, [batch, size]; the cell's own if absent.
        dtype: the dtype of the state and the outputs; needed without `initial_state`, or if dtypes of its parts differ.
        parallel_iterations: steps under way at a time (32).
        swap_memory: see `while_loop`.
        time_major: whether inputs and outputs are [time, batch, ...], which spares two transpositions.
        scope: a variable scope, or its name; "rnn" if absent.

    Returns:
        (outputs [batch, time, size] in the structure of `cell.output_size`, the state after the last step).

    Raises:
        TypeError: if `cell` is no cell.
        ValueError: without `initial_state` and `dtype`, or for inputs whose shapes do not fit.

    Example:
        cell = tf.nn.rnn_cell.LSTMCell(64)
        outputs, (c, h) = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
    """
    assert_like_rnncell("cell", cell)
    with vs.variable_scope(scope or "rnn") as entered:
        rnn_steps.cache_variables(entered)
        flat = [ops.convert_to_tensor(x) for x in nest.flatten(inputs)]
        if not time_major:
            flat = [rnn_steps._transpose_batch_time(x) for x in flat]
        sequence_length = rnn_steps.lengths(sequence_length)
        batch_size = rnn_steps._best_effort_input_batch_size(flat)
        state = rnn_steps.initial_state_of(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            sequence_length = _of_batch(sequence_length, batch_size)
        packed = nest.pack_sequence_as(inputs, flat)
        outputs, final_state = _dynamic_rnn_loop(
            cell,
            packed,
            state,
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
            sequence_length=sequence_length,
            dtype=dtype,
        )
        if not time_major:
            outputs = nest.map_structure(rnn_steps._transpose_batch_time, outputs)
        return outputs, final_state


def _of_batch(sequence_length: ops.Tensor, batch_size: Any) -> ops.Tensor:
    """`sequence_length`, which has one length for each sequence, or the run says so."""
    known = sequence_length.get_shape().num_elements()
    if known is not None and isinstance(batch_size, int):
        if known != batch_size:
            raise ValueError(
                f"sequence_length must have a length for each of the batch of "
                f"{batch_size}, got {known}"
            )
        return sequence_length
    size = array_ops.shape(sequence_length)
    check = control_flow_ops.Assert(
        math_ops.reduce_all(math_ops.equal(size, [batch_size])),
        [
            f"Expected shape for Tensor {sequence_length.name} is ",
            [batch_size],
            " but saw shape: ",
            size,
        ],
    )
    with ops.control_dependencies([check]):
        return array_ops.identity(sequence_length, name="CheckSeqLen")


def _static_sizes(flat: list) -> tuple[int | None, int | None]:
    """(time, batch) as far as they are known, of inputs that must agree in them."""
    shapes = [x.get_shape().with_rank_at_least(3) for x in flat]
    for shape in shapes:
        if not shape[2:].is_fully_defined():
            raise ValueError(
                f"Input size must be known in the graph, but inputs have shape {shape}"
            )
    steps, batch = shapes[0].as_list()[:2]
    for shape in shapes:
        if shape[0].value != steps:
            raise ValueError(
                "inputs must all have one number of time steps, got "
                f"{shape[0]} and {steps}"
            )
        if shape[1].value != batch:
            raise ValueError(
                f"inputs must all have one batch size, got {shape[1]} and {batch}"
            )
    return steps, batch


def _arrays(flat: list, steps: Any, out_dtype: Any, shapes: list) -> tuple[list, list]:
    """TensorArrays of the steps of the inputs, and those to write the outputs to."""
    with ops.name_scope("dynamic_rnn"):
        rows = [
            tensor_array_ops.TensorArray(
                x.dtype, size=steps, element_shape=x.get_shape()[1:]
            ).unstack(x)
            for x in flat
        ]
        written = [
            tensor_array_ops.TensorArray(out_dtype, size=steps, element_shape=shape)
            for shape in shapes
        ]
    return rows, written


def _dynamic_rnn_loop(
    cell: Any,
    inputs: Any,
    initial_state: Any,
    parallel_iterations: int,
    swap_memory: bool,
    sequence_length: Any = None,
    dtype: Any = None,
) -> tuple:
    """dynamic_rnn of [time, batch, ...] with a state."""
    flat_input = nest.flatten(inputs)
    static_steps, static_batch = _static_sizes(flat_input)
    steps = array_ops.shape(flat_input[0])[0]
    batch_size = rnn_steps._best_effort_input_batch_size(flat_input)
    out_dtype = rnn_steps._infer_state_dtype(dtype, initial_state)
    limit, zero_output = steps, None
    if sequence_length is not None:
        zero_output = rnn_steps.zero_output_of(cell, batch_size, out_dtype)
        # One step at least: the first write tells the arrays the shape of their elements.
        longest = math_ops.maximum(1, math_ops.reduce_max(sequence_length))
        limit = math_ops.minimum(steps, longest)
    shapes = rnn_steps.output_shapes(cell, static_batch)
    rows, written = _arrays(flat_input, steps, out_dtype, shapes)

    def step(time: Any, arrays: list, state: Any) -> tuple:
        step_input = nest.pack_sequence_as(inputs, [r.read(time) for r in rows])

        def call() -> tuple:
            return cell(step_input, state)

        if sequence_length is None:
            output, new_state = call()
        else:
            output, new_state = rnn_steps.rnn_step(
                time, sequence_length, zero_output, state, call
            )
        flat_output = nest.flatten(output)
        if len(flat_output) != len(arrays):
            raise ValueError(
                f"the cell gives {len(flat_output)} outputs, its output_size is "
                f"{cell.output_size}"
            )
        arrays = [a.write(time, o) for a, o in zip(arrays, flat_output, strict=True)]
        return time + 1, arrays, new_state

    _, written, final_state = control_flow_ops.while_loop(
        lambda time, *_: time < limit,
        step,
        (array_ops.constant(0, name="time"), written, initial_state),
        parallel_iterations=parallel_iterations,
        swap_memory=swap_memory,
    )
    outputs = [a.stack() for a in written]
    for output, shape in zip(outputs, shapes, strict=True):
        if shape.ndims is not None:
            output.set_shape([static_steps, *shape.as_list()])
    return _pack_outputs(cell.output_size, outputs), final_state


def _pack_outputs(size: Any, outputs: list) -> Any:
    remaining = iter(outputs)
    from_sizes = rnn_steps.map_sizes(lambda _: next(remaining), size)
    return from_sizes


def bidirectional_dynamic_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: TensorTree,
    sequence_length: TensorLike | None = None,
    initial_state_fw: TensorTree | None = None,
    initial_state_bw: TensorTree | None = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple:
    """dynamic_rnn forwards with one cell, and backwards, from the end of each sequence, with another.

    Arguments as for `dynamic_rnn`; the variables are in "fw" and "bw" of the scope, "bidirectional_rnn" if absent.

    Returns:
        ((outputs forwards, outputs backwards in the order of the inputs), (state forwards, state backwards)).
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def backwards(value: Any) -> ops.Tensor:
        if sequence_length is None:
            return array_ops.reverse(value, axis=[time_axis])
        return array_ops.reverse_sequence(
            value, sequence_length, seq_axis=time_axis, batch_axis=batch_axis
        )

    options = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }
    with vs.variable_scope(scope or "bidirectional_rnn"):
        with vs.variable_scope("fw") as fw_scope:
            output_fw, state_fw = dynamic_rnn(
                cell_fw,
                inputs,
                initial_state=initial_state_fw,
                scope=fw_scope,
                **options,
            )
        with vs.variable_scope("bw") as bw_scope:
            reversed_inputs = nest.map_structure(backwards, inputs)
            output_bw, state_bw = dynamic_rnn(
                cell_bw,
                reversed_inputs,
                initial_state=initial_state_bw,
                scope=bw_scope,
                **options,
            )
    output_bw = nest.map_structure(backwards, output_bw)
    return (output_fw, output_bw), (state_fw, state_bw)
