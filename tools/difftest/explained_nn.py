# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of the ops of neural networks."""

# As in explained.py: (op pattern, kind of difference, pattern of its text, reason).
TABLE: list[tuple[str, str, str, str]] = [
    (
        "TopK|TileGrad",
        "refusal",
        "only TensorFlow refused: .*constraint on attr",
        "TensorFlow 2.21 lost the kernel of this old op",
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
        "ReluGrad",
        "value",
        " 0.0, TensorFlow nan",
        "TensorFlow multiplies the gradient by 0, of infinity too; we block it",
    ),
]
