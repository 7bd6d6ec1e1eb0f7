# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of summaries; see draws.hint."""

from __future__ import annotations

import numpy as np

from tensorwright.core.framework import summary_pb2
from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint


def _tag(d: Drawer) -> np.ndarray:
    return d.array(sig.STRING, d.pick(["tag", "a/b", ""]))


@hint("ScalarSummary")
def _scalar(d: Drawer):
    shape = d.shape()
    return [d.values(sig.STRING, shape), d.values("T", shape)]


@hint("HistogramSummary")
def _histogram(d: Drawer):
    # Finite: "any" has infinities.
    return [_tag(d), d.values("T", d.shape(), "positive")]


@hint("ImageSummary")
def _image(d: Drawer):
    shape = [d.dim(), d.dim(1), d.dim(1), d.pick([1, 3, 4])]
    if d.large:
        shape = [3, 64, 64, 3] if d.big else [3, 640, 700, 3]
    d.attrs["bad_color"] = np.array([255, 0, 0, 255], np.uint8)
    return [_tag(d), d.values("T", shape)]


@hint("AudioSummary", "AudioSummaryV2")
def _audio(d: Drawer):
    shape = [d.dim(), d.dim(1), d.dim(1)][: d.int(2, 3)]
    if d.large:
        shape = [3, 10000] if d.big else [3, 1 << 20]
    inputs = [_tag(d), d.values(sig.FLOAT, shape, "unit")]
    rate = float(d.pick([8000, 44100]))
    if "sample_rate" in d.attrs:
        d.attrs["sample_rate"] = rate
        return inputs
    return [*inputs, d.array(sig.FLOAT, rate)]


@hint("TensorSummaryV2")
def _tensor(d: Drawer):
    metadata = summary_pb2.SummaryMetadata(display_name=d.pick(["", "name"]))
    text = d.array(sig.STRING, metadata.SerializeToString().decode())
    return [_tag(d), d.values("T", d.shape()), text]


@hint("MergeSummary")
def _merge(d: Drawer):
    shapes = [d.shape(high=2) for _ in range(d.attrs["N"])]
    parts, number = [], 0
    for shape in shapes:
        part = np.empty(int(np.prod(shape)), object)
        for i in range(part.size):
            # The tags differ: none may come twice.
            value = summary_pb2.Summary.Value(tag=f"t{number}", simple_value=i % 100)
            part[i] = summary_pb2.Summary(value=[value]).SerializeToString()
            number += 1
        parts.append(part.reshape(shape))
    return [parts]
