# SPDX-License-Identifier: Apache-2.0
"""Valid calls of contrib's ops; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint


@hint("GatherTree")
def _gather_tree(d: Drawer):
    time, batch, beam = [20, 100, 40] if d.large else [d.dim(), d.dim(), d.int(1, 4)]
    shape = [time, batch, beam]
    return [
        d.ints(sig.INT32, shape, 0, 99),
        d.ints(sig.INT32, shape, 0, beam - 1),
        d.ints(sig.INT32, [batch, beam], 0, time),
    ]


def _sampled(d: Drawer):
    size = [8, 40, 40, 3] if d.large else [d.int(1, 3) for _ in range(4)]
    points = [900] if d.large else [d.int(0, 4) for _ in range(d.int(0, 2))]
    return size, [size[0], *points, 2], [size[0], *points, size[3]]


@hint("Resampler")
def _resampler(d: Drawer):
    data, warp, _ = _sampled(d)
    return [d.values("T", data), d.values("T", warp)]


@hint("ResamplerGrad")
def _resampler_grad(d: Drawer):
    data, warp, output = _sampled(d)
    return [d.values("T", data), d.values("T", warp), d.values("T", output)]


@hint("SkipGramGenerateCandidates")
def _skip_gram(d: Drawer):
    n = 20_000 if d.large else d.int(1, 9)
    least = d.int(0, 3)
    start = d.int(0, n - 1)
    d.attrs["seed"], d.attrs["seed2"] = d.int(1, 99), d.int(1, 99)
    return [
        d.values("T", [n]),
        d.array(sig.INT32, least),
        d.array(sig.INT32, least + d.int(0, 3)),
        d.array(sig.INT32, start),
        d.array(sig.INT32, d.int(-1, n)),
        d.array(sig.BOOL, d.int(0, 1)),
    ]


@hint("WALSComputePartialLhsAndRhs")
def _normal_equations(d: Drawer):
    rows, columns, k, entries = [200, 90, 20, 8000] if d.large else [d.int(1, 5), d.int(1, 5), d.dim(), d.dim()]  # fmt: skip
    transposed = d.int(0, 1)
    own = entries > 0 and d.chance(0.3)
    places = [
        d.ints(sig.INT64, [entries, 1], 0, rows - 1),
        d.ints(sig.INT64, [entries, 1], 0, columns - 1),
    ]
    return [
        d.values(sig.FLOAT, [columns, k]),
        d.values(sig.FLOAT, [0 if own else columns], "positive"),
        d.values(sig.FLOAT, [], "positive"),
        d.values(sig.FLOAT, [0 if own else rows], "positive"),
        np.concatenate(places[::-1] if transposed else places, 1),
        d.values(sig.FLOAT, [entries]),
        d.values(sig.FLOAT, [entries if own else 0], "positive"),
        d.array(sig.INT64, rows),
        d.array(sig.BOOL, transposed),
    ]


@hint("MaskedMatmul")
def _masked_matmul(d: Drawer):
    m, inner, n, entries = [90, 40, 70, 20_000] if d.large else [d.int(1, 4), d.dim(), d.int(1, 4), d.dim()]  # fmt: skip
    a, b = d.int(0, 1), d.int(0, 1)
    places = [d.ints(sig.INT64, [entries, 1], 0, size - 1) for size in (m, n)]
    return [
        d.values(sig.FLOAT, [inner, m] if a else [m, inner]),
        d.values(sig.FLOAT, [n, inner] if b else [inner, n]),
        np.concatenate(places, 1),
        d.array(sig.BOOL, a),
        d.array(sig.BOOL, b),
    ]


allowed.allow(
    allowed.NAN_LOST,
    ["Resampler", "ResamplerGrad"],
    "no pixel is where a NaN says: the point is outside, as in TensorFlow",
)
allowed.allow(
    allowed.THREADS,
    ["BytesInUse", "BytesLimit", "MaxBytesInUse"],
    "one number, whatever the size",
)
allowed.allow(
    allowed.REPEAT,
    ["BytesInUse", "MaxBytesInUse"],
    "another thread may take or give back memory between two calls",
    rare=True,
)
