# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops that write summaries; see draws.hint.  Graphs around them are in scenarios_summary.py."""

from __future__ import annotations

import numpy as np

from tensorwright.core.framework import graph_pb2, summary_pb2
from tensorwright.core.util import event_pb2
from tensorwright.tools.opcheck import (
    allowed,
    scenarios_summary as scenarios_summary,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Drawer, hint
from tensorwright.tools.opcheck.scenarios import _plain


def _writer(d: Drawer) -> np.ndarray:
    """Stands for the handle, which the graph around the op makes."""
    return _plain([], d.types_of(0))


def _bytes(value: bytes) -> np.ndarray:
    return np.array(value, object)


def _head(d: Drawer) -> list[np.ndarray]:
    return [_writer(d), d.array(sig.INT64, d.int(0, 100))]


def _tag(d: Drawer) -> np.ndarray:
    return d.array(sig.STRING, d.pick(["tag", "a/b", ""]))


@hint("CreateSummaryFileWriter")
def _create(d: Drawer):
    numbers = [d.array(sig.INT32, d.int(0, 10)) for _ in range(2)]
    return [_writer(d), _bytes(b"folder"), *numbers, _bytes(d.pick([b"", b".v2"]))]


@hint("FlushSummaryWriter", "CloseSummaryWriter")
def _handle(d: Drawer):
    return [_writer(d)]


@hint("WriteSummary")
def _tensor(d: Drawer):
    metadata = summary_pb2.SummaryMetadata(display_name=d.pick(["", "name"]))
    text = _bytes(metadata.SerializeToString())
    return [*_head(d), d.values("T", d.shape()), _tag(d), text]


@hint("WriteScalarSummary")
def _scalar(d: Drawer):
    return [*_head(d), _tag(d), d.values("T", [])]


@hint("WriteHistogramSummary")
def _histogram(d: Drawer):
    kind = "any" if d.attrs["T"] == sig.BOOL else "positive"
    return [*_head(d), _tag(d), d.values("T", d.shape(), kind)]


@hint("WriteImageSummary")
def _image(d: Drawer):
    shape = [d.dim(), d.dim(1), d.dim(1), d.pick([1, 3, 4])]
    if d.large:
        shape = [3, 64, 64, 3]
    color = np.array([255, 0, 0, 255], np.uint8)
    return [*_head(d), _tag(d), d.values("T", shape), color]


@hint("WriteAudioSummary")
def _audio(d: Drawer):
    shape = [d.dim(), d.dim(1), d.dim(1)][: d.int(2, 3)]
    rate = d.array(sig.FLOAT, float(d.pick([8000, 44100])))
    return [*_head(d), _tag(d), d.values(sig.FLOAT, shape, "unit"), rate]


@hint("WriteRawProtoSummary")
def _raw(d: Drawer):
    value = summary_pb2.Summary.Value(tag="tag", simple_value=d.int(0, 9))
    summary = summary_pb2.Summary(value=[value]).SerializeToString()
    return [*_head(d), np.full(d.shape(high=2), summary, object)]


@hint("WriteGraphSummary")
def _graph(d: Drawer):
    graph = graph_pb2.GraphDef()
    graph.node.add(name="n", op="NoOp")
    return [*_head(d), _bytes(graph.SerializeToString())]


@hint("ImportEvent")
def _event(d: Drawer):
    event = event_pb2.Event(wall_time=1.5, step=d.int(0, 9))
    return [_writer(d), _bytes(event.SerializeToString())]


allowed.allow(
    allowed.THREADS,
    [
        "CloseSummaryWriter",
        "CreateSummaryFileWriter",
        "FlushSummaryWriter",
        "ImportEvent",
        "SummaryWriter",
        "WriteAudioSummary",
        "WriteGraphSummary",
        "WriteScalarSummary",
    ],
    "writes to a file; what it writes is made as by the op that returns a summary",
)
