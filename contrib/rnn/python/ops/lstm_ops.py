# SPDX-License-Identifier: Apache-2.0
"""LSTMs whose step, or whole sequence, is one op."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.rnn.python.ops import fused_rnn_cell
from tensorwright.contrib.rnn.python.ops._linear import last_size, zeros_variable
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    gen_rnn_ops,
    math_ops,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import LSTMStateTuple, RNNCell

if TYPE_CHECKING:
    from tensorwright.python.ops.variable_scope import VariableScope

# The ops take -1 for "do not clip"; LSTMBlockCell clips to 3.
_NO_CLIP, _CLIP = -1.0, 3.0
_BY_CLIP_CELL = object()


def _weights(inputs: int, units: int, use_peephole: bool, dtype: Any) -> dict:
    """The variables of the current scope, by the names of the ops' inputs."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    found = {
        "w": vs.get_variable("kernel", [inputs + units, 4 * units], dtype=dtype),
        "b": zeros_variable("bias", 4 * units, dtype),
    }
    for gate in "ifo":
        name = f"w_{gate}_diag"
        if use_peephole:
            found[f"wc{gate}"] = vs.get_variable(name, [units], dtype=dtype)
        else:
            found[f"wc{gate}"] = array_ops.zeros([units], dtype=dtype)
    return found


class LSTMBlockCell(RNNCell):
    """BasicLSTMCell with peepholes, a step of which is one op.  Variables are named as BasicLSTMCell's.

    Args:
        num_units: size of c and h.
        forget_bias: added to the forget gate before its sigmoid.
        clip_cell: whether c is clipped to [-3, 3].
        use_peephole: whether the gates see c, each unit its own.
        cell_clip: in the place of `clip_cell`, as later releases of TensorFlow have it: c is clipped to
            [-cell_clip, cell_clip]; None: not at all.
        dtype: kept for the signature of later releases: variables have that of the inputs.
        reuse: whether the variables are to be found, not made.
        name: the name of the scope.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        clip_cell: bool = True,
        use_peephole: bool = False,
        cell_clip: Any = _BY_CLIP_CELL,
        dtype: DTypeLike | None = None,
        reuse: bool | None = None,
        name: str = "lstm_cell",
    ):
        del dtype
        super().__init__()
        self._num_units = num_units
        self._forget_bias = forget_bias
        if cell_clip is _BY_CLIP_CELL:
            cell_clip = _CLIP if clip_cell else None
        self._cell_clip = _NO_CLIP if cell_clip is None else cell_clip
        self._use_peephole = use_peephole
        self._own_reuse, self._own_name = reuse, name

    @property
    def state_size(self) -> LSTMStateTuple:
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        return self._num_units

    def __call__(
        self,
        x: TensorTree,
        states_prev: TensorTree,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        """(h, next state); `scope` is the cell's name if absent."""
        c, h = states_prev
        with vs.variable_scope(scope or self._own_name, reuse=self._own_reuse):
            weights = _weights(
                last_size(x), self._num_units, self._use_peephole, x.dtype
            )
            step = gen_rnn_ops.lstm_block_cell(
                x=x,
                cs_prev=c,
                h_prev=h,
                forget_bias=self._forget_bias,
                cell_clip=self._cell_clip,
                use_peephole=self._use_peephole,
                **weights,
            )
        return step.h, LSTMStateTuple(step.cs, step.h)


class LSTMBlockWrapper(fused_rnn_cell.FusedRNNCell):
    """Calls `_call_cell`, which computes a whole sequence, and finds the last state of each row."""

    _own_name, _own_reuse = "lstm_block_wrapper", None

    @property
    @abc.abstractmethod
    def num_units(self) -> int:
        """Size of c and h."""

    @abc.abstractmethod
    def _call_cell(
        self,
        inputs: ops.Tensor,
        initial_cell_state: ops.Tensor,
        initial_output: ops.Tensor,
        dtype: DTypeLike,
        sequence_length: ops.Tensor | None,
    ) -> tuple:
        """(c, h) of all steps, [time, batch, num_units] each."""

    def __call__(
        self,
        inputs: ops.Tensor | list[ops.Tensor],
        initial_state: TensorTree | None = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        """(h of all steps, LSTMStateTuple of the last ones).

        Args:
            inputs: [time, batch, n], or a list of [batch, n].
            initial_state: (c, h), zeros if absent.
            dtype: the dtype of these states, needed without them.
            sequence_length: [batch]; h is zeros behind it.
            scope: the scope of the variables, the cell's name, by default "lstm_block_wrapper", if absent.

        Raises:
            ValueError: where the size of inputs is not known, or neither state nor dtype is given.
        """
        with vs.variable_scope(scope or self._own_name, reuse=self._own_reuse):
            is_list = isinstance(inputs, list)
            joined = array_ops.stack(inputs) if is_list else inputs
            shape = joined.get_shape().with_rank(3)
            if shape[2].value is None:
                raise ValueError(f"Expecting inputs_shape[2] to be set: {shape}")
            c, h = self._first(joined, initial_state, dtype)
            if sequence_length is not None:
                sequence_length = ops.convert_to_tensor(
                    sequence_length, name="sequence_length"
                )
            cells, outputs = self._call_cell(joined, c, h, c.dtype, sequence_length)
            if sequence_length is None:
                last = LSTMStateTuple(cells[-1], outputs[-1])
            else:
                most = array_ops.shape(joined, out_type=sequence_length.dtype)[0]
                mask = array_ops.sequence_mask(sequence_length, most, dtype=c.dtype)
                outputs *= array_ops.expand_dims(array_ops.transpose(mask), -1)
                last = LSTMStateTuple(
                    _at_end(c, cells, sequence_length),
                    _at_end(h, outputs, sequence_length),
                )
            if is_list:
                outputs = array_ops.unstack(outputs, num=len(inputs))
        return outputs, last

    def _first(self, inputs: ops.Tensor, initial_state: Any, dtype: Any) -> tuple:
        if initial_state is not None:
            if len(initial_state) != 2:
                raise ValueError(
                    "Expecting initial_state to be a tuple with length 2 or None, got "
                    f"{len(initial_state)}"
                )
            return tuple(initial_state)
        if dtype is None:
            raise ValueError("Either initial_state or dtype needs to be specified")
        batch = inputs.get_shape()[1].value
        size = array_ops.shape(inputs)[1] if batch is None else batch
        zeros = array_ops.zeros(
            array_ops.stack([size, self.num_units]), dtypes.as_dtype(dtype)
        )
        zeros.set_shape([batch, self.num_units])
        return zeros, zeros


def _at_end(first: ops.Tensor, steps: ops.Tensor, lengths: ops.Tensor) -> ops.Tensor:
    """`steps` [time, batch, n] at the last step of each row, `first` of rows without steps."""
    every = array_ops.concat([array_ops.expand_dims(first, 0), steps], 0)
    rows = math_ops.range(array_ops.shape(steps)[1])
    ends = math_ops.cast(lengths, dtypes.int32)
    last = array_ops.gather_nd(every, array_ops.stack([ends, rows], 1))
    last.set_shape(first.get_shape())
    return last


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """An LSTM whose whole sequence is one op.

    Args:
        num_units: size of c and h.
        forget_bias: added to the forget gate before its sigmoid.
        cell_clip: c is clipped to [-cell_clip, cell_clip]; not if absent.
        use_peephole: whether the gates see c, each unit its own.
        reuse: whether the variables are to be found, not made.
        dtype: kept for the signature of later releases of TensorFlow.
        name: the name of the scope.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: bool | None = None,
        dtype: DTypeLike | None = None,
        name: str = "lstm_block_wrapper",
    ):
        del dtype
        self._own_name, self._own_reuse = name, reuse
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip
        self._use_peephole = use_peephole

    @property
    def num_units(self) -> int:
        return self._num_units

    def _call_cell(
        self,
        inputs: ops.Tensor,
        initial_cell_state: ops.Tensor,
        initial_output: ops.Tensor,
        dtype: DTypeLike,
        sequence_length: ops.Tensor | None,
    ) -> tuple:
        weights = _weights(
            inputs.get_shape()[2].value, self._num_units, self._use_peephole, dtype
        )
        if sequence_length is None:
            longest = array_ops.shape(inputs, out_type=dtypes.int64)[0]
        else:
            longest = math_ops.cast(math_ops.reduce_max(sequence_length), dtypes.int64)
        steps = gen_rnn_ops.block_lstm(
            seq_len_max=longest,
            x=inputs,
            cs_prev=initial_cell_state,
            h_prev=initial_output,
            forget_bias=self._forget_bias,
            cell_clip=_NO_CLIP if self._cell_clip is None else self._cell_clip,
            use_peephole=self._use_peephole,
            **weights,
        )
        return steps.cs, steps.h
