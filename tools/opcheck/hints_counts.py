# SPDX-License-Identifier: Apache-2.0
"""Valid calls of counts, transforms along axes, volume patches, prints; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint

allowed.allow(allowed.REPEAT, "Timestamp", "the time")
allowed.allow(allowed.THREADS, ["Timestamp", "PrintV2"], "one element")


def _weights(d: Drawer, what: str, shape: list[int]):
    return d.values(what, shape if d.large or d.chance(0.6) else [0])


@hint("DenseBincount")
def _dense(d: Drawer):
    shape = [300, 400] if d.large else d.pick([[], [d.dim()], [d.dim(), d.dim()]])
    return [
        d.ints("Tidx", shape, 0, 9),
        d.array("Tidx", 400 if d.large else d.int(0, 12)),
        _weights(d, "T", shape),
    ]


def _sparse(d: Drawer):
    rank = d.int(1, 3)
    shape = [300] * rank if d.large else [d.int(1, 5) for _ in range(rank)]
    n = 4000 if d.large else d.int(0, 6)
    columns = [d.ints(sig.INT64, [n], 0, s - 1) for s in shape]
    return np.stack(columns, 1).reshape(n, rank), n, d.array(sig.INT64, shape)


@hint("SparseBincount")
def _sparse_bincount(d: Drawer):
    indices, n, shape = _sparse(d)
    return [
        indices, d.ints("Tidx", [n], 0, 9), shape,
        d.array("Tidx", 400 if d.large else d.int(0, 12)), _weights(d, "T", [n]),
    ]  # fmt: skip


def _splits(d: Drawer):
    rows, n = (300, 4000) if d.large else (d.int(0, 5), d.int(0, 8))
    n = n if rows else 0
    inner = sorted(d.int(0, n) for _ in range(max(rows - 1, 0)))
    return d.array(sig.INT64, [0, *inner, n] if rows else [0]), n


@hint("RaggedBincount")
def _ragged(d: Drawer):
    splits, n = _splits(d)
    return [
        splits, d.ints("Tidx", [n], 0, 9),
        d.array("Tidx", 400 if d.large else d.int(0, 12)), _weights(d, "T", [n]),
    ]  # fmt: skip


def _limits(d: Drawer) -> None:
    d.attrs["minlength"] = d.pick([-1, 0, 12])
    d.attrs["maxlength"] = d.pick([-1, 0, 5])
    if d.large:
        d.attrs["maxlength"] = -1


_LARGE_COUNTS = 9_000


@hint("DenseCountSparseOutput")
def _dense_count(d: Drawer):
    _limits(d)
    shape = [200, 400] if d.large else d.pick([[d.dim()], [d.dim(), d.dim()]])
    high = _LARGE_COUNTS if d.large else 9
    return [d.ints("T", shape, 0, high), _weights(d, "output_type", shape)]


@hint("SparseCountSparseOutput")
def _sparse_count(d: Drawer):
    _limits(d)
    indices, n, shape = _sparse(d)
    if d.large:
        n = 40_000
        indices = np.stack([d.ints(sig.INT64, [n], 0, 199) for _ in range(2)], 1)
        shape = d.array(sig.INT64, [200, 200])
    high = _LARGE_COUNTS if d.large else 9
    return [
        indices, d.ints("T", [n], 0, high), shape, _weights(d, "output_type", [n]),
    ]  # fmt: skip


@hint("RaggedCountSparseOutput")
def _ragged_count(d: Drawer):
    _limits(d)
    splits, n = _splits(d)
    if d.large:
        n = 40_000
        splits = d.array(sig.INT64, [0, 10_000, 10_000, n])
    high = _LARGE_COUNTS if d.large else 9
    return [splits, d.ints("T", [n], 0, high), _weights(d, "output_type", [n])]


@hint("FFTND", "IFFTND", "RFFTND", "IRFFTND")
def _fftnd(d: Drawer):
    op = d.sig.name
    real_in, real_out = op == "RFFTND", op == "IRFFTND"
    shape = [40, 30, 36] if d.large else d.shape(low=1, high=4, min_dim=1)
    rank = len(shape)
    count = d.int(1, rank)
    axes = [int(a) for a in np.argsort([d.int(0, 999) for _ in shape])[:count]]
    lengths = []
    for i, a in enumerate(axes):
        most = shape[a]
        if real_out and i + 1 == count:
            most = 2 * most - 1
        lengths.append(most if d.large else d.int(1, most))
    signs = [a - rank if d.chance(0.3) else a for a in axes]
    kind = "Treal" if real_in else "Tcomplex"
    return [
        d.values(kind, shape, "normal"),
        d.array(sig.INT32, lengths),
        d.array(sig.INT32, signs),
    ]


@hint("Fingerprint")
def _fingerprint(d: Drawer):
    shape = [3000, 9] if d.large else d.shape(low=1)
    return [d.values("T", shape), d.array(sig.STRING, b"farmhash64")]


@hint("ExtractVolumePatches")
def _volumes(d: Drawer):
    shape = [2, 9, 10, 12, 8] if d.large else [d.int(0, 2), *(d.int(1, 5) for _ in "prc"), d.int(1, 3)]  # fmt: skip
    d.attrs["ksizes"] = [1, *(d.int(1, min(3, n)) for n in shape[1:4]), 1]
    d.attrs["strides"] = [1, *(d.int(1, 2) for _ in "prc"), 1]
    if d.large:
        d.attrs["strides"] = [1] * 5
    return [d.values("T", shape)]


@hint("PrintV2")
def _print(d: Drawer):
    d.attrs["output_stream"] = "file:///dev/null"
    return [d.array(sig.STRING, b"text")]
