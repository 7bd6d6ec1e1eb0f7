# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, each with its reason: those of all ops, and of the families beside this file."""

from __future__ import annotations

import re
from typing import Any

from tensorwright.tools.difftest import (
    explained_array,
    explained_math,
    explained_nn,
    explained_quantize,
    explained_state,
)

# (op pattern, kind of difference, pattern of its text, reason).
_OF_ALL_OPS: list[tuple[str, str, str, str]] = [
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
        ".*",
        "refusal|error class",
        "No OpKernel was registered to support Op '(Assign|TensorArray|MaxPoolGradWith)|Unsupported dtype: q",
        "TensorFlow has few kernels for variables of quantized numbers",
    ),
    (
        ".*Grad",
        "refusal",
        "only we refused: .*must have equal shapes",
        "TensorFlow compares the numbers of elements only",
    ),
    (
        "TruncateDiv|TruncateMod|PyFunc.*|AvgPool|Conv2D.*|EditDistance|ExtractImagePatches",
        "error class",
        "InvalidArgumentError, TensorFlow (InternalError|AbortedError|UnimplementedError|OutOfRangeError)|UnknownError, TensorFlow InternalError",
        "of the input's faults, TensorFlow calls this one its own",
    ),
    (
        ".*",
        "value|gradient",
        "complex.*(nan|inf)",
        "complex arithmetic with infinite or tiny parts: we follow C's rules",
    ),
    (
        ".*",
        "gradient",
        "a path here only",
        "TensorFlow gives the input no gradient; the output depends on it",
    ),
    (
        ".*",
        "error class",
        "InvalidArgumentError, TensorFlow ResourceExhaustedError",
        "sizes whose product is no number are a fault of the input",
    ),
    (
        "QuantizedAdd|QuantizedMul|UnravelIndex",
        "refusal",
        "only TensorFlow refused: .*([Mm]ust have (some|at least 1) element|empty tensor indices)",
        "TensorFlow refuses to work on nothing",
    ),
]

# The first that fits counts: what is said of one op before what is said of all.
_TABLE = [
    *explained_array.TABLE,
    *explained_math.TABLE,
    *explained_nn.TABLE,
    *explained_quantize.TABLE,
    *explained_state.TABLE,
    *_OF_ALL_OPS,
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
