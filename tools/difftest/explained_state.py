# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of variables and control flow."""

# As in explained.py: (op pattern, kind of difference, pattern of its text, reason).
TABLE: list[tuple[str, str, str, str]] = [
    (
        "Enter|RefEnter|CountUpTo",
        "refusal",
        "only TensorFlow refused: .*out of range for an int32",
        "an int attr has 64 bits",
    ),
    (
        ".*StridedSliceAssign",
        "refusal|error class",
        "roadcast",
        "as in TensorFlow 1.x, the value is not broadcast",
    ),
    (
        "ApplyFtrl.*",
        "refusal",
        "only we refused: .*is not a .* scalar",
        "TensorFlow does not look at hyperparameters where the variable is empty",
    ),
    (
        "DestroyTemporaryVariable",
        "error class",
        "'utf-8' codec can't decode",
        "TensorFlow's Python cannot name the variable",
    ),
]
