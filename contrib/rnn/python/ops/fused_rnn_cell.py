# SPDX-License-Identifier: Apache-2.0
"""Cells that compute a whole sequence in one call, and cells of single steps in that form."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.ops import array_ops, rnn

if TYPE_CHECKING:
    from tensorwright.python.ops.rnn_cell_impl import RNNCell
    from tensorwright.python.ops.variable_scope import VariableScope


class FusedRNNCell(abc.ABC):
    """Runs over all steps at once.  A call takes and gives [time, batch, n], or a list of [batch, n]."""

    @abc.abstractmethod
    def __call__(
        self,
        inputs: TensorLike,
        initial_state: TensorTree | None = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        """(outputs, last state); arguments as for `tf.nn.dynamic_rnn`, time first."""


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell of single steps as one of sequences.

    Args:
        cell: the cell.
        use_dynamic_rnn: whether steps are a loop of the run, `tf.nn.dynamic_rnn`; else the graph has each step.
    """

    def __init__(self, cell: RNNCell, use_dynamic_rnn: bool = False):
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(
        self,
        inputs: TensorLike,
        initial_state: TensorTree | None = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        is_list = isinstance(inputs, list)
        if self._use_dynamic_rnn:
            outputs, state = rnn.dynamic_rnn(
                self._cell,
                array_ops.stack(inputs) if is_list else inputs,
                sequence_length=sequence_length,
                initial_state=initial_state,
                dtype=dtype,
                time_major=True,
                scope=scope,
            )
            return (array_ops.unstack(outputs) if is_list else outputs), state
        outputs, state = rnn.static_rnn(
            self._cell,
            inputs if is_list else array_ops.unstack(inputs),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return (outputs if is_list else array_ops.stack(outputs)), state


class TimeReversedFusedRNN(FusedRNNCell):
    """A cell of sequences that sees them from their end to their beginning.

    Outputs are in the order of the inputs.  With `sequence_length` each sequence is reversed by its own length.
    """

    def __init__(self, cell: FusedRNNCell):
        self._cell = cell

    def _reverse(self, values: Any, lengths: Any) -> Any:
        is_list = isinstance(values, list)
        if is_list and lengths is None:
            return list(reversed(values))
        joined = array_ops.stack(values) if is_list else values
        turned: ops.Tensor
        if lengths is None:
            turned = array_ops.reverse(joined, [0])
        else:
            turned = array_ops.reverse_sequence(
                joined, lengths, seq_axis=0, batch_axis=1
            )
        return array_ops.unstack(turned, num=len(values)) if is_list else turned

    def __call__(
        self,
        inputs: TensorLike,
        initial_state: TensorTree | None = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        outputs, state = self._cell(
            self._reverse(inputs, sequence_length),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return self._reverse(outputs, sequence_length), state
