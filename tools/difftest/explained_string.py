# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of strings and of what is parsed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from google.protobuf import message

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
_NO_WIDTH = "InvalidArgumentError: Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got -1"
_SEED = "InvalidArgumentError: Invalid seed type: uint32"
# What TensorFlow's text of a tensor has no words for.
_QINT32 = 13
_WORDLESS = {*sig.COMPLEXES, _QINT32}


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

    def parse(text: bytes):
        try:
            return example_pb2.Example.FromString(text)
        except message.DecodeError:
            return None

    pairs = zip(d.arrays.a, d.arrays.b, strict=True)
    return [a != b"" and parse(a) == parse(b) != None for a, b in pairs]  # noqa: E711


def _ends_at_zero(d) -> list[bool]:
    """Ours begins with all of TensorFlow's, and goes on with what follows the first zero byte."""
    change = str.lower if d.op == "StringLower" else str.upper
    found = []
    texts = d.input(0)[d.arrays.far]
    for a, b, text in zip(d.arrays.a, d.arrays.b, texts, strict=True):
        _, zero, rest = text.partition(b"\0")
        rest = change(rest.decode(errors="replace")).encode()
        found.append(zero != b"" and a == b + zero + rest)
    return found


def _lower(text: bytes) -> Any:
    return call("StringLower", _text(text), encoding="utf-8")


def _n_grams(pad_width: int = -1) -> Any:
    return call(
        "StringNGrams", _text(b"a"), [0, 1], pad_width=pad_width, ngram_widths=[]
    )


_NUMBER = re.compile(rb"-?(?:nan|inf|\d+(?:\.\d+)?(?:e[-+]?\d+)?)")


def _read(text: bytes) -> tuple[list[bytes], list[float]]:
    """What stands between the numbers of a text, and these; of those that are none no sign."""
    found = [float(x) for x in _NUMBER.findall(text)]
    return _NUMBER.split(text), [np.nan if x != x else x for x in found]


def _written(x: np.ndarray, most: int, level: int = 1) -> bytes:
    """A tensor's text: of each dimension the first and last so many, or all where `most` is -1."""
    if x.ndim == 0:
        if x.dtype.kind == "c":
            return b"(%s,%s)" % (str(x.real).encode(), str(x.imag).encode())
        return str(x.item()).encode()
    cut = 0 <= 2 * most < len(x)
    rows = [_written(r, most, level + 1) for r in (x[:most] if cut else x)]
    by = b"\n" * (x.ndim - 1) + b" " * level if x.ndim > 1 else b" "
    text = by.join(rows)
    if cut:
        last = [_written(r, most, level + 1) for r in x[len(x) - most :]]
        text = by.join([text, b"...", *last])
    return b"[" + text + b"]"


def _with_words(d) -> bool:
    """Ours has the numbers of what TensorFlow has no words for, and TensorFlow's text of all else."""
    attrs, arrays = d.attrs, [a for i in d.case.inputs for a in i]
    template, mark = (
        x if isinstance(x, bytes) else x.encode()
        for x in (attrs["template"], attrs["placeholder"])
    )
    pieces = template.split(mark) if mark else [template]
    ours = theirs = re.escape(pieces[0])
    known = []
    for x, enum, piece in zip(arrays, attrs["T"], pieces[1:], strict=True):
        if enum in _WORDLESS:
            x = x.view(x.dtype[0]) if x.dtype.names else x
            known.append(_written(x, attrs["summarize"]))
        ours += b"(.*)" + re.escape(piece)
        said = rb"(?:\?|\[[?. ]*\])" if enum in _WORDLESS else b"(.*)"
        theirs += said + re.escape(piece)
    a, b = d.arrays.ours.item(), d.arrays.theirs.item()
    mine = re.fullmatch(ours, a, re.DOTALL)
    its = re.fullmatch(theirs, b, re.DOTALL)
    if not mine or not its:
        return False
    rest = list(its.groups())
    wanted = [known.pop(0) if e in _WORDLESS else rest.pop(0) for e in attrs["T"]]
    return all(_alike(x, y) for x, y in zip(mine.groups(), wanted))


def _alike(a: bytes, b: bytes) -> bool:
    """Two texts with the same numbers, in as many digits as a float32 has or more."""
    if a == b:
        return True
    (between, x), (other, y) = _read(a), _read(b)
    return between == other and np.array_equal(
        np.float32(x), np.float32(y), equal_nan=True
    )


def _format(types: list[int], ours: bytes, theirs: bytes, value: Any = 1 + 2j):
    case = call(
        "StringFormat", [np.asarray(value)], T=types,
        template="{}", placeholder="{}", summarize=3,
    )  # fmt: skip
    return gave(case, np.array(ours, object), np.array(theirs, object), "string")


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
        elements=_with_words,
        bound=np.inf,
        true=[
            _format([sig.COMPLEX64], b"(1,2)", b"?"),
            _format([_QINT32], b"[5 6]", b"[? ?]", np.int32([5, 6])),
        ],
        wrong=[
            _format([sig.INT32], b"12", b"?"),
            _format([sig.COMPLEX64], b"1", b"2"),
            _format([sig.COMPLEX64], b"GARBAGE", b"?"),
            _format([sig.COMPLEX64], b"(1,3)", b"?"),
            _format([sig.COMPLEX64], b"(1,2)x", b"?"),
        ],
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
        "ParseSequenceExample ParseSequenceExampleV2",
        REFUSAL,
        "a default of a frame may be empty, and stands for zeros",
        theirs=r"InvalidArgumentError: Inconsistent max number of elements for feature \w+: expected \d+, but found 0",
        true=[refused("ParseSequenceExample", theirs=_NONE_FOUND)],
        wrong=[refused("ParseSequenceExample", theirs="InvalidArgumentError: x")],
    ),
    Explanation(
        "StringNGrams",
        REFUSAL,
        "TensorFlow refuses pad_width = -1 where ngram_widths is empty and preserve_short_sequences is set",
        theirs=r"InvalidArgumentError: Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got -1",
        when=lambda d: d.attrs["pad_width"] == -1 and not d.attrs["ngram_widths"],
        true=[refused(_n_grams(), theirs=_NO_WIDTH)],
        wrong=[refused(_n_grams(pad_width=-2), theirs=_NO_WIDTH)],
    ),
    Explanation(
        "StringLower StringUpper",
        VALUE,
        "TensorFlow's UTF-8 text ends at its first zero byte",
        dtypes="string",
        outputs=(0,),
        elements=_ends_at_zero,
        bound=np.inf,
        when=lambda d: d.attrs["encoding"] == "utf-8",
        true=[gave(_lower(b"A\0B"), [b"a\0b"], [b"a"], "string")],
        wrong=[
            gave(_lower(b"A\0B"), [b"b\0b"], [b"a"], "string"),
            gave(_lower(b"AB"), [b"ab"], [b"a"], "string"),
        ],
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
