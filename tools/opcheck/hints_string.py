# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops of strings; see draws.hint."""

from __future__ import annotations

import base64

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint

_WORDS = (
    b"",
    b"a",
    b"ab",
    b"tensor",
    b"a b  c",
    b" x ",
    b"caf\xc3\xa9",
    b"\xe6\x97\xa5",
)


def strings(d: Drawer, shape: list[int], words=_WORDS) -> np.ndarray:
    """Strings out of `words`."""
    out = np.empty(int(np.prod(shape)), object)
    out[:] = [d.pick(words) for _ in range(out.size)]
    return out.reshape(shape)


def text(word: bytes) -> np.ndarray:
    return np.array(word, object)


@hint("DecodeBase64")
def _decode_base64(d: Drawer):
    words = [base64.urlsafe_b64encode(w) for w in _WORDS]
    words += [w.rstrip(b"=") for w in words]
    return [strings(d, d.shape(), words)]


@hint("StringLower", "StringUpper")
def _case(d: Drawer):
    d.attrs["encoding"] = d.pick(["", "utf-8"])
    return [strings(d, d.shape())]


@hint("StringLength", "StringStrip")
def _unary(d: Drawer):
    return [strings(d, d.shape())]


@hint("Substr")
def _substr(d: Drawer):
    shape, part = d.broadcast_shapes(2)
    positions = d.ints("T", part, -1, 1)
    words = [w for w in _WORDS if len(w.decode()) >= 1]
    return [strings(d, shape, words), positions, d.ints("T", part, 0, 5)]


_PATTERNS = (b"a", b"[ab]+", b"^", b"(t)(e)", b"x*")


@hint("RegexReplace")
def _regex_replace(d: Drawer):
    pattern, rewrite = text(d.pick(_PATTERNS)), text(d.pick([b"", b"<\\0>", b"z"]))
    return [strings(d, d.shape()), pattern, rewrite]


@hint("StaticRegexReplace")
def _static_regex_replace(d: Drawer):
    d.attrs["pattern"] = d.pick(_PATTERNS).decode()
    d.attrs["rewrite"] = d.pick(["", "<\\0>", "z"])
    return [strings(d, d.shape())]


@hint("ReduceJoin")
def _reduce_join(d: Drawer):
    shape = d.shape(low=1, high=4)
    d.attrs["separator"] = d.pick(["", ", "])
    axes = d.rng.permutation(len(shape))[: d.int(0, len(shape))]
    signs = [a - len(shape) if d.chance(0.3) else a for a in axes]
    return [strings(d, shape), d.array(sig.INT32, signs)]


@hint("UnsortedSegmentJoin")
def _unsorted_segment_join(d: Drawer):
    shape = d.shape(low=1, high=4)
    rank = d.int(1, len(shape))
    n = d.int(1, 9)
    d.attrs["separator"] = d.pick(["", ", "])
    return [
        strings(d, shape),
        d.ints("Tindices", shape[:rank], 0, n - 1),
        d.array("Tnumsegments", n),
    ]


@hint("StringSplit")
def _string_split(d: Drawer):
    n = 20_000 if d.large else d.dim()
    return [strings(d, [n]), text(d.pick([b" ", b"", b"ab", b"x"]))]


@hint("StringSplitV2")
def _string_split_v2(d: Drawer):
    d.attrs["maxsplit"] = d.int(-1, 3)
    n = 20_000 if d.large else d.dim()
    return [strings(d, [n]), text(d.pick([b" ", b"", b"ab", b"x"]))]


@hint("StringNGrams")
def _string_n_grams(d: Drawer):
    rows = 2000 if d.large else d.int(0, 5)
    lengths = d.rng.randint(0, 20 if d.large else 5, rows)
    splits = np.concatenate([[0], np.cumsum(lengths)])
    d.attrs["ngram_widths"] = [d.int(1, 4) for _ in range(d.int(0 if rows else 1, 3))]
    if d.large:
        d.attrs["ngram_widths"] = [2, 3]
    d.attrs["pad_width"] = d.int(-1, 3)
    for name in ("separator", "left_pad", "right_pad"):
        d.attrs[name] = d.pick(["", "-", "LR"])
    return [strings(d, [int(splits[-1])]), d.array("Tsplits", splits)]


@hint("StringFormat")
def _string_format(d: Drawer):
    types = [t for t in d.attrs["T"] if t not in (sig.RESOURCE, sig.VARIANT)]
    d.attrs["T"] = types
    d.attrs["placeholder"] = d.pick(["%s", "{}"])
    d.attrs["template"] = "a ".join([d["placeholder"]] * len(types))
    d.attrs["summarize"] = d.int(-1, 4)
    return [[d.values(t, d.shape(high=3)) for t in types]]


_ENCODINGS = ("UTF-8", "UTF-16-BE", "UTF-16-LE", "UTF-32-BE", "US-ASCII", "ISO-8859-1")


@hint("UnicodeTranscode", "UnicodeDecode", "UnicodeDecodeWithOffsets")
def _unicode(d: Drawer):
    d.attrs["input_encoding"] = encoding = d.pick(_ENCODINGS)
    d.attrs["replacement_char"] = d.pick([65533, 63, 0x1F600])
    words = [w.decode().encode(encoding, "replace") for w in _WORDS]
    if d["errors"] != "strict":
        words += [b"\xff", b"a\xe6\x97", b"\xd8"]
    return [strings(d, d.shape(), words)]


@hint("UnicodeEncode")
def _unicode_encode(d: Drawer):
    d.attrs["replacement_char"] = d.pick([65533, 63, 0x1F600])
    lengths = [d.int(0, 4) for _ in range(20000 if d.large else d.int(0, 5))]
    characters = [0, 97, 233, 0x65E5, 0x1F600, 0x10FFFF]
    if d["errors"] != "strict":
        characters += [-1, 0xD800, 0x110000]
    values = [d.pick(characters) for _ in range(sum(lengths))]
    splits = np.cumsum([0, *lengths])
    return [
        np.array(values, np.int32).reshape([-1]),
        splits.astype(np.int32 if d["Tsplits"] == sig.INT32 else np.int64),
    ]
