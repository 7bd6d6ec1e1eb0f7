# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of mathematical ops."""

# As in explained.py: (op pattern, kind of difference, pattern of its text, reason).
TABLE: list[tuple[str, str, str, str]] = [
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
        "ArgMax|ArgMin",
        "refusal",
        "only TensorFlow refused: .*Expected dimension in the range",
        "TensorFlow reads an int16 dimension as int32",
    ),
    (
        "Round",
        "value",
        "output 0 .int",
        "TensorFlow rounds integers to 0; an integer is round",
    ),
    (
        "Digamma",
        "value",
        "float64",
        "at huge negative numbers every double is a pole",
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
]
