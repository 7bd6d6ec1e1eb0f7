# SPDX-License-Identifier: Apache-2.0
"""Graphs around ops that read a file into a table, or merge the files of checkpoints."""

from __future__ import annotations

import functools
import tempfile
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.scenarios import _plain, scenario

# The lines of the files that tables are filled from: a word, an int and a float, with a delimiter between.
LINES = 6
# The dtype of a column, or of a special column index.
COLUMNS = {-2: sig.STRING, -1: sig.INT64, 0: sig.STRING, 1: sig.INT64, 2: sig.FLOAT}
# The number of checkpoints to merge, each with one tensor.
PARTS = 3


def word(line: int) -> str:
    return f"word{line}"


@functools.cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="opcheck")


# Tables. -----------------------------------------------------------------------------------------------------


def _asked(enum: int, column: int, line: Any) -> np.ndarray:
    """Keys, of which the table has some."""
    if enum == sig.INT64:
        return np.arange(0, 2 * LINES, 2)
    if enum == sig.FLOAT:
        return np.float32([0.5, 1.5, 9])
    texts = [line(i) if column == -2 else word(i) for i in (0, LINES - 1, LINES + 9)]
    return np.array([t.encode() for t in texts], object)


@scenario("InitializeTableFromTextFile", "InitializeTableFromTextFileV2")
def _from_file(b: Any, inputs: list[str]) -> list[str]:
    """A table is filled, asked for some keys, and for its size."""
    attrs, version = b.case.attrs, "V2" if b.sig.name.endswith("V2") else ""
    key = COLUMNS.get(attrs["key_index"], sig.STRING)
    value = COLUMNS.get(attrs["value_index"], sig.STRING)
    table = b.node(f"HashTable{version}", "table", [])
    table.attr["key_dtype"].type, table.attr["value_dtype"].type = key, value
    b.op(["table", *inputs[1:]])
    asked = _asked(key, attrs["key_index"], lambda i: line(i, str(attrs["delimiter"])))
    b.constant("asked", asked, key)
    b.constant("default", _plain([], value), value)
    find = b.node(
        f"LookupTableFind{version}", "find", ["table", "asked", "default", "^op"]
    )
    find.attr["Tin"].type, find.attr["Tout"].type = key, value
    b.node(f"LookupTableSize{version}", "size", ["table", "^op"])
    return ["find:0", "size:0"]


def line(i: int, delimiter: str) -> str:
    return delimiter.join([word(i), str(10 * i), str(i + 0.5)])


# Checkpoints. ------------------------------------------------------------------------------------------------


def _joined(b: Any, name: str, with_: str) -> str:
    """Names below the graph's own folder."""
    b.node("StringJoin", name, ["folder", with_]).attr["N"].i = 2
    return name


@scenario("MergeV2Checkpoints")
def _merge(b: Any, inputs: list[str]) -> list[str]:
    """Checkpoints are saved, merged and read; seen is too how many files are left of the first.

    Each graph has a folder of its own: the two that difftest runs at once would take each other's files away.
    """
    folder = tempfile.mkdtemp(dir=_folder().name) + "/"
    b.constant("folder", np.array(folder.encode(), object), sig.STRING)
    b.constant("text", np.array([b""], object), sig.STRING)
    saved = []
    for i in range(PARTS):
        _named(b, f"part{i}", f"part{i}/ckpt")
        _named(b, f"name{i}", f"tensor{i}", vector=True)
        b.constant(f"value{i}", np.arange(i + 1, dtype=np.float32), sig.FLOAT)
        prefix = _joined(b, f"prefix{i}", f"part{i}")
        save = b.node("SaveV2", f"save{i}", [prefix, f"name{i}", "text", f"value{i}"])
        save.attr["dtypes"].list.type.append(sig.FLOAT)
        saved.append(f"^save{i}")
    own = [_joined(b, "prefixes", inputs[0]), _joined(b, "destination", inputs[1])]
    b.op([*own, *inputs[2:], *saved])
    _named(b, "pattern", "part0/*")
    b.node("MatchingFiles", "left", [_joined(b, "all", "pattern"), "^op"])
    size = b.node("Size", "count", ["left"])
    size.attr["T"].type, size.attr["out_type"].type = sig.STRING, sig.INT32
    return [*_restored(b), "count:0"]


def _named(b: Any, name: str, text: str, vector: bool = False) -> None:
    content = np.array(text.encode(), object)
    b.constant(name, content[None] if vector else content, sig.STRING)


def _restored(b: Any) -> list[str]:
    """Reads the merged checkpoint."""
    merged = set(np.ravel(b.case.inputs[0]).tolist())
    parts = [i for i in range(PARTS) if b"part%d/ckpt" % i in merged]
    for i in parts:
        read = b.node(
            "RestoreV2", f"read{i}", ["destination", f"name{i}", "text", "^op"]
        )
        read.attr["dtypes"].list.type.append(sig.FLOAT)
    return [f"read{i}:0" for i in parts]
