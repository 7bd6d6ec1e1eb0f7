# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of ops that rearrange, cut and gather."""

# As in explained.py: (op pattern, kind of difference, pattern of its text, reason).
TABLE: list[tuple[str, str, str, str]] = [
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
        "ConcatV2|Roll",
        "refusal",
        "only we refused: .*axis (must be in|-?\\d+ is out of range)",
        "TensorFlow cuts an int64 axis to 32 bits",
    ),
    (
        "Gather|GatherV2|SparseSegment.*Grad",
        "refusal",
        "only we refused: .*indices.* is (not in|out of range \\[0, 0\\))",
        "TensorFlow does not look at the indices of slices without elements",
    ),
    (
        "TensorScatter.*",
        "gradient error",
        "only TensorFlow refused: .*params is empty",
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
]
