# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops on ragged tensors, whose splits and values fit each other; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck.draws import Drawer, hint


@hint("RaggedRange")
def _range(d: Drawer):
    rows = 20_011 if d.large else d.dim()
    starts, limits = (d.ints("T", [rows], -9, 9) for _ in "sl")
    deltas = d.array("T", d.rng.randint(1, 4, rows) * d.rng.choice([-1, 1], rows))
    parts = [starts, limits, deltas]
    if d.chance(0.3) and not d.large:
        at = d.int(0, 2)
        parts[at] = d.array("T", parts[at][0] if rows else 1)
    return parts


def _splits(d: Drawer, rank: int, rows: int, longest: int = 4) -> list[np.ndarray]:
    """Splits of `rank` dimensions, `rows` of the outer one."""
    result = []
    for _ in range(rank):
        sizes = d.rng.randint(0, longest, rows)
        result.append(d.array("Tsplits", np.cumsum([0, *sizes])))
        rows = int(sizes.sum())
    return result


def _ragged(d: Drawer, rank: int, what) -> tuple[list[np.ndarray], np.ndarray]:
    splits = _splits(d, rank, 9001 if d.large else d.int(1, 4))
    inner = d.shape(high=2, min_dim=1) if not d.large else [2]
    return splits, d.values(what, [int(splits[-1][-1]), *inner], "normal")


@hint("RaggedTensorToSparse")
def _to_sparse(d: Drawer):
    rank = d.attrs["RAGGED_RANK"] = d.int(1, 3)
    splits, values = _ragged(d, rank, "T")
    return [splits, values]


@hint("RaggedGather")
def _gather(d: Drawer):
    rank = d.attrs["PARAMS_RAGGED_RANK"] = d.int(1, 3)
    splits, values = _ragged(d, rank, "Tvalues")
    shape = [9001] if d.large else d.shape(high=2)
    d.attrs["OUTPUT_RAGGED_RANK"] = rank - 1 + len(shape)
    indices = d.ints("Tindices", shape, 0, len(splits[0]) - 2)
    return [splits, values, indices]
