# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of recurrent cells."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import (
    GRADIENT,
    GRADIENT_ERROR,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    Explanation,
    call,
    gave,
    ours_is,
    refused,
    upstreams,
)

_SEQUENCES = "BlockLSTM BlockLSTMV2"


def _after_the_end(d: Difference) -> Any:
    """Elements of steps from seq_len_max on, which are 0."""
    assert d.arrays is not None and d.arrays.ours is not None
    steps = np.arange(len(d.arrays.ours)) >= int(d.input(0))
    after = np.broadcast_to(steps[:, None, None], d.arrays.ours.shape)
    return after[d.arrays.far] & (d.arrays.a == 0)


def _computed(d: Difference) -> Any:
    """Elements of the steps before seq_len_max that ours has not left 0."""
    assert d.arrays is not None and d.arrays.ours is not None
    steps = np.arange(len(d.arrays.ours)) < int(d.input(0))
    before = np.broadcast_to(steps[:, None, None], d.arrays.ours.shape)
    return before[d.arrays.far] & (d.arrays.a != 0)


def _gradients(inputs: list[Any], outputs: list[Any], given: list[Any]) -> list[Any]:
    """Of BlockLSTMV2 by all its inputs but the first, for gradients of all its outputs."""
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


def _v2_gradient(d: Difference) -> Any:
    inputs = [np.asarray(d.input(k)) for k in range(9)]
    peep = bool(d.case.attrs.get("use_peephole"))  # type: ignore[union-attr]
    if not peep:
        inputs[5:8] = [np.zeros_like(a) for a in inputs[5:8]]
    outputs = d.outputs[0]
    with np.errstate(all="ignore"):
        found = _gradients(inputs, outputs, upstreams(outputs))[d.output]
    return found if peep or d.output not in (4, 5, 6) else 0 * found


@functools.cache
def _example() -> tuple[Any, list[Any], list[Any]]:
    """A call of BlockLSTMV2 of one step, its outputs, and its gradients."""
    half, weights = np.full([1, 1], 0.5, np.float32), np.full([2, 4], 0.5, np.float32)
    vector = np.zeros(1, np.float32)
    inputs = [
        np.int64(1), half[None], half, half, weights, vector, vector, vector,
        np.zeros(4, np.float32),
    ]  # fmt: skip
    gate = np.float32(1 / (1 + np.exp(-0.5)))
    ci = np.tanh(np.float32(0.5))
    cs = ci * gate + np.float32(0.5) * gate
    co = np.tanh(cs)
    outputs = [
        np.full([1, 1, 1], v, np.float32)
        for v in (gate, cs, gate, gate, ci, co, co * gate)
    ]
    gradients = _gradients(inputs, outputs, upstreams(outputs))
    return call("BlockLSTMV2", *inputs, use_peephole=True), outputs, gradients


def _weights(ours: float, theirs: float) -> Difference:
    case, outputs, gradients = _example()
    return gave(
        case, ours * gradients[3], theirs * gradients[3],
        output=3, kind=GRADIENT, outputs=(outputs, outputs),
    )  # fmt: skip


def _sequence(steps: int) -> Any:
    return call("BlockLSTM", np.int64(steps))


def _no_gradient(op: str) -> Difference:
    return refused(
        op,
        theirs=f"LookupError: No gradient defined for operation'op' (op type: {op}). In general every",
        kind=GRADIENT_ERROR,
    )


_UNEQUAL = (
    "InvalidArgumentError: LSTMBlockCell: Dimensions must be equal, but are 7 and 8"
)

TABLE: list[Explanation] = [
    Explanation(
        _SEQUENCES,
        VALUE,
        "what follows seq_len_max is 0; TensorFlow leaves all but cs and h as they lie in memory",
        dtypes="float16 float32",
        outputs=(0, 2, 3, 4, 5),
        elements=_after_the_end,
        bound=np.inf,
        true=[gave(_sequence(1), [[[0.5]], [[0]]], [[[0.5]], [[7]]])],
        wrong=[
            gave(_sequence(1), [[[0.5]], [[0]]], [[[0.7]], [[7]]]),
            gave(_sequence(1), [[[0.5]], [[1]]], [[[0.5]], [[7]]]),
            gave(_sequence(1), [[[0.5]], [[0]]], [[[0.5]], [[7]]], output=6),
        ],
    ),
    Explanation(
        _SEQUENCES,
        VALUE,
        "TensorFlow rounds a step's sums to half before the gates, ours after them",
        dtypes="float16",
        outputs=tuple(range(7)),
        elements=_computed,
        bound=4e-3,
        true=[
            gave(_sequence(1), [[[0.1615]]], [[[0.1606]]], dtype="float16", output=4)
        ],
        wrong=[
            gave(_sequence(1), [[[0.1815]]], [[[0.1606]]], dtype="float16", output=4),
            gave(_sequence(1), [[[0.0]]], [[[0.003]]], dtype="float16", output=4),
            gave(_sequence(0), [[[0.1615]]], [[[0.1606]]], dtype="float16", output=4),
        ],
    ),
    Explanation(
        "BlockLSTMV2",
        GRADIENT,
        "TensorFlow gives it the gradient of BlockLSTM, whose gates stand in another order",
        dtypes="float16 float32",
        outputs=tuple(range(8)),
        elements=ours_is(_v2_gradient, 2e-2),
        bound=np.inf,
        true=[_weights(1, -1)],
        wrong=[_weights(-1, 1), _weights(2, -1)],
    ),
    Explanation(
        "LSTMBlockCell GRUBlockCell",
        GRADIENT_ERROR,
        "their gradients were tf.contrib.rnn's",
        theirs=r"LookupError: No gradient defined for operation'op' \(op type: ",
        when=lambda d: f"(op type: {d.op})" in d.theirs,
        true=[_no_gradient("GRUBlockCell")],
        wrong=[_no_gradient("BlockLSTM")],
    ),
    Explanation(
        f"LSTMBlockCell LSTMBlockCellGrad BlockLSTMGrad BlockLSTMGradV2 {_SEQUENCES}",
        REFUSAL,
        "weights of peepholes and gradients have the sizes of what they belong to, which TensorFlow does not ask",
        ours=r"InvalidArgumentError: \w+: (Dimensions must be equal, but are |Dimension \d+ in both shapes must be equal|Shapes must be equal rank)",
        true=[refused("LSTMBlockCell", _UNEQUAL)],
        wrong=[
            refused("GRUBlockCell", _UNEQUAL),
            refused("LSTMBlockCell", "InvalidArgumentError: LSTMBlockCell: no"),
            refused("LSTMBlockCell", _UNEQUAL, "InternalError: something else"),
        ],
    ),
]
