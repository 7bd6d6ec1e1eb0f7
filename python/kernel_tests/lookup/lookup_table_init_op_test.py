# SPDX-License-Identifier: Apache-2.0
"""Tables that are filled from text files."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_lookup_ops, lookup_ops

INVALID = tf.errors.InvalidArgumentError


@pytest.fixture
def fill(tmp_path):
    """Returns a function that fills a table from a file of a text, and returns the table's contents."""

    def fill(
        text,
        key,
        value,
        key_dtype=tf.string,
        value_dtype=tf.int64,
        version="_v2",
        **attrs,
    ):
        path = tmp_path / "vocabulary"
        path.write_text(text)
        with tf.Graph().as_default(), tf.Session() as session:
            handle = getattr(gen_lookup_ops, f"_hash_table{version}")(
                key_dtype=key_dtype, value_dtype=value_dtype
            )
            op = getattr(gen_lookup_ops, f"_initialize_table_from_text_file{version}")
            session.run(op(handle, str(path), key, value, **attrs))
            export = getattr(gen_lookup_ops, f"_lookup_table_export{version}")
            keys, values = session.run(export(handle, key_dtype, value_dtype))
            return dict(zip(keys.tolist(), values.tolist()))

    return fill


@pytest.mark.parametrize("version", ["", "_v2"])
def test_lines_and_their_numbers(fill, version):
    lines = {b"a": 0, b"b": 1, b"c": 2}
    assert fill("a\nb\nc\n", -2, -1, version=version) == lines
    assert fill("a\nb\nc", -2, -1) == lines
    assert fill("a\r\nb\r\nc\r\n", -2, -1) == lines
    assert fill("a\nb\nc\n", -2, -1, vocab_size=2) == {b"a": 0, b"b": 1}
    later = {b"a": 5, b"b": 6, b"c": 7}
    assert fill("a\nb\nc\n", -2, -1, version=version, offset=5) == later
    before = {-2: b"a", -1: b"b"}
    assert fill("a\nb\n", -1, -2, tf.int64, tf.string, offset=-2) == before
    # Numbers of a column are as they are.
    assert fill("a\t1\n", 0, 1, offset=5) == {b"a": 1}
    names = {0: b"a", 1: b"b"}
    assert fill("a\nb\n", -1, -2, tf.int64, tf.string) == names
    assert fill("7\n9\n", -2, -1, tf.int64) == {7: 0, 9: 1}


def test_keys_and_values_come_from_their_columns(fill):
    assert fill("a\t1\tx\nb\t2\ty\n", 0, 1) == {b"a": 1, b"b": 2}
    assert fill("a\t1\tx\nb\t2\ty\n", 2, 0, value_dtype=tf.string) == {
        b"x": b"a",
        b"y": b"b",
    }
    text = "1 1.5\n2 -2\n"
    for dtype in (tf.float32, tf.float64):
        got = fill(text, 0, 1, tf.int64, dtype, delimiter=" ")
        assert got == {1: 1.5, 2: -2}
    assert fill(text, 0, 0, tf.int32, tf.int32, delimiter=" ") == {1: 1, 2: 2}


@pytest.mark.parametrize(
    "text,key,value,attrs,error,words",
    [
        ("a\n\nb\n", -2, -1, {}, INVALID, "empty line found at position 3"),
        ("", -2, -1, {}, tf.errors.OutOfRangeError, "0 of lines"),
        ("a\nb\n", -2, -1, {"vocab_size": 3}, INVALID, "expected 3 but got 2"),
        ("a\t1\nb\n", 0, 1, {}, INVALID, "Invalid number of columns in .* line 1"),
        ("a\tx\n", 0, 1, {}, INVALID, "Field x in line 0 is not a valid int64"),
        ("a\t1\n", 0, 1, {"delimiter": "ab"}, INVALID, "delimiter"),
        ("a\t1\n", 0, 1, {"delimiter": ""}, INVALID, "delimiter"),
        ("a\na\n", -2, -1, {}, tf.errors.FailedPreconditionError, "Key a has 0"),
        ("a\n", -1, -1, {}, INVALID, "line number requires table key dtype of int64"),
    ],
)
@pytest.mark.parametrize("version", ["", "_v2"])
def test_bad_files_and_attrs_are_refused(
    fill, text, key, value, attrs, error, words, version
):
    with pytest.raises(error, match=words):
        fill(text, key, value, version=version, **attrs)


@pytest.mark.parametrize("version", ["", "_v2"])
def test_names_that_no_file_can_have_are_refused(version):
    with tf.Graph().as_default(), tf.Session() as session:
        handle = getattr(gen_lookup_ops, f"_hash_table{version}")(
            key_dtype=tf.string, value_dtype=tf.int64
        )
        op = getattr(gen_lookup_ops, f"_initialize_table_from_text_file{version}")
        with pytest.raises(INVALID, match="File name too long"):
            session.run(op(handle, "n" * 300, -2, -1))


def test_dtypes_that_do_not_fit_are_refused(fill):
    with pytest.raises(INVALID, match="whole line requires table value"):
        fill("a\n", -2, -2, value_dtype=tf.float32)
    with pytest.raises(INVALID, match="not supported"):
        fill("a\t1\n", 0, 1, value_dtype=tf.bool)


def test_a_file_that_is_not_there():
    with tf.Graph().as_default(), tf.Session() as session:
        table = lookup_ops.HashTable(
            lookup_ops.TextFileIdTableInitializer("/no/such/file"), -1
        )
        with pytest.raises(tf.errors.NotFoundError, match="/no/such/file"):
            session.run(table.init)
