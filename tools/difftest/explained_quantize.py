# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of the ops of quantized numbers."""

# As in explained.py: (op pattern, kind of difference, pattern of its text, reason).
TABLE: list[tuple[str, str, str, str]] = [
    (
        "Dequantize",
        "refusal",
        "only TensorFlow refused: .*When output type is bfloat16",
        "TensorFlow's kernel stops at some rank, dtype or attr",
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
]
