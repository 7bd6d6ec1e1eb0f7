# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of later versions of ops of diagonals and of segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    PEER_DIED,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    FLOATS,
    Explanation,
    call,
    gave,
    ours_is,
    refused,
    upstream,
)


def _band(d: Difference) -> tuple[int, int]:
    """The lowest and the highest diagonal of a MatrixDiagV2, MatrixDiagPartV2 or MatrixSetDiagV2."""
    k = np.reshape(d.input(2 if d.op == "MatrixSetDiagV2" else 1), -1)
    return int(k[0]), int(k[-1])


def _is_band(d: Difference) -> bool:
    low, high = _band(d)
    return low < high


def _left_gradient(d: Difference) -> np.ndarray:
    """The gradient by the diagonals, or of MatrixDiagPartV2 by the matrix: short diagonals are at the left."""
    g, (low, high) = upstream(d.outputs[0][0]), _band(d)
    part = d.op == "MatrixDiagPartV2"
    result = np.zeros(np.shape(d.input(1 if d.op == "MatrixSetDiagV2" else 0)), g.dtype)
    matrix, rows = (result, g) if part else (g, result)
    for i, k in enumerate(range(high, low - 1, -1)):
        n = np.diagonal(matrix, k, -2, -1).shape[-1]
        at = np.arange(n)
        place = (..., at + max(-k, 0), at + max(k, 0))
        if part:
            matrix[place] = rows[..., i, :n]
        else:
            rows[..., i, :n] = matrix[place]
    return result


_G22 = upstream(np.zeros([2, 2], np.float32))
_OF_BAND = call(
    "MatrixDiagV2", np.ones([2, 2], np.float32), np.int32([0, 1]), 2, 2, np.float32(0)
)
_OF_ONE = call(
    "MatrixDiagV2", np.ones([2], np.float32), np.int32([0, 0]), 2, 2, np.float32(0)
)


def _by_band(case: Any, ours: Any, output: int = 0) -> Difference:
    zeros = np.zeros([2, 2], np.float32)
    return gave(
        case, ours, np.roll(ours, 1, 1), output=output, kind=GRADIENT,
        outputs=([zeros], [zeros]),
    )  # fmt: skip


_LEFT = np.float32([[_G22[0, 1], 0], [_G22[0, 0], _G22[1, 1]]])


def _of_segments(
    op: str, count: int, ours: str, theirs: str, kind: str = ERROR_CLASS
) -> Difference:
    x, ids = np.zeros([2, 2], np.float32), np.int64([0, 0])
    inputs = (x, ids) if op.startswith("Unsorted") else (x, ids, ids)
    return refused(call(op, *inputs, np.int64(count)), ours, theirs, kind=kind)


_NO_SPACE = "ResourceExhaustedError: OOM when allocating tensor with shape[2147483647,2] and type float"
_NO_ROOM = "ResourceExhaustedError: OOM when allocating tensor with shape[2147483648,2] and type float"
_FEW = "InvalidArgumentError: segment ids must be < num_segments"


TABLE: list[Explanation] = [
    Explanation(
        "MatrixDiagV2 MatrixDiagPartV2",
        GRADIENT,
        "TensorFlow's gradient takes short diagonals to be at the right above the main one, where the op has them left",
        dtypes=FLOATS,
        outputs=(0,),
        elements=ours_is(_left_gradient),
        bound=np.inf,
        when=_is_band,
        true=[_by_band(_OF_BAND, _LEFT)],
        wrong=[
            _by_band(_OF_BAND, -_LEFT),
            _by_band(_OF_ONE, _LEFT),
        ],
    ),
    Explanation(
        "MatrixSetDiagV2",
        GRADIENT,
        "TensorFlow's gradient takes short diagonals to be at the right above the main one, where the op has them left",
        dtypes=FLOATS,
        outputs=(1,),
        elements=ours_is(_left_gradient),
        bound=np.inf,
        when=_is_band,
        true=[
            _by_band(
                call("MatrixSetDiagV2", _G22, _G22, np.int32([0, 1])), _LEFT, output=1
            )
        ],
        wrong=[
            _by_band(
                call("MatrixSetDiagV2", _G22, _G22, np.int32([0, 1])), -_LEFT, output=1
            )
        ],
    ),
    Explanation(
        "UnsortedSegmentMin",
        PEER_DIED,
        "TensorFlow makes room for all segments that an int32 can count",
        ours=r"ResourceExhaustedError: OOM when allocating tensor with shape\[2147483647[,\]]",
        theirs="Died: (SIGABRT|SIGKILL|no answer in)",
        when=lambda d: int(np.max(d.input(2))) >= 2**31 - 1,
        true=[
            _of_segments(
                "UnsortedSegmentMin", 2**31 - 1, _NO_SPACE, "Died: SIGABRT", PEER_DIED
            )
        ],
        wrong=[
            _of_segments("UnsortedSegmentMin", 7, _NO_SPACE, "Died: SIGABRT", PEER_DIED)
        ],
    ),
    Explanation(
        "SparseSegmentSumWithNumSegments SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments",
        ERROR_CLASS,
        "TensorFlow's number of segments overflows an int32",
        ours=r"ResourceExhaustedError: OOM when allocating tensor with shape\[\d{10,}[,\]]",
        theirs=r"InvalidArgumentError: segment ids must be < num_segments",
        when=lambda d: int(np.max(d.input(3))) >= 2**31,
        true=[_of_segments("SparseSegmentSumWithNumSegments", 2**31, _NO_ROOM, _FEW)],
        wrong=[_of_segments("SparseSegmentSumWithNumSegments", 5, _NO_ROOM, _FEW)],
    ),
]
