# SPDX-License-Identifier: Apache-2.0
"""DecodeRaw, against NumPy's frombuffer."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_DTYPES = "float16 float32 float64 int32 uint16 uint8 int16 int8 int64 complex64 complex128 bool"


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.mark.parametrize("little_endian", [True, False])
@pytest.mark.parametrize("name", _DTYPES.split())
def test_bytes_are_numbers(name, little_endian):
    rng = np.random.RandomState(2)
    if name == "bool":
        x = rng.rand(2, 3, 5) < 0.5
    else:
        x = (rng.randint(0, 100, (2, 3, 5))).astype(name)
        if name.startswith("complex"):
            x = x + x[::-1] * 1j
    x = x.astype(np.dtype(name).newbyteorder("<" if little_endian else ">"))
    strings = np.array([[r.tobytes() for r in m] for m in x], object)
    raw = tf.decode_raw(strings, tf.as_dtype(name), little_endian)
    assert raw.shape.as_list() == [2, 3, None]
    got = _run(raw)
    assert got.dtype == np.dtype(name)
    np.testing.assert_array_equal(got, x.astype(name))


def test_nothing_is_no_number():
    assert _run(tf.decode_raw("", tf.int32)).shape == (0,)
    assert _run(tf.decode_raw(tf.zeros([0], tf.string), tf.int32)).shape == (0, 0)
    assert _run(tf.decode_raw(bytes=[b"ab", b"cd"], out_type=tf.uint8)).tolist() == [
        [97, 98],
        [99, 100],
    ]


def test_other_lengths_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="multiple of 4"):
        _run(tf.decode_raw("abcde", tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="all be the same size"):
        _run(tf.decode_raw(["abcd", "ab"], tf.int16))
