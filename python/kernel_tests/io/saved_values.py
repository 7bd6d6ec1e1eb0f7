# SPDX-License-Identifier: Apache-2.0
"""Values of every dtype that a checkpoint can have."""

import numpy as np

import tensorwright as tf
from tensorwright.python.testing.op_testing import values

_NAMES = (
    "float16 bfloat16 float32 float64 int8 uint8 int16 uint16 int32 uint32 int64 uint64 "
    "complex64 complex128 bool string qint8 quint8 qint16 quint16 qint32"
)
DTYPES = [tf.as_dtype(name) for name in _NAMES.split()]


def value_of(dtype: tf.DType, shape: list[int]) -> np.ndarray:
    """Small numbers, or strings."""
    if dtype.is_quantized:
        plain = np.arange(int(np.prod(shape))).reshape(shape) % 100
        return plain.astype(dtype.as_numpy_dtype)
    return values(shape, object if dtype == tf.string else dtype.as_numpy_dtype)


def assert_same(got: np.ndarray, want: np.ndarray) -> None:
    """Equal in dtype, shape and every bit."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    if want.dtype == object:
        assert got.tolist() == want.tolist()
    else:
        assert got.dtype == want.dtype
        assert got.tobytes() == want.tobytes()
