# SPDX-License-Identifier: Apache-2.0
"""Numbers as text, as C prints them."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_string_ops


def texts(values, **attrs):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(values.dtype)
        got = session.run(gen_string_ops.as_string(x, **attrs), {x: values})
        return [t.decode() for t in got.ravel()]


FORMATS = [
    ({}, "%f"),
    ({"precision": 3}, "%.3f"),
    ({"scientific": True}, "%e"),
    ({"shortest": True}, "%g"),
    ({"width": 10}, "%10f"),
    ({"width": 10, "fill": "0"}, "%010f"),
    ({"width": 10, "fill": "-"}, "%-10f"),
    ({"width": 10, "fill": "+"}, "%+10f"),
    ({"width": 4, "fill": " "}, "% 4f"),
    ({"width": 12, "precision": 2, "scientific": True}, "%12.2e"),
]


@pytest.mark.parametrize("attrs,format_", FORMATS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats(dtype, attrs, format_):
    values = np.array([1.5, -2, 0, 1e-3, 12345], dtype)
    assert texts(values, **attrs) == [format_ % v for v in values.astype(float)]
    assert texts(np.array([np.inf, -np.inf, np.nan], dtype)) == ["inf", "-inf", "nan"]
    pair = texts(np.array([1.5 - 2j], np.complex64), **attrs)
    assert pair == [f"({format_ % 1.5},{format_ % -2})"]


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16]
)
def test_integers(dtype):
    info = np.iinfo(dtype)
    values = np.array([info.min, 0, info.max], dtype)
    assert texts(values) == [str(v) for v in values]
    assert texts(values, width=25) == ["%25d" % v for v in values]
    assert texts(values, width=25, fill="0") == ["%025d" % v for v in values]


@pytest.mark.parametrize(
    "attrs", [{"scientific": True}, {"shortest": True}, {"precision": 1}]
)
def test_a_text_stays_as_it_is_whatever_is_asked_of_numbers(attrs):
    words = np.array([b"ab", b"1.25", b""], object)
    with tf.Graph().as_default(), tf.Session() as session:
        got = session.run(gen_string_ops.as_string(tf.constant(words), **attrs))
        assert got.tolist() == words.tolist()
        got = session.run(gen_string_ops.as_string(words, width=3, **attrs))
        assert got.tolist() == [b" ab", b"1.25", b"   "]


def test_the_rest():
    assert texts(np.array([True, False]), width=9) == ["true", "false"]
    assert texts(np.array([b"as it is"], object)) == ["as it is"]
    words = np.array([b"a", b"long enough"], object)
    assert texts(words, width=4) == ["   a", "long enough"]
    assert texts(words, width=4, fill="-") == ["a   ", "long enough"]
    assert texts(np.array([1e300])) == ["%f" % 1e300]


@pytest.mark.parametrize(
    "dtype,attrs,words",
    [
        (np.int32, {"precision": 2}, "precision not supported"),
        (np.int32, {"scientific": True}, "not supported for datatype int32"),
        (np.float32, {"scientific": True, "shortest": True}, "Cannot select both"),
        (np.float32, {"fill": "ab"}, "one or fewer"),
        (np.float32, {"fill": "x", "width": 3}, "Fill argument not supported"),
        (np.float32, {"width": 1 << 30}, "at most"),
    ],
)
def test_formats_that_are_none_are_refused(dtype, attrs, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        texts(np.zeros(1, dtype), **attrs)
