# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of strings and what is parsed from them."""

import re

import numpy as np
from google.protobuf import message

from tensorwright.core.example import example_pb2
from tensorwright.tools.difftest.examples import but, on, seen
from tensorwright.tools.difftest.records import refusal, value
from tensorwright.tools.opcheck import signature as sig

# TensorFlow's text of a tensor has no words for these; qint32 is one of them.
_WORDLESS = {*sig.COMPLEXES, 13}
_NUMBER = re.compile(rb"-?(?:nan|inf|\d+(?:\.\d+)?(?:e[-+]?\d+)?)")


def _pairs(d):
    return zip(d.a, d.b, strict=True)


def _same_examples(d):
    """Both are the same message, written in two ways."""

    def parse(text):
        try:
            return example_pb2.Example.FromString(text)
        except message.DecodeError:
            return None

    return [a != b"" and None is not parse(a) == parse(b) for a, b in _pairs(d)]


def _same_numbers(d):
    """The same numbers of float32, of those that have a point, between the same words."""

    def parts(text):
        number = rb"-?\d+\.\d+(?:e[-+]?\d+)?"
        return re.split(number, text), [*map(np.float32, re.findall(number, text))]

    return [parts(a) == parts(b) for a, b in _pairs(d)]


def _ends_at_zero(d):
    """Ours begins with all of TensorFlow's, and goes on with what follows the first zero byte."""
    change = str.lower if d.op == "StringLower" else str.upper
    found = []
    for (a, b), text in zip(_pairs(d), d.input(0)[d.far], strict=True):
        _, zero, rest = text.partition(b"\0")
        rest = change(rest.decode(errors="replace")).encode()
        found.append(zero != b"" and a == b + zero + rest)
    return found


def _written(x, most, level=1):
    """A tensor's text: of each dimension the first and last so many, or all where `most` is -1."""
    if x.ndim == 0:
        pair = (x.real, x.imag) if x.dtype.kind == "c" else None
        return ("({},{})".format(*pair) if pair else str(x.item())).encode()
    rows = [_written(row, most, level + 1) for row in x]
    if 0 <= 2 * most < len(x):
        rows = [*(rows[:most] or [b""]), b"...", *rows[len(x) - most :]]
    by = b"\n" * (x.ndim - 1) + b" " * level if x.ndim > 1 else b" "
    return b"[" + by.join(rows) + b"]"


def _with_words(d):
    """Ours has the numbers of what TensorFlow has no words for, and TensorFlow's text of all else."""
    attrs, arrays = d.attrs, [a for i in d.case.inputs for a in i]
    names = (attrs["template"], attrs["placeholder"])
    template, mark = (x if isinstance(x, bytes) else x.encode() for x in names)
    pieces = [re.escape(p) for p in (template.split(mark) if mark else [template])]
    ours = theirs = pieces[0]
    known = []
    for x, enum, piece in zip(arrays, attrs["T"], pieces[1:], strict=True):
        ours, said = ours + b"(.*)" + piece, b"(.*)"
        if enum in _WORDLESS:
            x = x.view(x.dtype[0]) if x.dtype.names else x
            known.append(_written(x, attrs["summarize"]))
            said = rb"(?:\?|\[[?. ]*\])"
        theirs += said + piece
    mine = re.fullmatch(ours, d.here.item(), re.DOTALL)
    its = re.fullmatch(theirs, d.there.item(), re.DOTALL)
    if not mine or not its:
        return False
    rest = list(its.groups())
    wanted = [known.pop(0) if e in _WORDLESS else rest.pop(0) for e in attrs["T"]]
    return all(_alike(x, y) for x, y in zip(mine.groups(), wanted))


def _alike(a, b):
    """Two texts with the same numbers, in as many digits as a float32 has or more, between the same words."""
    x, y = (np.float32([float(n) for n in _NUMBER.findall(t)]) for t in (a, b))
    same = _NUMBER.split(a) == _NUMBER.split(b)
    return a == b or same and np.array_equal(x, y, equal_nan=True)


def _format(enum, value=1 + 2j, summarize=3):
    attrs = {"template": "{}", "placeholder": "{}", "summarize": summarize}
    return on([np.asarray(value)], T=[enum], **attrs)


def _n_grams(pad_width):
    return on([b"a"], [0, 1], pad_width=pad_width, ngram_widths=[])


def _assumed(name):
    key = [np.array(b"d0", object)]
    return on(b"", [name], *[key] * 4)


_PACKED = b"\n\r\n\x0b\n\x01a\x12\x06\x1a\x04\n\x02\x1bL"
_UNPACKED = b"\n\r\n\x0b\n\x01a\x12\x06\x1a\x04\x08\x1b\x08L"
_CODES = _format(13, np.int32([5, 6]))

# fmt: off
TABLE = [
    value("DecodeJSONExample", "the lists of an Example are packed, as its definition says", "string", 0,
        _same_examples, gives="the same message, packed", there="not packed", true=[seen(None, [_PACKED], [_UNPACKED])],
        wrong=[but(theirs=[_UNPACKED[:-1] + b"M"])]),
    value("StringFormat", "TensorFlow has no text for numbers of some dtypes", "string", 0, _with_words,
        gives="the numbers", there="'?'", when=lambda d: bool(_WORDLESS & {*d.attrs["T"]}),
        true=[seen(_format(sig.COMPLEX64), b"(1,2)", b"?"), seen(_CODES, b"[5 6]", b"[? ?]"),
            seen(_format(13, np.int32([[5]]), 0), b"[\n ...]", b"[...]")],
        wrong=[but(_format(sig.INT32), b"12"), but(ours=b"1", theirs=b"2"), but(ours=b"GARBAGE"), but(ours=b"(1,3)"),
            but(ours=b"(1,2)x")]),
    value("StringFormat", "as many digits are enough as tell the number from its neighbours", "string", 0, _same_numbers,
        gives="the same number in fewer digits", there="with ten digits",
        when=lambda d: bool({*sig.FLOATS} & {*d.attrs["T"]}),
        true=[seen(_format(sig.BFLOAT16), b"0.013183594", b"0.0131835938")],
        wrong=[but(theirs=b"0.0132"), but(ours=b"[0.5]", theirs=b"0.5")]),
    refusal("StringFormat", "an int attr has 64 bits",
        theirs=r"InvalidArgumentError: Attr summarize has value <-?\d{10,}~1099511627776> out of range for an int32",
        when=lambda d: not -(1 << 31) <= d.attrs["summarize"] < 1 << 31, true=[on(summarize=1 << 40)],
        wrong=[on(summarize=10)]),
    refusal("Substr", "TensorFlow broadcasts up to two dimensions",
        theirs="UnimplementedError: Substr broadcast not implemented for <4> dimensions",
        when=lambda d: max(np.ndim(x) for x in d.case.inputs) > 2, true=[on([[[[b"a"]]]], 1, 1)], wrong=[on([b"a"], 1, 1)]),
    refusal("ParseSequenceExample ParseSequenceExampleV2", "a default of a frame may be empty, and stands for zeros",
        theirs="InvalidArgumentError: Inconsistent max number of elements for feature <d1>: expected <3>, but found 0",
        wrong=[but(theirs="InvalidArgumentError: x")]),
    refusal("ParseSingleSequenceExample", "a name that is to be assumed empty is one of a feature; TensorFlow does not look it up",
        ours="InvalidArgumentError: ParseSingleSequenceExample: '<.*~9999>' of feature_list_dense_missing_assumed_empty is none of",
        when=lambda d: not {*np.ravel(d.input(1)).tolist()} <= {x.item() for x in d.input(5)},
        true=[_assumed(b"9999")], wrong=[_assumed(b"d0")]),
    refusal("StringNGrams",
        "TensorFlow refuses pad_width = -1 where ngram_widths is empty and preserve_short_sequences is set",
        theirs="InvalidArgumentError: Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got -1",
        when=lambda d: d.attrs["pad_width"] == -1 and not d.attrs["ngram_widths"], true=[_n_grams(-1)],
        wrong=[_n_grams(-2)]),
    value("StringLower StringUpper", "TensorFlow's UTF-8 text ends at its first zero byte", "string", 0, _ends_at_zero,
        gives="the whole text", when=lambda d: d.attrs["encoding"] == "utf-8",
        true=[seen(on([b"A\0B"], encoding="utf-8"), [b"a\0b"], [b"a"])],
        wrong=[but(ours=[b"b\0b"]), but(on([b"AB"], encoding="utf-8"), [b"ab"])]),
    refusal("StatelessRandomUniformFullInt", "TensorFlow registers seeds that its kernel then refuses",
        theirs="InvalidArgumentError: Invalid seed type: uint<32|64~32>", wrong=[but(theirs="InvalidArgumentError: x")]),
]
