# SPDX-License-Identifier: Apache-2.0
"""PNG files, read as far as explanations of EncodePng compare ours with TensorFlow's."""

from __future__ import annotations

import struct
import zlib

from tensorwright.tools.difftest.difference import Difference

_BEGIN = b"\x89PNG\r\n\x1a\n"


def _parts(text: bytes) -> dict[bytes, bytes] | None:
    """The chunks by their names, the pixels unpacked; None for what is no such file."""
    found: dict[bytes, bytes] = {}
    at = len(_BEGIN)
    while at < len(text):
        (size,) = struct.unpack(">I", text[at : at + 4])
        name, data = text[at + 4 : at + 8], text[at + 8 : at + 8 + size]
        if zlib.crc32(name + data) != struct.unpack(">I", text[at + 8 + size :][:4])[0]:
            return None
        found[name] = found.get(name, b"") + data
        at += 12 + size
    if not text.startswith(_BEGIN) or b"IDAT" not in found:
        return None
    return found | {b"IDAT": zlib.decompress(found[b"IDAT"])}


def same_images(d: Difference) -> list[bool]:
    """Both are files of the same pixels."""

    def parts(text: bytes) -> dict[bytes, bytes] | None:
        try:
            return _parts(text)
        except (struct.error, zlib.error):
            return None

    return [None is not parts(a) == parts(b) for a, b in zip(d.a, d.b, strict=True)]


def file(row: bytes, level: int = 9) -> bytes:
    """A gray image of one row, packed so hard."""
    header = struct.pack(">IIBBBBB", len(row), 1, 8, 0, 0, 0, 0)
    packed = zlib.compress(b"\0" + row, level)
    chunks = ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    return _BEGIN + b"".join(
        struct.pack(">I", len(data))
        + name
        + data
        + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
