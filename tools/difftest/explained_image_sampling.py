# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of images that are sampled between their pixels."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest import compare, expected_samples
from tensorwright.tools.difftest.difference import VALUE, Difference
from tensorwright.tools.difftest.explanation import Explanation, call, gave, ours_is
from tensorwright.tools.opcheck import signature as sig


def _as_float32(d: Difference) -> np.ndarray:
    """Ours is TensorFlow's to the rounding of float32."""
    assert d.arrays is not None
    return compare.close(d.arrays.a, d.arrays.b, compare.TOLERANCE[sig.FLOAT])


def _out_of_reach(d: Difference) -> np.ndarray:
    """TensorFlow's is no number, where numbers alone have a weight in ours."""
    assert d.arrays is not None
    right = ours_is(expected_samples.scaled, 4 * compare.TOLERANCE[d.enum])(d)
    return right & np.isnan(d.arrays.b)


def _cropped(dtype: str) -> Difference:
    case = call("CropAndResizeGradImage", np.zeros([1, 1, 1, 1], np.float32))
    return gave(case, [[[[1.0]]]], [[[[1.0 + 1e-7]]]], dtype)


def _translated(ours: float, theirs: float, nan_at: int = 3) -> Difference:
    """The first of four pixels in a row, at its place, by a kernel that reaches a pixel."""
    row = np.ones([1, 1, 4, 1], np.float32)
    row[0, 0, nan_at] = np.nan
    case = call(
        "ScaleAndTranslate", row, np.int32([1, 1]), np.float32([1, 1]),
        np.float32([0, 0]), kernel_type="triangle", antialias=False,
    )  # fmt: skip
    return gave(case, [[[[ours]]]], [[[[theirs]]]])


TABLE: list[Explanation] = [
    Explanation(
        "CropAndResizeGradImage",
        VALUE,
        "TensorFlow's products are in float32, whatever the result's dtype",
        dtypes="float64",
        outputs=(0,),
        elements=_as_float32,
        bound=1e-4,
        true=[_cropped("float64")],
        wrong=[
            gave("CropAndResizeGradImage", [1.0], [1.001], "float64"),
            gave("CropAndResizeGradImage", [1.0], [1.001], "float32"),
        ],
    ),
    Explanation(
        "ScaleAndTranslate",
        VALUE,
        "a pixel that has no weight, or none because the place is outside of the image, does not count; TensorFlow multiplies what is no number by 0",
        dtypes="float32",
        outputs=(0,),
        elements=_out_of_reach,
        bound=np.inf,
        when=lambda d: "kernel_type" in d.attrs,
        true=[_translated(1.0, np.nan)],
        wrong=[
            _translated(1.0, 2.0),
            _translated(9.0, np.nan),
            _translated(1.0, np.nan, nan_at=0),
        ],
    ),
]
