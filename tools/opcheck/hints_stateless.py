# SPDX-License-Identifier: Apache-2.0
"""Valid calls of samples that a seed or a place of a stream decides; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint

_UINT64 = 23
_GETTERS = [
    "StatelessRandomGetAlg",
    "StatelessRandomGetKeyCounter",
    "StatelessRandomGetKeyCounterAlg",
]
allowed.allow(allowed.THREADS, _GETTERS, "a few numbers")
allowed.allow(
    allowed.DERIVATIVE,
    ["StatelessRandomGammaV2", "StatelessRandomGammaV3"],
    "a sample jumps with its parameter: its gradient is that along which its quantile stays",
    of="real",
)


def _seed(d: Drawer):
    return d.ints("Tseed", [2], -999, 999)


def _place(d: Drawer) -> list:
    return [
        d.array(_UINT64, [d.int(0, 9999)]),
        d.array(_UINT64, [d.int(0, 9999), d.int(0, 9999)]),
        d.array(sig.INT32, d.pick([1, 3])),
    ]


@hint("RandomIndexShuffle")
def _index_shuffle(d: Drawer):
    n = 60_000 if d.large else d.dim()
    d.attrs["rounds"] = d.pick([4, 4, 6, 8, 20])
    most = d.pick([1, 9, 1000, 65535, 65537, 1 << 20 | 5])
    index, seed, last = (d.chance(0.7) for _ in range(3))
    index |= d.large or not (seed or last)
    return [
        d.ints("dtype", [n] if index else [], 0, most),
        d.ints("Tseed", [n, 3] if seed else [3], 0, 999),
        d.array("dtype", np.full([n] if last else [], most)),
    ]


def _shape(d: Drawer) -> list[int]:
    return [60_000] if d.large else d.shape()


@hint(
    "StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2",
    "StatelessRandomUniformFullIntV2",
)  # fmt: skip
def _placed(d: Drawer):
    return [d.array("Tshape", np.array(_shape(d), np.int64)), *_place(d)]


@hint("StatelessRandomUniformIntV2")
def _placed_ints(d: Drawer):
    low = d.int(0, 50)
    return [
        d.array("Tshape", np.array(_shape(d), np.int64)), *_place(d),
        d.array("dtype", low), d.array("dtype", low + d.int(1, 50)),
    ]  # fmt: skip


@hint("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg")
def _of_a_seed(d: Drawer):
    return [_seed(d)]


@hint("StatelessMultinomial")
def _multinomial(d: Drawer):
    shape = [300, 50] if d.large else [d.dim(), d.int(1, 9)]
    samples = 200 if d.large else d.dim()
    return [d.values("T", shape, "unit"), d.array(sig.INT32, samples), _seed(d)]


def _parameters(d: Drawer) -> tuple[list[int], list[int]]:
    """The shape of parameters, and one that ends with it."""
    own = [3] if d.large else d.shape(high=2)
    before = [20_000] if d.large else [d.int(0, 4) for _ in range(d.int(0, 2))]
    return own, before + own


@hint("StatelessRandomGammaV2")
def _gamma(d: Drawer):
    own, shape = _parameters(d)
    return [d.array("T", np.array(shape, np.int64)), _seed(d), d.values("dtype", own, "positive")]  # fmt: skip


@hint("StatelessRandomGammaV3")
def _placed_gamma(d: Drawer):
    own, shape = _parameters(d)
    return [
        d.array("shape_dtype", np.array(shape, np.int64)), *_place(d),
        d.values("dtype", own, "positive"),
    ]  # fmt: skip


@hint("StatelessRandomPoisson")
def _poisson(d: Drawer):
    own, shape = _parameters(d)
    return [d.array("T", np.array(shape, np.int64)), _seed(d), d.ints("Rtype", own, 0, 40)]  # fmt: skip


@hint("StatelessRandomBinomial")
def _binomial(d: Drawer):
    own, shape = _parameters(d)
    of = [] if d.chance(0.5) else own
    whole = d.attrs["T"] in (sig.INT32, sig.INT64)
    probs = d.ints("T", of, 0, 1) if whole else d.values("T", of, "probability")
    return [
        d.array("S", np.array(shape, np.int64)), _seed(d), d.ints("T", own, 1, 60), probs,
    ]  # fmt: skip
