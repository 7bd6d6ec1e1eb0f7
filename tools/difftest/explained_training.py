# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of updates of variables."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import REFUSAL, VALUE
from tensorwright.tools.difftest.expected_updates import updated
from tensorwright.tools.difftest.explanation import (
    Explanation,
    both,
    call,
    gave,
    ours_is,
    refused,
)

_EMPTY_OUTPUT = "InvalidArgumentError: Indices and updates specified for empty output.  indices shape: [3,3,0]"
_SUM = np.zeros([8, 7], np.float32)
_NO_DEPTH = np.zeros([3, 3, 0], np.int32)
_DEPTH = np.zeros([3, 3, 1], np.int32)


def _no_number(d) -> np.ndarray:
    """Where ours is no number and the gradient is none."""
    grad = np.broadcast_to(d.input(8), d.arrays.ours.shape)[d.arrays.far]
    return np.isnan(d.arrays.a) & np.isnan(grad)


def _ada_max(grad: float):
    return call(
        "ResourceApplyAdaMax", *[np.zeros([], np.float64)] * 8, np.float64(grad)
    )


def _is_not_finite(d) -> np.ndarray:
    """At least one of the two is no finite number."""
    return ~(np.isfinite(d.arrays.a) & np.isfinite(d.arrays.b))


def _of_ftrl(ours: float, theirs: float, grad: float = np.inf):
    """The variable after a step of 1: 1 before, as are the sum of squares, lr and the gradient's factor."""
    numbers = np.float32([1, 0, 0, -0.5])
    arrays = (np.float32([x]) for x in (1, 1, 0, grad))
    case = call("ApplyFtrl", *arrays, *numbers, multiply_linear_by_lr=False)
    outputs = [np.float32([x]) for x in (ours, 0, 0)]
    return gave(case, [ours], [theirs], outputs=(outputs, outputs))


def _from_its_variance(d) -> np.ndarray:
    """Ours differs from TensorFlow's by what rounding makes of a difference that is 0."""
    epsilon = float(np.abs(d.input(7)))
    square = float(np.square(np.abs(d.input(8)).astype(np.float64)).max(initial=0))
    rounding = 6e-7 if d.dtype in ("float32", "complex64") else 1e-14
    with np.errstate(all="ignore"):
        gap = np.abs(compare.widest(d.arrays.a) - compare.widest(d.arrays.b))
        size = np.abs(compare.widest(d.arrays.b))
        return gap <= rounding * square / epsilon * (1 + size)


def _centered(rho: float, ours: float):
    numbers = [np.float32(x) for x in (0, 0, 9, 0, 0.1, rho, 0.1, 0.06, 8)]
    return gave(call("ApplyCenteredRMSProp", *numbers), ours, 1.0, "float32", output=4)


def _is_one_index(d) -> bool:
    """The indices are a vector, and the updates what it leaves of the variable."""
    if any(
        np.ndim(a) == 1 and np.ndim(b) == 0
        for a, b in zip(d.case.inputs, d.case.inputs[1:])
    ):
        return True
    if len(d.case.inputs) != 3 or d.op == "ScatterNd" or np.ndim(d.input(1)) != 1:
        return False
    return np.shape(d.input(2)) == np.shape(d.input(0))[np.size(d.input(1)) :]


_CUBE = np.zeros([5, 5, 4], np.float32)
_NO_MATCH = "InvalidArgumentError: Dimensions [0,1) of indices[shape=[2]] = 2 must match dimensions [0,1) of updates[shape=[5,4]] = 5"
_NO_ROWS = "InvalidArgumentError: Updates shape must have rank at least one. Found:[]"
_LONGER = "InvalidArgumentError: SparseApplyRMSProp: the gradient must have shape [1,5], a row for each of indices, got [1,5,1]"
_ONE_ROW = np.zeros([1, 5], np.float32)


TABLE: list[Explanation] = [
    Explanation(
        "ApplyAdaMax ResourceApplyAdaMax",
        VALUE,
        "TensorFlow's largest gradient so far passes over one that is no number",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0, 1, 2),
        elements=_no_number,
        bound=np.inf,
        true=[gave(_ada_max(np.nan), np.nan, 0.6, "float64", output=2)],
        wrong=[
            gave(_ada_max(1.0), np.nan, 0.6, "float64", output=2),
            gave(_ada_max(np.nan), 0.5, 0.6, "float64", output=2),
        ],
    ),
    Explanation(
        "ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterNdMax ResourceScatterNdMin",
        REFUSAL,
        "an index of no depth is the whole variable",
        theirs=r"InvalidArgumentError: Indices and updates specified for empty output\.",
        when=lambda d: np.shape(d.input(1))[-1:] == (0,),
        true=[
            refused(call("ResourceScatterNdSub", _SUM, _NO_DEPTH), theirs=_EMPTY_OUTPUT)
        ],
        wrong=[
            refused(call("ResourceScatterNdSub", _SUM, _DEPTH), theirs=_EMPTY_OUTPUT)
        ],
    ),
    Explanation(
        "ScatterNd ScatterNdAdd ScatterNdSub ScatterNdUpdate ScatterNdNonAliasingAdd ResourceScatterNdAdd "
        "ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterNdMax ResourceScatterNdMin "
        "TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMin TensorScatterMax",
        REFUSAL,
        "one index, not in a row of indices, has one update without a row's dimension",
        theirs=r"InvalidArgumentError: (Updates shape must have rank at least one|Shape must be at least rank 1 but is rank 0 |Dimensions \[0,1\) of indices\[shape=\[\d+\]\])",
        when=_is_one_index,
        true=[
            refused(
                call("ResourceScatterNdAdd", _CUBE, np.int32([1, 2]), _CUBE[0, 0]),
                theirs=_NO_MATCH,
            ),
            refused(
                call("ScatterNd", np.int32([5, 1]), 2.0, np.int32([8, 2])),
                theirs=_NO_ROWS,
            ),
        ],
        wrong=[
            refused(
                call("ScatterNd", np.int32([[5, 1]]), [2.0], np.int32([8, 2])),
                theirs=_NO_ROWS,
            ),
            refused(
                call("ResourceScatterNdAdd", _CUBE, np.int32([1, 2]), _CUBE),
                theirs=_NO_MATCH,
            ),
        ],
    ),
    Explanation(
        "ResourceSparseApplyRMSProp SparseApplyRMSProp ResourceSparseApplyFtrl SparseApplyFtrl "
        "ResourceSparseApplyFtrlV2 SparseApplyFtrlV2 ResourceSparseApplyAdagrad SparseApplyAdagrad "
        "ResourceSparseApplyAdadelta SparseApplyAdadelta ResourceSparseApplyMomentum SparseApplyMomentum "
        "ResourceSparseApplyProximalAdagrad SparseApplyProximalAdagrad "
        "ResourceSparseApplyProximalGradientDescent SparseApplyProximalGradientDescent",
        REFUSAL,
        "TensorFlow compares as many dimensions of the gradient as the variable has",
        ours=r"InvalidArgumentError: (Resource)?SparseApply\w+: (the gradient must have shape \[[\d,]*\], a row for each of indices, got|(Dimension \d+ in both shapes must be equal|Shapes must be equal rank), but are .* of grad and shape)",
        when=lambda d: any(np.ndim(i) > np.ndim(d.input(0)) for i in d.case.inputs[1:]),
        true=[
            refused(call("SparseApplyRMSProp", _ONE_ROW, _ONE_ROW[..., None]), _LONGER)
        ],
        wrong=[refused(call("SparseApplyRMSProp", _ONE_ROW, _ONE_ROW), _LONGER)],
    ),
    Explanation(
        "SparseApplyCenteredRMSProp ResourceSparseApplyCenteredRMSProp ApplyCenteredRMSProp ResourceApplyCenteredRMSProp",
        VALUE,
        "without memory the square's mean less the mean's square is 0, and what is left of it rounding",
        dtypes="float32 float64 complex64 complex128",
        outputs=(0, 1, 4),
        elements=_from_its_variance,
        bound=0.1,
        when=lambda d: abs(d.input(5)) < 1e-30 and abs(d.input(7)) > 0,
        true=[_centered(0.0, 1.0001)],
        wrong=[_centered(0.5, 1.0001), _centered(0.0, 1.01)],
    ),
    Explanation(
        "SparseApplyAdagradDA ResourceSparseApplyAdagradDA ApplyAdagradDA ResourceApplyAdagradDA "
        "SparseApplyFtrlV2 SparseApplyFtrl ResourceSparseApplyFtrl ResourceSparseApplyFtrlV2 "
        "ApplyFtrl ApplyFtrlV2 ResourceApplyFtrl ResourceApplyFtrlV2",
        VALUE,
        "what is left of infinite state, gradients or rates depends on the order of products",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0, 1, 2, 3),
        elements=lambda d: both(
            _is_not_finite, ours_is(updated, 8 * compare.TOLERANCE[d.enum])
        )(d),
        bound=np.inf,
        when=lambda d: (
            not all(np.isfinite(np.asarray(i, np.float64)).all() for i in d.case.inputs)
        ),
        true=[_of_ftrl(0.0, np.nan)],
        wrong=[
            _of_ftrl(np.nan, 0.0),
            _of_ftrl(np.inf, 0.0),
            _of_ftrl(1.0, np.nan),
            _of_ftrl(0.0, np.nan, grad=1.0),
        ],
    ),
]
