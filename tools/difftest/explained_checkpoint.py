# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of matrices of checkpoints under another vocabulary."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest.difference import ERROR_CLASS, PEER_DIED, REFUSAL
from tensorwright.tools.difftest.explanation import Explanation, call, refused

_OP = "LoadAndRemapMatrix"
_FAR = np.array([0, 9], np.int64)
_NEAR = np.array([0, 1], np.int64)
_NONE = np.array([], np.int64)
_PATH = np.array(b"ckpt", object)
_LONG = np.array(b"9" * 300, object)


def _call(path=_PATH, name=b"w", rows=_NEAR, cols=_NONE):
    return call(_OP, path, np.array(name, object), rows, cols)


def _is_far(which: int):
    """Of no checkpoint that is drawn there are so many rows or columns."""
    return lambda d: bool((d.input(which) >= 3).any())


def _is_long(d) -> bool:
    return len(d.input(0).ravel()[0]) > 250


_NO_ROW = (
    f"InvalidArgumentError: {_OP}: row_remapping[1] is 9, the saved matrix has 2 rows"
)
_NO_COL = (
    f"InvalidArgumentError: {_OP}: col_remapping[1] is 9, the saved matrix has 2 cols"
)
_EXTENT = (
    "InternalError: Extent in dimension 0 out of bounds: shape = [2,3], slice = 9,1:-"
)
_NO_CHECKPOINT = f"NotFoundError: {_OP}: no checkpoint is at 99"
_TOO_LONG = "InvalidArgumentError: " + "9" * 300
_NO_KEY = "NotFoundError: Key  not found in checkpoint x"
_HEADER = (
    "InvalidArgumentError: Tensor  has invalid type int32 instead of expected type"
)

TABLE = [
    Explanation(
        _OP,
        PEER_DIED,
        "there is no checkpoint of a name that is too long for a file; TensorFlow ends its process",
        ours=rf"NotFoundError: {_OP}: no checkpoint is at ",
        theirs="Died: SIGABRT",
        when=_is_long,
        true=[refused(_call(_LONG), _NO_CHECKPOINT, "Died: SIGABRT", kind=PEER_DIED)],
        wrong=[refused(_call(), _NO_CHECKPOINT, "Died: SIGABRT", kind=PEER_DIED)],
    ),
    Explanation(
        _OP,
        ERROR_CLASS,
        "a row that is not there is an argument's fault",
        ours=rf"InvalidArgumentError: {_OP}: row_remapping\[\d+\] is \d+, the saved matrix has ",
        theirs=r"InternalError: Extent in dimension 0 out of bounds",
        when=_is_far(2),
        true=[refused(_call(rows=_FAR), _NO_ROW, _EXTENT)],
        wrong=[
            refused(_call(), _NO_ROW, _EXTENT),
            refused(_call(rows=_FAR), _NO_COL, _EXTENT),
        ],
    ),
    Explanation(
        _OP,
        REFUSAL,
        "TensorFlow gives what is in memory for a column that is not there",
        ours=rf"InvalidArgumentError: {_OP}: col_remapping\[\d+\] is \d+, the saved matrix has ",
        when=_is_far(3),
        true=[refused(_call(cols=_FAR), _NO_COL)],
        wrong=[
            refused(_call(cols=_NEAR), _NO_COL),
            refused(_call(cols=_FAR), _NO_ROW),
        ],
    ),
    Explanation(
        _OP,
        ERROR_CLASS,
        "there is no checkpoint of a name that is too long for a file",
        ours=rf"NotFoundError: {_OP}: no checkpoint is at ",
        theirs=r"InvalidArgumentError: (.)\1{100}",
        when=_is_long,
        true=[refused(_call(_LONG), _NO_CHECKPOINT, _TOO_LONG)],
        wrong=[
            refused(_call(), _NO_CHECKPOINT, _TOO_LONG),
            refused(_call(_LONG), _NO_CHECKPOINT, "InvalidArgumentError: x"),
        ],
    ),
    Explanation(
        _OP,
        ERROR_CLASS,
        "TensorFlow takes the header of the file for a tensor without a name",
        ours=r"NotFoundError: Key  not found in checkpoint ",
        theirs=r"InvalidArgumentError: Tensor  has invalid type ",
        true=[refused(_call(name=b""), _NO_KEY, _HEADER)],
        wrong=[
            refused(
                _call(name=b""), "NotFoundError: Key w not found in checkpoint", _HEADER
            )
        ],
    ),
]
