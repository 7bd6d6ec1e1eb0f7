# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of connectionist temporal classification."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    PEER_DIED,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.expected_ctc import loss
from tensorwright.tools.difftest.explanation import (
    Explanation,
    both,
    call,
    gave,
    ours_is,
    refused,
    upstream,
)

_DECODERS = "CTCGreedyDecoder CTCBeamSearchDecoder"
_ROUNDING = "TensorFlow adds the logarithms of float64 with the functions of float32"


# How far ours may be from the formula, of what is added and subtracted there.
_OURS = {"float32": 1e-5, "float64": 1e-9}


def _right_loss(d: Difference) -> Any:
    """Elements where ours is the loss, or its gradient, as computed in float64.

    The gradient is the difference of two probabilities, which may be as good as equal: it rounds as they do.
    """
    assert d.arrays is not None
    losses, given, taken = loss(d)
    by = _OURS[d.dtype]
    if d.kind == VALUE and d.output == 0:
        wanted, unit = losses, np.maximum(np.abs(losses), 0.1)
    else:
        wanted, unit = given - taken, given + taken
        if d.kind == GRADIENT:
            up = upstream(d.outputs[0][0]).astype(np.float64)[:, None]
            wanted, unit = wanted * up, unit * np.abs(up)
    with np.errstate(all="ignore"):
        right = np.abs(d.arrays.ours - wanted) <= by * unit + 1e-30
    return right[d.arrays.far] & np.isfinite(d.arrays.b)


def _adds_in_float32(d: Difference) -> Any:
    """Logarithms of probabilities: sums, over all steps, that round as numbers of float32 do, on TensorFlow's side."""
    assert d.arrays is not None
    a, b = d.arrays.a, d.arrays.b
    steps = d.input(0).shape[0]
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= 2.0**-22 * (steps + np.abs(b))
    return near & (a <= 0)


def _rows_of_blanks(d: Difference) -> np.ndarray:
    """bool [batch]: has a row no label, but for blanks?"""
    x, indices, values = (d.input(i) for i in range(3))
    if np.ndim(x) != 3 or np.ndim(indices) != 2 or len(indices) != len(values):
        return np.zeros(0, bool)
    labelled = indices[values < x.shape[2] - 1][:, 0]
    return ~np.isin(np.arange(x.shape[1]), labelled)


def _blanks_alone(d: Difference) -> bool:
    return bool(_rows_of_blanks(d).any())


def _in_rows_of_blanks(d: Difference) -> Any:
    assert d.arrays is not None and d.arrays.ours is not None
    rows = _rows_of_blanks(d)
    shape = d.arrays.ours.shape
    where = rows if len(shape) == 1 else rows[:, None]
    return np.broadcast_to(where, shape)[d.arrays.far]


def _of_blanks(d: Difference) -> Any:
    """The loss of rows of blanks, or its gradient."""
    x, lengths = np.float64(d.input(0)), d.input(3)
    log_p = scipy.special.log_softmax(x, axis=-1)
    counts = np.arange(len(x))[:, None] < lengths
    if d.output == 0:
        return -(log_p[:, :, -1] * counts).sum(0)
    gradient = np.exp(log_p)
    gradient[:, :, -1] -= 1
    return gradient * counts[:, :, None]


def _loss(*labels: int) -> Any:
    """A call of one row and three classes."""
    indices = np.array([[0, i] for i in range(len(labels))], np.int64)
    x = np.zeros([3, 1, 3])
    return call("CTCLoss", x, indices.reshape(-1, 2), np.int32(labels), np.int32([3]))


_LOGITS = np.log(np.array([[98.0, 1, 1], [1, 1, 98], [1, 1, 98]]))[:, None]


def _rounded(
    off: float, dtype: str = "float64", output: int = 0, kind: str = VALUE,
    times: float = 1.0,
) -> Difference:  # fmt: skip
    """A right result of ours, times a number, and one of TensorFlow's that is so far from the right one."""
    case = call(
        "CTCLoss", _LOGITS.astype(dtype), np.int64([[0, 0]]), np.int32([0]), [3]
    )
    losses, given, taken = loss(Difference("CTCLoss", kind, case=case))
    outputs = [losses.astype(dtype), (given - taken).astype(dtype)]
    right = outputs[output]
    if kind == GRADIENT:
        right = outputs[1] * upstream(outputs[0])[:, None]
    theirs = right + off * np.sign(right)
    return gave(
        case, times * right, theirs, dtype, output, kind, outputs=(outputs, outputs)
    )


def _searched(ours: float, theirs: float) -> Difference:
    case = call("CTCBeamSearchDecoder", _LOGITS, np.int32([3]))
    return gave(case, [ours], [theirs], "float64", 3)


_NEGATIVE = (
    "FailedPreconditionError: CTCGreedyDecoder: sequence_length(0) must be in [0, 9], "
    "the number of time steps, got -2"
)
_OTHER_BATCH = (
    "InvalidArgumentError: CTCGreedyDecoder: Dimensions must be equal, but are 2 and 5"
)
_THEIR_BATCH = "FailedPreconditionError: len(sequence_length) != batch_size.  len(sequence_length):  5 batch_size: 2"
_FEW = "InvalidArgumentError: Less leaves in the beam search than requested."

TABLE: list[Explanation] = [
    Explanation(
        "CTCLoss",
        VALUE,
        _ROUNDING,
        dtypes="float64",
        outputs=(0, 1),
        elements=_right_loss,
        bound=2e-5,
        true=[_rounded(1e-7), _rounded(1e-8, output=1)],
        wrong=[
            _rounded(1e-4),
            _rounded(1e-7, times=1 + 1e-7),
            _rounded(1e-8, output=1, times=0.0),
            _rounded(1e-8, output=1, times=200.0),
            _rounded(0.0, "float32", times=1.001),
        ],
    ),
    Explanation(
        "CTCLoss",
        VALUE,
        "the gradient is the difference of two probabilities, which both round to float32",
        dtypes="float32",
        outputs=(1,),
        elements=_right_loss,
        bound=2e-6,
        true=[_rounded(1e-6, "float32", 1)],
        wrong=[
            _rounded(1e-4, "float32", 1),
            _rounded(1e-6, "float32", 1, times=0.0),
            _rounded(1e-6, "float32", 1, times=1.001),
        ],
    ),
    Explanation(
        "CTCLoss",
        GRADIENT,
        _ROUNDING,
        dtypes="float64",
        outputs=(0,),
        elements=_right_loss,
        bound=5e-5,
        true=[_rounded(1e-7, kind=GRADIENT)],
        wrong=[
            _rounded(1e-3, kind=GRADIENT),
            _rounded(1e-7, kind=GRADIENT, times=0.0),
            _rounded(1e-7, kind=GRADIENT, times=200.0),
        ],
    ),
    Explanation(
        "CTCBeamSearchDecoder",
        VALUE,
        _ROUNDING,
        dtypes="float64",
        outputs=(3, 6, 9, 12),
        elements=_adds_in_float32,
        bound=2e-5,
        true=[_searched(-0.76063505, -0.76063502)],
        wrong=[
            _searched(-0.7606, -0.7607),
            _searched(-np.inf, -0.7607),
            _searched(-0.760635, -0.760645),
        ],
    ),
    Explanation(
        "CTCLoss",
        REFUSAL,
        "TensorFlow refuses a row without labels, whose probability is that of blanks",
        theirs=r"InvalidArgumentError: Labels length is zero in batch \d+",
        when=_blanks_alone,
        true=[
            refused(
                _loss(), theirs="InvalidArgumentError: Labels length is zero in batch 0"
            )
        ],
        wrong=[
            refused(
                _loss(1),
                theirs="InvalidArgumentError: Labels length is zero in batch 0",
            ),
            refused(_loss(), theirs="InvalidArgumentError: batch_size must not be 0"),
        ],
    ),
    Explanation(
        "CTCLoss",
        PEER_DIED,
        "TensorFlow reads beyond the states of a row that has blanks alone",
        theirs="Died: SIG(ABRT|SEGV)",
        when=_blanks_alone,
        true=[refused(_loss(2), theirs="Died: SIGABRT", kind=PEER_DIED)],
        wrong=[refused(_loss(1), theirs="Died: SIGABRT", kind=PEER_DIED)],
    ),
    Explanation(
        "CTCLoss",
        VALUE,
        "TensorFlow reads beyond the states of a row that has blanks alone",
        dtypes="float32 float64",
        outputs=(0, 1),
        elements=both(_in_rows_of_blanks, ours_is(_of_blanks, 1e-5)),
        when=_blanks_alone,
        bound=np.inf,
        true=[gave(_loss(2), [3.2958369], [4.7])],
        wrong=[
            gave(_loss(2), [3.2], [4.7]),
            gave(_loss(1, 2), [3.2958369], [4.7]),
        ],
    ),
    Explanation(
        _DECODERS,
        REFUSAL,
        "a sequence has no negative length; TensorFlow takes it for none",
        ours=r"FailedPreconditionError: CTC\w+Decoder: sequence_length\(\d+\) must be in \[0, \d+\], the number of time steps, got -\d+",
        true=[refused("CTCGreedyDecoder", _NEGATIVE)],
        wrong=[
            refused("CTCGreedyDecoder", _NEGATIVE.replace("-2", "12")),
            refused("CTCLoss", _NEGATIVE),
        ],
    ),
    Explanation(
        _DECODERS,
        ERROR_CLASS,
        "the shape function finds it, whose errors are InvalidArgument",
        ours=r"InvalidArgumentError: CTC\w+Decoder: Dimensions must be equal, but are \d+ and \d+",
        theirs=r"FailedPreconditionError: len\(sequence_length\) != batch_size",
        true=[refused("CTCGreedyDecoder", _OTHER_BATCH, _THEIR_BATCH)],
        wrong=[refused("CTCGreedyDecoder", _OTHER_BATCH, _NEGATIVE)],
    ),
    Explanation(
        "CTCBeamSearchDecoder",
        ERROR_CLASS,
        "of two things that are wrong, the length of a sequence comes first",
        ours=r"FailedPreconditionError: CTC\w+Decoder: sequence_length\(\d+\) must be in \[0, \d+\], the number of time steps, got -\d+",
        theirs=r"InvalidArgumentError: (Less leaves|requested more paths)",
        true=[refused("CTCBeamSearchDecoder", _NEGATIVE, _FEW)],
        wrong=[refused("CTCBeamSearchDecoder", _OTHER_BATCH, _FEW)],
    ),
]
