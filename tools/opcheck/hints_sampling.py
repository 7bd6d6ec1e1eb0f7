# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of candidate samplers; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint

_CLASSES = 50


def _true_classes(d: Drawer, high: int):
    d.attrs["num_true"] = num_true = d.int(1, 3)
    batch = 300_000 if d.huge else 30_000 if d.big else d.int(0, 4)
    return d.ints(sig.INT64, [batch, num_true], 0, high - 1)


@hint(
    "UniformCandidateSampler", "LogUniformCandidateSampler", "LearnedUnigramCandidateSampler",
    "ThreadUnsafeUnigramCandidateSampler", "FixedUnigramCandidateSampler", "AllCandidateSampler",
)  # fmt: skip
def _sampler(d: Drawer):
    d.attrs["num_sampled"] = d.int(1, 20)
    d.attrs["seed"], d.attrs["seed2"] = d.int(1, 99), d.int(1, 99)
    if "range_max" in d.attrs:
        d.attrs["range_max"] = _CLASSES
    if d.sig.name == "FixedUnigramCandidateSampler":
        d.attrs["unigrams"] = [float(d.int(1, 9)) for _ in range(_CLASSES)]
        d.attrs["vocab_file"] = ""
        d.attrs["shard"] = 0
    # The classes of the last are those that it gives, all of them.
    last = d.attrs["num_sampled"] if d.sig.name == "AllCandidateSampler" else _CLASSES
    return [_true_classes(d, last)]


@hint("ComputeAccidentalHits")
def _accidental_hits(d: Drawer):
    sampled = 1_000 if d.large else d.int(0, 20)
    return [
        _true_classes(d, 2 * _CLASSES),
        d.ints(sig.INT64, [sampled], 0, 2 * _CLASSES),
    ]


@hint("RandomGamma", "RandomPoisson", "RandomPoissonV2")
def _samples_per_parameter(d: Drawer):
    t = {"RandomGamma": "T", "RandomPoisson": "dtype", "RandomPoissonV2": "R"}
    parameters = d.shape()
    samples = [30_000] if d.big else [d.int(0, 4) for _ in range(d.int(0, 2))]
    d.attrs["seed"], d.attrs["seed2"] = d.int(1, 99), d.int(1, 99)
    return [
        d.array("S", np.array(samples, np.int32)),
        d.values(t[d.sig.name], [1] if d.big else parameters, "positive"),
    ]


@hint("RandomGammaGrad")
def _of_gamma_samples(d: Drawer):
    return [d.values("T", s, "positive") for s in d.broadcast_shapes(2)]


@hint("ParameterizedTruncatedNormal")
def _truncated(d: Drawer):
    batches = d.int(1, 4)
    shape = [batches, 30_000 if d.big else d.int(0, 5)]
    d.attrs["seed"], d.attrs["seed2"] = d.int(1, 99), d.int(1, 99)
    sizes = [[], [1], [batches]]
    mean, stdev, low, span = (
        d.values("dtype", sizes[d.int(0, 2)], "positive") for _ in range(4)
    )
    high = (low.max() + span + 1).astype(low.dtype)
    return [d.array("T", np.array(shape, np.int32)), mean, stdev, low, high]


def _stateless_shape(d: Drawer):
    shape = [60_000] if d.big else d.shape()
    return d.array("T", np.array(shape, np.int32))


@hint(
    "StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
    "StatelessRandomUniformFullInt",
)  # fmt: skip
def _stateless(d: Drawer):
    return [
        _stateless_shape(d),
        d.array("Tseed", np.array([d.int(0, 99), d.int(0, 99)])),
    ]


@hint("StatelessRandomUniformInt")
def _stateless_int(d: Drawer):
    seed = d.array("Tseed", np.array([d.int(0, 99), d.int(0, 99)]))
    low, high = d.int(0, 50), d.int(51, 120)
    return [
        _stateless_shape(d),
        seed,
        d.array("dtype", np.array(low)),
        d.array("dtype", np.array(high)),
    ]
