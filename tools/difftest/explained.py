# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, each with its reason."""

from __future__ import annotations

import re
from typing import Any

# (op pattern, kind of difference, pattern of its text, reason).
_TABLE: list[tuple[str, str, str, str]] = [
    (".*", "peer died", ".*", "TensorFlow dies of it; an error is what it should be"),
    (
        ".*",
        "kernels",
        "no CPU kernel for T in variant$",
        "no op makes variants yet",
    ),
    (
        ".*",
        "gradient error",
        "only TensorFlow refused: .*'indices' of 'DynamicStitch'",
        "TensorFlow's gradient mixes int32 and int64",
    ),
    (
        ".*",
        "refusal",
        "only TensorFlow refused: UnimplementedError: .*(rank|dimensions|dims)",
        "TensorFlow's kernel stops at some rank",
    ),
    (
        "Round",
        "value",
        "output 0 .int",
        "TensorFlow rounds integers to 0; an integer is round",
    ),
    (
        "(Div|RealDiv|Reciprocal|Inv|Log|Log1p)",
        "value|gradient",
        "complex.*(nan|inf)",
        "complex arithmetic with infinite parts: we follow C's rules",
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
