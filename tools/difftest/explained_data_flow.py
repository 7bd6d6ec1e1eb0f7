# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of queues, tables and staging areas."""

import numpy as np

from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.records import death, inference, refusal


def _names(form, *kinds):
    return " ".join(form.format(kind) for kind in kinds)


def _versions(*names):
    return " ".join(f"{name}{v}" for name in names for v in ("", "V2"))


_BATCHES = _versions(
    "QueueEnqueueMany", "QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo"
)
_MAKERS = _versions(
    *_names("{}Queue", "FIFO", "PaddingFIFO", "Priority", "RandomShuffle").split(),
    *_names("{}HashTable", "", "Mutable").split(), "MutableHashTableOfTensors",
)  # fmt: skip
_PEEKS = "MapPeek OrderedMapPeek MapUnstage OrderedMapUnstage MapUnstageNoKey OrderedMapUnstageNoKey"
_STAGES = "Stage", "Unstage", "UnstageNoKey", "Peek", "Size", "IncompleteSize", "Clear"
_MAPS = f"{_names('Map{}', *_STAGES)} {_names('OrderedMap{}', *_STAGES)}"
_NO_ROW = "UnimplementedError: CopySliceToElement Unhandled data type: 1<[56]~5>"
_OVER_LIMIT = (
    "ResourceExhaustedError: Attempted to insert tensors with combined size of "
)


def _many(*rows):
    return on(0.0, list(rows))


def _accumulated(known, *shape):
    inputs = b"", 1, [0], np.zeros([1, 4, 3]), np.int64(shape)
    return on(*inputs, has_known_shape=known)


def _staged(indices, values):
    return on(6, np.arange(indices, dtype=np.int32), [np.zeros(2)] * values)


# fmt: off
TABLE = [
    refusal(_BATCHES, "TensorFlow cannot take rows of qint16 and quint16 out of a batch", theirs=_NO_ROW,
        wrong=[but(theirs="UnimplementedError: CopySliceToElement Unhandled data type: 23")]),
    refusal(_BATCHES, "TensorFlow cannot take rows of qint16 and quint16 out of a batch, and says so first",
        ours="<InvalidArgument|OutOfRange~InvalidArgument>Error: <.*~>Queue", theirs=_NO_ROW,
        wrong=[but(ours="InternalError: n")]),
    death("QueueEnqueueMany QueueEnqueueManyV2",
        "TensorFlow takes a scalar for a batch, and reads rows that have no elements", theirs="Died: SIG<ABRT|SEGV~SEGV>",
        when=lambda d: any(np.ndim(x) == 0 or np.size(x) == 0 for x in d.input(1)),
        true=[_many(np.zeros(2), np.array(1.0)), _many(np.zeros((3, 0)))], wrong=[_many(np.zeros(2), np.zeros(2))]),
    refusal("QueueDequeueMany QueueDequeueUpTo QueueDequeueManyV2 QueueDequeueUpToV2",
        "TensorFlow takes the first element of n",
        ours="InvalidArgumentError: QueueDequeue<(Many|UpTo)(V2)?~Many>: Shape must be rank 0 but is rank <1>: n has shape ",
        when=lambda d: d.input(1).ndim > 0, true=[on(0.0, [1, 2])], wrong=[on(0.0, 1)]),
    refusal("PriorityQueue PriorityQueueV2", "no shapes allow any; TensorFlow refuses its own queue then",
        theirs=["InvalidArgumentError: Shared queue '<.*~_1_op>' has component shapes [] but requested component shapes were [[]]",
            # TensorFlow does not keep all of the message for a long name.
            "InvalidArgumentError: Shared queue '<x{500,}$~" + "x" * 586 + ">"],
        when=lambda d: not d.attrs["shapes"], true=[on(shapes=[])], wrong=[on(shapes=[[1]])]),
    refusal("PriorityQueue PriorityQueueV2 RandomShuffleQueue", "TensorFlow does not look whether shapes are known",
        ours="InvalidArgumentError: <Priority|RandomShuffle~Priority>Queue: shapes must be known in full, or not given, got ",
        when=lambda d: any(s is None or -1 in s for s in d.attrs["shapes"]), true=[on(shapes=[None])],
        wrong=[on(shapes=[[1]])]),
    refusal("BarrierInsertMany", "TensorFlow's barrier takes no rows without elements",
        theirs="InvalidArgumentError: Tensors with no elements are not supported ", when=lambda d: d.input(2).size == 0,
        true=[on(0.0, [b"a", b"b"], np.zeros((2, 0)))], wrong=[on(0.0, [b"a", b"b"], np.zeros((2, 1)))]),
    refusal(_MAPS, "a map's memory limit is for all components; TensorFlow counts the last one", ours=_OVER_LIMIT,
        when=lambda d: d.attrs["memory_limit"] > 0, true=[on(memory_limit=5)],
        wrong=[on(memory_limit=0), call("StageSize", memory_limit=5)]),
    refusal(_MAPS, "a map's memory limit is for all components, so the op's own fault is not reached", ours=_OVER_LIMIT,
        theirs=r"InvalidArgumentError: <Indices are not strictly ordered|Index '-?\d+' ~Indices are not strictly ordered>",
        when=lambda d: d.attrs["memory_limit"] > 0, true=[on(memory_limit=5)], wrong=[on(memory_limit=0)]),
    refusal(f"{_PEEKS} MapStage OrderedMapStage", "TensorFlow takes the elements of indices of any rank",
        ours="InvalidArgumentError: <(Ordered)?~>Map<UnstageNoKey|Unstage|Peek|Stage~Peek>: Shape must be rank 1 but is rank <0>: indices has shape ",
        when=lambda d: d.input(0 if d.op.endswith("NoKey") else 1).ndim != 1,
        true=[on(8, np.int32(1)), call("MapUnstageNoKey", np.int32(1))],
        wrong=[on(8, np.int32([1])), call("MapUnstageNoKey", np.int32([1]))]),
    refusal(_PEEKS, "TensorFlow leaves outputs out for which there is no index",
        ours=["InvalidArgumentError: <MapPeek>: dtypes must be those of the components that indices name",
            "InvalidArgumentError: <MapPeek>: Shape must be rank 1 but is rank <0>: indices has"],
        theirs="InternalError: Missing <2>-th output from ", wrong=[but(ours="InvalidArgumentError: no")]),
    refusal(_MAKERS, "TensorFlow's Python cannot show a name that is no text",
        theirs="InvalidArgumentError: 'utf-8' codec can't decode byte",
        when=lambda d: isinstance(d.attrs["shared_name"], bytes), true=[on(shared_name=b"\xff")],
        wrong=[on(shared_name="x")]),
    refusal("MutableDenseHashTableV2", "TensorFlow 2.21's has one more input",
        theirs=r"InvalidArgumentError: NodeDef expected inputs '<int64>, <int64>' do not match 1 inputs specified; Op\<name=MutableDenseHashTableV2",
        wrong=[but(theirs="InvalidArgumentError: Unknown input name: deleted_key")]),
    refusal("MutableDenseHashTable", "TensorFlow 2.21's kernel wants an input that the op does not have",
        theirs="InvalidArgumentError: Unknown input name: deleted_key",
        wrong=[but(theirs="InvalidArgumentError: NodeDef expected inputs 'int64, int64' do not match 1 inputs specified")]),
    inference("LookupTableFindV2 LookupTableInsertV2 LookupTableImportV2 LookupTableExport",
        "a handle does not say what is in the table, whose keys may be vectors", (), gives="is unknown",
        when=lambda d: d.ours is None, true=[seen(None, None, [2], actual=[2])], wrong=[but(ours=[3])]),
    refusal("LookupTableImportV2", "TensorFlow looks at the rank of keys before it looks for a table of their dtype",
        ours="NotFoundError: Op MutableHashTableV2 has no kernel",
        theirs="InvalidArgumentError: Shape must be <(at least )?~>rank 1 but is rank <2>",
        wrong=[but(theirs="InvalidArgumentError: values must be")]),
    refusal("SparseAccumulatorApplyGradient",
        "TensorFlow compares as many dimensions as the accumulator has, which may be none",
        ours="InvalidArgumentError: Shape mismatch: expected [], got [",
        when=lambda d: d.attrs["has_known_shape"] and d.input(3).ndim > 0, true=[_accumulated(True)],
        wrong=[_accumulated(False)]),
    refusal("DynamicStitch", "one more than the largest index is no int32",
        ours=r"ResourceExhaustedError: OOM when allocating tensor with shape[2147483648<[,\]]~,>",
        theirs="InvalidArgumentError: Dimension -2147483648 must be >= 0",
        wrong=[but(ours="ResourceExhaustedError: OOM when allocating tensor with shape[2147483647,2,2] and type bool")]),
    death("TensorArray TensorArrayV2 TensorArrayV3", "TensorFlow takes memory for as many tensors as it is told",
        ours="ResourceExhaustedError: TensorArray<(V[23])?~>: size <2147483647> is more than ",
        theirs="Died: SIG<ABRT|KILL~ABRT>", when=lambda d: d.input(0) > 1 << 26, true=[on(np.int32((1 << 31) - 1))],
        wrong=[on(np.int32(5))]),
    refusal(_MAPS, "a key's shape comes before the memory limit",
        ours="InvalidArgumentError: <(Ordered)?~>MapStage: Shape must be rank 0 but is rank <1>: key has shape ",
        theirs=_OVER_LIMIT, when=lambda d: d.attrs["memory_limit"] > 0, true=[on(memory_limit=1)], wrong=[on(memory_limit=0)]),
    refusal("SparseAccumulatorApplyGradient",
        "values are rows of the gradient's shape; TensorFlow compares either with the accumulator's alone",
        ours=r"InvalidArgumentError: Shape mismatch: expected [<[\d,]+~6,9,1048576>], got [?<[\d,]*~,9,8>]",
        when=lambda d: d.attrs["has_known_shape"] and d.input(3).shape[1:] != tuple(np.ravel(d.input(4))[1:]),
        true=[_accumulated(True, 5, 4, 9)], wrong=[_accumulated(True, 5, 4, 3), _accumulated(False, 5, 4, 9)]),
    refusal("QueueDequeueMany", "TensorFlow takes the first element of n, and has not so many",
        ours="InvalidArgumentError: QueueDequeueMany: Shape must be rank 0 but is rank <1>: n has shape ",
        theirs=r"OutOfRangeError: FIFOQueue '<\w+~_95_queue>' is closed and has insufficient elements (requested <2147483647>, current size <4>)",
        when=lambda d: d.input(1).ndim > 0, true=[on(0.0, [(1 << 31) - 1])], wrong=[on(0.0, (1 << 31) - 1)]),
    refusal("MapStage OrderedMapStage", "indices that are not as many as values are an argument's fault",
        ours="InvalidArgumentError: <(Ordered)?~Ordered>MapStage: there must be as many indices as values, got <1> and <2>",
        theirs="InternalError: Output <0> of type <uint32> does not match declared output type <string> for node {{node take}}",
        when=lambda d: d.input(1).size != len(d.input(2)), true=[_staged(1, 2)], wrong=[_staged(2, 2)]),
]
