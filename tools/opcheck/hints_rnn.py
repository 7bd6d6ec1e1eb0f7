# SPDX-License-Identifier: Apache-2.0
"""Valid calls of recurrent cells; see draws.hint."""

from __future__ import annotations

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import BIG, HUGE, Drawer, hint

# [time, batch, inputs, cell].
_LARGE = {BIG: (3, 160, 40, 144), HUGE: (20, 64, 200, 256)}

_KEPT = "there for the gradient, which does not count it, as in TensorFlow"
for _op in ("LSTMBlockCell", "BlockLSTM", "BlockLSTMV2"):
    for _index in (0, 2, 3, 4, 5):
        allowed.allow(allowed.OUTPUT, _op, _KEPT, of=str(_index))
for _index in (0, 1, 2):
    allowed.allow(allowed.OUTPUT, "GRUBlockCell", _KEPT, of=str(_index))


def _sizes(d: Drawer) -> tuple[int, int, int, int]:
    return _LARGE.get(d.size) or (d.int(1, 4), d.dim(1), d.dim(), d.dim(1))


def _lstm(d: Drawer, batch: int, inputs: int, cell: int) -> list:
    """cs_prev, h_prev, w, wci, wcf, wco, b."""
    if "cell_clip" in d.attrs:
        # A clipped cs has no slope, but the gradient is computed as if it had: so nothing is clipped.
        d.attrs["cell_clip"] = d.pick([0.0, -1.0, 50.0])
    shapes = [
        [batch, cell], [batch, cell], [inputs + cell, 4 * cell],
        [cell], [cell], [cell], [4 * cell],
    ]  # fmt: skip
    return [d.values("T", s, "unit") for s in shapes]


def _states(d: Drawer, shape: list[int], count: int) -> list:
    return [d.values("T", shape, "unit") for _ in range(count)]


@hint("LSTMBlockCell")
def _cell(d: Drawer):
    _, batch, inputs, cell = _sizes(d)
    return [d.values("T", [batch, inputs], "unit"), *_lstm(d, batch, inputs, cell)]


@hint("LSTMBlockCellGrad")
def _cell_grad(d: Drawer):
    _, batch, inputs, cell = _sizes(d)
    x = d.values("T", [batch, inputs], "unit")
    return [x, *_lstm(d, batch, inputs, cell), *_states(d, [batch, cell], 8)]


@hint("BlockLSTM", "BlockLSTMV2")
def _sequence(d: Drawer):
    time, batch, inputs, cell = _sizes(d)
    length = time if d.large else d.int(1, time)
    x = d.values("T", [time, batch, inputs], "unit")
    return [d.array(sig.INT64, length), x, *_lstm(d, batch, inputs, cell)]


@hint("BlockLSTMGrad", "BlockLSTMGradV2")
def _sequence_grad(d: Drawer):
    time, batch, inputs, cell = _sizes(d)
    length = time if d.large else d.int(1, time)
    x = d.values("T", [time, batch, inputs], "unit")
    return [
        d.array(sig.INT64, length), x, *_lstm(d, batch, inputs, cell),
        *_states(d, [time, batch, cell], 9),
    ]  # fmt: skip


def _gru(d: Drawer) -> tuple[list, list[int]]:
    _, batch, inputs, cell = _sizes(d)
    rows = inputs + cell
    shapes = [
        [batch, inputs], [batch, cell], [rows, 2 * cell], [rows, cell], [2 * cell], [cell],
    ]  # fmt: skip
    return [d.values("T", s, "unit") for s in shapes], [batch, cell]


@hint("GRUBlockCell")
def _gru_cell(d: Drawer):
    return _gru(d)[0]


@hint("GRUBlockCellGrad")
def _gru_cell_grad(d: Drawer):
    inputs, state = _gru(d)
    return [*inputs, *_states(d, state, 4)]
