# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops on diagonals, bands, blocks and patches; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint
from tensorwright.tools.opcheck.hints_array import int32, vector


@hint("MatrixBandPart", "BatchMatrixBandPart")
def _matrix_band_part(d: Drawer):
    shape = d.shape(low=2)
    what = "Tindex" if "Tindex" in d.attrs else sig.INT64
    bounds = [d.array(what, d.int(-1, n)) for n in shape[-2:]]
    return [d.values("T", shape), *bounds]


@hint("MatrixDiag", "BatchMatrixDiag")
def _matrix_diag(d: Drawer):
    shape = d.shape(low=1, high=3)
    if d.large:
        shape = [16, 512] if d.huge else [9, 301]
    return [d.values("T", shape)]


def _diagonals(d: Drawer, rows: int, cols: int):
    """k as a scalar or a range, and the shape of these diagonals less the batch."""
    low, high = sorted(d.int(1 - rows, cols - 1) for _ in range(2))
    if d.chance(0.5):
        length = min(rows + min(low, 0), cols - max(low, 0))
        return int32(d, low), [length]
    length = min(rows + min(high, 0), cols - max(low, 0))
    shape = [length] if low == high else [high - low + 1, length]
    return int32(d, [low, high]), shape


def _matrix_sizes(d: Drawer) -> tuple[int, int]:
    if d.large:
        return (500, 503) if d.huge else (150, 151)
    return d.int(1, 5), d.int(1, 5)


def _batch(d: Drawer) -> list[int]:
    return [16] if d.huge else [3] if d.big else d.shape(high=2)


@hint("MatrixDiagV2", "MatrixDiagV3")
def _matrix_diag_v3(d: Drawer):
    rows, cols = _matrix_sizes(d)
    k, shape = _diagonals(d, rows, cols)
    diagonal = d.values("T", [*_batch(d), *shape])
    return [diagonal, k, int32(d, rows), int32(d, cols), d.values("T", [])]


@hint("MatrixDiagPartV2", "MatrixSetDiagV2", "MatrixDiagPartV3", "MatrixSetDiagV3")
def _matrix_diag_part_v3(d: Drawer):
    batch, (rows, cols) = _batch(d), _matrix_sizes(d)
    k, shape = _diagonals(d, rows, cols)
    matrix = d.values("T", [*batch, rows, cols])
    if d.sig.name.startswith("MatrixSetDiag"):
        return [matrix, d.values("T", [*batch, *shape]), k]
    return [matrix, k, d.values("T", [])]


@hint("MatrixDiagPart", "BatchMatrixDiagPart")
def _matrix_diag_part(d: Drawer):
    if d.big:
        return [d.values("T", [331, 61, 67])]
    return [d.values("T", d.shape(low=2))]


@hint("MatrixSetDiag", "BatchMatrixSetDiag")
def _matrix_set_diag(d: Drawer):
    shape = d.shape(low=2)
    diagonal = [*shape[:-2], min(shape[-2:])]
    return [d.values("T", shape), d.values("T", diagonal)]


@hint("Diag")
def _diag(d: Drawer):
    shape = d.shape(low=1, high=3)
    if d.large:
        shape = [2003] if d.huge else [9, 17]
    return [d.values("T", shape)]


@hint("DiagPart")
def _diag_part(d: Drawer):
    half = d.shape(low=1, high=2)
    if d.large:
        half = [2003] if d.huge else [23, 19]
    return [d.values("T", [*half, *half])]


def _block(d: Drawer) -> int:
    d.attrs["block_size"] = block = d.int(2, 3)
    return block


@hint("SpaceToDepth", "DepthToSpace")
def _space_depth(d: Drawer):
    block = _block(d)
    if "data_format" in d.attrs:
        d.attrs["data_format"] = "NHWC"
    n, h, w, c = d.dim(), d.int(1, 3), d.int(1, 3), d.int(1, 3)
    if d.huge:
        n, h, w, c = 32, 56 // block, 56 // block, 32
    if d.big:
        n, h, w, c = 3, 21, 20, 6
    if d.sig.name == "SpaceToDepth":
        return [d.values("T", [n, h * block, w * block, c])]
    return [d.values("T", [n, h, w, c * block * block])]


@hint("SpaceToBatch", "BatchToSpace")
def _space_batch(d: Drawer):
    block = _block(d)
    what = "Tpaddings" if "Tpaddings" in d.attrs else "Tidx"
    n, c = (32, 32) if d.huge else (3, 8) if d.big else (d.int(1, 3), d.int(1, 3))
    rows, sizes = _crops(d, [block, block])
    if d.sig.name == "SpaceToBatch":
        shape = [n, *(s * block - sum(r) for s, r in zip(sizes, rows)), c]
    else:
        shape = [n * block * block, *sizes, c]
    return [d.values("T", shape), d.array(what, np.array(rows))]


def _crops(d: Drawer, blocks: list[int]):
    """Paddings of dims, each smaller than the dim, and the dims divided by the blocks."""
    rows = [[d.int(0, b), d.int(0, b)] for b in blocks]
    return rows, [28 if d.huge else 20 if d.big else d.int(3, 4) for _ in blocks]


@hint("SpaceToBatchND", "BatchToSpaceND")
def _space_batch_nd(d: Drawer):
    blocks = [d.int(1, 3) for _ in range(d.int(1, 3))]
    to_batch = d.sig.name == "SpaceToBatchND"
    n, rest = d.int(1, 3), [64] if d.large else d.shape(high=1)
    rows, sizes = _crops(d, blocks)
    if to_batch:
        dims = [s * b - sum(r) for s, b, r in zip(sizes, blocks, rows)]
        if min(dims) < 0:
            raise Unsuitable("more padding than dim")
    else:
        dims, n = sizes, n * int(np.prod(blocks))
        rows = [
            [min(a, 1), min(b, 1)] if k > 1 else [0, 1]
            for (a, b), k in zip(rows, blocks)
        ]
    return [
        d.values("T", [n, *dims, *rest]),
        vector(d, "Tblock_shape", blocks),
        d.array("Tpaddings" if to_batch else "Tcrops", np.array(rows)),
    ]


@hint("ExtractImagePatches")
def _extract_image_patches(d: Drawer):
    for name in ("ksizes", "strides", "rates"):
        d.attrs[name] = [1, d.int(1, 3), d.int(1, 3), 1]
    if d.large:
        shape = [8, 65, 65, 16] if d.huge else [3, 57, 61, 3]
    else:
        shape = [d.dim(), d.int(5, 9), d.int(5, 9), d.int(1, 3)]
    return [d.values("T", shape)]
