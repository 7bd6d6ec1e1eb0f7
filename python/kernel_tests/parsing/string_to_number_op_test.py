# SPDX-License-Identifier: Apache-2.0
"""StringToNumber, against Python's int and float."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_FLOATS = (
    "0 -0 1.5 -2.5e10 1e-3 .5 5. +7 inf -inf nan NaN 0x10 -0x1A 0x1p3 1e400 -1e400"
)


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


def _float(text):
    return float.fromhex(text) if "0x" in text else float(text)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_floats_are_read(dtype):
    texts = _FLOATS.split() + [" 1 ", "123456789.123456789"]
    got = _run(tf.string_to_number(np.array(texts, object), dtype))
    with np.errstate(over="ignore"):
        want = np.array([_float(t) for t in texts]).astype(dtype.as_numpy_dtype)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", ["int32", "int64", "uint32", "uint64"])
def test_integers_are_read_up_to_their_limits(name):
    info = np.iinfo(name)
    texts = ["0", "7", "+7", " 42 ", "007", str(info.min), str(info.max)]
    got = _run(
        tf.strings.to_number(input=np.array(texts, object), out_type=tf.as_dtype(name))
    )
    assert got.dtype == np.dtype(name)
    assert got.tolist() == [int(t) for t in texts]
    for wrong in (str(info.max + 1), str(info.min - 1), "1.0", "0x10", "", "1 2", "x"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly"):
            _run(tf.string_to_number([wrong], tf.as_dtype(name)))


@pytest.mark.parametrize(
    "text", ["", "x", "1e", "1f", "1_0", "1,0", "0x", "0x-1", "--1"]
)
def test_what_is_no_number_is_refused(text):
    for dtype in (tf.float32, tf.float64):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="could not correctly convert"
        ):
            _run(tf.string_to_number([text], dtype))
