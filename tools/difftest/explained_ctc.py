# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of connectionist temporal classification."""

import numpy as np
import scipy.special

from tensorwright.tools.difftest.difference import GRADIENT, VALUE, Difference
from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.expected_ctc import loss
from tensorwright.tools.difftest.explanation import ours_is, upstream
from tensorwright.tools.difftest.records import death, gradient, refusal, value

_DECODERS = "CTCGreedyDecoder CTCBeamSearchDecoder"
_ROUNDING = "TensorFlow adds the logarithms of float64 with the functions of float32"


def _right(d):
    """Ours is the loss, or its gradient, as computed in float64.

    The gradient is the difference of two probabilities, which may be as good as equal: it rounds as they do.
    """
    losses, given, taken = loss(d)
    if d.kind == VALUE and d.output == 0:
        wanted, unit = losses, np.maximum(np.abs(losses), 0.1)
    else:
        up = 1.0 if d.kind == VALUE else np.float64(upstream(d.outputs[0][0]))[:, None]
        wanted, unit = (given - taken) * up, (given + taken) * np.abs(up)
    by = {"float32": 1e-5, "float64": 1e-9}[d.dtype]
    return (np.abs(d.here - wanted) <= by * unit + 1e-30) & np.isfinite(d.there)


def _adds_in_float32(d):
    """Logarithms of probabilities: sums, over all steps, that round as numbers of float32 do, on TensorFlow's side."""
    off = np.abs(d.here - d.there)
    return (off <= 2.0**-22 * (len(d.input(0)) + np.abs(d.there))) & (d.here <= 0)


def _rows_of_blanks(d):
    """bool [batch]: has a row no label, but for blanks?"""
    x, indices, values = (d.input(i) for i in range(3))
    if np.ndim(x) != 3 or np.ndim(indices) != 2 or len(indices) != len(values):
        return np.zeros(0, bool)
    labelled = indices[values < x.shape[2] - 1][:, 0]
    return ~np.isin(np.arange(x.shape[1]), labelled)


def _blanks_alone(d):
    return bool(_rows_of_blanks(d).any())


def _in_rows_of_blanks(d):
    rows = _rows_of_blanks(d)
    return rows if d.here.ndim == 1 else rows[:, None]


def _of_blanks(d):
    """The loss of rows of blanks, or its gradient."""
    x, lengths = d.wide(0), d.input(3)
    log_p = scipy.special.log_softmax(x, axis=-1)
    counts = np.arange(len(x))[:, None] < lengths
    if d.output == 0:
        return -(log_p[:, :, -1] * counts).sum(0)
    taken = np.eye(x.shape[2])[-1]
    return (np.exp(log_p) - taken) * counts[:, :, None]


def _labelled(*labels, logits=np.zeros([3, 1, 3])):
    """A call of one row and three classes."""
    indices = np.array([[0, i] for i in range(len(labels))], np.int64)
    return on(logits, indices.reshape(-1, 2), np.int32(labels), np.int32([3]))


def _rounded(off, dtype="float64", output=0, kind=VALUE, times=1.0):
    """A right result of ours, times a number, and one of TensorFlow's that is so far from the right one."""
    case = _labelled(0, logits=_LOGITS.astype(dtype))
    losses, given, taken = loss(Difference("CTCLoss", kind, case=case))
    outputs = [losses.astype(dtype), (given - taken).astype(dtype)]
    up = upstream(outputs[0])[:, None]
    right = outputs[1] * up if kind == GRADIENT else outputs[output]
    parts = {"dtype": dtype, "output": output, "kind": kind, "outputs": outputs}
    return seen(case, times * right, right + off * np.sign(right), **parts)


_LOGITS = np.log(np.array([[98.0, 1, 1], [1, 1, 98], [1, 1, 98]]))[:, None]
_NEGATIVE = "FailedPreconditionError: CTC<Greedy>Decoder: sequence_length(<0>) must be in [0, <9>], the number of time steps, got -<2>"
_OTHER_BATCH = "InvalidArgumentError: CTC<Greedy>Decoder: Dimensions must be equal, but are <2> and <5>"

# fmt: off
TABLE = [
    value("CTCLoss", _ROUNDING, "float64", (0, 1), where=_right, bound=2e-05,
        true=[_rounded(1e-07), _rounded(1e-08, output=1)],
        wrong=[_rounded(0.0001), _rounded(1e-07, times=1 + 1e-07), _rounded(1e-08, output=1, times=0.0),
            _rounded(1e-08, output=1, times=200.0), _rounded(0.0, "float32", times=1.001)]),
    value("CTCLoss", "the gradient is the difference of two probabilities, which both round to float32", "float32", 1,
        where=_right, bound=2e-06, true=[_rounded(1e-06, "float32", 1)],
        wrong=[_rounded(0.0001, "float32", 1), _rounded(1e-06, "float32", 1, times=0.0),
            _rounded(1e-06, "float32", 1, times=1.001)]),
    gradient("CTCLoss", _ROUNDING, "float64", 0, where=_right, bound=5e-05, true=[_rounded(1e-07, kind=GRADIENT)],
        wrong=[_rounded(0.001, kind=GRADIENT), _rounded(1e-07, kind=GRADIENT, times=0.0),
            _rounded(1e-07, kind=GRADIENT, times=200.0)]),
    value("CTCBeamSearchDecoder", _ROUNDING, "float64", (3, 6, 9, 12), where=_adds_in_float32, bound=2e-05,
        true=[seen(on(_LOGITS, [3]), [-0.76063505], [-0.76063502])],
        wrong=[but(ours=[-0.7606], theirs=[-0.7607]), but(ours=[-np.inf]), but(theirs=[-0.760645])]),
    refusal("CTCLoss", "TensorFlow refuses a row without labels, whose probability is that of blanks",
        theirs="InvalidArgumentError: Labels length is zero in batch <0>", when=_blanks_alone, true=[_labelled()],
        wrong=[_labelled(1), but(theirs="InvalidArgumentError: batch_size must not be 0")]),
    death("CTCLoss", "TensorFlow reads beyond the states of a row that has blanks alone",
        theirs="Died: SIG<ABRT|SEGV~ABRT>", when=_blanks_alone, true=[_labelled(2)], wrong=[_labelled(1)]),
    value("CTCLoss", "TensorFlow reads beyond the states of a row that has blanks alone", "float32 float64", (0, 1),
        ours_is(_of_blanks, 1e-05), where=_in_rows_of_blanks, gives="the probability of blanks", when=_blanks_alone,
        true=[seen(_labelled(2), [3.2958369], [4.7])], wrong=[but(ours=[3.2]), _labelled(1, 2)]),
    refusal(_DECODERS, "a sequence has no negative length; TensorFlow takes it for 0", ours=_NEGATIVE,
        wrong=[but(ours=_NEGATIVE.replace("-<2>", "12")), call("CTCLoss")]),
    refusal(_DECODERS, "our shape function finds it, and its errors are InvalidArgument", ours=_OTHER_BATCH,
        theirs="FailedPreconditionError: len(sequence_length) != batch_size",
        wrong=[but(theirs="FailedPreconditionError: CTCGreedyDecoder: sequence_length(0) must be in [0, 9]")]),
    refusal("CTCBeamSearchDecoder", "the length of a sequence comes first where two things are wrong", ours=_NEGATIVE,
        theirs="InvalidArgumentError: <Less leaves|requested more paths~Less leaves>",
        wrong=[but(ours="InvalidArgumentError: CTCGreedyDecoder: Dimensions must be equal, but are 2 and 5")]),
]
