# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of ops of later versions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import (
    GRADIENT_ERROR,
    SHAPE,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    Explanation,
    gave,
    inferred,
    refused,
)

_NO_LIST = "TypeError: 'NoneType' object is not iterable"
_NO_PRODUCT = "InvalidArgumentError: Cannot multiply A and B because inner dimension does not match: 6 vs. 18.  Did you"


def _is_zero(d: Difference) -> Any:
    """Elements that ours made 0."""
    assert d.arrays is not None
    return d.arrays.a == 0


TABLE: list[Explanation] = [
    Explanation(
        "ExtractVolumePatches",
        SHAPE,
        "TensorFlow's shape function forgets a dimension",
        outputs=(0,),
        when=lambda d: d.ours == [None] * 5 and d.theirs == [None] * 4,
        true=[
            inferred("ExtractVolumePatches", [None] * 5, [None] * 4, [1, 2, 1, 4, 4])
        ],
        wrong=[
            inferred("ExtractVolumePatches", [None] * 4, [None] * 4, [1, 2, 1, 4, 4]),
            inferred("ExtractVolumePatches", [None] * 5, [None] * 5, [1, 2, 1, 4, 4]),
        ],
    ),
    Explanation(
        "ExtractVolumePatches",
        GRADIENT_ERROR,
        "TensorFlow's gradient function fails where sizes are not known, or channels are several",
        theirs=r"(TypeError: 'NoneType' object is not iterable|InvalidArgumentError: Cannot multiply A and B because inner dimension does not match: )",
        true=[
            refused("ExtractVolumePatches", theirs=_NO_LIST, kind=GRADIENT_ERROR),
            refused("ExtractVolumePatches", theirs=_NO_PRODUCT, kind=GRADIENT_ERROR),
        ],
        wrong=[refused("ExtractImagePatches", theirs=_NO_LIST, kind=GRADIENT_ERROR)],
    ),
    Explanation(
        "FakeParam",
        VALUE,
        "nothing is to be read of it: ours is 0, TensorFlow's what lies in memory",
        dtypes="float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 "
        "bool qint8 quint8 qint16 quint16 qint32",
        outputs=(0,),
        elements=_is_zero,
        bound=np.inf,
        true=[gave("FakeParam", [0.0, 0.0], [0.0, 7.0])],
        wrong=[gave("FakeParam", [1.0, 0.0], [0.0, 0.0])],
    ),
]
