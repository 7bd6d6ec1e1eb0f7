# SPDX-License-Identifier: Apache-2.0
"""static_rnn: a cell over a list of inputs, each step with operations of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.ops import array_ops, math_ops, variable_scope as vs
from tensorwright.python.ops._rnn import rnn_steps
from tensorwright.python.ops._rnn.rnn_cell_base import assert_like_rnncell
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops._rnn.rnn_cell_base import RNNCell
    from tensorwright.python.ops.variable_scope import VariableScope


def static_rnn(
    cell: RNNCell,
    inputs: Sequence[TensorLike],
    initial_state: TensorTree | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: str | VariableScope | None = None,
) -> tuple:
    """Runs a cell over a list of inputs.

    Args:
        cell: an RNNCell.
        inputs: one for each step: [batch, n], or a structure of such.
        initial_state: in the structure of `cell.state_size`, [batch, size]; the cell's own if absent.
        dtype: the dtype of the state and the outputs; needed without `initial_state`.
        sequence_length: [batch] int32 or int64: how many steps of each sequence count.  Behind them outputs are zero and
            the state stays as it is; steps behind all of them are not computed.
        scope: a variable scope, or its name; "rnn" if absent.

    Returns:
        (list of the outputs, the state after the last step).

    Raises:
        TypeError: if `cell` is no cell, or `inputs` no list.
        ValueError: if `inputs` is empty, or of unknown size; without `initial_state` and `dtype`.
    """
    assert_like_rnncell("cell", cell)
    if not nest.is_sequence(inputs):
        raise TypeError(f"inputs must be a sequence, got {inputs!r}")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with vs.variable_scope(scope or "rnn") as entered:
        rnn_steps.cache_variables(entered)
        inputs = [
            nest.map_structure(lambda x: ops.convert_to_tensor(x), step)
            for step in inputs
        ]
        batch_size = _batch_size(inputs)
        state = rnn_steps.initial_state_of(cell, initial_state, batch_size, dtype)
        bounds = zero_output = None
        if sequence_length is not None:
            sequence_length = rnn_steps.lengths(sequence_length)
            assert sequence_length is not None
            zero_output = rnn_steps.zero_output_of(
                cell, batch_size, rnn_steps._infer_state_dtype(dtype, state)
            )
            bounds = (
                math_ops.reduce_min(sequence_length),
                math_ops.reduce_max(sequence_length),
            )
        outputs = []
        for time, step_input in enumerate(inputs):
            if time > 0:
                entered.reuse_variables()

            def call(step_input: Any = step_input, state: Any = state) -> tuple:
                return cell(step_input, state)

            if sequence_length is None:
                output, state = call()
            else:
                output, state = rnn_steps.rnn_step(
                    time, sequence_length, zero_output, state, call, bounds
                )
            outputs.append(output)
        return outputs, state


def _batch_size(inputs: list) -> Any:
    """The batch size of all inputs, as an int if one of them knows it."""
    batch = tensor_shape.Dimension(None)
    flat = nest.flatten(inputs)
    for value in flat:
        shape = value.get_shape()
        if shape.ndims is None:
            continue
        # An input of rank 1 holds ids, which a cell embeds.
        batch = batch.merge_with(shape.with_rank_at_least(1)[0])
        for axis, size in enumerate(shape.as_list()[1:], 1):
            if size is None:
                raise ValueError(
                    f"Input size (dimension {axis} of inputs) must be known in the "
                    f"graph, got shape {shape}"
                )
    return array_ops.shape(flat[0])[0] if batch.value is None else batch.value


def static_state_saving_rnn(
    cell: RNNCell,
    inputs: Sequence[TensorLike],
    state_saver: Any,
    state_name: str | Sequence[str],
    sequence_length: TensorLike | None = None,
    scope: str | VariableScope | None = None,
) -> tuple:
    """static_rnn that begins with a state which an object keeps, and gives it the state at the end.

    Args:
        cell: an RNNCell.
        inputs: as for `static_rnn`.
        state_saver: has methods `state(name)` and `save_state(name, value)`, which gives an op.
        state_name: a name, or names in the structure of `cell.state_size`.
        sequence_length, scope: as for `static_rnn`.

    Returns:
        (list of the outputs, the state after the last step); the last output comes after the saving.

    Raises:
        ValueError: where names and states differ in number.
    """
    sizes: list = []
    rnn_steps.map_sizes(sizes.append, cell.state_size)
    names = nest.flatten(state_name)
    if nest.is_sequence(cell.state_size) != nest.is_sequence(state_name) or len(
        names
    ) != len(sizes):
        raise ValueError(
            "state_name should be of the structure of cell.state_size, "
            f"got {state_name} and {cell.state_size}"
        )
    kept = [state_saver.state(name) for name in names]
    remaining = iter(kept)
    initial = rnn_steps.map_sizes(lambda _: next(remaining), cell.state_size)
    outputs, state = static_rnn(
        cell,
        inputs,
        initial_state=initial,
        sequence_length=sequence_length,
        scope=scope,
    )
    saved = [
        state_saver.save_state(name, value)
        for name, value in zip(names, nest.flatten(state), strict=True)
    ]
    with ops.control_dependencies(saved):
        outputs[-1] = nest.map_structure(array_ops.identity, outputs[-1])
    return outputs, state


def static_bidirectional_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: Sequence[TensorLike],
    initial_state_fw: TensorTree | None = None,
    initial_state_bw: TensorTree | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: str | VariableScope | None = None,
) -> tuple:
    """static_rnn forwards with one cell, and backwards, from the end of each sequence, with another.

    Arguments as for `static_rnn`; the variables are in "fw" and "bw" of the scope, "bidirectional_rnn" if absent.

    Returns:
        (list of outputs [batch, forwards and backwards side by side], state forwards, state backwards).
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    if not nest.is_sequence(inputs):
        raise TypeError(f"inputs must be a sequence, got {inputs!r}")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with vs.variable_scope(scope or "bidirectional_rnn"):
        with vs.variable_scope("fw") as fw_scope:
            output_fw, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, fw_scope
            )
        with vs.variable_scope("bw") as bw_scope:
            backwards, state_bw = static_rnn(
                cell_bw,
                _reverse_seq(inputs, sequence_length),
                initial_state_bw,
                dtype,
                sequence_length,
                bw_scope,
            )
    output_bw = _reverse_seq(backwards, sequence_length)
    flat_fw = [nest.flatten(o) for o in output_fw]
    flat_bw = [nest.flatten(o) for o in output_bw]
    outputs = [
        nest.pack_sequence_as(
            whole, [array_ops.concat(pair, 1) for pair in zip(fw, bw, strict=True)]
        )
        for whole, fw, bw in zip(output_fw, flat_fw, flat_bw, strict=True)
    ]
    return outputs, state_fw, state_bw


def _reverse_seq(input_seq: Sequence[Any], lengths: Any) -> list:
    """The steps in reverse; with `lengths` those of each sequence that count, and the others where they are."""
    if lengths is None:
        return list(reversed(input_seq))
    by_part = zip(*(nest.flatten(step) for step in input_seq), strict=True)
    columns = []
    for part in by_part:
        joined = array_ops.stack(list(part))
        turned = array_ops.reverse_sequence(
            joined, math_ops.to_int64(lengths), seq_axis=0, batch_axis=1
        )
        columns.append(array_ops.unstack(turned, num=len(input_seq)))
    return [
        nest.pack_sequence_as(whole, list(row))
        for whole, row in zip(input_seq, zip(*columns, strict=True), strict=True)
    ]
