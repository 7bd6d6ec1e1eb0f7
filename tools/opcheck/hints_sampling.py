# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of candidate samplers; see draws.hint."""

from __future__ import annotations

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
    return [_true_classes(d, _CLASSES)]


@hint("ComputeAccidentalHits")
def _accidental_hits(d: Drawer):
    sampled = 1_000 if d.large else d.int(0, 20)
    return [
        _true_classes(d, 2 * _CLASSES),
        d.ints(sig.INT64, [sampled], 0, 2 * _CLASSES),
    ]
