# SPDX-License-Identifier: Apache-2.0
"""Small files of images, written here byte by byte."""

from __future__ import annotations

import struct
import zlib

import numpy as np


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(
    pixels: np.ndarray,
    color_type: int,
    bits: int = 8,
    palette: bytes = b"",
    transparent: bytes = b"",
    sides: tuple[int, int] | None = None,
) -> bytes:
    """Pixels [height, width, channels] of `bits` each, packed; `sides` is what the header says instead."""
    height, width = sides or pixels.shape[:2]
    rows = []
    for row in pixels.reshape(pixels.shape[0], -1):
        if bits == 16:
            packed = row.astype(">u2").tobytes()
        elif bits == 8:
            packed = row.astype(np.uint8).tobytes()
        else:
            digits = "".join(f"{int(n):0{bits}b}" for n in row)
            digits += "0" * (-len(digits) % 8)
            packed = int(digits, 2).to_bytes(len(digits) // 8, "big")
        rows.append(b"\0" + packed)
    head = struct.pack(">IIBBBBB", width, height, bits, color_type, 0, 0, 0)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", head),
            _chunk(b"PLTE", palette) if palette else b"",
            _chunk(b"tRNS", transparent) if transparent else b"",
            _chunk(b"IDAT", zlib.compress(b"".join(rows))),
            _chunk(b"IEND", b""),
        ]
    )


def bmp(
    pixels: np.ndarray,
    top_down: bool = False,
    sides: tuple[int, int] | None = None,
) -> bytes:
    """Pixels [height, width, 1, 3 or 4], colours in the order red, green, blue (, alpha)."""
    height, width, channels = pixels.shape
    stored = pixels.astype(np.uint8)
    if channels > 1:
        stored = stored[..., [2, 1, 0, 3][:channels]]
    rows = [row.tobytes() for row in stored]
    rows = [row + b"\0" * (-len(row) % 4) for row in rows]
    data = b"".join(rows if top_down else rows[::-1])
    said = sides or (-height if top_down else height, width)
    head = struct.pack("<2sIII", b"BM", 54 + len(data), 0, 54)
    info = struct.pack("<IiiHHIIiiII", 40, said[1], said[0], 1, 8 * channels, *[0] * 6)
    return head + info + data


def gif_frame(
    indices: np.ndarray,
    at: tuple[int, int] = (0, 0),
    transparent: int | None = None,
    interlaced: bool = False,
    sides: tuple[int, int] | None = None,
) -> bytes:
    """Indices [height, width] below 4, each as a code of 3 bits, with a clear code before each: no table grows."""
    height, width = sides or indices.shape
    control = b""
    if transparent is not None:
        control = b"\x21\xf9\x04\x01\0\0" + bytes([transparent]) + b"\0"
    order = np.arange(len(indices))
    if interlaced:
        passes = [order[0::8], order[4::8], order[2::4], order[1::2]]
        order = np.concatenate(passes)
    codes = []
    for index in indices[order].ravel():
        codes += [4, int(index)]
    codes.append(5)
    number = sum(code << (3 * i) for i, code in enumerate(codes))
    data = number.to_bytes((3 * len(codes) + 7) // 8, "little")
    blocks = [data[i : i + 255] for i in range(0, len(data), 255)]
    flags = 0x40 if interlaced else 0
    head = struct.pack("<HHHHB", at[1], at[0], width, height, flags)
    return b"".join(
        [control, b"\x2c", head, b"\x02"]
        + [bytes([len(b)]) + b for b in blocks]
        + [b"\0"]
    )


GIF_COLORS = np.uint8([[10, 20, 30], [40, 50, 60], [70, 80, 90], [255, 0, 128]])


def gif(height: int, width: int, *frames: bytes) -> bytes:
    """Returns a GIF file with the four colours of GIF_COLORS."""
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x81, 0, 0)
    return head + GIF_COLORS.tobytes() + b"".join(frames) + b"\x3b"
