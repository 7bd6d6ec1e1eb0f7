# SPDX-License-Identifier: Apache-2.0
"""The loss of connectionist temporal classification in NumPy, in float64, with which its explanations compare ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from tensorwright.tools.difftest.difference import Difference


def _labels(d: Difference, row: int) -> list[int]:
    """The labels of a row, less the blanks and, where it is asked for, less those that repeat the one before."""
    indices, values = d.input(1), d.input(2)
    found = values[indices[:, 0] == row].tolist()
    blank = d.input(0).shape[2] - 1
    if d.attrs.get("preprocess_collapse_repeated"):
        pairs = zip(found, [None, *found])
        found = [x for x, before in pairs if x != before]
    return [x for x in found if x < blank]


def _along(log_p: np.ndarray, states: list[int], merge: bool) -> np.ndarray:
    """[time, state]: the logarithm of the probability of all paths to a state at a time, that time included.

    Without `merge`, a label that comes twice is two: no step stays at one, and equal ones need no blank between them.
    """
    blank, n = log_p.shape[1] - 1, len(states)
    # Blanks between two labels may be left out, but between equal ones.
    skips = np.zeros(n, bool)
    for s in range(2, n):
        different = states[s] != states[s - 2] or not merge
        skips[s] = states[s] != blank and different
    found = np.full([len(log_p), n], -np.inf)
    found[0, :2] = log_p[0, states[:2]]
    for t in range(1, len(log_p)):
        last = found[t - 1]
        stays = np.where(merge | (np.array(states) == blank), last, -np.inf)
        one = np.concatenate([[-np.inf], last[:-1]])
        two = np.where(skips, np.concatenate([[-np.inf] * 2, last])[:n], -np.inf)
        found[t] = np.logaddexp(np.logaddexp(stays, one), two) + log_p[t, states]
    return found


def _of_row(log_p: np.ndarray, labels: list[int], merge: bool) -> Any:
    """(the loss, its gradient by the logits less the probabilities) of the steps that count."""
    blank = log_p.shape[1] - 1
    states = [blank]
    for label in labels:
        states += [label, blank]
    ahead = _along(log_p, states, merge)
    back = _along(log_p[::-1], states[::-1], merge)[::-1, ::-1] - log_p[:, states]
    total = np.logaddexp.reduce(ahead[-1, -2:])
    taken = np.zeros_like(log_p)
    for s, label in enumerate(states):
        taken[:, label] += np.exp(ahead[:, s] + back[:, s] - total)
    return -total, taken


def loss(d: Difference) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns (the losses, the probabilities, the labels' share of them): the gradient is the latter's difference."""
    x, lengths = np.asarray(d.input(0), np.float64), d.input(3)
    log_p = scipy.special.log_softmax(x, axis=-1)
    losses = np.zeros(x.shape[1])
    given, taken = np.zeros_like(x), np.zeros_like(x)
    with np.errstate(all="ignore"):
        for row, n in enumerate(lengths.tolist()):
            labels = _labels(d, row)
            longer = (d.input(1)[:, 0] == row).sum() > n
            if n == 0 or longer and d.attrs.get("ignore_longer_outputs_than_inputs"):
                continue
            merge = d.attrs.get("ctc_merge_repeated", True)
            losses[row], taken[:n, row] = _of_row(log_p[:n, row], labels, merge)
            given[:n, row] = np.exp(log_p[:n, row])
    return losses, given, taken
