# SPDX-License-Identifier: Apache-2.0
"""The element types by number: their names, NumPy's types for them, their kinds and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

_NAMES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    14: "bfloat16",
    15: "qint16",
    16: "quint16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    20: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
}
_DT_BFLOAT16 = 14

# Quantized types are one-field records, so that NumPy can tell qint8 from int8.
_np_qint8 = np.dtype([("qint8", np.int8)])
_np_quint8 = np.dtype([("quint8", np.uint8)])
_np_qint16 = np.dtype([("qint16", np.int16)])
_np_quint16 = np.dtype([("quint16", np.uint16)])
_np_qint32 = np.dtype([("qint32", np.int32)])

_NUMPY_TYPES: dict[int, Any] = {
    1: np.float32,
    2: np.float64,
    3: np.int32,
    4: np.uint8,
    5: np.int16,
    6: np.int8,
    7: np.object_,
    8: np.complex64,
    9: np.int64,
    10: np.bool_,
    11: _np_qint8,
    12: _np_quint8,
    13: _np_qint32,
    15: _np_qint16,
    16: _np_quint16,
    17: np.uint16,
    18: np.complex128,
    19: np.float16,
    20: np.object_,
    21: np.object_,
    22: np.uint32,
    23: np.uint64,
}

_FLOATING = frozenset((1, 2, _DT_BFLOAT16, 19))
_INTEGER = frozenset((3, 4, 5, 6, 9, 17, 22, 23))
_COMPLEX = frozenset((8, 18))
_QUANTIZED = frozenset((11, 12, 13, 15, 16))
_UNSIGNED = frozenset((4, 17, 22, 23))
_SIZES = {
    1: 4, 2: 8, 3: 4, 4: 1, 5: 2, 6: 1, 8: 8, 9: 8, 10: 1, 11: 1, 12: 1, 13: 4,
    14: 2, 15: 2, 16: 2, 17: 2, 18: 16, 19: 2, 22: 4, 23: 8,
}  # fmt: skip
