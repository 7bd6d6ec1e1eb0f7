# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of files and checkpoints, and of matrices from these under another vocabulary."""

import numpy as np
from google.protobuf import message

from tensorwright.core.framework import summary_pb2
from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import ours_is, texts
from tensorwright.tools.difftest.records import death, refusal, value
from tensorwright.tools.opcheck import signature as sig


def _sharded(d):
    """A path, the shard's number or as many question marks, and the number of shards."""
    path, *numbers = (x.item() for x in d.case.inputs)
    shard = b"%05d" % numbers[0] if d.op == "ShardedFilename" else b"?" * 5
    return b"%s-%s-of-%05d" % (path, shard, numbers[-1])


def _has(byte):
    """A string of the call has a byte."""
    return lambda d: any(byte in x for x in texts(d))


def _twice(d):
    names = d.input(1).ravel().tolist()
    return len(set(names)) < len(names)


def _is_far(which):
    """No checkpoint that is drawn has so many rows or columns."""
    return lambda d: bool((d.input(which) >= 3).any())


def _is_long(d):
    return len(d.input(0).ravel()[0]) > 250


def _is_no_metadata(d):
    """The third input is not a message SummaryMetadata."""
    try:
        summary_pb2.SummaryMetadata.FromString(d.input(2).item())
    except message.DecodeError:
        return True
    return False


def _mapped(path=b"ckpt", name=b"w", rows=(0, 1), cols=()):
    return on(path, name, np.array(rows, np.int64), np.array(cols, np.int64))


_TWO = np.zeros([2, 4])
_READS = (
    "GenerateVocabRemapping InitializeTableFromTextFile InitializeTableFromTextFileV2 LoadAndRemapMatrix MatchingFiles "
    "ReadFile Restore RestoreSlice RestoreV2"
)
_PATHS = f"{_READS} CreateSummaryFileWriter MergeV2Checkpoints Save SaveSlices SaveV2 WriteFile"
_NO_ZERO = "InvalidArgumentError: <.*~>A path must not have a zero byte"
_FAR_SHARD = dict(
    why="an int attr has 64 bits",
    theirs=r"InvalidArgumentError: Attr preferred_shard has value <-?\d{10,}~4294967296> out of range for an int32",
    when=lambda d: not -(1 << 31) <= d.attrs["preferred_shard"] < 1 << 31,
    true=[on(preferred_shard=1 << 32)],
    wrong=[on(preferred_shard=10)],
)
_NO_ROW, _NO_COLUMN = (
    f"InvalidArgumentError: LoadAndRemapMatrix: {side}_remapping[<1>] is <9>, the saved matrix has "
    for side in ("row", "col")
)
_NO_CHECKPOINT = "NotFoundError: LoadAndRemapMatrix: no checkpoint is at "

# fmt: off
TABLE = [
    value("ShardedFilename ShardedFilespec", "TensorFlow's name ends at a zero byte", "string", 0, ours_is(_sharded),
        gives="the whole name", when=_has(b"\0"),
        true=[seen(on(b"a\0b", 1, 1), [b"a\0b-00001-of-00001"], [b"a-00001-of-00001"]),
            seen(call("ShardedFilespec", b"a\0b", 1), [b"a\0b-?????-of-00001"], [b"a-?????-of-00001"])],
        wrong=[but(on(b"ab", 1, 1), [b"ab-00001-of-00001"])]),
    refusal("MergeV2Checkpoints", "a checkpoint that is not there is not found",
        ours="NotFoundError: <.*~/tmp/x/.index: >No such file",
        theirs="InvalidArgumentError: allow_missing_files was set to false and <.*~/tmp/x/> did not exist",
        wrong=[but(theirs="InvalidArgumentError: no"), call("SaveV2")]),
    refusal("MergeV2Checkpoints", "a path that no file system takes is a fault; TensorFlow calls it missing",
        ours=f"InvalidArgumentError: <\\S*[^/]{{200,}}~/tmp/x/{'9' * 250}>",
        when=lambda d: d.attrs["allow_missing_files"] and max(map(len, d.input(0).ravel())) > 255,
        true=[on([b"9" * 300], allow_missing_files=True)],
        wrong=[on([b"9" * 300], allow_missing_files=False), on([b"9"], allow_missing_files=True)]),
    refusal("RestoreV2", "TensorFlow cuts slices out of tensors of some dtypes only",
        theirs="InvalidArgumentError: Dtype <half> not supported.", when=lambda d: any(d.input(2).ravel()),
        true=[on(b"ckpt", [b"w"], [b"2 3 0,1:-"])], wrong=[on(b"ckpt", [b"w"], [b""])]),
    # Names may be too long for all of the message to be kept.
    refusal("Save SaveSlices", "a name that comes twice is a wrong argument",
        ours="InvalidArgumentError: <slices |'|the parts of '~'>",
        theirs="InternalError: Mismatching <shapes|types~shapes>: existing ", when=_twice,
        true=[on(b"ckpt", [b"a", b"a"])], wrong=[on(b"ckpt", [b"a", b"b"])]),
    refusal("Restore RestoreSlice", **_FAR_SHARD),
    refusal("Restore RestoreSlice", ours="NotFoundError: <Unsuccessful TensorSliceReader: no checkpoint file matches|(Unsuccessful TensorSliceReader: )?Key .* not found~Unsuccessful TensorSliceReader: no checkpoint file matches>",
        **_FAR_SHARD),
    refusal(_READS, "TensorFlow's Python cannot read its own message about such a name",
        ours=r"NotFoundError: <(.*; No such file|No checkpoint|Key |(RestoreV2|LoadAndRemapMatrix): no checkpoint)~\xff; No such file>",
        theirs="InvalidArgumentError: 'utf-8' codec can't decode byte 0x", when=_has(b"\xff"),
        true=[call("ReadFile", b"\xff\0")], wrong=[call("ReadFile", b"ab"), but(ours="NotFoundError: x")]),
    refusal("InitializeTableFromTextFile InitializeTableFromTextFileV2",
        "TensorFlow keeps the lower 32 bits of a column's number", ours="InvalidArgumentError: Invalid number of columns in ",
        when=lambda d: max(d.attrs["key_index"], d.attrs["value_index"]) >= 1 << 31,
        true=[on(key_index=1 << 40, value_index=0)], wrong=[on(key_index=9, value_index=0)]),
    refusal("Save SaveSlices Restore RestoreSlice", "our shape functions look at every run, TensorFlow's only while a graph is built",
        ours="InvalidArgumentError: <Restore>: Shape must be rank <[01]~0> but is rank <1>: tensor_name<s?~> has shape ",
        theirs="<NotFoundError: Tensor name|UnimplementedError: Saving data type~NotFoundError: Tensor name> ",
        wrong=[but(ours="InvalidArgumentError: Restore: x")]),
    refusal("RestoreV2", "TensorFlow takes the header of the file for a tensor without a name",
        ours="NotFoundError: Key  not found in checkpoint ", theirs="InvalidArgumentError: tensor_name = ; expected dtype ",
        wrong=[but(ours="NotFoundError: Key w not found in checkpoint x")]),
    refusal(_PATHS, "TensorFlow takes what stands before a zero byte for the path", ours=_NO_ZERO, when=_has(b"\0"),
        true=[call("WriteFile", b"a\0b", b"x"), call("SaveV2", b"a\0b", [b"v", b"w"], [b"", b""], [_TWO, _TWO])],
        wrong=[call("WriteFile", b"ab", b"x")]),
    refusal(_PATHS, "TensorFlow takes what stands before a zero byte for the path, and finds no such file", ours=_NO_ZERO,
        theirs=r"<NotFound|FailedPrecondition|DataLoss|PermissionDenied~NotFound>Error: <.*(;|[Ff]ile|[Pp]ath|\w{3})~a; No such file>",
        when=_has(b"\0"), true=[call("ReadFile", b"a\0b")], wrong=[call("ReadFile", b"ab"), but(theirs="InternalError: x")]),
    refusal("WriteHistogramSummary WriteScalarSummary",
        "TensorFlow's writer of summaries cannot convert bfloat16, which its ops take",
        theirs="UnimplementedError: SummaryFileWriter bfloat16 not supported",
        when=lambda d: d.attrs["T"] == sig.BFLOAT16, true=[on(T=sig.BFLOAT16)], wrong=[on(T=sig.FLOAT)]),
    death("LoadAndRemapMatrix", "no checkpoint has a name that is too long for a file", ours=_NO_CHECKPOINT,
        theirs="Died: SIGABRT", when=_is_long, true=[_mapped(b"9" * 300)], wrong=[_mapped()]),
    refusal("LoadAndRemapMatrix", "a row that is not there is an argument's fault", ours=_NO_ROW,
        theirs="InternalError: Extent in dimension 0 out of bounds", when=_is_far(2), true=[_mapped(rows=[0, 9])],
        wrong=[_mapped(), but(ours=_NO_COLUMN.replace("<1>", "1").replace("<9>", "9"))]),
    refusal("LoadAndRemapMatrix", "TensorFlow gives what is in memory for a column that is not there", ours=_NO_COLUMN,
        when=_is_far(3), true=[_mapped(cols=[0, 9])],
        wrong=[_mapped(cols=[0, 1]), but(ours=_NO_ROW.replace("<1>", "1").replace("<9>", "9"))]),
    refusal("LoadAndRemapMatrix", "no checkpoint has a name that is too long for a file", ours=_NO_CHECKPOINT,
        theirs=r"InvalidArgumentError: <(.)\1{100}~" + "9" * 300 + ">", when=_is_long, true=[_mapped(b"9" * 300)],
        wrong=[_mapped(), but(theirs="InvalidArgumentError: x")]),
    refusal("LoadAndRemapMatrix", "TensorFlow takes the header of the file for a tensor without a name",
        ours="NotFoundError: Key  not found in checkpoint ", theirs="InvalidArgumentError: Tensor  has invalid type ",
        true=[_mapped(name=b"")], wrong=[but(ours="NotFoundError: Key w not found in checkpoint")]),
    refusal("WriteScalarSummary", "TensorFlow takes the first element of value, also where there is none",
        ours="InvalidArgumentError: WriteScalarSummary: input 3 must have one element, got shape [<[\\d,]*~5>]",
        when=lambda d: np.size(d.input(3)) != 1, true=[on(0.0, 1, b"", np.zeros(5))], wrong=[on(0.0, 1, b"", np.zeros(1))]),
    refusal("TensorSummaryV2", "metadata that cannot be read are refused; TensorFlow writes what it could read of them",
        ours="InvalidArgumentError: serialized_summary_metadata must be a serialized SummaryMetadata, and could not be parsed",
        when=_is_no_metadata, true=[on(b"", [1.0], b"\xff\x00")], wrong=[on(b"", [1.0], b""), on(b"", [1.0], b"\x12\x01a")]),
]
