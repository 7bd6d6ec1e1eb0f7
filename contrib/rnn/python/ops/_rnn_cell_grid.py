# SPDX-License-Identifier: Apache-2.0
"""LSTMs over time and frequency (Li et al. 2015): the features of a step are themselves a sequence of windows."""

from __future__ import annotations

import collections
from typing import Any

from tensorwright.contrib.rnn.python.ops._linear import (
    initialized_by,
    last_size,
    sharded,
    zeros_variable,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import InitializerLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    clip_ops,
    math_ops,
    nn_ops,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import RNNCell


def _windows(inputs: Any, begin: int, count: int, size: int, skip: int) -> list:
    """`count` windows [batch, size] of [batch, n], `skip` apart, the first at `begin`."""
    return [
        array_ops.slice(inputs, [0, begin + i * skip], [-1, size]) for i in range(count)
    ]


def _clipped(x: ops.Tensor, bound: float | None) -> ops.Tensor:
    return x if bound is None else clip_ops.clip_by_value(x, -bound, bound)


def _batch(inputs: Any) -> Any:
    known = inputs.get_shape().with_rank(2)[0].value
    return array_ops.shape(inputs)[0] if known is None else known


def _vectors(names: list[str], n: int, dtype: Any) -> list:
    return [vs.get_variable(name, [n], dtype=dtype) for name in names]


class TimeFreqLSTMCell(RNNCell):
    """One LSTM that goes over the windows of a step; its output of the window before is an input too.

    Inputs are [batch, n], with (n - feature_size) / frequency_skip + 1 windows.  The state is [batch, 2 num_units] for
    each window, c and h of the windows side by side, and outputs are their h.

    Args:
        num_units: size of c and h of a window.
        use_peepholes: whether the gates see c, each unit its own.
        cell_clip: c is clipped to [-cell_clip, cell_clip].
        initializer: the initializer of the weights; the scope's default if absent.
        num_unit_shards: how many variables the kernel is.
        forget_bias: added to the forget gate before its sigmoid.
        feature_size: size of a window.
        frequency_skip: how far apart windows begin.
        reuse: whether the variables are to be found, not made.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        reuse: bool | None = None,
    ):
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip

    @property
    def state_size(self) -> int:
        """The size of one window's state."""
        return 2 * self._num_units

    @property
    def output_size(self) -> int:
        """The size of one window's output."""
        return self._num_units

    def _make_tf_features(self, input_feat: Any) -> list:
        size, skip = self._feature_size, self._frequency_skip
        if size is None or skip is None:
            raise ValueError("TimeFreqLSTMCell needs feature_size and frequency_skip")
        count = int((last_size(input_feat) - size) / skip) + 1
        return _windows(input_feat, 0, count, size, skip)

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(h of all windows, next state)."""
        with initialized_by(self._initializer):
            return self._over_windows(self._make_tf_features(inputs), inputs, state)

    def _over_windows(self, windows: list, inputs: Any, state: Any) -> tuple:
        n, dtype = self._num_units, inputs.dtype.base_dtype
        rows = last_size(windows[0]) + 2 * n
        kernel = sharded("W", [rows, 4 * n], dtype, self._num_unit_shards)
        bias = zeros_variable("B", 4 * n, dtype)
        if self._use_peepholes:
            of_f, of_i, of_o = _vectors(
                ["W_F_diag", "W_I_diag", "W_O_diag"], n, dtype=dtype
            )
        h_before = array_ops.zeros(array_ops.stack([_batch(inputs), n]), dtype)
        h_before.set_shape([inputs.get_shape()[0], n])
        states, outputs = [], []
        for k, window in enumerate(windows):
            c = array_ops.slice(state, [0, 2 * k * n], [-1, n])
            h = array_ops.slice(state, [0, (2 * k + 1) * n], [-1, n])
            joined = array_ops.concat([window, h, h_before], 1)
            gates = nn_ops.bias_add(math_ops.matmul(joined, kernel), bias)
            i, j, f, o = array_ops.split(gates, 4, axis=1)
            if self._use_peepholes:
                f, i = f + of_f * c, i + of_i * c
            keep = math_ops.sigmoid(f + self._forget_bias)
            c = keep * c + math_ops.sigmoid(i) * math_ops.tanh(j)
            c = _clipped(c, self._cell_clip)
            if self._use_peepholes:
                o = o + of_o * c
            h_before = math_ops.sigmoid(o) * math_ops.tanh(c)
            states += [c, h_before]
            outputs.append(h_before)
        return array_ops.concat(outputs, 1), array_ops.concat(states, 1)


class GridLSTMCell(RNNCell):
    """Two LSTMs for each window of a step: one along time, one along frequency, each of which sees both.

    Outputs are h of both for every window, [batch, 2 num_units] each.

    Args:
        num_units: size of c and h of a window.
        use_peepholes: whether the gates see both c, each unit its own.
        share_time_frequency_weights: whether both LSTMs have the same weights.
        cell_clip: each c is clipped to [-cell_clip, cell_clip].
        initializer: the initializer of the weights; the scope's default if absent.
        num_unit_shards: how many variables a kernel is.
        forget_bias: added to the forget gates before their sigmoid.
        feature_size: size of a window.
        frequency_skip: how far apart windows begin.
        num_frequency_blocks: how many windows each block of the features has; blocks have weights of their own.
        start_freqindex_list, end_freqindex_list: where the blocks begin and end; if absent there is one block.
        couple_input_forget_gates: whether the forget gate is 1 - input gate.
        state_is_tuple: whether states are named tuples, of fields `state_f00_b00_c`, `state_f00_b00_m`, ...: window 0
            of block 0; else they lie side by side.
        reuse: whether the variables are to be found, not made.

    Raises:
        ValueError: without `num_frequency_blocks`; in a call, where it does not fit the inputs.
    """

    _prefixes = ("state",)
    _tuple_name = "GridLSTMStateTuple"

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: list[int] | None = None,
        start_freqindex_list: list[int] | None = None,
        end_freqindex_list: list[int] | None = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ):
        super().__init__(_reuse=reuse)
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._share_time_frequency_weights = share_time_frequency_weights
        self._couple_input_forget_gates = couple_input_forget_gates
        self._state_is_tuple = state_is_tuple
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._start_freqindex_list = start_freqindex_list
        self._end_freqindex_list = end_freqindex_list
        self._num_frequency_blocks = [int(count) for count in num_frequency_blocks]
        self._total_blocks = sum(self._num_frequency_blocks)
        fields = [
            f"{self._field(prefix, k, block)}_{part}"
            for prefix in self._prefixes
            for block, count in enumerate(self._num_frequency_blocks)
            for k in range(count)
            for part in "cm"
        ]
        self._state_count = len(fields)
        self._state_tuple_type = (
            collections.namedtuple(self._tuple_name, fields) if state_is_tuple else None
        )

    @staticmethod
    def _field(prefix: str, window: int, block: int) -> str:
        return f"{prefix}_f{window:02d}_b{block:02d}"

    @property
    def output_size(self) -> int:
        return self._num_units * self._state_count

    @property
    def state_size(self) -> Any:
        if self._state_tuple_type is None:
            return self._num_units * self._state_count
        return self._state_tuple_type(*[self._num_units] * self._state_count)

    @property
    def state_tuple_type(self) -> Any:
        """The named tuple of states, None where they lie side by side."""
        return self._state_tuple_type

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(h of all windows, next state)."""
        outputs, states = [], []
        with initialized_by(self._initializer):
            for block, windows in enumerate(self._make_tf_features(inputs)):
                own_outputs, own_states = self._compute(
                    windows, block, state, _batch(inputs)
                )
                outputs += own_outputs
                states += own_states
        return array_ops.concat(outputs, 1), self._packed(states)

    def _packed(self, states: list) -> Any:
        if self._state_tuple_type is None:
            return array_ops.concat(states, 1)
        return self._state_tuple_type(*states)

    def _make_tf_features(self, input_feat: Any, slice_offset: int = 0) -> list:
        """Returns the windows of each block, moved by `slice_offset`; empty places are zeros."""
        size = last_size(input_feat)
        if slice_offset > 0:
            input_feat = array_ops.pad(input_feat, [[0, 0], [0, slice_offset]])
        elif slice_offset < 0:
            input_feat = array_ops.pad(input_feat, [[0, 0], [-slice_offset, 0]])
            slice_offset = 0
        starts, ends = self._start_freqindex_list, self._end_freqindex_list
        counts = self._num_frequency_blocks
        if not starts:
            if len(counts) != 1:
                raise ValueError(
                    "Length of num_frequency_blocks is not 1, but instead is "
                    f"{len(counts)}"
                )
            starts, ends = [0], [size]
        if ends is None or not len(starts) == len(ends) == len(counts):
            raise ValueError(
                "num_frequency_blocks, start_freqindex_list and end_freqindex_list must "
                f"have one length, got {counts}, {starts} and {ends}"
            )
        window, skip = self._feature_size, self._frequency_skip
        if window is None or skip is None:
            raise ValueError(f"{self.name} needs feature_size and frequency_skip")
        blocks = []
        for start, end, count in zip(starts, ends, counts, strict=True):
            fitting = int((end - start - window) / skip) + 1
            if fitting != count:
                raise ValueError(
                    f"Invalid num_frequency_blocks, requires {fitting} but gets {count}: "
                    f"features {start} to {end}, windows of {window}, {skip} apart"
                )
            blocks.append(
                _windows(input_feat, start + slice_offset, count, window, skip)
            )
        return blocks

    def _weights(self, rows: int, block: int, axis: str, dtype: Any) -> tuple:
        """(kernel, bias) of the LSTM along an axis, "f" or "t"."""
        columns = (3 if self._couple_input_forget_gates else 4) * self._num_units
        kernel = sharded(
            f"W_{axis}_{block}", [rows, columns], dtype, self._num_unit_shards
        )
        return kernel, zeros_variable(f"B_{axis}_{block}", columns, dtype)

    def _peepholes(self, axis: str, block: int, dtype: Any) -> dict:
        """Gate -> its weights of (c along frequency, c along time)."""
        if not self._use_peepholes:
            return {}
        gates = "IO" if self._couple_input_forget_gates else "FIO"
        return {
            gate: _vectors(
                [f"W_{gate}_diag_{axis}{of}_{block}" for of in "ft"],
                self._num_units,
                dtype,
            )
            for gate in gates
        }

    def _next_memory(self, gates: list, mine: Any, holes: dict, both: tuple) -> tuple:
        """(c, o before its sigmoid) of one LSTM whose memory is `mine`; `both` are those along frequency and time."""

        def seen(gate: str, value: Any) -> Any:
            if gate not in holes:
                return value
            return value + holes[gate][0] * both[0] + holes[gate][1] * both[1]

        if self._couple_input_forget_gates:
            i, j, o = gates
            add = math_ops.sigmoid(seen("I", i))
            keep = 1.0 - add
        else:
            i, j, f, o = gates
            keep = math_ops.sigmoid(seen("F", f + self._forget_bias))
            add = math_ops.sigmoid(seen("I", i))
        return _clipped(keep * mine + add * math_ops.tanh(j), self._cell_clip), o

    def _compute(
        self,
        freq_inputs: list,
        block: int,
        state: Any,
        batch_size: Any,
        state_prefix: str = "state",
    ) -> tuple[list, list]:
        """(outputs, next states) of the windows of a block, two of each for a window."""
        n, dtype = self._num_units, freq_inputs[0].dtype.base_dtype
        rows = last_size(freq_inputs[0]) + 2 * n
        of_f = self._weights(rows, block, "f", dtype)
        holes_f = self._peepholes("freq", block, dtype)
        of_t, holes_t = of_f, holes_f
        if not self._share_time_frequency_weights:
            of_t = self._weights(rows, block, "t", dtype)
            holes_t = self._peepholes("time", block, dtype)
        c_f = array_ops.zeros(array_ops.stack([batch_size, n]), dtype)
        c_f.set_shape([freq_inputs[0].get_shape()[0], n])
        h_f = c_f
        outputs, states = [], []
        for k, window in enumerate(freq_inputs):
            c_t, h_t = self._own_state(state, state_prefix, k, block)
            joined = array_ops.concat([window, h_t, h_f], 1)
            count = 3 if self._couple_input_forget_gates else 4
            gates_f, gates_t = (
                array_ops.split(
                    nn_ops.bias_add(math_ops.matmul(joined, kernel), bias), count, 1
                )
                for kernel, bias in (of_f, of_t)
            )
            before = c_f, c_t
            c_f, o_f = self._next_memory(gates_f, c_f, holes_f, before)
            c_t, o_t = self._next_memory(gates_t, c_t, holes_t, before)
            if self._use_peepholes:
                o_f = o_f + holes_f["O"][0] * c_f + holes_f["O"][1] * c_t
                o_t = o_t + holes_t["O"][0] * c_f + holes_t["O"][1] * c_t
            h_f = math_ops.sigmoid(o_f) * math_ops.tanh(c_f)
            h_t = math_ops.sigmoid(o_t) * math_ops.tanh(c_t)
            states += [c_t, h_t]
            outputs += [h_t, h_f]
        return outputs, states

    def _own_state(self, state: Any, prefix: str, window: int, block: int) -> tuple:
        """(c, h) along time of a window."""
        if self._state_is_tuple:
            field = self._field(prefix, window, block)
            return getattr(state, f"{field}_c"), getattr(state, f"{field}_m")
        n = self._num_units
        first = sum(self._num_frequency_blocks[:block]) + window
        c = array_ops.slice(state, [0, 2 * first * n], [-1, n])
        return c, array_ops.slice(state, [0, (2 * first + 1) * n], [-1, n])


class BidirectionalGridLSTMCell(GridLSTMCell):
    """Two GridLSTMCells, one from low to high frequencies, one back.

    Args are GridLSTMCell's; states are tuples always.

    Args:
        backward_slice_offset: how far the windows of the way back are moved.
    """

    _prefixes = ("fwd_state", "bwd_state")
    _tuple_name = "BidirectionalGridLSTMStateTuple"

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: list[int] | None = None,
        start_freqindex_list: list[int] | None = None,
        end_freqindex_list: list[int] | None = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: bool | None = None,
    ):
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._backward_slice_offset = int(backward_slice_offset)

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(h of all windows forwards, then backwards; next state)."""
        outputs, states = [], []
        forwards = self._make_tf_features(inputs)
        backwards = self._make_tf_features(inputs, self._backward_slice_offset)
        turned = [windows[::-1] for windows in backwards]
        with initialized_by(self._initializer):
            for way, blocks in (("fwd", forwards), ("bwd", turned)):
                with vs.variable_scope(way):
                    for block, windows in enumerate(blocks):
                        own_outputs, own_states = self._compute(
                            windows, block, state, _batch(inputs), f"{way}_state"
                        )
                        outputs += own_outputs
                        states += own_states
        return array_ops.concat(outputs, 1), self._packed(states)
