# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of recurrent cells and of sequences that they run over."""

import numpy as np

from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import ours_is, upstreams
from tensorwright.tools.difftest.records import gradient, refusal, value

_SEQUENCES = "BlockLSTM BlockLSTMV2"


def _ended(d):
    """Steps from seq_len_max on."""
    return (np.arange(len(d.here)) >= int(d.input(0)))[:, None, None]


def _gradients(inputs, outputs):
    """BlockLSTMV2's gradients by all its inputs but the first, for gradients of all its outputs."""
    given = upstreams(outputs)
    steps = int(inputs[0])
    x, cs_prev, h_prev, w, wci, wcf, wco, b = (np.float64(a) for a in inputs[1:])
    i, cs, f, o, ci, co, h = (np.float64(a[:steps]) for a in outputs)
    found = [np.zeros_like(a) for a in (x, cs_prev, h_prev, w, wci, wcf, wco, b)]
    dcs, dh = np.zeros_like(cs_prev), np.zeros_like(h_prev)
    for t in reversed(range(steps)):
        c, last_h = (cs[t - 1], h[t - 1]) if t else (cs_prev, h_prev)
        dh = dh + given[6][t]
        d_o = o[t] * (1 - o[t]) * dh * co[t]
        dcs = dcs + given[1][t] + (1 - co[t] ** 2) * dh * o[t] + d_o * wco
        d_ci = (1 - ci[t] ** 2) * dcs * i[t]
        d_f = f[t] * (1 - f[t]) * dcs * c
        d_i = i[t] * (1 - i[t]) * dcs * ci[t]
        gates = np.concatenate([d_i, d_f, d_ci, d_o], 1)
        both = gates @ w.T
        found[0][t], dh = both[:, : x.shape[2]], both[:, x.shape[2] :]
        dcs = dcs * f[t] + d_i * wci + d_f * wcf
        found[3] += np.concatenate([x[t], last_h], 1).T @ gates
        for k, term in zip((4, 5, 6), (d_i * c, d_f * c, d_o * cs[t])):
            found[k] += term.sum(0)
        found[7] += gates.sum(0)
    found[1], found[2] = dcs, dh
    return found


def _of_sequence(d):
    inputs = [np.asarray(d.input(k)) for k in range(9)]
    peep = bool(d.attrs.get("use_peephole"))
    if not peep:
        inputs[5:8] = [np.zeros_like(a) for a in inputs[5:8]]
    found = _gradients(inputs, d.outputs[0])[d.output]
    return found if peep or d.output not in (4, 5, 6) else 0 * found


def _one_step():
    """The inputs of a BlockLSTMV2 of one step, and its outputs."""
    half, gate = np.full([1, 1], 0.5, np.float32), np.float32(1 / (1 + np.exp(-0.5)))
    ci = np.tanh(np.float32(0.5))
    cs = ci * gate + np.float32(0.5) * gate
    co = np.tanh(cs)
    outputs = [np.float32([[[v]]]) for v in (gate, cs, gate, gate, ci, co, co * gate)]
    weights, zeros = np.full([2, 4], 0.5, np.float32), np.zeros(4, np.float32)
    inputs = half[None], half, half, weights, *[zeros[:1]] * 3, zeros
    return [np.int64(1), *inputs], outputs


_INPUTS, _OUTPUTS = _one_step()
_OF_WEIGHTS = _gradients(_INPUTS, _OUTPUTS)[3]

# fmt: off
TABLE = [
    value(_SEQUENCES, "TensorFlow does not write what follows seq_len_max, but for cs and h", "float16 float32",
        (0, 2, 3, 4, 5), where=lambda d: _ended(d) & (d.here == 0), gives="0 after seq_len_max",
        there="what lies in memory", true=[seen(on(np.int64(1)), [[[0.5]], [[0]]], [[[0.5]], [[7]]])],
        wrong=[but(theirs=[[[0.7]], [[7]]]), but(ours=[[[0.5]], [[1]]]), but(output=6)]),
    value(_SEQUENCES, "TensorFlow rounds a step's sums to half before the gates, ours after them", "float16", range(7),
        where=lambda d: ~_ended(d) & (d.here != 0), bound=0.004,
        true=[seen(on(np.int64(1)), [[[0.1615]]], [[[0.1606]]], output=4)],
        wrong=[but(ours=[[[0.1815]]]), but(ours=[[[0.0]]], theirs=[[[0.003]]]), on(np.int64(0))]),
    gradient("BlockLSTMV2", "TensorFlow gives it the gradient of BlockLSTM, whose gates stand in another order",
        "float16 float32", range(8), ours_is(_of_sequence, 0.02), gives="of its own order of gates",
        true=[seen(on(*_INPUTS, use_peephole=True), _OF_WEIGHTS, -_OF_WEIGHTS, output=3, outputs=_OUTPUTS)],
        wrong=[but(ours=-_OF_WEIGHTS, theirs=_OF_WEIGHTS), but(ours=2 * _OF_WEIGHTS)]),
    refusal(f"LSTMBlockCell LSTMBlockCellGrad BlockLSTMGrad BlockLSTMGradV2 {_SEQUENCES}",
        "peepholes and gradients have the sizes of the arrays that they belong to, which TensorFlow does not check",
        ours=r"InvalidArgumentError: <LSTMBlockCell>: <Dimensions must be equal, but are |Dimension \d+ in both shapes must be equal|Shapes must be equal rank~Dimensions must be equal, but are >",
        wrong=[call("GRUBlockCell"), but(ours="InvalidArgumentError: LSTMBlockCell: no"),
            but(theirs="InternalError: something else", kind="error class")]),
    refusal(f"LSTMBlockCell {_SEQUENCES}", "without use_peephole no peepholes are read",
        theirs="InvalidArgumentError: <wc[ifo]~wco>.dim_size(0) != cell_size: <0> vs. <3>",
        when=lambda d: not d.attrs["use_peephole"], true=[on(use_peephole=False)], wrong=[on(use_peephole=True)]),
]
