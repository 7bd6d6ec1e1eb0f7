# SPDX-License-Identifier: Apache-2.0
"""Reads PNG files without the library that wrote them."""

from __future__ import annotations

import struct
import zlib

import numpy as np


def decode(png: bytes) -> np.ndarray:
    """The pixels of a file of 8-bit channels: uint8 [height, width, channels]."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        (crc,) = struct.unpack(">I", png[at + 8 + size : at + 12 + size])
        assert crc == zlib.crc32(kind + data)
        chunks.append((kind, data))
        at += 12 + size
    kinds = [kind for kind, _ in chunks]
    assert (kinds[0], kinds[-1]) == (b"IHDR", b"IEND")
    width, height, bits, color, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert bits == 8 and rest == [0, 0, 0]
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[color]
    raw = zlib.decompress(b"".join(d for k, d in chunks if k == b"IDAT"))
    stride = width * channels
    rows = np.zeros((height + 1, stride + channels), np.int64)
    for y in range(height):
        line = raw[y * (stride + 1) : (y + 1) * (stride + 1)]
        for x, byte in enumerate(line[1:], channels):
            left, up = rows[y + 1, x - channels], rows[y, x]
            guess = _guess(line[0], left, up, rows[y, x - channels])
            rows[y + 1, x] = (byte + guess) & 0xFF
    return rows[1:, channels:].reshape(height, width, channels).astype(np.uint8)


def _guess(kind: int, left: int, up: int, corner: int) -> int:
    """Returns the value that the filter of a row predicts (PNG specification, 9.2)."""
    if kind == 4:
        return min((left, up, corner), key=lambda v: abs(left + up - corner - v))
    return [0, left, up, (left + up) // 2][kind]
