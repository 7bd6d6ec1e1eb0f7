# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of files and checkpoints."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest.difference import ERROR_CLASS, REFUSAL, VALUE
from tensorwright.tools.difftest.explanation import (
    Explanation,
    call,
    gave,
    ours_is,
    refused,
    texts,
)
from tensorwright.tools.opcheck import signature as sig


def _has_zero(d) -> bool:
    return b"\x00" in d.input(0).item()


def _sharded(d) -> bytes:
    """A path, the shard's number or as many question marks, and the number of shards."""
    path, *numbers = (d.input(i).item() for i in range(len(d.case.inputs)))
    shard = b"%05d" % numbers[0] if d.op == "ShardedFilename" else b"?" * 5
    return b"%s-%s-of-%05d" % (path, shard, numbers[-1])


def _has_slices(d) -> bool:
    return any(d.input(2).ravel())


def _twice(d) -> bool:
    names = d.input(1).ravel().tolist()
    return len(set(names)) < len(names)


def _text(*values: bytes) -> np.ndarray:
    out = np.empty(len(values), object)
    out[:] = values
    return out


_ZERO = np.array(b"a\x00b", object)
_PLAIN = np.array(b"ab", object)
_ONE = np.array(1, np.int32)
_TWO_NAMES = _text(b"v", b"w")
_TWO_SHAPES = [np.zeros([2, 4]), np.zeros([2, 3])]
_PATH = np.array(b"ckpt", object)
_NO_SLICE = "InvalidArgumentError: Dtype half not supported."
_TWICE = "InvalidArgumentError: 'a' is there twice"
_THEIRS_TWICE = "InternalError: Mismatching shapes: existing tensor = [8,4], trying to add name a, shape = []"
# Names may be too long for all of the message to be kept.
_OVERLAP = r"InvalidArgumentError: (slices |'|the parts of ')"

_INT32 = "InvalidArgumentError: Attr preferred_shard has value 4294967296 out of range for an int32"
_INT32_PATTERN = r"InvalidArgumentError: Attr preferred_shard has value -?\d{10,} out of range for an int32"


def _is_wide(d) -> bool:
    return not -(1 << 31) <= d.attrs["preferred_shard"] < 1 << 31


_NO_COLUMN = "InvalidArgumentError: Invalid number of columns in x line 0 (a) : expected at least 10 got 1"


def _is_far_column(d) -> bool:
    return max(d.attrs["key_index"], d.attrs["value_index"]) >= 1 << 31


_ODD = np.array(b"\xff\x00", object)
_NOT_THERE = "NotFoundError: \\xff; No such file or directory"
_UTF8 = "InvalidArgumentError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"
_RANK = "InvalidArgumentError: Restore: Shape must be rank 0 but is rank 1: tensor_name has shape [1]"
_NO_NAME = 'NotFoundError: Tensor name "" not found in checkpoint files x'


def _has_odd_bytes(d) -> bool:
    return any(b"\xff" in x for x in texts(d))


_NUL = "InvalidArgumentError: A path must not have a zero byte, got 'a\\x00b'"
_NO_BFLOAT16 = "UnimplementedError: SummaryFileWriter bfloat16 not supported."
_PATH_OPS = (
    "CreateSummaryFileWriter GenerateVocabRemapping InitializeTableFromTextFile InitializeTableFromTextFileV2 "
    "LoadAndRemapMatrix MatchingFiles MergeV2Checkpoints ReadFile Restore RestoreSlice RestoreV2 Save SaveSlices "
    "SaveV2 WriteFile"
)


def _has_zero_byte(d) -> bool:
    return any(b"\x00" in x for x in texts(d))


TABLE: list[Explanation] = [
    Explanation(
        "ShardedFilename",
        VALUE,
        "TensorFlow's name ends at a zero byte",
        dtypes="string",
        outputs=(0,),
        when=_has_zero,
        elements=ours_is(_sharded),
        bound=np.inf,
        true=[
            gave(
                call("ShardedFilename", _ZERO, _ONE, _ONE),
                _text(b"a\x00b-00001-of-00001"),
                _text(b"a-00001-of-00001"),
                "string",
            )
        ],
        wrong=[
            gave(
                call("ShardedFilename", _PLAIN, _ONE, _ONE),
                _text(b"ab-00001-of-00001"),
                _text(b"a-00001-of-00001"),
                "string",
            )
        ],
    ),
    Explanation(
        "ShardedFilespec",
        VALUE,
        "TensorFlow's name ends at a zero byte",
        dtypes="string",
        outputs=(0,),
        when=_has_zero,
        elements=ours_is(_sharded),
        bound=np.inf,
        true=[
            gave(
                call("ShardedFilespec", _ZERO, _ONE),
                _text(b"a\x00b-?????-of-00001"),
                _text(b"a-?????-of-00001"),
                "string",
            )
        ],
        wrong=[
            gave(
                call("ShardedFilespec", _PLAIN, _ONE),
                _text(b"ab-?????-of-00001"),
                _text(b"a-?????-of-00001"),
                "string",
            )
        ],
    ),
    Explanation(
        "RestoreV2",
        REFUSAL,
        "TensorFlow cuts slices out of tensors of some dtypes only",
        theirs=r"InvalidArgumentError: Dtype \w+ not supported\.",
        when=_has_slices,
        true=[
            refused(
                call("RestoreV2", _PATH, _text(b"w"), _text(b"2 3 0,1:-")),
                theirs=_NO_SLICE,
            )
        ],
        wrong=[
            refused(call("RestoreV2", _PATH, _text(b"w"), _text(b"")), theirs=_NO_SLICE)
        ],
    ),
    Explanation(
        "Save SaveSlices",
        ERROR_CLASS,
        "a name that comes twice is a wrong argument",
        ours=_OVERLAP,
        theirs=r"InternalError: Mismatching (shapes|types): existing ",
        when=_twice,
        true=[
            refused(
                call("Save", _PATH, _text(b"a", b"a")),
                _TWICE,
                _THEIRS_TWICE,
            )
        ],
        wrong=[
            refused(call("Save", _PATH, _text(b"a", b"b")), _TWICE, _THEIRS_TWICE),
        ],
    ),
    Explanation(
        "Restore RestoreSlice",
        REFUSAL,
        "an int attr has 64 bits",
        theirs=_INT32_PATTERN,
        when=_is_wide,
        true=[refused(call("Restore", preferred_shard=1 << 32), theirs=_INT32)],
        wrong=[refused(call("Restore", preferred_shard=10), theirs=_INT32)],
    ),
    Explanation(
        "Restore RestoreSlice",
        ERROR_CLASS,
        "an int attr has 64 bits",
        ours=r"NotFoundError: (No checkpoint file matches|Key .* not found)",
        theirs=_INT32_PATTERN,
        when=_is_wide,
        true=[
            refused(
                call("Restore", preferred_shard=1 << 32),
                "NotFoundError: No checkpoint file matches x",
                _INT32,
            )
        ],
        wrong=[
            refused(
                call("Restore", preferred_shard=10),
                "NotFoundError: No checkpoint file matches x",
                _INT32,
            )
        ],
    ),
    Explanation(
        "GenerateVocabRemapping InitializeTableFromTextFile InitializeTableFromTextFileV2 LoadAndRemapMatrix "
        "MatchingFiles ReadFile Restore RestoreSlice RestoreV2",
        ERROR_CLASS,
        "TensorFlow's Python cannot read its own message about such a name",
        ours=r"NotFoundError: (.*; No such file|No checkpoint|Key |(RestoreV2|LoadAndRemapMatrix): no checkpoint)",
        theirs=r"InvalidArgumentError: 'utf-8' codec can't decode byte 0x",
        when=_has_odd_bytes,
        true=[refused(call("ReadFile", _ODD), _NOT_THERE, _UTF8)],
        wrong=[
            refused(call("ReadFile", _PLAIN), _NOT_THERE, _UTF8),
            refused(call("ReadFile", _ODD), "NotFoundError: x", _UTF8),
        ],
    ),
    Explanation(
        "InitializeTableFromTextFile InitializeTableFromTextFileV2",
        REFUSAL,
        "TensorFlow keeps the lower 32 bits of a column's number",
        ours=r"InvalidArgumentError: Invalid number of columns in ",
        when=_is_far_column,
        true=[
            refused(
                call("InitializeTableFromTextFile", key_index=1 << 40, value_index=0),
                _NO_COLUMN,
            )
        ],
        wrong=[
            refused(
                call("InitializeTableFromTextFile", key_index=9, value_index=0),
                _NO_COLUMN,
            )
        ],
    ),
    Explanation(
        "Save SaveSlices Restore RestoreSlice",
        ERROR_CLASS,
        "our shape functions speak in every run",
        ours=r"InvalidArgumentError: \w+: Shape must be rank [01] but is rank \d+: tensor_names? has shape ",
        theirs=r"(NotFoundError: Tensor name|UnimplementedError: Saving data type) ",
        true=[refused("Restore", f"{_RANK} [1] of rank 1", _NO_NAME)],
        wrong=[refused("Restore", "InvalidArgumentError: Restore: x", _NO_NAME)],
    ),
    Explanation(
        "RestoreV2",
        ERROR_CLASS,
        "TensorFlow takes the header of the file for a tensor without a name",
        ours=r"NotFoundError: Key  not found in checkpoint ",
        theirs=r"InvalidArgumentError: tensor_name = ; expected dtype ",
        true=[
            refused(
                "RestoreV2",
                "NotFoundError: Key  not found in checkpoint x",
                "InvalidArgumentError: tensor_name = ; expected dtype float",
            )
        ],
        wrong=[
            refused(
                "RestoreV2",
                "NotFoundError: Key w not found in checkpoint x",
                "InvalidArgumentError: tensor_name = ; expected dtype float",
            )
        ],
    ),
    Explanation(
        _PATH_OPS,
        REFUSAL,
        "TensorFlow takes what stands before a zero byte for the path",
        ours=r"InvalidArgumentError: .*A path must not have a zero byte",
        when=_has_zero_byte,
        true=[
            refused(call("WriteFile", _ZERO, _PATH), _NUL),
            # A list of arrays that are no array together.
            refused(call("SaveV2", _ZERO, _TWO_NAMES, _TWO_NAMES, _TWO_SHAPES), _NUL),
        ],
        wrong=[refused(call("WriteFile", _PLAIN, _PATH), _NUL)],
    ),
    Explanation(
        _PATH_OPS,
        ERROR_CLASS,
        "TensorFlow takes what stands before a zero byte for the path, and finds no such file",
        ours=r"InvalidArgumentError: .*A path must not have a zero byte",
        theirs=r"(NotFound|FailedPrecondition|DataLoss|PermissionDenied)Error: .*(;|[Ff]ile|[Pp]ath|\w{3})",
        when=_has_zero_byte,
        true=[refused(call("ReadFile", _ZERO), _NUL, "NotFoundError: a; No such file")],
        wrong=[
            refused(call("ReadFile", _PLAIN), _NUL, "NotFoundError: a; No such file"),
            refused(call("ReadFile", _ZERO), _NUL, "InternalError: x"),
        ],
    ),
    Explanation(
        "WriteHistogramSummary WriteScalarSummary",
        REFUSAL,
        "TensorFlow's writer of summaries cannot convert bfloat16, which its ops take",
        theirs=r"UnimplementedError: SummaryFileWriter bfloat16 not supported",
        when=lambda d: d.attrs["T"] == sig.BFLOAT16,
        true=[refused(call("WriteScalarSummary", T=sig.BFLOAT16), theirs=_NO_BFLOAT16)],
        wrong=[refused(call("WriteScalarSummary", T=sig.FLOAT), theirs=_NO_BFLOAT16)],
    ),
]
