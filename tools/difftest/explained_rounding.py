# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, where a rounding, or chance, decides about what follows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    PEER_DIED,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.expected_truncated import truncated
from tensorwright.tools.difftest.explanation import (
    Explanation,
    call,
    gave,
    ours_is,
    refused,
)
from tensorwright.tools.opcheck import signature as sig

# A number that is nearer than this to the middle of two codes: of float32, whose 24 bits hold codes of 16.
_MIDDLE = 2.0**-6


def _fake_range(d: Difference) -> list[Any]:
    """The lowest and the highest number that have codes, and how far two of them are apart."""
    if d.op == "FakeQuantWithMinMaxArgs":
        ends = [d.attrs["min"], d.attrs["max"]]
    else:
        ends = [d.input(1), d.input(2)]
    low, high = (np.asarray(e, np.float32) for e in ends)
    first, last = int(d.attrs["narrow_range"]), (1 << d.attrs["num_bits"]) - 1
    step = (high - low) / np.float32(last - first)
    zero = np.clip(np.round(first - low / step), first, last)
    wide = (np.asarray(v, np.float64) for v in (first - zero, last - zero, step))
    lowest, highest, step = wide
    return [lowest * step, highest * step, step]


def _at_a_middle(d: Difference) -> np.ndarray:
    """Elements in the middle of two numbers that have codes, of which ours is one."""
    arrays = d.arrays
    assert arrays is not None and arrays.ours is not None
    with np.errstate(all="ignore"):
        x = np.asarray(d.input(0), np.float64)
        low, high, step = (
            np.broadcast_to(v, x.shape)[arrays.far] for v in _fake_range(d)
        )
        codes = (np.clip(x[arrays.far], low, high) - low) / step
        below = np.floor(codes)
        middle = np.abs(codes - below - 0.5) < _MIDDLE
        tolerance = compare.TOLERANCE[sig.FLOAT]
        one = [
            compare.close(arrays.a, low + (below + k) * step, tolerance) for k in (0, 1)
        ]
    return middle & (one[0] | one[1])


def _fake(x: float, ours: float, theirs: float) -> Difference:
    """In [0, 255], whose codes are its whole numbers."""
    ends = np.float32([0]), np.float32([255])
    op = "FakeQuantWithMinMaxVarsPerChannel"
    case = call(op, np.float32([x]), *ends, num_bits=8, narrow_range=False)
    return gave(case, [ours], [theirs])


def _halves(*ours: float, dtype: str = "float16", seed: int = 52) -> Difference:
    """Samples of a mean of 0.8 between 2.8 and 4.1."""
    parameters = [
        np.array([x], np.float16 if dtype == "float16" else np.float32)
        for x in (0.8022, 1.11, 2.762, 4.133)
    ]
    op = "ParameterizedTruncatedNormal"
    case = call(op, np.int32([2, 4]), *parameters, seed=seed, seed2=12)
    theirs = [[3.37, 2.852, 3.158, 3.188], [2.812, 3.62, 3.021, 3.002]]
    return gave(case, np.reshape(ours, [2, 4]), theirs, dtype)


_IN_VAIN = "InvalidArgumentError: ParameterizedTruncatedNormal: of batch 0 none of 1000 proposals in a row is between"
_NO_MEMORY = "ResourceExhaustedError: OOM when allocating tensor with shape[2147483647] and type float by allocator cpu"
_FAILED = "InternalError: TruncatedNormal exponential distribution rejection sampler failed to accept a sample."


def _of_mean(mean: float, ours: str = _IN_VAIN, theirs: str = _FAILED) -> Difference:
    parameters = np.float32([mean, 1, -1, 1])
    case = call("ParameterizedTruncatedNormal", np.int32([2]), *parameters)
    return refused(case, ours, theirs)


def _of_samples(count: int, ours: str = _NO_MEMORY) -> Difference:
    parameters = np.float32([0, 1, -1, 1])
    case = call("ParameterizedTruncatedNormal", np.int32([count]), *parameters)
    return refused(case, ours, "Died: no answer in 20 s", kind=PEER_DIED)


def _has_infinite_parameter(d: Difference) -> bool:
    """A mean or a deviation is infinite, or so large that its bounds are no numbers beside it."""
    most = np.float64(1e19)
    return any(
        not (np.abs(np.asarray(d.input(i), np.float64)) < most).all() for i in (1, 2)
    )


_SAMPLES = (3.37, 2.85, 3.158, 3.188, 2.812, 3.24, 3.62, 3.021)
_OTHERS = (*_SAMPLES[:5], 3.3, *_SAMPLES[6:])

TABLE: list[Explanation] = [
    Explanation(
        "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel",
        VALUE,
        "in the middle of two codes the rounding of a product decides for one",
        dtypes="float32",
        outputs=(0,),
        elements=_at_a_middle,
        bound=np.inf,
        when=lambda d: bool(d.case.inputs),  # type: ignore[union-attr]
        true=[_fake(7.5, 7.0, 8.0), _fake(7.5, 8.0, 7.0)],
        wrong=[_fake(7.5, 9.0, 8.0), _fake(7.4, 8.0, 7.0), _fake(7.5, 7.2, 8.0)],
    ),
    Explanation(
        "ParameterizedTruncatedNormal",
        PEER_DIED,
        "so many samples do not fit into the memory that a call may have; TensorFlow draws them as long as anybody waits",
        ours=r"ResourceExhaustedError: OOM when allocating tensor with shape\[",
        theirs=r"Died: no answer in \d+ s",
        when=lambda d: float(np.prod(np.float64(d.input(0)))) > 1e9,
        true=[_of_samples(2147483647)],
        wrong=[_of_samples(5), _of_samples(2147483647, "")],
    ),
    Explanation(
        "ParameterizedTruncatedNormal",
        ERROR_CLASS,
        "parameters by which nothing is between the bounds are a fault of the input",
        ours=r"InvalidArgumentError: ParameterizedTruncatedNormal: of batch \d+ none of 1000 proposals",
        theirs=r"InternalError: TruncatedNormal (exponential distribution|randn|uniform) rejection sampler failed to accept",
        when=_has_infinite_parameter,
        true=[_of_mean(np.inf)],
        wrong=[_of_mean(0.5)],
    ),
    Explanation(
        "ParameterizedTruncatedNormal",
        VALUE,
        "whether a proposal is taken is decided in float32, TensorFlow decides in half precision",
        dtypes="float16 bfloat16",
        outputs=(0,),
        elements=lambda d: ours_is(truncated, 2 * compare.TOLERANCE[d.enum])(d),
        bound=np.inf,
        true=[_halves(*_SAMPLES)],
        wrong=[
            _halves(*_OTHERS),
            _halves(*_SAMPLES, seed=53),
            _halves(*_SAMPLES, dtype="float32"),
        ],
    ),
]
