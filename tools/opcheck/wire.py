# SPDX-License-Identifier: Apache-2.0
"""The messages between a driver and its workers: arrays as plain data, and framed messages on a pipe.

Both sides use this, also a worker that has another library loaded, so it needs nothing but NumPy.
An array is (dtype enum, shape, bytes), or for strings (7, shape, [bytes, ...]).  Of a handle, only the dtype and the
shape pass: the object that it names lives in the other process.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO

import numpy as np

STRING = 7

Array = tuple[int, tuple[int, ...], Any]


def encode(array: Any, enum: int) -> Array:
    """An array whose elements have the dtype `enum`."""
    array = np.asarray(array)
    if enum == STRING:
        items = [s.encode() if isinstance(s, str) else s for s in array.ravel()]
        return enum, array.shape, items
    if array.dtype == object:
        return enum, array.shape, b""
    return enum, array.shape, array.tobytes()


def decode(data: Array, numpy_type: Any) -> np.ndarray:
    """The array, writable; `numpy_type` is its dtype in the library that will take it."""
    enum, shape, content = data
    if enum == STRING:
        array = np.empty(len(content), dtype=object)
        array[:] = content
        return array.reshape(shape)
    if np.dtype(numpy_type) == object:
        return np.zeros(shape, dtype=object)
    return np.frombuffer(bytearray(content), dtype=numpy_type).reshape(shape)


def send(pipe: BinaryIO, message: Any) -> None:
    body = pickle.dumps(message, protocol=4)
    # The parts are not joined: results may take as much memory as a worker may use.
    for part in (struct.pack("<Q", len(body)), body):
        rest = memoryview(part)
        while rest:
            rest = rest[pipe.write(rest) :]
    pipe.flush()


def receive(pipe: BinaryIO) -> Any:
    """The next message; EOFError where the other side has ended.

    Reads no byte more, so that a pipe without a buffer can be waited for.
    """
    (size,) = struct.unpack("<Q", _read(pipe, 8))
    return pickle.loads(_read(pipe, size))


def _read(pipe: BinaryIO, size: int) -> bytes:
    parts = []
    while size > 0:
        part = pipe.read(size)
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
