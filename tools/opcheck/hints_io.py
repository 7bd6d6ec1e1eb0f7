# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops of files and checkpoints, and of strings; see draws.hint.

The ops read TensorFlow's checkpoints in python/training/testdata, and write to a folder of this
process, which goes when it ends.
"""

from __future__ import annotations

import functools
import pathlib
import tempfile

import numpy as np

from tensorwright.python.framework import dtypes
from tensorwright.tools.opcheck import (
    allowed,
    scenarios_files as files,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint

_READ = pathlib.Path(__file__).parents[2] / "python" / "training" / "testdata"
_V1_DTYPES = (
    "float32 float64 int32 uint8 int16 int8 complex64 int64 bool uint16 complex128 float16"
).split()
_V2_DTYPES = [*_V1_DTYPES, "bfloat16", "uint32", "uint64"]
_ENUMS = {name: dtypes.as_dtype(name).as_datatype_enum for name in _V2_DTYPES}
# Tensors of the checkpoints: dtype and shape.
_IN_V1 = {name: (_ENUMS[name], [2, 3]) for name in _V1_DTYPES} | {
    "string": (sig.STRING, [2, 2]),
    "scalar": (sig.FLOAT, []),
    "empty": (sig.FLOAT, [0, 4]),
    "parts": (sig.FLOAT, [3, 4]),
}
_IN_V2 = _IN_V1 | {name: (_ENUMS[name], [2, 3]) for name in _V2_DTYPES}
_V1 = ("v1", "v1_sharded-?????-of-00003")
_V2 = ("v2", "v2_sharded")


@functools.cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="opcheck")


def _new_path(d: Drawer) -> str:
    return f"{_folder().name}/file{d.int(0, 5)}"


def _string(d: Drawer, text: str) -> np.ndarray:
    return d.array(sig.STRING, np.array(text.encode(), object))


def _strings(d: Drawer, texts: list[str]) -> np.ndarray:
    out = np.empty(len(texts), object)
    out[:] = [t.encode() for t in texts]
    return d.array(sig.STRING, out)


def _slice_text(d: Drawer, shape: list[int]) -> str:
    """The text of a slice of that shape of a larger tensor, or none."""
    if d.chance(0.5) or not shape or 0 in shape:
        return ""
    begin = [d.int(0, 2) for _ in shape]
    full = [b + n + d.int(0, 2) for b, n in zip(begin, shape)]
    parts = ":".join(f"{b},{n}" for b, n in zip(begin, shape))
    return " ".join(map(str, full)) + " " + parts


@hint("MatchingFiles")
def _matching_files(d: Drawer):
    patterns = [f"{_READ}/{p}" for p in ("v1", "v2*", "*.index", "none*", "[")]
    if d.chance(0.5):
        return [_string(d, d.pick(patterns))]
    return [_strings(d, [d.pick(patterns) for _ in range(d.int(0, 3))])]


@hint("ReadFile")
def _read_file(d: Drawer):
    return [_string(d, f"{_READ}/{d.pick(['v1', 'v2.index', 'none'])}")]


@hint("WriteFile")
def _write_file(d: Drawer):
    return [_string(d, _new_path(d)), d.values(sig.STRING, [])]


@hint("ShardedFilename")
def _sharded_filename(d: Drawer):
    n = d.int(1, 30)
    values = [d.array(sig.INT32, d.int(0, n - 1)), d.array(sig.INT32, n)]
    return [d.values(sig.STRING, []), *values]


@hint("ShardedFilespec")
def _sharded_filespec(d: Drawer):
    return [d.values(sig.STRING, []), d.array(sig.INT32, d.int(1, 30))]


def _saved(d: Drawer, types: list[int]):
    """Names, texts of slices, and tensors."""
    shapes = [d.shape(high=2) for _ in types]
    names = _strings(d, [f"name{i}" for i in range(len(types))])
    texts = _strings(d, [_slice_text(d, shape) for shape in shapes])
    tensors = [d.values(t, shape) for t, shape in zip(types, shapes)]
    return names, texts, tensors


@hint("Save")
def _save(d: Drawer):
    names, _, tensors = _saved(d, d["T"])
    return [_string(d, _new_path(d)), names, tensors]


@hint("SaveSlices")
def _save_slices(d: Drawer):
    return [_string(d, _new_path(d)), *_saved(d, d["T"])]


@hint("SaveV2")
def _save_v2(d: Drawer):
    return [_string(d, _new_path(d)), *_saved(d, d["dtypes"])]


def _slice_of(d: Drawer, shape: list[int]) -> str:
    """Returns the text of a slice of a saved tensor, or "" for all of it."""
    if d.chance(0.5) or not shape or 0 in shape:
        return ""
    begin = [d.int(0, n - 1) for n in shape]
    size = [d.int(1, n - b) for n, b in zip(shape, begin)]
    parts = ":".join(f"{b},{n}" for b, n in zip(begin, size))
    return " ".join(map(str, shape)) + " " + parts


def _one_saved(d: Drawer) -> str:
    """The name of a tensor of the dtype that was drawn."""
    names = [name for name, (t, _) in _IN_V1.items() if t == d["dt"]]
    if not names:
        raise Unsuitable("the files have none of this dtype")
    return d.pick(names)


@hint("Restore")
def _restore(d: Drawer):
    name = _one_saved(d)
    return [_string(d, f"{_READ}/{d.pick(_V1)}"), _string(d, name)]


@hint("RestoreSlice")
def _restore_slice(d: Drawer):
    name = _one_saved(d)
    text = _slice_of(d, _IN_V1[name][1])
    path = f"{_READ}/{d.pick(_V1)}"
    return [_string(d, path), _string(d, name), _string(d, text)]


@hint("RestoreV2")
def _restore_v2(d: Drawer):
    files, there = d.pick([(_V1, _IN_V1), (_V2, _IN_V2), (_V2, _IN_V2)])
    names = [d.pick(list(there)) for _ in range(d.int(1, 3))]
    d.attrs["dtypes"] = [there[name][0] for name in names]
    texts = [_slice_of(d, there[name][1]) for name in names]
    path = f"{_READ}/{d.pick(files)}"
    return [_string(d, path), _strings(d, names), _strings(d, texts)]


@hint("MergeV2Checkpoints")
def _merge(d: Drawer):
    """Merges checkpoints that the scenario saves."""
    d.attrs["allow_missing_files"] = d.chance(0.2)
    parts = d.rng.permutation(files.PARTS)[: d.int(1, files.PARTS)]
    prefixes = [f"part{i}/ckpt" for i in parts]
    return [_strings(d, prefixes), _string(d, d.pick(["merged/ckpt", "all"]))]


# Key's dtype -> dtypes of values for which tables exist.
_TABLE_VALUES = {
    sig.STRING: (sig.STRING, sig.INT64, sig.FLOAT),
    sig.INT64: (sig.STRING, sig.INT64, sig.FLOAT),
}


@hint("InitializeTableFromTextFile", "InitializeTableFromTextFileV2")
def _table_from_file(d: Drawer):
    """A file of words, ints and floats; keys are all different."""
    d.attrs["delimiter"] = delimiter = d.pick(["\t", ",", " "])
    d.attrs["key_index"] = key = d.pick([-2, -1, 0, 1])
    values = _TABLE_VALUES[files.COLUMNS[key]]
    d.attrs["value_index"] = d.pick(
        [i for i, enum in files.COLUMNS.items() if enum in values]
    )
    d.attrs["offset"] = d.pick([0, 0, 1, 7, -2])
    d.attrs["vocab_size"] = d.pick([-1, -1, files.LINES, files.LINES - 2])
    path = _new_path(d)
    lines = [files.line(i, delimiter) for i in range(files.LINES)]
    pathlib.Path(path).write_text("\n".join(lines) + d.pick(["", "\n"]))
    return [d.values(d.types_of(0), [], "normal"), _string(d, path)]


allowed.allow(
    allowed.THREADS,
    [
        "MergeV2Checkpoints",
        "InitializeTableFromTextFile",
        "InitializeTableFromTextFileV2",
    ],
    "reads and writes small files",
)


# Readers need a queue that feeds them, which the graph of one op does not have.
_READERS = [
    *(
        f"{name}{v}"
        for name in (
            "FixedLengthRecordReader", "IdentityReader", "TFRecordReader", "TextLineReader",
            "WholeFileReader", "ReaderNumRecordsProduced", "ReaderNumWorkUnitsCompleted",
            "ReaderRead", "ReaderReadUpTo", "ReaderReset", "ReaderRestoreState",
            "ReaderSerializeState",
        )
        for v in ("", "V2")
    ),
    "LMDBReader",
    "RecordInput",
]  # fmt: skip


@hint(*_READERS)
def _reader(d: Drawer):
    raise Unsuitable("reads files that a queue names; see its tests")


allowed.allow(allowed.VALID, _READERS, "reads files that a queue names; see its tests")


@hint("StringJoin")
def _string_join(d: Drawer):
    shape = d.shape(high=3)
    n = d.int(1, 4)
    d.attrs["N"] = n
    d.attrs["separator"] = d.pick(["", ", "])
    scalar = [d.chance(0.3) for _ in range(n)]
    return [[d.values(sig.STRING, [] if s else shape) for s in scalar]]


_PATTERNS = ("a", "a*", "[ab]+", ".*", "", "(abc|tensor)+", r"\w+")


@hint("RegexFullMatch")
def _regex_full_match(d: Drawer):
    return [d.values(sig.STRING, d.shape()), _string(d, d.pick(_PATTERNS))]


@hint("StaticRegexFullMatch")
def _static_regex_full_match(d: Drawer):
    d.attrs["pattern"] = d.pick(_PATTERNS)
    return [d.values(sig.STRING, d.shape())]
