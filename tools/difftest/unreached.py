# SPDX-License-Identifier: Apache-2.0
"""Lists what a comparison did not reach: ops that never ran on both sides, gradients of which none was compared.

Each is a failure, unless it stands here with its reason; an entry that is not needed is a failure, too.
"""

from __future__ import annotations

from typing import Any

COMPUTED, GRADIENT = "computed by both", "gradient compared"

_UNKNOWN = "TensorFlow 2.21 has no such op"
_UNFED = "what is not fed is an error, which both give"
_NO_PEER = "TensorFlow registers no gradient"
_MORE_INPUTS = "TensorFlow 2.21's has one more input"
_REWRITTEN = (
    "TensorFlow has no kernel of its own for it, and its graph is not rewritten here"
)
_BROKEN = "TensorFlow's gradient function fails"
_FUNCTION = "of a function; python/framework/function_test.py compares"
_LOOP = "a loop has gradients if Python built it, which for references nothing does"

# The parts that may be missing, and why: op -> {COMPUTED or GRADIENT: reason}.
EXEMPT: dict[str, dict[str, str]] = {
    "ApplyDelayCompensatedGradientDescent": {COMPUTED: _UNKNOWN},
    "AccumulateNV2": {COMPUTED: _REWRITTEN, GRADIENT: _REWRITTEN},
    "Abort": {COMPUTED: "TensorFlow's ends its process"},
    "CheckPinned": {
        COMPUTED: "neither library has CUDA, which both say",
        GRADIENT: "neither library has CUDA, which both say",
    },
    "Conv": {GRADIENT: _NO_PEER},
    "DeepCopy": {GRADIENT: _NO_PEER},
    "GRUBlockCell": {GRADIENT: _NO_PEER},
    "GuaranteeConst": {GRADIENT: _NO_PEER},
    "GenerateBoundingBoxProposals": {COMPUTED: "TensorFlow has it on GPUs only"},
    "IRFFT3D": {GRADIENT: _NO_PEER},
    "InplaceAdd": {GRADIENT: _NO_PEER},
    "InplaceSub": {GRADIENT: _NO_PEER},
    "InplaceUpdate": {GRADIENT: _NO_PEER},
    "LSTMBlockCell": {GRADIENT: _NO_PEER},
    "Lu": {GRADIENT: _NO_PEER},
    "MaxPoolGradGradV2": {GRADIENT: _NO_PEER},
    "MaxPoolGradGradWithArgmax": {COMPUTED: "TensorFlow has it on GPUs only"},
    "MaxPoolGradWithArgmax": {GRADIENT: _NO_PEER},
    "Mod": {GRADIENT: _NO_PEER},
    "MutableDenseHashTable": {COMPUTED: _MORE_INPUTS},
    "MutableDenseHashTableV2": {COMPUTED: _MORE_INPUTS},
    "Placeholder": {COMPUTED: _UNFED},
    "PlaceholderV2": {COMPUTED: _UNFED},
    "QuantizedReluX": {COMPUTED: "TensorFlow has no kernel of its own for it"},
    "RFFT3D": {GRADIENT: _NO_PEER},
    "RefEnter": {GRADIENT: _LOOP},
    "RefExit": {GRADIENT: _LOOP},
    "RefNextIteration": {COMPUTED: _LOOP, GRADIENT: _LOOP},
    "RemoteFusedGraphExecute": {COMPUTED: _UNKNOWN},
    "ResizeBilinearGrad": {GRADIENT: _NO_PEER},
    "SparseDenseCwiseAdd": {GRADIENT: _BROKEN},
    "SparseSegmentMeanGrad": {GRADIENT: _NO_PEER},
    "SparseSegmentSqrtNGrad": {GRADIENT: _NO_PEER},
    "SparseSegmentSumGrad": {GRADIENT: _NO_PEER},
    "SparseSparseMaximum": {GRADIENT: _BROKEN},
    "SparseSparseMinimum": {GRADIENT: _BROKEN},
    "SymbolicGradient": {COMPUTED: _FUNCTION},
    "ZeroOut": {COMPUTED: _UNKNOWN},
}

for _name in (
    "BytesInUse", "BytesLimit", "GatherTree", "MaskedMatmul", "MaxBytesInUse", "Resampler", "ResamplerGrad",
    "SkipGramGenerateCandidates", "WALSComputePartialLhsAndRhs",
    # Forests.
    "CreateFertileStatsVariable", "CreateTreeVariable", "DecisionTreeResourceHandleOp",
    "FeatureUsageCounts", "FertileStatsDeserialize", "FertileStatsIsInitializedOp",
    "FertileStatsResourceHandleOp", "FertileStatsSerialize", "FinalizeTree", "GrowTreeV4",
    "ProcessInputV4", "ReinterpretStringToFloat", "TraverseTreeV4", "TreeAverageImpurity",
    "TreeDeserialize", "TreeIsInitializedOp", "TreePredictionsV4", "TreeSerialize", "TreeSize",
    "UpdateModelV4",
):  # fmt: skip
    EXEMPT[_name] = {COMPUTED: _UNKNOWN}
EXEMPT["Resampler"][GRADIENT] = _UNKNOWN
for _name in ("Conv2DBackpropFilterV2", "Conv2DBackpropInputV2"):
    _why = "TensorFlow 2.21 has no kernel of it"
    EXEMPT[_name] = {COMPUTED: _why, GRADIENT: _why}
for _name in ("FFTND", "IFFTND", "RFFTND", "IRFFTND"):
    EXEMPT[_name] = {
        _k: "TensorFlow has no kernel for CPUs" for _k in (COMPUTED, GRADIENT)
    }
for _name in (
    "BatchFunction", "Case", "For", "If", "PartitionedCall", "RemoteCall", "StatefulPartitionedCall",
    "StatelessCase", "StatelessIf", "StatelessWhile", "While",
):  # fmt: skip
    EXEMPT[_name] = {
        COMPUTED: "calls functions; python/kernel_tests/functional runs TensorFlow's graphs"
    }
for _name in (
    "Case",
    "If",
    "PartitionedCall",
    "StatefulPartitionedCall",
    "StatelessCase",
    "StatelessIf",
    "StatelessWhile",
    "While",
):
    EXEMPT[_name][GRADIENT] = EXEMPT[_name][COMPUTED]
for _name in (
    "EmptyTensorList", "TensorListConcat", "TensorListConcatLists", "TensorListConcatV2",
    "TensorListElementShape", "TensorListFromTensor", "TensorListGather", "TensorListGetItem",
    "TensorListLength", "TensorListPopBack", "TensorListPushBack", "TensorListPushBackBatch",
    "TensorListReserve", "TensorListResize", "TensorListScatter",
    "TensorListScatterIntoExistingList", "TensorListScatterV2", "TensorListSetItem",
    "TensorListSplit", "TensorListStack",
):  # fmt: skip
    EXEMPT[_name] = {
        COMPUTED: "of a list; python/kernel_tests/functional runs TensorFlow's graphs"
    }
for _name in (
    "TensorListConcat", "TensorListConcatV2", "TensorListFromTensor", "TensorListGather",
    "TensorListGetItem", "TensorListPopBack", "TensorListPushBack", "TensorListResize",
    "TensorListScatter", "TensorListScatterIntoExistingList", "TensorListScatterV2",
    "TensorListSetItem", "TensorListSplit", "TensorListStack",
):  # fmt: skip
    EXEMPT[_name][GRADIENT] = EXEMPT[_name][COMPUTED]

# Versions of dataset ops that Python does not write, of which another one is compared in pipelines.
for _name in (
    "BatchDataset", "FixedLengthRecordDataset", "FixedLengthRecordDatasetV2", "IgnoreErrorsDataset",
    "Iterator", "IteratorDispose", "IteratorFromStringHandle", "IteratorFromStringHandleV2",
    "IteratorGetNextSync", "IteratorToStringHandle", "OneShotIterator", "OptionalFromValue",
    "OptionalNone", "PaddedBatchDataset", "ParallelInterleaveDatasetV2",
    "ParallelInterleaveDatasetV3", "ParallelMapDataset", "RangeDataset",
    "TFRecordDataset", "TextLineDataset",
):  # fmt: skip
    EXEMPT[_name] = {COMPUTED: "what is in a handle cannot be fetched"}
EXEMPT["DatasetFingerprint"] = {
    COMPUTED: "a number of one's own, of what one's own graphs are made of"
}
_READERS = (
    "FixedLengthRecord",
    "Identity",
    "LMDB",
    "TFRecord",
    "TextLine",
    "WholeFile",
)
for _name in (
    *(f"{name}Reader" for name in _READERS),
    *(f"{name}ReaderV2" for name in _READERS if name != "LMDB"),
    *(
        f"Reader{do}{version}"
        for do in (
            "NumRecordsProduced", "NumWorkUnitsCompleted", "Read", "ReadUpTo", "Reset",
            "RestoreState", "SerializeState",
        )
        for version in ("", "V2")
    ),
    "RecordInput",
):  # fmt: skip
    EXEMPT[_name] = {
        COMPUTED: "of a reader of files; python/kernel_tests/io reads TensorFlow's"
    }

# Ops that have no gradient on either side, which is then the comparison.
NO_PATHS = frozenset({"Ceil", "Floor", "FloorDiv", "Rint", "Round", "TruncateDiv"})
# Ops whose gradient both refuse, with the same class.
REFUSED = frozenset({"PreventGradient"})


def missing(row: Any) -> list[str]:
    """Returns the parts of an op that were not reached."""
    found = []
    if not row.computed:
        found.append(COMPUTED)
    if row.differentiable and not _gradient_reached(row):
        found.append(GRADIENT)
    return found


def _gradient_reached(row: Any) -> bool:
    if row.op in NO_PATHS:
        return bool(row.no_paths)
    if row.op in REFUSED:
        return bool(row.gradients_refused)
    return bool(row.gradients)


def failing(row: Any) -> list[str]:
    """Returns the parts that were not reached and should have been."""
    return [what for what in missing(row) if what not in EXEMPT.get(row.op, {})]


def problems(rows: list[Any]) -> list[str]:
    """Returns the reasons why the run fails, a line each."""
    found = []
    for row in rows:
        found += [f"{row.op}: nothing {what}" for what in failing(row)]
        for what in EXEMPT.get(row.op, {}):
            if what not in missing(row):
                found.append(f"{row.op}: exempt from '{what}', which was reached")
    return found


def page(rows: list[Any]) -> list[str]:
    """Returns the last lines of a run: the ops that were not reached, with the reasons."""
    lines = []
    for row in rows:
        for what in missing(row):
            why = EXEMPT.get(row.op, {}).get(what)
            if why:
                lines.append(f"  {row.op}: nothing {what}; {why}")
    if lines:
        lines = ["not reached, with a reason:", *lines]
    bad = problems(rows)
    if bad:
        lines += ["NOT REACHED:", *(f"  {text}" for text in bad)]
    return lines
