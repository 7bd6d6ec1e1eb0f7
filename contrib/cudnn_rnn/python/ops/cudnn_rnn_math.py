# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers as cuDNN defines them, and the order of their weights in one vector.

A layer has for each gate a matrix of its inputs, W [units, inputs], one of the state, R [units, units], and a bias for
each.  The gates of an LSTM are i, f, c and o; of a GRU r, u and c, whose c = tanh(W x + bW + r (R h + bR)); the others
have one.  The vector has the matrices of all layers, each with W before R, then the biases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    gen_rnn_ops,
    math_ops,
    nn_ops,
    rnn,
)
from tensorwright.python.ops.rnn_cell_impl import RNNCell

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_partitioned import (
        PartitionedVariable,
    )


LSTM, GRU, RELU, TANH = "lstm", "gru", "rnn_relu", "rnn_tanh"
GATES = {LSTM: 4, GRU: 3, RELU: 1, TANH: 1}
UNIDIRECTION, BIDIRECTION = "unidirectional", "bidirectional"


class Layout(NamedTuple):
    """The sizes of a network."""

    mode: str
    num_layers: int
    num_units: int
    input_size: int
    num_dirs: int

    @property
    def weight_shapes(self) -> list[list[int]]:
        """The shapes of all matrices, layer by layer, direction by direction."""
        n, shapes = self.num_units, []
        for layer in range(self.num_layers):
            inputs = self.input_size if layer == 0 else n * self.num_dirs
            gates = GATES[self.mode]
            shapes += ([[n, inputs]] * gates + [[n, n]] * gates) * self.num_dirs
        return shapes

    @property
    def bias_shapes(self) -> list[list[int]]:
        """The shapes of all biases."""
        return [[self.num_units]] * len(self.weight_shapes)

    @property
    def size(self) -> int:
        """How many numbers the vector has."""
        shapes = self.weight_shapes + self.bias_shapes
        return int(sum(np.prod(shape) for shape in shapes))

    def split(
        self, params: TensorLike | PartitionedVariable | Sequence[TensorLike]
    ) -> tuple[list[ops.Tensor], list[ops.Tensor]]:
        """(matrices, biases) of the vector."""
        shapes = self.weight_shapes + self.bias_shapes
        sizes = [int(np.prod(shape)) for shape in shapes]
        params = array_ops.reshape(params, [self.size])
        parts = array_ops.split(params, sizes)
        parts = [array_ops.reshape(p, s) for p, s in zip(parts, shapes, strict=True)]
        count = len(self.weight_shapes)
        return parts[:count], parts[count:]

    def cells(
        self, weights: Sequence[TensorLike], biases: Sequence[TensorLike]
    ) -> list[tuple]:
        """(W, R, bW, bR), each a list with an entry for each gate, of each layer and direction."""
        gates = GATES[self.mode]
        found = []
        for first in range(0, len(weights), 2 * gates):
            middle, end = first + gates, first + 2 * gates
            found.append(
                (weights[first:middle], weights[middle:end], biases[first:middle], biases[middle:end])
            )  # fmt: skip
        return found


def join(weights: Sequence[TensorLike], biases: Sequence[TensorLike]) -> ops.Tensor:
    """The vector of matrices and biases."""
    return array_ops.concat(
        [array_ops.reshape(p, [-1]) for p in (*weights, *biases)], 0
    )


class _GivenCell(RNNCell):
    """A step of a GRU or a simple cell, whose inputs were multiplied by W before, from [batch, gates units]."""

    def __init__(self, mode: str, units: int, r: list[Any], bias: list[Any]):
        super().__init__()
        self._mode, self._units = mode, units
        self._r = array_ops.transpose(array_ops.concat(r, 0))
        self._bias = array_ops.concat(bias, 0)

    @property
    def state_size(self) -> int:
        return self._units

    @property
    def output_size(self) -> int:
        return self._units

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple:
        del scope
        of_state = nn_ops.bias_add(math_ops.matmul(state, self._r), self._bias)
        if self._mode != GRU:
            function = nn_ops.relu if self._mode == RELU else math_ops.tanh
            new = function(inputs + of_state)
            return new, new
        xr, xu, xc = array_ops.split(inputs, 3, 1)
        hr, hu, hc = array_ops.split(of_state, 3, 1)
        u = math_ops.sigmoid(xu + hu)
        candidate = math_ops.tanh(xc + math_ops.sigmoid(xr + hr) * hc)
        new = u * state + (1 - u) * candidate
        return new, new


def _lstm(x: ops.Tensor, h: Any, c: Any, cell: tuple) -> tuple:
    """(outputs, last h, last c); the op wants the gates as i, c, f, o."""
    order = (0, 2, 1, 3)
    w, r, bw, br = ([part[i] for i in order] for part in cell)
    kernel = array_ops.concat(
        [array_ops.transpose(array_ops.concat(p, 0)) for p in (w, r)], 0
    )
    peepholes = array_ops.zeros([r[0].get_shape()[0].value], x.dtype)
    steps = gen_rnn_ops.block_lstm(
        seq_len_max=math_ops.cast(array_ops.shape(x)[0], dtypes.int64),
        x=x,
        cs_prev=c,
        h_prev=h,
        w=kernel,
        wci=peepholes,
        wcf=peepholes,
        wco=peepholes,
        b=array_ops.concat(bw, 0) + array_ops.concat(br, 0),
        forget_bias=0.0,
        cell_clip=-1.0,
        use_peephole=False,
    )
    return steps.h, steps.h[-1], steps.cs[-1]


def _one_way(
    mode: str, x: ops.Tensor, h: Any, c: Any, cell: tuple, units: int
) -> tuple:
    """One direction of one layer: (outputs [time, batch, units], last h, last c or None)."""
    if mode == LSTM:
        return _lstm(x, h, c, cell)
    w, r, bw, br = cell
    kernel = array_ops.transpose(array_ops.concat(w, 0))
    shape = array_ops.shape(x)
    rows = array_ops.reshape(x, [-1, w[0].get_shape()[1].value])
    rows = nn_ops.bias_add(math_ops.matmul(rows, kernel), array_ops.concat(bw, 0))
    size = GATES[mode] * units
    projected = array_ops.reshape(rows, array_ops.stack([shape[0], shape[1], size]))
    projected.set_shape([*x.get_shape()[:2], size])
    outputs, last = rnn.dynamic_rnn(
        _GivenCell(mode, units, r, br), projected, initial_state=h, time_major=True
    )
    return outputs, last, None


def run(
    layout: Layout,
    x: ops.Tensor,
    h: ops.Tensor,
    c: ops.Tensor | None,
    weights: Sequence[TensorLike],
    biases: Sequence[TensorLike],
    dropout: float = 0.0,
    seed: int | None = None,
) -> tuple:
    """(outputs, last h, last c) of the whole network; c is None but for an LSTM.

    Args:
        layout: the sizes.
        x: [time, batch, inputs].
        h, c: [layers directions, batch, units].
        weights, biases: as `Layout` orders them.
        dropout: how many of a layer's outputs the next one gets as 0.
        seed: the seed of that.
    """
    cells = layout.cells(weights, biases)
    last_h, last_c = [], []
    for layer in range(layout.num_layers):
        if layer and dropout:
            own = None if seed is None else seed + layer
            x = nn_ops.dropout(x, keep_prob=1.0 - dropout, seed=own)
        found = []
        for way in range(layout.num_dirs):
            place = layer * layout.num_dirs + way
            inputs = array_ops.reverse(x, [0]) if way else x
            outputs, end_h, end_c = _one_way(
                layout.mode, inputs, h[place], None if c is None else c[place],
                cells[place], layout.num_units,
            )  # fmt: skip
            found.append(array_ops.reverse(outputs, [0]) if way else outputs)
            last_h.append(end_h)
            last_c.append(end_c)
        x = found[0] if len(found) == 1 else array_ops.concat(found, 2)
    states = array_ops.stack(last_h)
    return x, states, array_ops.stack(last_c) if layout.mode == LSTM else None
