# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of updates of variables."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest.difference import REFUSAL, VALUE
from tensorwright.tools.difftest.explanation import Explanation, call, gave, refused

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
]
