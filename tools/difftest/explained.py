# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, each with its reason."""

from __future__ import annotations

import re
from typing import Any

# (op pattern, kind of difference, pattern of its text, reason).
_TABLE: list[tuple[str, str, str, str]] = [
    (".*", "peer died", "", "TensorFlow dies of it; an error is what it should be"),
    (".*", "kernels", "for T in variant$", "no op makes variants yet"),
    (
        ".*",
        "gradient error",
        "only TensorFlow refused: LookupError: No gradient defined",
        "TensorFlow registers no gradient; ours is one, or says there is none",
    ),
    (
        ".*",
        "gradient error",
        "only TensorFlow refused: .*('indices' of 'DynamicStitch'|of '(FloorMod|AddV2)' Op has type|int16)",
        "TensorFlow's gradient mixes or lacks an integer type",
    ),
    (
        ".*",
        "refusal|error class",
        "(TensorFlow refused|, TensorFlow \\w+): .*(dimensions?, but got|[Uu]nhandled|dims must be <=|rank not in|Unhandled input dim|rank must be|do not yet support|no[t]? (yet )?support|available for)",
        "TensorFlow's kernel stops at some rank, dtype or attr",
    ),
    (
        ".*",
        "gradient error",
        "only TensorFlow refused: .*dims\\(\\) up to 8",
        "TensorFlow's kernel stops at some rank, dtype or attr",
    ),
    (
        "Dequantize",
        "refusal",
        "only TensorFlow refused: .*When output type is bfloat16",
        "TensorFlow's kernel stops at some rank, dtype or attr",
    ),
    (
        ".*",
        "refusal|error class",
        "No OpKernel was registered to support Op '(Assign|TensorArray|MaxPoolGradWith)|Unsupported dtype: q",
        "TensorFlow has few kernels for variables of quantized numbers",
    ),
    (
        "Igamma|Igammac",
        "gradient",
        "by 0: no path here only",
        "TensorFlow 1.x has no gradient by a, and no op for it",
    ),
    (
        "Polygamma",
        "value",
        "-?inf, TensorFlow nan",
        "the pole of Digamma at 0 is an infinity of its sign, as SciPy has it",
    ),
    (
        "SegmentProd|UnsortedSegmentProd",
        "gradient",
        "complex",
        "ours is conjugated, as gradients of complex functions are",
    ),
    (
        "SparseMatMul",
        "gradient error",
        "only TensorFlow refused: .*BatchMatMulV2",
        "TensorFlow's gradient mixes float and bfloat16",
    ),
    (
        "SparseMatMul",
        "value",
        "nan, TensorFlow",
        "a zero that TensorFlow leaves out meets an infinity",
    ),
    (
        "SparseSegment.*",
        "error class",
        "ResourceExhaustedError, TensorFlow InvalidArgumentError: ([Ss]egment ids must be|Last segment id)",
        "TensorFlow's count of segments overflows",
    ),
    (
        "Enter|RefEnter|CountUpTo",
        "refusal",
        "only TensorFlow refused: .*out of range for an int32",
        "an int attr has 64 bits",
    ),
    (
        "ArgMax|ArgMin",
        "refusal",
        "only TensorFlow refused: .*Expected dimension in the range",
        "TensorFlow reads an int16 dimension as int32",
    ),
    (
        "SpaceToBatchND|BatchToSpaceND",
        "refusal",
        "only TensorFlow refused: .*block_shape must have rank 1. for",
        "TensorFlow wants the rank of block_shape to be known",
    ),
    (
        "ExtractImagePatches",
        "gradient error",
        "only TensorFlow refused: .*Cannot infer",
        "TensorFlow's gradient wants the shape to be known",
    ),
    (
        ".*StridedSliceAssign",
        "refusal|error class",
        "roadcast",
        "as in TensorFlow 1.x, the value is not broadcast",
    ),
    (
        "BatchMatrixBandPart|MatrixBandPart",
        "value",
        "input [12]: .*-9223372036854775808",
        "TensorFlow's arithmetic overflows; less than 0 means all",
    ),
    (
        "TileGrad",
        "kernels",
        "",
        "no gradient has these types",
    ),
    (
        "TopK|TileGrad",
        "refusal",
        "only TensorFlow refused: .*constraint on attr",
        "TensorFlow 2.21 lost the kernel of this old op",
    ),
    (
        "SplitV",
        "refusal",
        "only TensorFlow refused: .*If there is only one output",
        "TensorFlow infers no size where there is one output",
    ),
    (
        "GatherNd|ScatterNd.*|TensorScatter.*|Reverse",
        "refusal",
        "only TensorFlow refused: .*(is empty|empty output|rank at least one|Found 0|must match dimensions|at least rank 1)",
        "TensorFlow refuses to work on nothing, or on one thing without an outer dimension",
    ),
    (
        ".*Grad",
        "refusal",
        "only we refused: .*must have equal shapes",
        "TensorFlow compares the numbers of elements only",
    ),
    (
        "ApplyFtrl.*",
        "refusal",
        "only we refused: .*is not a .* scalar",
        "TensorFlow does not look at hyperparameters where the variable is empty",
    ),
    (
        "AvgPoolGrad",
        "refusal",
        "only we refused: .*Expected grad shape",
        "TensorFlow does not compare grad with the shape it is the gradient of",
    ),
    (
        "Conv2DBackprop.*|MaxPoolGrad|AvgPoolGrad",
        "refusal",
        "only we refused: .*(explicit_paddings must be empty|must be positive|Depth of)",
        "TensorFlow checks this in the forward op only",
    ),
    (
        "ConcatV2|Roll",
        "refusal",
        "only we refused: .*axis (must be in|-?\\d+ is out of range)",
        "TensorFlow cuts an int64 axis to 32 bits",
    ),
    (
        "TruncateDiv|TruncateMod|PyFunc.*|AvgPool|Conv2D.*|EditDistance|ExtractImagePatches",
        "error class",
        "InvalidArgumentError, TensorFlow (InternalError|AbortedError|UnimplementedError|OutOfRangeError)|UnknownError, TensorFlow InternalError",
        "of the input's faults, TensorFlow calls this one its own",
    ),
    (
        "SparseSoftmaxCrossEntropyWithLogits",
        "gradient error",
        "has no second derivative",
        "as in TensorFlow 1.x",
    ),
    (
        "SoftmaxCrossEntropyWithLogits",
        "gradient error",
        "only TensorFlow refused",
        "TensorFlow's gradient does not expect arguments that broadcast",
    ),
    (
        "Round",
        "value",
        "output 0 .int",
        "TensorFlow rounds integers to 0; an integer is round",
    ),
    (
        ".*",
        "value|gradient",
        "complex.*(nan|inf)",
        "complex arithmetic with infinite or tiny parts: we follow C's rules",
    ),
    (
        "Digamma",
        "value",
        "float64",
        "at huge negative numbers every double is a pole",
    ),
    (
        ".*",
        "gradient",
        "a path here only",
        "TensorFlow gives the input no gradient; the output depends on it",
    ),
    (
        "Gather|GatherV2|SparseSegment.*Grad",
        "refusal",
        "only we refused: .*indices.* is (not in|out of range \\[0, 0\\))",
        "TensorFlow does not look at the indices of slices without elements",
    ),
    (
        "Conv2D|Multinomial|AvgPool",
        "refusal|gradient error",
        "only TensorFlow refused: .*(zero elements|num_classes should be|has 0 elements)",
        "TensorFlow refuses to work on nothing",
    ),
    (
        ".*Pool.*|Conv[23]D|DepthwiseConv2dNative",
        "refusal",
        "only TensorFlow refused: .*Negative dimension size caused by subtracting",
        "TensorFlow's shape function refuses a window over nothing, its kernel gives nothing",
    ),
    (
        "Conv2D|FractionalAvgPool|FractionalMaxPool",
        "gradient error",
        "only TensorFlow refused: .*(do not yet support|Cannot convert a partially known)",
        "TensorFlow's gradient stops at dilations, or wants the shape to be known",
    ),
    (
        "Conv.*|LRN",
        "value",
        "nan",
        "where padding, or what is out of the window, is multiplied by what is not finite",
    ),
    (
        "LRN",
        "gradient",
        "nan, TensorFlow 0.0 .*beta = -?inf",
        "an infinite power",
    ),
    (
        "Conv3DBackprop(Input|Filter)",
        "refusal",
        "only we refused: .*window and input sizes must be positive",
        "TensorFlow takes a window of no size for one that finds nothing",
    ),
    (
        "DepthwiseConv2dNativeBackprop.*",
        "refusal",
        "only we refused: .*dilations must",
        "TensorFlow checks this in the forward op only",
    ),
    (
        "Fractional(Avg|Max)Pool",
        "shape function",
        "output [12]: we infer \\[\\d+\\], TensorFlow \\[\\d+\\], it is \\[\\d+\\]",
        "TensorFlow's shape function forgets the end of the sequence",
    ),
    (
        "Fractional(Avg|Max)Pool",
        "refusal",
        "only TensorFlow refused: .*Input dim size: 0",
        "TensorFlow refuses to work on nothing",
    ),
    (
        "Fractional(Avg|Max)PoolGrad",
        "refusal",
        "only we refused: .*pooling_sequence",
        "TensorFlow does not look at all of the sequences",
    ),
    (
        "FractionalMaxPoolGrad",
        "refusal",
        "only TensorFlow refused: .*Pooling region has more elements",
        "TensorFlow's check of the sequences refuses windows of one element each",
    ),
    (
        "FusedBatchNormGrad",
        "gradient",
        "<- .*input [34]:",
        "TensorFlow takes the moments from x again; ours are those given, which are not x's",
    ),
    (
        "FusedBatchNormGrad",
        "value",
        "e-(0[5-9]|1\\d), TensorFlow",
        "of two elements in a channel the gradient is nothing but rounding",
    ),
    (
        "FractionalMaxPoolGrad",
        "refusal",
        "only TensorFlow refused: .*tensor_out_dup is not the same",
        "TensorFlow compares orig_output with what it computes again; we need no orig_output",
    ),
    (
        "FusedBatchNorm",
        "value",
        "output [34] ",
        "outside of training TensorFlow leaves what is saved for the gradient as the memory was",
    ),
    (
        "MaxPool3DGrad|MaxPool3DGradGrad|MaxPoolGradGrad",
        "value|gradient",
        "<- .*(input [01]|T = )",
        "the maxima are those of orig_input; TensorFlow compares with an orig_output that is not their pool",
    ),
    (
        "MaxPool3D",
        "value",
        "nan, TensorFlow",
        "a NaN is the maximum of its window; TensorFlow's 3-D pool may pass it over",
    ),
    (
        "MaxPool3D|MaxPool3DGrad|MaxPool3DGradGrad",
        "gradient|value",
        "^(gradient by \\d|output 0) .bfloat16.*, TensorFlow -?\\d",
        "sums of bfloat16 gradients are rounded at every step, TensorFlow's in another order",
    ),
    (
        "MaxPool3D",
        "value",
        "-3.4028234663852886e\\+38, TensorFlow -inf",
        "of a window of nothing but -inf oneDNN finds the lowest float",
    ),
    (
        "AvgPool3D.*|Conv3D.*",
        "value|gradient",
        # An element a hundredth or less of the terms that it is the sum of.
        "float(16|32).: \\[[\\d, ]+\\] -?(0\\.00\\d*|\\d\\S*e-\\d+), TensorFlow -?(0\\.00\\d*|\\d\\S*e-\\d+) \\([12] of \\d{3,}\\)",
        "a sum whose terms cancel, added up in another order",
    ),
    (
        "Softmax",
        "gradient",
        "gradient by 0 .bfloat16.: .* \\([1-4] of \\d{3,}\\)",
        "of y (g - sum y g) in bfloat16 both are far from float32's where it cancels",
    ),
    (
        "Dilation2D",
        "error class",
        "InvalidArgumentError, TensorFlow UnimplementedError",
        "of the input's faults, TensorFlow calls this one its own",
    ),
    (
        "SoftmaxCrossEntropyWithLogits",
        "refusal",
        "only we refused: .*at least one class",
        "a loss over no classes is refused, as by the sparse op",
    ),
    (
        "Cast",
        "value",
        "",
        "what is out of an integer's range becomes anything",
    ),
    (
        "Prod",
        "gradient",
        "nan",
        "of a product with infinities TensorFlow keeps other parts than we do",
    ),
    (
        ".*",
        "error class",
        "InvalidArgumentError, TensorFlow ResourceExhaustedError",
        "sizes whose product is no number are a fault of the input",
    ),
    (
        "TensorScatter.*",
        "gradient error",
        "only TensorFlow refused: .*params is empty",
        "TensorFlow refuses to work on nothing",
    ),
    (
        "QuantizedAdd|QuantizedMul|UnravelIndex",
        "refusal",
        "only TensorFlow refused: .*([Mm]ust have (some|at least 1) element|empty tensor indices)",
        "TensorFlow refuses to work on nothing",
    ),
    (
        "UnravelIndex",
        "refusal",
        "only we refused: .*index -\\d+ is out of bound",
        "TensorFlow makes coordinates of a negative index, which has none",
    ),
    (
        "EditDistance",
        "refusal",
        "only we refused: .*is out of bounds of (hypothesis|truth)_shape",
        "TensorFlow does not compare all indices with the shape that they are of",
    ),
    (
        "EnsureShape",
        "refusal",
        "only TensorFlow refused: .*rank -1",
        "TensorFlow takes an unknown rank for the rank -1",
    ),
    (
        "QuantizeAndDequantizeV3",
        "refusal",
        "only TensorFlow refused: .*Axis: -1 Input Dimensions: 0",
        "TensorFlow does not take a scalar, although axis -1 means none",
    ),
    (
        "QuantizeV2",
        "value",
        "output 0 .qint32.: .* 2147483520, TensorFlow -2147483648",
        "what is above the highest code becomes the lowest in TensorFlow",
    ),
    (
        "QuantizeV2",
        "value",
        "output 0 .quint16.: .* 1, TensorFlow 0",
        "TensorFlow makes 0 of a scale that small",
    ),
    (
        "Unpack",
        "refusal",
        "only TensorFlow refused: .*(axis = -2147483648|must equal 0)",
        "an op without outputs is waited for, but not computed",
    ),
    (
        "Roll",
        "value",
        "<- input 1: element \\d+ = -?9223372036854775",
        "TensorFlow cuts an int64 shift to 32 bits",
    ),
    (
        "QuantizedConcat",
        "value",
        "output 0 .q",
        "TensorFlow gives what follows an empty value the range of another",
    ),
    (
        "QuantizedAdd|QuantizedMul",
        "value",
        "output 0 .qint32.*\\(\\d+ of \\d+\\)",
        "TensorFlow broadcasts a column as if it were a row, or leaves elements out",
    ),
    (
        "QuantizedMatMul",
        "value",
        "output 0 .qint32.: .* 0, TensorFlow",
        "TensorFlow leaves a product of depth 0 as the memory was",
    ),
    (
        "DestroyTemporaryVariable",
        "error class",
        "'utf-8' codec can't decode",
        "TensorFlow's Python cannot name the variable",
    ),
    (
        "QuantizeDownAndShrinkRange|RequantizationRange",
        "value",
        "output \\d .float32.: \\[\\] 0.0, TensorFlow -",
        "of no numbers the range is [0, 0]; TensorFlow's is upside down",
    ),
    (
        "QuantizedInstanceNorm",
        "value",
        "output 1 .float32.: \\[\\] (0.0|nan), TensorFlow inf",
        "of no numbers, or of a range without end, TensorFlow's range is infinite",
    ),
    (
        "FakeQuantWithMinMaxArgs",
        "value",
        "\\(1 of \\d{3,}\\)",
        "a number in the middle between two steps may become either",
    ),
    (
        "FakeQuantWithMinMax.*Gradient",
        "value",
        "nan, TensorFlow -?inf|, TensorFlow nan",
        "TensorFlow multiplies the gradient by 0, of infinity too; or the range has no end",
    ),
    (
        "Betainc|Igammac?",
        "value",
        "output 0 .float32.: .* \\d\\.\\d+e-\\d\\d, TensorFlow \\d\\.\\d+e-\\d\\d ",
        "far out in a tail of large arguments TensorFlow's floats lose digits; ours are nearer to SciPy",
    ),
    (
        "Betainc",
        "gradient",
        "e-(39|4\\d), TensorFlow -?0\\.0",
        "TensorFlow's gradient has no denormals",
    ),
    (
        "Betainc",
        "gradient error",
        "only TensorFlow refused: .*Input to reshape is a tensor",
        "TensorFlow's gradient does not add up what was broadcast",
    ),
    (
        "ReluGrad",
        "value",
        " 0.0, TensorFlow nan",
        "TensorFlow multiplies the gradient by 0, of infinity too; we block it",
    ),
]


def reason(op: str, kind: str, text: str, attrs: dict[str, Any]) -> str:
    """Why a difference is as it should be; "" where it is not."""
    if kind == "value" and attrs.get("sorted") is False:
        return "without sorted=True the order of the largest is anyone's"
    for ops, kinds, texts, why in _TABLE:
        if (
            re.fullmatch(ops, op)
            and re.fullmatch(kinds, kind)
            and re.search(texts, text)
        ):
            return why
    return ""
