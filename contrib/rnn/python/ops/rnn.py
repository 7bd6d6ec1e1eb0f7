# SPDX-License-Identifier: Apache-2.0
"""Stacks of layers that run forwards and backwards, each over the outputs of both directions of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.ops import array_ops, rnn, variable_scope as vs

if TYPE_CHECKING:
    from tensorwright.python.ops.rnn_cell_impl import RNNCell
    from tensorwright.python.ops.variable_scope import VariableScope


def _states(name: str, states: Any, cells: Sequence[Any]) -> list:
    """`states`, one for each cell, or as many Nones; ValueError where they are none or too few."""
    if states is None:
        return [None] * len(cells)
    if not isinstance(states, list) or len(states) != len(cells):
        raise ValueError(
            f"{name} must be a list of states, one for each of the {len(cells)} cells"
        )
    return states


def _check_cells(cells_fw: Any, cells_bw: Any) -> None:
    for name, cells in (("cells_fw", cells_fw), ("cells_bw", cells_bw)):
        if not isinstance(cells, list) or not cells:
            raise ValueError(f"{name} must be a list of one cell or more, got {cells}")
    if len(cells_fw) != len(cells_bw):
        raise ValueError(
            "there must be as many forward cells as backward ones, got "
            f"{len(cells_fw)} and {len(cells_bw)}"
        )


def stack_bidirectional_rnn(
    cells_fw: Sequence[RNNCell],
    cells_bw: Sequence[RNNCell],
    inputs: Sequence[TensorLike],
    initial_states_fw: list | None = None,
    initial_states_bw: list | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: str | VariableScope | None = None,
) -> tuple:
    """Layers of `tf.nn.static_bidirectional_rnn`.

    Args:
        cells_fw, cells_bw: lists of cells, a pair for each layer, the first nearest to the inputs.
        inputs: a list of [batch, n], one for each step.
        initial_states_fw, initial_states_bw: lists of states, one for each layer; the cells' own if absent.
        dtype: the dtype of these states and the outputs; needed without the states.
        sequence_length: [batch] integers; all steps count if absent.
        scope: the scope of the variables, "stack_bidirectional_rnn" if absent; layers are in "cell_0", "cell_1", ...

    Returns:
        (outputs, states_fw, states_bw): a list of [batch, fw + bw], and a tuple of the layers' last states for each
        direction.

    Raises:
        ValueError: where the lists are none, empty or of different lengths.
    """
    _check_cells(cells_fw, cells_bw)
    first_fw = _states("initial_states_fw", initial_states_fw, cells_fw)
    first_bw = _states("initial_states_bw", initial_states_bw, cells_bw)
    states_fw, states_bw = [], []
    outputs: Any = inputs
    with vs.variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (fw, bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with vs.variable_scope(f"cell_{i}"):
                outputs, state_fw, state_bw = rnn.static_bidirectional_rnn(
                    fw,
                    bw,
                    outputs,
                    initial_state_fw=first_fw[i],
                    initial_state_bw=first_bw[i],
                    sequence_length=sequence_length,
                    dtype=dtype,
                )
                states_fw.append(state_fw)
                states_bw.append(state_bw)
    return outputs, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_dynamic_rnn(
    cells_fw: Sequence[RNNCell],
    cells_bw: Sequence[RNNCell],
    inputs: TensorTree,
    initial_states_fw: list | None = None,
    initial_states_bw: list | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    parallel_iterations: int | None = None,
    scope: str | VariableScope | None = None,
) -> tuple:
    """Layers of `tf.nn.bidirectional_dynamic_rnn`, over inputs [batch, time, n].

    Arguments are those of `stack_bidirectional_rnn`; `parallel_iterations` is that of `tf.nn.dynamic_rnn`.

    Returns:
        (outputs, states_fw, states_bw): [batch, time, fw + bw], and a tuple of the layers' last states for each
        direction.

    Raises:
        ValueError: where the lists are none, empty or of different lengths.
    """
    _check_cells(cells_fw, cells_bw)
    first_fw = _states("initial_states_fw", initial_states_fw, cells_fw)
    first_bw = _states("initial_states_bw", initial_states_bw, cells_bw)
    states_fw, states_bw = [], []
    outputs: Any = inputs
    with vs.variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (fw, bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with vs.variable_scope(f"cell_{i}"):
                both, (state_fw, state_bw) = rnn.bidirectional_dynamic_rnn(
                    fw,
                    bw,
                    outputs,
                    initial_state_fw=first_fw[i],
                    initial_state_bw=first_bw[i],
                    sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations,
                    dtype=dtype,
                )
                outputs = array_ops.concat(both, 2)
                states_fw.append(state_fw)
                states_bw.append(state_bw)
    return outputs, tuple(states_fw), tuple(states_bw)
