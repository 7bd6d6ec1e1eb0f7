# SPDX-License-Identifier: Apache-2.0
"""Exemptions of single ops from checks of opcheck, each with its reason.

An exemption is for one op and one check, and may be limited to an argument, an output or a dtype.  A check that an op
would pass without its exemption fails, so that exemptions that are not needed any more go.  `allow` serves users' ops
too, in a file *_hints.py beside their library.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable

from tensorwright.tools.opcheck.draws import Case
from tensorwright.tools.opcheck.signature import Signature

# No call that can be made gives a value; nothing else can be checked then.
VALID = "valid"
# No call of this dtype, written as "attr=dtype", is accepted.
DTYPE = "dtype"
# The shape function determines no output's shape.
SHAPE = "shape"
# Shapes that are not known when the node is added are refused.
UNKNOWN_SHAPES = "unknown shapes"
# A shape function that no run asks.
SHAPE_UNASKED = "shape unasked"
# The same call gives another result.
REPEAT = "repeat"
# The gradient is not the derivative; of "real" or "complex" numbers.
DERIVATIVE = "derivative"
# Asking for the gradient is an error; of words in it.
REFUSES = "refuses"
# There is a gradient function, but no float or complex number to differentiate.
NO_NUMBERS = "no numbers"
# An output that the gradient does not count; of its index.
OUTPUT = "output"
# An input that gets no gradient, although the output depends on it; of its name.
NO_PATH = "no path"
# An input by which no derivative tells anything: it is zero wherever there is one; of its name.
FLAT = "flat"
# The gradient needs kernels that do not exist; limited to the dtype.
GRADIENT_DTYPE = "gradient dtype"
# A float that depends on a NaN is a number.
NAN_LOST = "nan lost"
# A value that does not depend on a NaN changes with it.
NAN_SPREAD = "nan spread"
# A dtype that the definition allows has no kernel, on purpose; written as "attr=dtype".
NO_KERNEL = "no kernel"
# Memory in use grows with each call, on purpose.
LEAK = "leak"
# System calls that its registration does not claim.
TOUCHES = "touches"
# No call is large enough for kernels to share it out.
THREADS = "threads"
# There is nothing that could be made odd.
MALFORMED = "malformed"
# C++ that the language does not define and the op means, as a sum that wraps; of words of the sanitizer's report, as
# "signed integer overflow".
UNDEFINED = "undefined"


@dataclasses.dataclass(frozen=True)
class Exemption:
    op: str
    check: str
    of: str
    why: str
    # Few draws need it: a check that all of them pass is no finding.
    rare: bool = False
    # FILE:LINE of the call that exempts.
    place: str = dataclasses.field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.check}{' of ' + self.of if self.of else ''}"


_exemptions: dict[str, list[Exemption]] = {}


def allow(
    check: str, ops: str | Iterable[str], why: str, of: str = "", rare: bool = False
) -> None:
    """Exempts ops from a check, for a reason; `rare`: one that most draws pass."""
    caller = sys._getframe(1)
    place = f"{caller.f_code.co_filename}:{caller.f_lineno}"
    for op in [ops] if isinstance(ops, str) else ops:
        exemption = Exemption(op, check, of, why, rare, place)
        # A file of hints may run twice in a process.
        if exemption not in _exemptions.setdefault(op, []):
            _exemptions[op].append(exemption)


def find(op: str, check: str, of: str = "") -> Exemption | None:
    for exemption in _exemptions.get(op, ()):
        if exemption.check == check and exemption.of == of:
            return exemption
    return None


def all_of(op: str, check: str | None = None) -> list[Exemption]:
    """An op's exemptions, from one check or from all."""
    found = _exemptions.get(op, ())
    return [e for e in found if check is None or e.check == check]


def everywhere() -> list[Exemption]:
    """Returns all exemptions."""
    return [e for found in _exemptions.values() for e in found]


def undefined(op: str, title: str) -> Exemption | None:
    """The exemption of an op from a report on undefined behaviour, whose title has its words."""
    for exemption in all_of(op, UNDEFINED):
        if exemption.of in title:
            return exemption
    return None


def ops() -> list[str]:
    """Returns the names of the ops that have exemptions."""
    return sorted(_exemptions)


def repeats(signature: Signature, case: Case) -> bool:
    """Must two runs of the call give the same?  Not if it draws without a seed."""
    seeds = [case.attrs.get(a, 0) for a in ("seed", "seed2") if a in signature.attrs]
    return not (signature.op_def.is_stateful and seeds and not any(seeds))


# Calls. ------------------------------------------------------------------------------------------------------

allow(VALID, ["Placeholder", "PlaceholderV2"], "unfed, it says so")
allow(
    VALID,
    "RefNextIteration",
    "lives in a loop of references, which tests of its own build",
)
allow(VALID, "Abort", "it is there to fail")
allow(VALID, "ImmutableConst", "maps a file")
allow(VALID, "CheckPinned", "the library has no CUDA, and it says so")
allow(VALID, ["PyFunc", "PyFuncStateless"], "calls a function that a program registers")
allow(
    VALID,
    ["GetSessionTensor", "DeleteSessionTensor"],
    "of a handle that an earlier run of the session gave",
)
_DATASETS = [
    f"{name}Dataset"
    for name in (
        "AssertCardinality", "Batch", "Cache", "Concatenate", "DenseToSparseBatch",
        "DirectedInterleave", "Filter", "FixedLengthRecord", "FlatMap", "GroupByWindow",
        "IgnoreErrors", "Interleave", "Load", "Map", "Options", "PaddedBatch",
        "ParallelBatch", "ParallelMap", "Prefetch", "Random", "Range", "Reduce", "Repeat", "Save", "Scan",
        "Shard", "Shuffle",
        "ShuffleAndRepeat", "Skip", "SparseTensorSlice", "TFRecord", "Take", "TakeWhile",
        "Tensor", "TensorSlice", "TextLine", "Unbatch", "Unique", "Window", "Zip",
    )
] + ["DatasetCardinality", "DatasetFingerprint", "DatasetToSingleElement"] + [
    f"{name}DatasetV2"
    for name in (
        "Batch", "FixedLengthRecord", "PaddedBatch", "ParallelInterleave", "ParallelMap",
        "Snapshot",
    )
] + ["ParallelInterleaveDatasetV3", "ParallelInterleaveDatasetV4"]  # fmt: skip
allow(
    VALID,
    _DATASETS,
    "a dataset is no value that is fetched or fed; python/kernel_tests/dataset goes through each",
)
_ITERATORS = [
    "Iterator", "IteratorDispose", "IteratorFromStringHandle",
    "IteratorFromStringHandleV2", "IteratorGetNext", "IteratorGetNextAsOptional",
    "IteratorGetNextSync", "IteratorToStringHandle", "IteratorV2", "MakeIterator",
    "OneShotIterator",
]  # fmt: skip
_OPTIONALS = [f"Optional{do}" for do in ("FromValue", "GetValue", "HasValue", "None")]
allow(VALID, _ITERATORS, "of an iterator that other ops make")
allow(VALID, _OPTIONALS, "an optional is no value that is fetched or fed")
_CALLS = [
    "BatchFunction", "Case", "For", "If", "PartitionedCall", "RemoteCall", "StatefulPartitionedCall",
    "StatelessCase", "StatelessIf", "StatelessWhile", "SymbolicGradient", "While",
]  # fmt: skip
allow(VALID, _CALLS, "calls functions of the graph's library")
_LISTS = ["EmptyTensorList"] + [
    f"TensorList{do}"
    for do in (
        "Concat", "ConcatLists", "ConcatV2", "ElementShape", "FromTensor", "Gather", "GetItem",
        "Length", "PopBack", "PushBack", "PushBackBatch", "Reserve", "Resize", "Scatter",
        "ScatterIntoExistingList", "ScatterV2", "SetItem", "Split", "Stack",
    )
]  # fmt: skip
allow(
    VALID,
    _LISTS,
    "a list is no value that is fetched or fed; python/kernel_tests/list goes through each",
)
allow(UNKNOWN_SHAPES, "ParallelConcat", "it plans its output, as TensorFlow's does")
allow(
    SHAPE_UNASKED,
    "LoopCond",
    "the Switch that it goes to checks it, each iteration",
)
allow(REPEAT, "Stack", "a handle")
allow(
    DTYPE,
    "ScatterNd",
    "the shape is of that dtype too, which TensorFlow's shape functions refuse as ours",
    of="Tindices=int16",
)
for _dtype in ("bfloat16", "qint16", "quint16", "uint32", "uint64"):
    allow(
        DTYPE,
        ["Save", "SaveSlices"],
        "the V1 format has no such numbers",
        f"T={_dtype}",
    )
allow(SHAPE, "NextIteration", "what comes round in a loop is not known at its Merge")
allow(SHAPE, ["StackPop", "StackPopV2"], "a stack does not say what is in it")
allow(
    SHAPE,
    [f"TensorArray{do}" for do in ("Read", "ReadV2", "Gather", "GatherV2", "Pack")],
    "their handles do not say what is in the array",
)
_QUANTIZED = ("qint8", "quint8", "qint16", "quint16", "qint32")
for _dtype in _QUANTIZED:
    allow(DTYPE, "RestoreV2", "TensorFlow's files have none", of=f"dtypes={_dtype}")
for _dtype in (*_QUANTIZED, "bfloat16", "uint32", "uint64"):
    allow(
        DTYPE,
        ["Restore", "RestoreSlice"],
        "TensorFlow's files of the V1 format have none",
        of=f"dt={_dtype}",
    )
allow(
    SHAPE,
    ["Restore", "RestoreSlice", "RestoreV2"],
    "shapes are in the file; the text of a slice is known while the graph is built only",
)
allow(
    THREADS,
    ["MatchingFiles", "ReadFile", "WriteFile", "Restore", "RestoreSlice", "RestoreV2"],
    "reads and writes small files",
)
allow(THREADS, ["ShardedFilename", "ShardedFilespec"], "a scalar")
_NO_DATA = "there is no data in it to share out"
allow(THREADS, ["ControlTrigger", "DeviceIndex", "NoOp", "Fact", "LoopCond"], _NO_DATA)
allow(
    THREADS,
    ["BroadcastArgs", "BroadcastGradientArgs", "ConcatOffset"],
    "computes with shapes, which are short",
)
allow(
    THREADS,
    ["CountUpTo", "ResourceCountUpTo", "DestroyTemporaryVariable"],
    "a scalar",
)
allow(THREADS, ["Stack", "StackV2", "VarHandleOp"], "makes a handle")
allow(
    THREADS,
    [f"Stack{do}{v}" for do in ("Pop", "Close") for v in ("", "V2")],
    "hands over what it has",
)
allow(
    THREADS,
    [
        f"TensorArray{do}{v}"
        for do in ("", "Size", "Close", "Grad")
        for v in ("", "V2", "V3")
    ],
    "does nothing with the elements",
)

# Gradients. --------------------------------------------------------------------------------------------------

_PARAMETER = "TensorFlow 1.x has no derivative by the parameter"
_STEPS = "steps, differentiated as if it were smooth"
_REAL_FORMULA = "TensorFlow's formula, of real numbers"
for _op in (
    "FakeQuantWithMinMaxArgs",
    "FakeQuantWithMinMaxVars",
    "FakeQuantWithMinMaxVarsPerChannel",
    "QuantizeAndDequantize",
    "QuantizeAndDequantizeV2",
    "QuantizeAndDequantizeV3",
):
    allow(DERIVATIVE, _op, _STEPS, of="real")
allow(
    DERIVATIVE,
    ["FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"],
    "statistics count as functions of x, as they are",
    of="real",
)
allow(DERIVATIVE, "Sign", "zero by definition, as TensorFlow has it", of="complex")
allow(
    DERIVATIVE,
    [
        "SquaredDifference",
        "Cumprod",
        "EuclideanNorm",
        "MulNoNan",
        "Xdivy",
        "Xlog1py",
        "Xlogy",
    ],
    _REAL_FORMULA,
    of="complex",
)
allow(
    REFUSES,
    "PreventGradient",
    "that is what it is for",
    of="Gradient explicitly disabled",
)
allow(
    REFUSES,
    ["RefEnter", "RefExit"],
    "as Enter's and Exit's; nothing builds a loop of references",
    of="the end of a loop that came with a GraphDef",
)
for _dtype in ("float16", "bfloat16"):
    allow(
        GRADIENT_DTYPE,
        "Digamma",
        "Polygamma, as TensorFlow's, has no halves",
        of=_dtype,
    )
_HERMITIAN = "symmetric, whatever of the input is read"
allow(DERIVATIVE, "Cholesky", _HERMITIAN, of="real")
allow(DERIVATIVE, "Cholesky", _HERMITIAN, of="complex")
allow(
    DERIVATIVE,
    ["SelfAdjointEigV2", "Svd"],
    "vectors that may be turned have one along what turns nothing",
    of="complex",
)
allow(NO_PATH, "MatrixSolveLs", _PARAMETER, of="l2_regularizer")
allow(NO_NUMBERS, "LoopCond", "a predicate")

_STEP = "a step: zero wherever there is a derivative"
allow(FLAT, ["Ceil", "Floor", "Rint", "Round", "Sign"], _STEP, of="x")
for _name in ("x", "y"):
    allow(FLAT, ["FloorDiv", "TruncateDiv"], _STEP, of=_name)
allow(FLAT, "NextAfter", "says only which neighbour", of="x2")
_PLACES = "says only where the gradient goes"
allow(FLAT, ["ReluGrad", "Relu6Grad", "LeakyReluGrad"], _PLACES, of="features")
allow(FLAT, "MaxPoolGradWithArgmax", _PLACES, of="input")
for _name in ("orig_input", "orig_output"):
    allow(
        FLAT,
        [
            "MaxPoolGrad",
            "MaxPoolGradGrad",
            "MaxPoolGradGradV2",
            "MaxPoolGradV2",
            "MaxPool3DGrad",
            "MaxPool3DGradGrad",
        ],
        _PLACES,
        of=_name,
    )
allow(FLAT, "ResizeBilinearGrad", "it gives the size alone", of="original_image")
allow(FLAT, "Conv2DBackpropInputV2", "it gives the sizes alone", of="input")
allow(FLAT, "Conv2DBackpropFilterV2", "it gives the sizes alone", of="filter")
allow(FLAT, "Polygamma", "the order is a whole number", of="a")
allow(FLAT, "Print", "printed, and no more", of="data")

for _index in ("1", "2", "3", "4"):
    allow(
        OUTPUT,
        ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"],
        "the moments are kept for a running mean and for the gradient",
        of=_index,
    )
for _op in (
    "CTCLoss",
    "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
):
    allow(OUTPUT, _op, "the gradient, kept for the gradient", of="1")

_PADDING = "TensorFlow gives the padding none"
allow(
    FLAT,
    "RandomGamma",
    "a sample jumps with its parameter: its gradient is that along which its quantile stays",
    of="alpha",
)
allow(NO_PATH, "Betainc", _PARAMETER, of="a")
allow(NO_PATH, "Betainc", _PARAMETER, of="b")
allow(NO_PATH, ["Igamma", "Igammac"], _PARAMETER, of="a")
allow(NO_PATH, "Zeta", "TensorFlow has no derivative by the exponent", of="x")
allow(NO_PATH, "PadV2", _PADDING, of="constant_values")
allow(NO_PATH, ["MatrixDiagPartV2", "MatrixDiagPartV3"], _PADDING, of="padding_value")
for _name in ("mean", "variance"):
    allow(
        NO_PATH,
        ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"],
        "the moments are given, not learnt",
        of=_name,
    )

allow(
    REFUSES,
    "ClipByValue",
    "bounds of complex numbers have no derivative in TensorFlow either",
    of="complex numbers has no gradient",
)

# NaNs. -------------------------------------------------------------------------------------------------------

_LARGEST = "the largest of the numbers: a comparison with a NaN is false, as in TensorFlow's kernels"
allow(
    NAN_LOST,
    [
        "MaxPool",
        "MaxPool3D",
        "MaxPoolV2",
        "MaxPoolWithArgmax",
        "TopK",
        "TopKV2",
        "Dilation2D",
        "ResourceScatterMax",
        "ResourceScatterMin",
        "ResourceScatterNdMax",
        "ResourceScatterNdMin",
        "ScatterMax",
        "ScatterMin",
        "ScatterNdMax",
        "ScatterNdMin",
        "TensorScatterMax",
        "TensorScatterMin",
    ],
    _LARGEST,
)
allow(NAN_LOST, "ClipByValue", "a bound that is NaN is none, as in TensorFlow")
allow(
    NAN_LOST,
    [
        "Dilation2DBackpropFilter",
        "Dilation2DBackpropInput",
        "FractionalMaxPoolGrad",
        "MaxPoolGrad",
        "MaxPoolGradGrad",
        "MaxPoolGradGradV2",
        "MaxPoolGradV2",
        "MaxPool3DGrad",
        "MaxPool3DGradGrad",
    ],
    "asked where the largest is, which a NaN is not",
)
allow(
    NAN_LOST,
    [
        "EluGrad",
        "ReluGrad",
        "Relu6Grad",
        "LeakyReluGrad",
        "SeluGrad",
        "FakeQuantWithMinMaxArgsGradient",
        "FakeQuantWithMinMaxVarsGradient",
        "FakeQuantWithMinMaxVarsPerChannelGradient",
    ],
    "asked whether it is in a range, which a NaN is not",
)
allow(
    NAN_LOST,
    "NthElement",
    "in the order of numbers the last, which may not be asked for",
)
_APPLY = ("", "Sparse", "Resource", "ResourceSparse")
allow(
    NAN_LOST,
    [f"{do}Apply{x}" for x in ("Ftrl", "FtrlV2") for do in _APPLY],
    "zero unless the linear term is beyond the l1 bound",
)
allow(
    NAN_LOST,
    [
        "QuantizeAndDequantize",
        "QuantizeAndDequantizeV2",
        "QuantizeDownAndShrinkRange",
        "QuantizeV2",
        "QuantizedBiasAdd",
        "QuantizedConcat",
        "RequantizationRange",
    ],
    "a range is the least and the largest of numbers",
)
allow(
    NAN_LOST,
    "QuantizeAndDequantizeV3",
    "a range is the least and the largest of numbers",
    rare=True,
)
allow(
    NAN_SPREAD,
    ["IsFinite", "IsNan", "InTopK", "InTopKV2"],
    "asked whether it is a number",
)
allow(
    NAN_SPREAD,
    "SdcaOptimizer",
    "one example's change of the weights is in the predictions of those after it",
)
allow(
    NAN_SPREAD,
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    "whether it is in a range: a gradient that was that of one bound is that of the values",
)
allow(
    NAN_SPREAD,
    [
        "Conv",
        "Conv2DBackpropFilter",
        "Conv3D",
        "Conv3DBackpropFilter",
        "Conv3DBackpropFilterV2",
        "FusedResizeAndPadConv2D",
    ],
    "a NaN times the zeros of the padding is one",
)
allow(
    NAN_SPREAD,
    ["DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter"],
    "a NaN times the zeros of the padding is one",
    rare=True,
)
allow(NAN_SPREAD, "ClipByValue", "a NaN is not replaced by a bound", rare=True)
allow(
    NAN_SPREAD,
    ["CholeskyGrad", "BatchCholeskyGrad"],
    "a NaN times the zeros above a diagonal is one, in products of whole blocks",
    rare=True,
)
allow(
    NAN_SPREAD,
    ["QuantizeDownAndShrinkRange", "QuantizeV2"],
    "a range is the least and the largest of numbers",
)
allow(
    NAN_SPREAD,
    ["BatchSvd", "Qr"],
    "the vector of a matrix of one element is 1 or -1, whatever number that is",
)
allow(
    NAN_SPREAD,
    "Svd",
    "the vector of one column or row is 1 or -1, whatever numbers these are",
    rare=True,
)
allow(
    NAN_SPREAD,
    [
        "LogSoftmax",
        "Softmax",
        "SoftmaxCrossEntropyWithLogits",
        "SparseSoftmaxCrossEntropyWithLogits",
    ],
    "a row of one element is 1, whatever number that is",
)
