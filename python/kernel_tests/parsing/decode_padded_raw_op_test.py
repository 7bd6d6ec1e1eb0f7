# SPDX-License-Identifier: Apache-2.0
"""DecodePaddedRaw: as many bytes of each string as numbers."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_parsing_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.mark.parametrize("little_endian", [True, False])
@pytest.mark.parametrize("name", ["int16", "float32", "uint8", "int64", "float16"])
def test_strings_are_padded_and_cut(name, little_endian):
    strings = [b"", b"abc", b"abcdefgh", bytes(range(60, 100))]
    raw = gen_parsing_ops.decode_padded_raw(
        np.array(strings, object), 16, tf.as_dtype(name), little_endian
    )
    dtype = np.dtype(name).newbyteorder("<" if little_endian else ">")
    assert raw.shape.as_list() == [4, 16 // dtype.itemsize]
    want = [np.frombuffer(s[:16].ljust(16, b"\0"), dtype) for s in strings]
    np.testing.assert_array_equal(_run(raw), np.array(want).astype(name))


@pytest.mark.parametrize("length", [0, -4, 6])
def test_other_lengths_are_refused(length):
    with pytest.raises(ValueError, match="fixed_length"):
        gen_parsing_ops.decode_padded_raw("ab", length, tf.int32)
    fed = tf.placeholder(tf.int32, [])
    raw = gen_parsing_ops.decode_padded_raw("ab", fed, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="fixed_length"):
        _run(raw, {fed: length})
