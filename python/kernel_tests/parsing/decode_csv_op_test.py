# SPDX-License-Identifier: Apache-2.0
"""DecodeCSV, against Python's csv."""

import csv
import io

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(tensors, feeds=None):
    with tf.Session() as session:
        return session.run(tensors, feeds)


def _strings(line, columns=2, **arguments):
    got = _run(tf.decode_csv([line], [["-"]] * columns, **arguments))
    return [g.tolist()[0] for g in got]


def test_columns_have_the_types_of_their_defaults():
    lines = np.array([["1,2,3.5,1e300,x", "-7,,2,0.5,"], [",9,,,y z", "0,0,0,0,0"]])
    defaults = [
        tf.constant([5], tf.int32),
        tf.constant([6], tf.int64),
        tf.constant(1.25),
        tf.constant([2.0], tf.float64),
        tf.constant(["none"]),
    ]
    got = _run(tf.decode_csv(lines, defaults))
    want = [
        np.array([[1, -7], [5, 0]], np.int32),
        np.array([[2, 6], [9, 0]], np.int64),
        np.array([[3.5, 2], [1.25, 0]], np.float32),
        np.array([[1e300, 0.5], [2.0, 0]], np.float64),
        np.array([[b"x", b"none"], [b"y z", b"0"]], object),
    ]
    for g, w in zip(got, want):
        assert g.dtype == w.dtype
        np.testing.assert_array_equal(g, w)


def test_quotes_are_none_of_the_text():
    rng = np.random.RandomState(1)
    rows = [
        ["".join(rng.choice(list('a",\n\r x'), rng.randint(1, 8))) for _ in range(3)]
        for _ in range(200)
    ]
    lines = []
    for row in rows:
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="").writerow(row)
        lines.append(text.getvalue())
    got = _run(tf.decode_csv(lines, [["-"]] * 3))
    for column in range(3):
        assert [g.decode() for g in got[column]] == [row[column] for row in rows]


def test_other_delimiters_and_quotes_that_are_text():
    assert _strings("a\tb", field_delim="\t") == [b"a", b"b"]
    assert _strings('"a",b"c', use_quote_delim=False) == [b'"a"', b'b"c']
    assert _strings("NA,NaN", na_value="NA") == [b"-", b"NaN"]


def test_some_columns_are_selected():
    assert _strings("a,b,c,d", select_cols=[1, 3]) == [b"b", b"d"]
    assert _strings("a,b,c,", select_cols=[0, 3]) == [b"a", b"-"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 2 fields"):
        _strings("a,b", select_cols=[1, 3])
    for wrong in ([1, 1], [-1, 0], [0]):
        with pytest.raises(ValueError, match="select_cols"):
            tf.decode_csv(["a,b"], [[""], [""]], select_cols=wrong)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("", "Expect 2 fields but have 0"),
        ("a", "Expect 2 fields but have 1"),
        ("a,b,c", "Expect 2 fields but have 3"),
        ('a"b,c', "quotes/CRLFs"),
        ("a\nb,c", "quotes/CRLFs"),
        ("a,b\r", "quotes/CRLFs"),
        ('a,"b', "has to end with quote"),
        ('"a"x,c', "has to end with quote"),
        ('"', "has to end with quote"),
    ],
)
def test_broken_lines_are_refused(line, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        _strings(line)


@pytest.mark.parametrize("value", ["x", "1.5", "2147483648", "1 2", "--1"])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Field 0 in record 0 is not a valid int32"
    ):
        _run(tf.decode_csv([value], [tf.constant([1])]))


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_a_default_that_is_no_number_stands_for_empty_fields_alone(dtype):
    none = tf.constant([np.nan], dtype)
    got = _run(tf.decode_csv(["1,0", ",0", "nan,0", "2,"], [none, none]))
    np.testing.assert_array_equal(got, [[1, np.nan, np.nan, 2], [0, 0, 0, np.nan]])


@pytest.mark.parametrize("value", ["x", "1.5.", "1e", "1 2", "--1"])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_what_is_no_float_is_refused(value, dtype):
    words = "Field 0 in record 1 is not a valid (float|double)"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        _run(tf.decode_csv(["1", value], [tf.constant([1], dtype)]))


def test_fields_without_a_default_are_required():
    none = tf.zeros([0], tf.int32)
    assert _run(tf.decode_csv(["3"], [none])[0]).tolist() == [3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 1 is required"):
        _run(tf.decode_csv(["3,"], [none, none]))


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="length-0 or length-1"):
        tf.decode_csv(["a"], [["x", "y"]])
    with pytest.raises(TypeError):
        tf.decode_csv(["a"], [[True]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="only 1 char"):
        _strings("a,b", field_delim="::")


def test_changed_lines_are_errors_or_values():
    line = 'text,"quoted ""text""",1.5,"",12345'
    fed = tf.placeholder(tf.string, [])
    columns = tf.decode_csv(fed, [["-"], ["-"], [0.0], ["-"], [1]])
    changed = [line[:n].encode() for n in range(len(line))]
    for bit in range(0, 8 * len(line), 97):
        data = bytearray(line.encode())
        data[bit // 8] ^= 1 << bit % 8
        changed.append(bytes(data))
    changed += [b'"' * 1000, b"," * 1000, b"\x00", b"\n" * 100]
    with tf.Session() as session:
        for data in changed:
            try:
                got = session.run(columns, {fed: data})
            except tf.errors.InvalidArgumentError:
                continue
            assert sum(len(g) for g in (got[0], got[1], got[3])) <= len(data) + 3
