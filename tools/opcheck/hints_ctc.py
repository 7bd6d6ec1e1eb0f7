# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of CTC: labels that fit into the time steps; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import BIG, HUGE, Drawer, hint

# [time, batch, classes].
_LARGE = {BIG: (40, 6, 101), HUGE: (100, 32, 1250)}


def _inputs(d: Drawer):
    shape = _LARGE.get(d.size) or (d.dim(1), d.dim(1), d.dim(2))
    return shape, d.values("T", shape, "normal")


def _row(d: Drawer, steps: int, classes: int, merge: bool, ignores: bool):
    """Labels that have an alignment with so many steps; or more, where these are left out.  One at least."""
    labels, needed = [], 0
    most = d.int(1, steps + (3 if ignores and d.chance(0.3) else 0))
    while True:
        label = d.int(0, classes - 2)
        needed += 1 + (merge and labels[-1:] == [label])
        if needed > most:
            break
        labels.append(label)
    if len(labels) < steps and d.chance(0.2):
        labels.append(classes - 1)  # A blank, which ends them.
    return labels


@hint("CTCLoss")
def _loss(d: Drawer):
    (time, batch, classes), inputs = _inputs(d)
    merge, ignores = d["ctc_merge_repeated"], d["ignore_longer_outputs_than_inputs"]
    lengths = [d.int(int(not ignores), time) for _ in range(batch)]
    rows = [_row(d, n, classes, merge, ignores) for n in lengths]
    indices = [[b, i] for b, row in enumerate(rows) for i in range(len(row))]
    return [
        inputs,
        d.array(sig.INT64, np.array(indices, np.int64).reshape(-1, 2)),
        d.array(sig.INT32, [label for row in rows for label in row]),
        d.array(sig.INT32, lengths),
    ]


@hint("CTCGreedyDecoder")
def _greedy(d: Drawer):
    (time, batch, classes), inputs = _inputs(d)
    d.attrs["blank_index"] = d.pick([-1, d.int(-classes, classes - 1)])
    return [inputs, d.ints(sig.INT32, [batch], 0, time)]


@hint("CTCBeamSearchDecoder")
def _beam_search(d: Drawer):
    (time, batch, classes), inputs = _inputs(d)
    # TensorFlow's search takes seconds for each sequence of a beam.
    d.attrs["beam_width"] = width = 1 if d.huge else d.int(1, 9)
    # One step has a sequence for each class, the empty one for the blank.
    d.attrs["top_paths"] = paths = d.int(1, min(width, classes, 4))
    return [inputs, d.ints(sig.INT32, [batch], int(paths > 1), time)]
