# SPDX-License-Identifier: Apache-2.0
"""Graphs around ops that write to a summary writer."""

from __future__ import annotations

import functools
import tempfile
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.scenarios import scenario


@functools.cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="opcheck")


def _make(b: Any, name: str, folder: str) -> str:
    """Begins a file there, of which every event is written at once."""
    b.constant(f"{name}_logdir", np.array(folder.encode(), object), sig.STRING)
    b.constant(f"{name}_zero", np.int32(0), sig.INT32)
    b.constant(f"{name}_suffix", np.array(b"", object), sig.STRING)
    number = f"{name}_zero"
    inputs = ["writer", f"{name}_logdir", number, number, f"{name}_suffix"]
    b.node("CreateSummaryFileWriter", name, inputs)
    return f"^{name}"


@scenario(
    "CloseSummaryWriter",
    "CreateSummaryFileWriter",
    "FlushSummaryWriter",
    "ImportEvent",
    "SummaryWriter",
    "WriteAudioSummary",
    "WriteGraphSummary",
    "WriteHistogramSummary",
    "WriteImageSummary",
    "WriteRawProtoSummary",
    "WriteScalarSummary",
    "WriteSummary",
)
def _writer(b: Any, inputs: list[str]) -> list[str]:
    """A writer of a file in a folder of this graph's own; seen is how many files are there afterwards."""
    folder = tempfile.mkdtemp(dir=_folder().name)
    name = b.sig.name
    if name == "SummaryWriter":
        b.op(inputs)
        b.constant("made", np.int32(0), sig.INT32, ["^op"])
        return ["made:0"]
    handle = b.node("SummaryWriter", "writer", [])
    handle.attr["shared_name"].s = folder.encode()
    if name == "CreateSummaryFileWriter":
        b.constant("own", np.array(f"{folder}/".encode(), object), sig.STRING)
        b.node("StringJoin", "joined", ["own", inputs[1]]).attr["N"].i = 2
        b.op(["writer", "joined", *inputs[2:]])
        folder += "/*"
    else:
        b.op(["writer", *inputs[1:], _make(b, "create", folder)])
    b.constant("pattern", np.array(f"{folder}/*".encode(), object), sig.STRING)
    b.node("MatchingFiles", "files", ["pattern", "^op"])
    size = b.node("Size", "count", ["files"])
    size.attr["T"].type, size.attr["out_type"].type = sig.STRING, sig.INT32
    return ["count:0"]
