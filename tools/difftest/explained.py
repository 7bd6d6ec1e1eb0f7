# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, each with its reason: all tables, by family."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tensorwright.tools.difftest import (
    explained_array,
    explained_calls,
    explained_ctc,
    explained_data_flow,
    explained_image,
    explained_io,
    explained_later,
    explained_linalg,
    explained_many,
    explained_math,
    explained_nn,
    explained_nn_quantized,
    explained_pool,
    explained_quantize,
    explained_rnn,
    explained_rows,
    explained_sparse,
    explained_spectral,
    explained_string,
    explained_training,
)
from tensorwright.tools.difftest.difference import Difference
from tensorwright.tools.difftest.explanation import ANY_OP, Explanation

# By family, as docs/differences.md has them.
FAMILIES: dict[str, list[Explanation]] = {
    "Arrays": explained_array.TABLE,
    "Connectionist temporal classification": explained_ctc.TABLE,
    "Queues, tables and staging": explained_data_flow.TABLE,
    "Images": explained_image.TABLE,
    "Files and checkpoints": explained_io.TABLE,
    "Linear algebra": explained_linalg.TABLE,
    "Mathematics": explained_math.TABLE,
    "Neural networks": explained_nn.TABLE,
    "Quantized neural networks, fused convolutions and debugging": explained_nn_quantized.TABLE,
    "Pools": explained_pool.TABLE,
    "Quantized numbers": explained_quantize.TABLE,
    "Sparse tensors": explained_sparse.TABLE,
    "Fourier transforms": explained_spectral.TABLE,
    "Strings and parsing": explained_string.TABLE,
    "Variables, control flow and training": explained_training.TABLE,
    "Calls made wrong, and numbers beyond all bounds": explained_calls.TABLE,
    "Ops of later versions": explained_later.TABLE,
    "Rows in place, ragged rows, norms and products of later versions": explained_rows.TABLE,
    "Recurrent cells": explained_rnn.TABLE,
    "Many ops": explained_many.TABLE,
}
# The first that fits counts.
TABLE: list[Explanation] = [e for table in FAMILIES.values() for e in table]
# (kind, op) -> the places in TABLE of what may explain it.
_PLACES: dict[tuple[str, str], list[int]] = {}
for _i, _e in enumerate(TABLE):
    for _op in _e.ops.split():
        _PLACES.setdefault((_e.kind, _op), []).append(_i)


def explanations(d: Difference) -> list[int]:
    """The places in TABLE of what explains all of a difference: one, or several of which each explains a part."""
    parts: list[tuple[int, np.ndarray]] = []
    for i in sorted(p for op in (d.op, ANY_OP) for p in _PLACES.get((d.kind, op), [])):
        excused = TABLE[i].excused(d)
        if np.all(excused):
            return [i]
        if np.any(excused):
            parts.append((i, excused))
    # One array may differ in two ways, in elements of their own.
    if parts and np.all(np.any([mask for _, mask in parts], axis=0)):
        return [i for i, _ in parts]
    return []


def reason(d: Difference) -> str:
    """Why a difference is as it should be; "" where it is not."""
    return "; and ".join(TABLE[i].why for i in explanations(d))


def unused(places: Iterable[int], ops: Iterable[str] | None = None) -> list[str]:
    """The explanations that no difference needed, though one was to be seen; if `ops` is given, those of these alone."""
    used, about = set(places), None if ops is None else {*ops}
    return [
        f"{e.ops[:60]}: {e.kind}: {e.why}"
        for i, e in enumerate(TABLE)
        if i not in used
        and not e.by_chance
        and (about is None or about & set(e.ops.split()))
    ]
