# SPDX-License-Identifier: Apache-2.0
"""Valid calls of contrib's ops; see draws.hint."""

from __future__ import annotations

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
