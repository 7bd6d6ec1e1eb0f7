# SPDX-License-Identifier: Apache-2.0
"""Array ops on large tensors for peer.py: each moves megabytes, so memory bounds it.  Importing adds them to CASES."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cases
import numpy as np

_RANDOM = np.random.RandomState(0)


def _floats(*shape: int) -> np.ndarray:
    return _RANDOM.uniform(size=shape).astype(np.float32)


def _ints(limit: int, *shape: int) -> np.ndarray:
    return _RANDOM.randint(0, limit, shape).astype(np.int32)


# The inputs of cases: made at the first run, then kept in a variable.
_INPUTS: dict[str, Callable[[], np.ndarray]] = {
    "nhwc": lambda: _floats(32, 56, 56, 64),
    "nchw": lambda: _floats(32, 64, 56, 56),
    "matrix": lambda: _floats(2048, 2048),
    "bytes": lambda: _ints(255, 2048, 2048).astype(np.uint8),
    "pairs": lambda: _floats(4 << 20, 2),
    "column": lambda: _floats(4 << 20, 1),
    "sequences": lambda: _floats(64, 512, 64),
    "mask": lambda: _floats(2048, 2048) < 0.3,
    "rows": lambda: _ints(2048, 4096),
    "coordinates": lambda: _ints(2048, 1 << 18, 2),
    "updates": lambda: _floats(1 << 18),
    "few_values": lambda: _ints(1000, 1 << 22),
    "many_values": lambda: _ints(1 << 20, 1 << 22),
    "matrices": lambda: _floats(16, 512, 512),
}

_AROUND = [[0, 0], [1, 1], [1, 1], [0, 0]]

# Case -> its input, and the op of it.
_OPS: dict[str, tuple[str, Callable[..., Any]]] = {
    "transpose_nhwc_to_nchw": ("nhwc", lambda tf, x: tf.transpose(x, [0, 3, 1, 2])),
    "transpose_nchw_to_nhwc": ("nchw", lambda tf, x: tf.transpose(x, [0, 2, 3, 1])),
    "transpose_matrix": ("matrix", lambda tf, x: tf.transpose(x)),
    "transpose_bytes": ("bytes", lambda tf, x: tf.transpose(x)),
    "transpose_pairs": ("pairs", lambda tf, x: tf.transpose(x)),
    "concat_channels": ("nhwc", lambda tf, x: tf.concat([x, x], 3)),
    "stack_last": ("matrix", lambda tf, x: tf.stack([x, x], 2)),
    "split_rows": ("matrix", lambda tf, x: tf.split(x, 4, 0)[3]),
    "split_columns": ("matrix", lambda tf, x: tf.split(x, 4, 1)[3]),
    "slice": ("matrix", lambda tf, x: tf.slice(x, [3, 5], [2000, 2000])),
    "strided_slice": ("matrix", lambda tf, x: x[::2, ::2]),
    "gather_rows": ("rows", lambda tf, i: tf.gather(_variable(tf, "matrix"), i)),
    "gather_nd": (
        "coordinates",
        lambda tf, i: tf.gather_nd(_variable(tf, "matrix"), i),
    ),
    "scatter_nd": (
        "coordinates",
        lambda tf, i: tf.scatter_nd(i, _variable(tf, "updates"), [2048, 2048]),
    ),
    "pad": ("nhwc", lambda tf, x: tf.pad(x, _AROUND)),
    "mirror_pad": ("nhwc", lambda tf, x: tf.pad(x, _AROUND, "REFLECT")),
    "tile_column": ("column", lambda tf, x: tf.tile(x, [1, 4])),
    "tile_rows": ("sequences", lambda tf, x: tf.tile(x, [2, 1, 1])),
    "reverse_rows": ("matrix", lambda tf, x: tf.reverse(x, [1])),
    "one_hot": ("rows", lambda tf, i: tf.one_hot(i, 1000)),
    "where": ("mask", lambda tf, m: tf.where(m)),
    "select": (
        "mask",
        lambda tf, m: tf.where(m, *[_variable(tf, "matrix") for _ in range(2)]),
    ),
    "unique_few": ("few_values", lambda tf, x: tf.unique(x)[0]),
    "unique_many": ("many_values", lambda tf, x: tf.unique(x)[0]),
    "space_to_batch": (
        "nhwc",
        lambda tf, x: tf.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]),
    ),
    "space_to_depth": ("nhwc", lambda tf, x: tf.space_to_depth(x, 2)),
    "band_part": ("matrices", lambda tf, x: tf.matrix_band_part(x, 10, 20)),
    "matrix_diag": ("sequences", lambda tf, x: tf.matrix_diag(x[:, 0, :])),
}


def _variable(tf: Any, name: str) -> Any:
    return tf.Variable(_INPUTS[name](), trainable=False)


def _case(input_name: str, op: Callable[..., Any]) -> Callable[[Any], cases.Case]:
    def make(tf: Any) -> cases.Case:
        return cases.run_op(tf, lambda: op(tf, _variable(tf, input_name)))

    return make


for _name, (_input, _op) in _OPS.items():
    cases.CASES["array_" + _name] = _case(_input, _op)
