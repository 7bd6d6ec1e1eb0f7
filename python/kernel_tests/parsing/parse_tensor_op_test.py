# SPDX-License-Identifier: Apache-2.0
"""ParseTensor and SerializeTensor: tensors as serialized TensorProtos."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import tensor_pb2

pytestmark = pytest.mark.usefixtures("fresh_graph")

_DTYPES = (
    "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool "
    "complex64 complex128 bfloat16"
).split()


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 1, 3)])
@pytest.mark.parametrize("name", _DTYPES)
def test_numbers_come_back(name, shape):
    dtype = tf.as_dtype(name)
    x = np.random.RandomState(4).randint(0, 2, shape).astype(dtype.as_numpy_dtype)
    serialized = tf.serialize_tensor(x)
    assert serialized.shape.as_list() == []
    back = _run(tf.parse_tensor(serialized, dtype))
    assert back.dtype == x.dtype
    np.testing.assert_array_equal(back, x)
    proto = tensor_pb2.TensorProto.FromString(_run(serialized))
    np.testing.assert_array_equal(tf.make_ndarray(proto), x)


def test_strings_come_back():
    x = np.array([[b"", b"\x00\xff"], [b"x" * 1000, b"y"]], object)
    back = _run(tf.parse_tensor(tf.serialize_tensor(x), tf.string))
    np.testing.assert_array_equal(back, x)


def test_what_is_no_tensor_is_refused():
    serialized = _run(tf.serialize_tensor([1, 2]))
    fed = tf.placeholder(tf.string, [])
    parsed = tf.parse_tensor(fed, tf.int32)
    huge = tensor_pb2.TensorProto(dtype=tf.int32.as_datatype_enum)
    for size in (2**40, 2**40):
        huge.tensor_shape.dim.add(size=size)
    with tf.Session() as session:
        for wrong, text in [
            (b"junk", "Could not parse"),
            (_run(tf.serialize_tensor([1.0])), "Type mismatch.*float.*int32"),
            (b"\x08\x63", "Type mismatch.*unknown dtype"),
            (huge.SerializeToString(), "no tensor"),
            (serialized[:-1], "Could not parse|no tensor"),
        ]:
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(parsed, {fed: wrong})
        refused = 0
        for bit in range(0, 8 * len(serialized), 7):
            data = bytearray(serialized)
            data[bit // 8] ^= 1 << bit % 8
            try:
                assert session.run(parsed, {fed: bytes(data)}).size <= 2**31
            except tf.errors.InvalidArgumentError:
                refused += 1
        assert refused
