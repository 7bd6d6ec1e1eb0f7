# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of queues and tables."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    PEER_DIED,
    REFUSAL,
    SHAPE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    Explanation,
    call,
    inferred,
    refused,
)

_BATCHES = " ".join(
    f"Queue{n}{v}"
    for n in ("EnqueueMany", "Dequeue", "DequeueMany", "DequeueUpTo")
    for v in ("", "V2")
)
_MAKERS = " ".join(
    f"{kind}{v}"
    for kind in (
        "FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue",
        "HashTable", "MutableHashTable", "MutableHashTableOfTensors",
    )
    for v in ("", "V2")
)  # fmt: skip
_NO_TEXT = "InvalidArgumentError: 'utf-8' codec can't decode byte 0xff in position 14: invalid start byte"
_NO_SHAPES = "InvalidArgumentError: Shared queue '_1_op' has component shapes [] but requested component shapes were [[]]"
# Of a long name not all of the message is kept.
_NO_SHAPES_PATTERN = (
    r"InvalidArgumentError: Shared queue '"
    r"(.*' has component shapes \[\] but requested component shapes were \[\[\]\]|x{500,}$)"
)
_LONG_NAME = "InvalidArgumentError: Shared queue '" + "x" * 586
_UNKNOWN = "InvalidArgumentError: PriorityQueue: shapes must be known in full, or not given, got <unknown>"
_NO_ROW = "UnimplementedError: CopySliceToElement Unhandled data type: "
_RANK = "InvalidArgumentError: QueueDequeueMany: Shape must be rank 0 but is rank 1: n has shape [2]"
_OUTSIDE = "InvalidArgumentError: NodeDef expected inputs 'int64, int64' do not match 1 inputs specified; Op<name=MutableDenseHashTableV2"
_DELETED = "InvalidArgumentError: Unknown input name: deleted_key"


def _is_no_batch(d: Difference) -> bool:
    return any(np.ndim(x) == 0 or np.size(x) == 0 for x in d.input(1))


def _died(op: str, *rows: np.ndarray) -> Difference:
    return refused(call(op, 0.0, list(rows)), theirs="Died: SIGSEGV", kind=PEER_DIED)


_MAPS = " ".join(
    f"{order}Map{n}"
    for order in ("", "Ordered")
    for n in (
        "Stage", "Unstage", "UnstageNoKey", "Peek", "Size", "IncompleteSize", "Clear",
    )
)  # fmt: skip
_TOO_LARGE = "ResourceExhaustedError: Attempted to insert tensors with combined size of '19' bytes into Staging Area with a memory limit of '5'."
_INDICES = "InvalidArgumentError: MapUnstageNoKey: Shape must be rank 1 but is rank 0: indices has shape []"
_UNORDERED = "InvalidArgumentError: Indices are not strictly ordered"
_ACCUMULATED = "InvalidArgumentError: Shape mismatch: expected [], got [?,4,3]"
_TOO_MANY = "InvalidArgumentError: MapPeek: dtypes must be those of the components that indices name"
_MISSING = "InternalError: Missing 2-th output from {{node op}}"
_NO_ELEMENTS = "InvalidArgumentError: Tensors with no elements are not supported _3_barrier: received shape [1,2,0]"


def _rows(values: np.ndarray):
    return call("BarrierInsertMany", 0.0, np.array([b"a", b"b"], object), values)


_LARGE_STITCH = "ResourceExhaustedError: OOM when allocating tensor with shape[2147483648,2,2] and type bool by allocator cpu"
_OVERFLOWN = "InvalidArgumentError: Dimension -2147483648 must be >= 0"


TABLE: list[Explanation] = [
    Explanation(
        _BATCHES,
        REFUSAL,
        "TensorFlow cannot take rows of qint16 and quint16 out of a batch",
        theirs=_NO_ROW + r"1[56]",
        true=[refused("QueueEnqueueManyV2", theirs=_NO_ROW + "15")],
        wrong=[refused("QueueEnqueueManyV2", theirs=_NO_ROW + "23")],
    ),
    Explanation(
        _BATCHES,
        ERROR_CLASS,
        "TensorFlow cannot take rows of qint16 and quint16 out of a batch, and says so first",
        ours=r"(InvalidArgument|OutOfRange)Error: .*Queue",
        theirs=_NO_ROW + r"1[56]",
        true=[refused("QueueDequeueUpToV2", _RANK, _NO_ROW + "16")],
        wrong=[refused("QueueDequeueUpToV2", "InternalError: n", _NO_ROW + "16")],
    ),
    Explanation(
        "QueueEnqueueMany QueueEnqueueManyV2",
        PEER_DIED,
        "TensorFlow takes a scalar for a batch, and reads rows that have no elements",
        theirs="Died: SIG(ABRT|SEGV)",
        when=_is_no_batch,
        true=[
            _died("QueueEnqueueManyV2", np.zeros(2), np.array(1.0)),
            _died("QueueEnqueueManyV2", np.zeros((3, 0))),
        ],
        wrong=[_died("QueueEnqueueManyV2", np.zeros(2), np.zeros(2))],
    ),
    Explanation(
        "QueueDequeueMany QueueDequeueUpTo QueueDequeueManyV2 QueueDequeueUpToV2",
        REFUSAL,
        "TensorFlow takes the first element of n",
        ours=r"InvalidArgumentError: QueueDequeue(Many|UpTo)(V2)?: Shape must be rank 0 but is rank \d+: n has shape ",
        when=lambda d: d.input(1).ndim > 0,
        true=[refused(call("QueueDequeueMany", 0.0, [1, 2]), _RANK)],
        wrong=[refused(call("QueueDequeueMany", 0.0, 1), _RANK)],
    ),
    Explanation(
        "PriorityQueue PriorityQueueV2",
        REFUSAL,
        "no shapes are any; TensorFlow refuses its own queue then",
        theirs=_NO_SHAPES_PATTERN,
        when=lambda d: not d.attrs["shapes"],
        true=[
            refused(call("PriorityQueueV2", shapes=[]), theirs=_NO_SHAPES),
            refused(call("PriorityQueue", shapes=[]), theirs=_LONG_NAME),
        ],
        wrong=[refused(call("PriorityQueueV2", shapes=[[1]]), theirs=_NO_SHAPES)],
    ),
    Explanation(
        "PriorityQueue PriorityQueueV2",
        REFUSAL,
        "TensorFlow does not look whether shapes are known",
        ours=r"InvalidArgumentError: PriorityQueue: shapes must be known in full, or not given, got ",
        when=lambda d: any(s is None or -1 in s for s in d.attrs["shapes"]),
        true=[refused(call("PriorityQueueV2", shapes=[None]), _UNKNOWN)],
        wrong=[refused(call("PriorityQueueV2", shapes=[[1]]), _UNKNOWN)],
    ),
    Explanation(
        "BarrierInsertMany",
        REFUSAL,
        "TensorFlow's barrier takes no rows without elements",
        theirs=r"InvalidArgumentError: Tensors with no elements are not supported ",
        when=lambda d: d.input(2).size == 0,
        true=[refused(_rows(np.zeros((2, 0))), theirs=_NO_ELEMENTS)],
        wrong=[refused(_rows(np.zeros((2, 1))), theirs=_NO_ELEMENTS)],
    ),
    Explanation(
        _MAPS,
        REFUSAL,
        "a map's memory limit is for all components; TensorFlow counts the last one",
        ours=r"ResourceExhaustedError: Attempted to insert tensors with combined size of ",
        when=lambda d: d.attrs["memory_limit"] > 0,
        true=[refused(call("MapSize", memory_limit=5), _TOO_LARGE)],
        wrong=[
            refused(call("MapSize", memory_limit=0), _TOO_LARGE),
            refused(call("StageSize", memory_limit=5), _TOO_LARGE),
        ],
    ),
    Explanation(
        _MAPS,
        ERROR_CLASS,
        "a map's memory limit is for all components: what is wrong with the op itself is not reached",
        ours=r"ResourceExhaustedError: Attempted to insert tensors with combined size of ",
        theirs=r"InvalidArgumentError: (Indices are not strictly ordered|Index '-?\d+' )",
        when=lambda d: d.attrs["memory_limit"] > 0,
        true=[refused(call("MapUnstageNoKey", memory_limit=5), _TOO_LARGE, _UNORDERED)],
        wrong=[
            refused(call("MapUnstageNoKey", memory_limit=0), _TOO_LARGE, _UNORDERED)
        ],
    ),
    Explanation(
        "MapUnstageNoKey OrderedMapUnstageNoKey MapUnstage OrderedMapUnstage MapPeek OrderedMapPeek MapStage OrderedMapStage",
        REFUSAL,
        "TensorFlow takes the elements of indices of any rank",
        ours=r"InvalidArgumentError: (Ordered)?Map(UnstageNoKey|Unstage|Peek|Stage): Shape must be rank 1 but is rank \d+: indices has shape ",
        when=lambda d: d.input(0 if d.op.endswith("NoKey") else 1).ndim != 1,
        true=[
            refused(call("MapUnstageNoKey", np.int32(1)), _INDICES),
            refused(
                call("MapUnstage", np.int64(8), np.int32(1)),
                _INDICES.replace("UnstageNoKey", "Unstage"),
            ),
        ],
        wrong=[
            refused(call("MapUnstageNoKey", np.int32([1])), _INDICES),
            refused(
                call("MapUnstage", np.int64(8), np.int32([1])),
                _INDICES.replace("UnstageNoKey", "Unstage"),
            ),
        ],
    ),
    Explanation(
        "MapPeek OrderedMapPeek MapUnstage OrderedMapUnstage MapUnstageNoKey OrderedMapUnstageNoKey",
        ERROR_CLASS,
        "TensorFlow leaves outputs out for which there is no index",
        ours=r"InvalidArgumentError: \w+: (dtypes must be those of the components that indices name|Shape must be rank 1 but is rank \d+: indices has)",
        theirs=r"InternalError: Missing \d+-th output from ",
        true=[
            refused("MapPeek", _TOO_MANY, _MISSING),
            refused("MapUnstageNoKey", _INDICES, _MISSING),
        ],
        wrong=[refused("MapPeek", "InvalidArgumentError: no", _MISSING)],
    ),
    Explanation(
        _MAKERS,
        REFUSAL,
        "TensorFlow's Python cannot show a name that is no text",
        theirs=r"InvalidArgumentError: 'utf-8' codec can't decode byte",
        when=lambda d: isinstance(d.attrs["shared_name"], bytes),
        true=[refused(call("FIFOQueue", shared_name=b"\xff"), theirs=_NO_TEXT)],
        wrong=[refused(call("FIFOQueue", shared_name="x"), theirs=_NO_TEXT)],
    ),
    Explanation(
        "MutableDenseHashTableV2",
        REFUSAL,
        "TensorFlow 2.21's has one more input",
        theirs=r"InvalidArgumentError: NodeDef expected inputs '\w+, \w+' do not match 1 inputs specified; Op<name=MutableDenseHashTableV2",
        true=[refused("MutableDenseHashTableV2", theirs=_OUTSIDE)],
        wrong=[refused("MutableDenseHashTableV2", theirs=_DELETED)],
    ),
    Explanation(
        "MutableDenseHashTable",
        REFUSAL,
        "TensorFlow 2.21's kernel wants an input that the op does not have",
        theirs=r"InvalidArgumentError: Unknown input name: deleted_key",
        true=[refused("MutableDenseHashTable", theirs=_DELETED)],
        wrong=[refused("MutableDenseHashTable", theirs=_OUTSIDE)],
    ),
    Explanation(
        "LookupTableFindV2 LookupTableInsertV2 LookupTableImportV2 LookupTableExport",
        SHAPE,
        "a handle does not say what is in the table; keys may be vectors",
        when=lambda d: d.ours is None,
        true=[inferred("LookupTableFindV2", None, [2], [2])],  # type: ignore[arg-type]
        wrong=[inferred("LookupTableFindV2", [3], [2], [2])],
    ),
    Explanation(
        "LookupTableImportV2",
        ERROR_CLASS,
        "TensorFlow looks at the rank of keys before it looks for a table of their dtype",
        ours="NotFoundError: Op MutableHashTableV2 has no kernel",
        theirs=r"InvalidArgumentError: Shape must be rank 1 but is rank \d",
        true=[
            refused(
                "LookupTableImportV2",
                "NotFoundError: Op MutableHashTableV2 has no kernel for device CPU",
                "InvalidArgumentError: Shape must be rank 1 but is rank 2",
            )
        ],
        wrong=[
            refused(
                "LookupTableImportV2",
                "NotFoundError: Op MutableHashTableV2 has no kernel for device CPU",
                "InvalidArgumentError: values must be",
            )
        ],
    ),
    Explanation(
        "SparseAccumulatorApplyGradient",
        REFUSAL,
        "TensorFlow compares as many dimensions as the accumulator has, which may be none",
        ours=r"InvalidArgumentError: Shape mismatch: expected \[\], got \[",
        when=lambda d: d.attrs["has_known_shape"] and d.input(3).ndim > 0,
        true=[
            refused(
                call(
                    "SparseAccumulatorApplyGradient",
                    b"",
                    1,
                    [0],
                    np.zeros([1, 4, 3]),
                    has_known_shape=True,
                ),
                _ACCUMULATED,
            )
        ],
        wrong=[
            refused(
                call(
                    "SparseAccumulatorApplyGradient",
                    b"",
                    1,
                    [0],
                    np.zeros([1, 4, 3]),
                    has_known_shape=False,
                ),
                _ACCUMULATED,
            )
        ],
    ),
    Explanation(
        "DynamicStitch",
        ERROR_CLASS,
        "one more than the largest index is no int32",
        ours=r"ResourceExhaustedError: OOM when allocating tensor with shape\[2147483648[,\]]",
        theirs=r"InvalidArgumentError: Dimension -2147483648 must be >= 0",
        true=[refused("DynamicStitch", _LARGE_STITCH, _OVERFLOWN)],
        wrong=[
            refused(
                "DynamicStitch",
                _LARGE_STITCH.replace("2147483648", "2147483647"),
                _OVERFLOWN,
            )
        ],
    ),
]
