# SPDX-License-Identifier: Apache-2.0
"""UnicodeTranscode, UnicodeDecode, UnicodeDecodeWithOffsets and UnicodeEncode against Python's codecs."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_string_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

TEXTS = ["", "abc", "é€", "日本語", "a\U0001f600b", "\x00\x7f\u0080\uffff", "x" * 100]
CODECS = {
    "UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-16-LE": "utf-16-le", "UTF-16": "utf-16",
    "UTF-32-BE": "utf-32-be", "UTF-32-LE": "utf-32-le", "utf32": "utf-32",
}  # fmt: skip
NARROW = {"US-ASCII": "ascii", "ISO-8859-1": "latin-1", "latin1": "latin-1"}


def run(tensors):
    with tf.Session() as session:
        return session.run(tensors)


def transcode(texts, encoding="UTF-8", output="UTF-8", **kwargs):
    return run(tf.strings.unicode_transcode(texts, encoding, output, **kwargs)).tolist()


@pytest.mark.parametrize("encoding", sorted(CODECS))
@pytest.mark.parametrize("output", ["UTF-8", "UTF-16-BE", "UTF-32-BE"])
def test_text_goes_from_one_encoding_to_another(encoding, output):
    given = [t.encode(CODECS[encoding]) for t in TEXTS]
    expected = [t.encode(output.lower()) for t in TEXTS]
    assert transcode(given, encoding, output) == expected


@pytest.mark.parametrize("encoding", sorted(NARROW))
def test_encodings_of_one_byte(encoding):
    every = bytes(range(256))
    assert transcode([every], encoding) == [
        every.decode(NARROW[encoding], "replace").encode()
    ]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16-BE", "UTF-32-BE"])
def test_malformed_text_is_replaced_as_pythons_codecs_do(encoding):
    random = np.random.RandomState(0)
    pieces = [
        b"\xe6",
        b"\x97",
        b"\xa5",
        b"a",
        b"\xf0\x9f",
        b"\xed\xa0",
        b"\xff",
        b"\x00",
    ]
    texts = [
        b"".join(pieces[i] for i in random.randint(len(pieces), size=random.randint(9)))
        for _ in range(300)
    ]
    if encoding != "UTF-8":
        # A cut in the middle of a unit is an error; its bytes are counted differently.
        size = 2 if "16" in encoding else 4
        texts = [t[: len(t) // size * size] for t in texts]
        texts = [t for t in texts if encoding == "UTF-32-BE" or not _has_surrogate(t)]
    expected = [t.decode(encoding.lower(), "replace").encode() for t in texts]
    assert transcode(texts, encoding) == expected
    assert transcode(texts, encoding, errors="ignore") == [
        e.replace("\ufffd".encode(), b"") for e in expected
    ]


def _has_surrogate(text):
    return any(0xD8 <= high <= 0xDF for high in text[::2])


def test_surrogates_alone_are_errors():
    for text in (b"\xd8\x00\x00b", b"\xdc\x00\x00b"):
        assert transcode([text], "UTF-16-BE") == ["\ufffdb".encode()]
    assert transcode([b"\x00\x00\xd8\x00"], "UTF-32-BE") == ["\ufffd".encode()]
    assert transcode([b"\x00\x11\x00\x00"], "UTF-32-BE") == ["\ufffd".encode()]


def test_what_replaces_and_what_is_refused():
    assert transcode([b"a\xffb"], replacement_char=63) == [b"a?b"]
    assert transcode([b"a\tb"], replace_control_characters=True) == [
        "a\ufffdb".encode()
    ]
    assert transcode([b"a\tb"], errors="ignore", replace_control_characters=True) == [
        b"ab"
    ]
    for text, more in ((b"\xff", {}), (b"\t", {"replace_control_characters": True})):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid formatting"):
            transcode([text], errors="strict", **more)
    with pytest.raises(tf.errors.InvalidArgumentError, match="converter for input"):
        transcode([b"a"], "nonsense")
    with pytest.raises(tf.errors.InvalidArgumentError, match="replacement_char"):
        transcode([b"a"], replacement_char=0x110000)


@pytest.mark.parametrize("splits", [tf.int32, tf.int64])
def test_code_points_and_where_they_begin(splits):
    texts = np.array([[t.encode() for t in TEXTS]], object)
    made = gen_string_ops.unicode_decode_with_offsets(texts, "UTF-8", Tsplits=splits)
    assert made.row_splits.shape.as_list() == [len(TEXTS) + 1]
    rows, characters, starts = run(made)
    plain = run(gen_string_ops.unicode_decode(texts, "UTF-8", Tsplits=splits))
    assert rows.dtype == splits.as_numpy_dtype
    assert rows.tolist() == np.cumsum([0, *map(len, TEXTS)]).tolist()
    assert characters.tolist() == [ord(c) for t in TEXTS for c in t]
    assert starts.tolist() == [
        len(t[:i].encode()) for t in TEXTS for i in range(len(t))
    ]
    assert plain.row_splits.tolist() == rows.tolist()
    assert plain.char_values.tolist() == characters.tolist()


@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_a_control_character_is_replaced_and_no_error(errors):
    got = run(
        gen_string_ops.unicode_decode_with_offsets(
            [b"a\x00\xc3\xa9\x1fb"], "UTF-8", errors=errors,
            replacement_char=63, replace_control_characters=True,
        )
    )  # fmt: skip
    assert got.char_values.tolist() == [97, 63, 233, 63, 98]
    assert got.char_to_byte_starts.tolist() == [0, 1, 2, 4, 5]


def test_an_ignored_control_character_is_left_out():
    got = run(
        gen_string_ops.unicode_decode_with_offsets(
            [b"a\x00b", b"\x01"], "UTF-8", errors="ignore",
            replace_control_characters=True,
        )
    )  # fmt: skip
    assert got.row_splits.tolist() == [0, 2, 2]
    assert got.char_to_byte_starts.tolist() == [0, 2]


def test_a_mark_of_the_byte_order_is_no_character():
    decode = gen_string_ops.unicode_decode_with_offsets
    for text in ("ab".encode("utf-16"), b"\xfe\xff\x00a\x00b"):
        got = run(decode([text], "UTF-16"))
        assert got.char_values.tolist() == [97, 98]
        assert got.char_to_byte_starts.tolist() == [0, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid formatting"):
        run(decode([b"\xff"], "UTF-8", errors="strict"))


@pytest.mark.parametrize("output", ["UTF-8", "UTF-16-BE", "UTF-32-BE"])
def test_code_points_become_text(output):
    characters = [ord(c) for t in TEXTS for c in t]
    splits = np.cumsum([0, *map(len, TEXTS)])
    got = run(gen_string_ops.unicode_encode(characters, splits, output))
    assert got.tolist() == [t.encode(output.lower()) for t in TEXTS]


def test_code_points_that_are_none():
    encode = gen_string_ops.unicode_encode
    bad = [97, 0xD800, 0x110000, -1]
    split = np.int64([0, 4])
    assert run(encode(bad, split, "UTF-8")).tolist() == ["a\ufffd\ufffd\ufffd".encode()]
    assert run(encode(bad, split, "UTF-8", errors="ignore")).tolist() == [b"a"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="surrogate"):
        run(encode(bad, split, "UTF-8", errors="strict"))
    for splits, text in (
        ([0, 3], "Last value"),
        ([1, 4], "First value"),
        ([0, 5, 4], "ascending"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(encode(bad, np.int64(splits), "UTF-8"))
