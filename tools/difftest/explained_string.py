# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of strings and of what is parsed."""

from __future__ import annotations

import re

import numpy as np

from tensorwright.core.example import example_pb2
from tensorwright.tools.difftest.difference import REFUSAL, VALUE
from tensorwright.tools.difftest.explanation import Explanation, call, gave, refused
from tensorwright.tools.opcheck import signature as sig

_PACKED = b"\n\r\n\x0b\n\x01a\x12\x06\x1a\x04\n\x02\x1bL"
_UNPACKED = b"\n\r\n\x0b\n\x01a\x12\x06\x1a\x04\x08\x1b\x08L"
_OTHER = b"\n\r\n\x0b\n\x01a\x12\x06\x1a\x04\x08\x1b\x08M"
_INT32 = "InvalidArgumentError: Attr summarize has value 1099511627776 out of range for an int32"
_BROADCAST = "UnimplementedError: Substr broadcast not implemented for 4 dimensions"
_FOUR = np.full([1, 1, 1, 1], b"a", object)
_NONE_FOUND = "InvalidArgumentError: Inconsistent max number of elements for feature d1: expected 3, but found 0"
_SEED = "InvalidArgumentError: Invalid seed type: uint32"
# What TensorFlow's text of a tensor has no words for.
_WORDLESS = {*sig.COMPLEXES, *sig.QUANTIZED}


def _numbers(text: bytes) -> tuple[list[bytes], list[np.float32]]:
    """What stands between the numbers of a text, and the numbers."""
    found = re.findall(rb"-?\d+\.\d+(?:e[-+]?\d+)?", text)
    return re.split(rb"-?\d+\.\d+(?:e[-+]?\d+)?", text), [np.float32(x) for x in found]


def _text(*values: bytes) -> np.ndarray:
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _same_examples(d) -> list[bool]:
    """Both are the same message, written in two ways."""
    parse = example_pb2.Example.FromString
    return [parse(a) == parse(b) for a, b in zip(d.arrays.a, d.arrays.b, strict=True)]


def _format(types: list[int], ours: bytes, theirs: bytes):
    case = call("StringFormat", T=types)
    return gave(case, _text(ours), _text(theirs), "string")


TABLE: list[Explanation] = [
    Explanation(
        "DecodeJSONExample",
        VALUE,
        "the lists of an Example are packed, as its definition says",
        dtypes="string",
        outputs=(0,),
        elements=_same_examples,
        bound=np.inf,
        true=[gave("DecodeJSONExample", _text(_PACKED), _text(_UNPACKED), "string")],
        wrong=[gave("DecodeJSONExample", _text(_PACKED), _text(_OTHER), "string")],
    ),
    Explanation(
        "StringFormat",
        VALUE,
        "TensorFlow has no text for numbers of some dtypes and says '?'",
        dtypes="string",
        outputs=(0,),
        when=lambda d: bool(_WORDLESS.intersection(d.attrs["T"])),
        elements=lambda d: [
            (b"?" in b or b"..." in b or b"[]" in b) and b"?" not in a
            for a, b in zip(d.arrays.a, d.arrays.b)
        ],
        bound=np.inf,
        true=[_format([sig.COMPLEX64], b"(1,2)", b"?")],
        wrong=[_format([sig.INT32], b"12", b"?"), _format([sig.COMPLEX64], b"1", b"2")],
    ),
    Explanation(
        "StringFormat",
        VALUE,
        "ours has as many digits as tell the number from its neighbours",
        dtypes="string",
        outputs=(0,),
        when=lambda d: bool({*sig.FLOATS} & {*d.attrs["T"]}),
        elements=lambda d: [
            _numbers(a) == _numbers(b)
            for a, b in zip(d.arrays.a, d.arrays.b, strict=True)
        ],
        bound=np.inf,
        true=[_format([sig.BFLOAT16], b"0.013183594", b"0.0131835938")],
        wrong=[
            _format([sig.BFLOAT16], b"0.013183594", b"0.0132"),
            _format([sig.BFLOAT16], b"[0.5]", b"0.5"),
        ],
    ),
    Explanation(
        "StringFormat",
        REFUSAL,
        "an int attr has 64 bits",
        theirs=r"InvalidArgumentError: Attr summarize has value -?\d{10,} out of range for an int32",
        when=lambda d: not -(1 << 31) <= d.attrs["summarize"] < 1 << 31,
        true=[refused(call("StringFormat", summarize=1 << 40), theirs=_INT32)],
        wrong=[refused(call("StringFormat", summarize=10), theirs=_INT32)],
    ),
    Explanation(
        "Substr",
        REFUSAL,
        "TensorFlow broadcasts up to two dimensions",
        theirs=r"UnimplementedError: Substr broadcast not implemented for \d+ dimensions",
        when=lambda d: max(np.ndim(x) for x in d.case.inputs) > 2,
        true=[refused(call("Substr", _FOUR, 1, 1), theirs=_BROADCAST)],
        wrong=[refused(call("Substr", _text(b"a"), 1, 1), theirs=_BROADCAST)],
    ),
    Explanation(
        "ParseSequenceExample",
        REFUSAL,
        "a default of a frame may be empty, and stands for zeros",
        theirs=r"InvalidArgumentError: Inconsistent max number of elements for feature \w+: expected \d+, but found 0",
        true=[refused("ParseSequenceExample", theirs=_NONE_FOUND)],
        wrong=[refused("ParseSequenceExample", theirs="InvalidArgumentError: x")],
    ),
    Explanation(
        "StatelessRandomUniformFullInt",
        REFUSAL,
        "TensorFlow registers seeds that its kernel then refuses",
        theirs=r"InvalidArgumentError: Invalid seed type: uint(32|64)",
        true=[refused("StatelessRandomUniformFullInt", theirs=_SEED)],
        wrong=[
            refused("StatelessRandomUniformFullInt", theirs="InvalidArgumentError: x")
        ],
    ),
]
