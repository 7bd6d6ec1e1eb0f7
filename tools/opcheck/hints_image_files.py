# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops that read and write files of images; see draws.hint.

An op that reads a file refuses nearly everything else, so this module writes files itself: the tools know no codec.
"""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint

_UINT8 = 4

# Files. ------------------------------------------------------------------------------------------------------


def _file(*contents: bytes) -> np.ndarray:
    out = np.empty([], dtype=object)
    out[()] = b"".join(contents)
    return out


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png_file(d: Drawer, height: int, width: int) -> bytes:
    """Returns a file of any colour type and depth that the format has."""
    kind, bits = d.pick([(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 2),
                         (3, 8), (4, 8), (4, 16), (6, 8), (6, 16)])  # fmt: skip
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    row = (width * channels * bits + 7) // 8
    rows = b"".join(b"\0" + d.rng.bytes(row) for _ in range(height))
    out = io.BytesIO()
    out.write(b"\x89PNG\r\n\x1a\n")
    head = struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0)
    out.write(_chunk(b"IHDR", head))
    if kind == 3:
        out.write(_chunk(b"PLTE", d.rng.bytes(3 << bits)))
        if d.chance(0.4):
            out.write(_chunk(b"tRNS", d.rng.bytes(1 << bits)))
    out.write(_chunk(b"IDAT", zlib.compress(rows)))
    out.write(_chunk(b"IEND", b""))
    return out.getvalue()


def bmp_file(d: Drawer, height: int, width: int, channels: int) -> bytes:
    row = (width * channels + 3) // 4 * 4
    pixels = d.rng.bytes(row * height)
    signed = -height if d.chance(0.3) else height
    head = struct.pack("<2sIII", b"BM", 54 + len(pixels), 0, 54)
    info = struct.pack("<IiiHHIIiiII", 40, width, signed, 1, 8 * channels, *[0] * 6)
    return head + info + pixels


def gif_file(d: Drawer, height: int, width: int, frames: int) -> bytes:
    """Frames of 2 colours; codes of 3 bits, with a clear code before each: no table grows."""
    out = io.BytesIO()
    out.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0))
    out.write(d.rng.bytes(6))
    for _ in range(frames):
        if d.chance(0.3):
            out.write(b"\x21\xf9\x04\x01\0\0" + bytes([d.int(0, 1)]) + b"\0")
        h, w = (height, width) if d.chance(0.6) else (d.int(1, height), d.int(1, width))
        top, left = d.int(0, height - h), d.int(0, width - w)
        out.write(b"\x2c" + struct.pack("<HHHHB", left, top, w, h, 0) + b"\x02")
        bits = []
        for color in d.rng.randint(0, 2, h * w):
            bits += [4, int(color)]
        bits.append(5)
        number = sum(code << (3 * i) for i, code in enumerate(bits))
        data = number.to_bytes((3 * len(bits) + 7) // 8, "little")
        for i in range(0, len(data), 255):
            part = data[i : i + 255]
            out.write(bytes([len(part)]) + part)
        out.write(b"\0")
    out.write(b"\x3b")
    return out.getvalue()


# Made by EncodeJpeg once: grey, and in colour with and without smaller chroma.
_JPEGS: dict[tuple[int, int, int, bool], bytes] = {}


def jpeg_file(d: Drawer, height: int, width: int) -> bytes:
    """Encodes with the library under test, whose EncodeJpeg is compared with other libraries'."""
    from tensorwright.python.client import session
    from tensorwright.python.framework import ops
    from tensorwright.python.ops import gen_image_ops

    key = (height, width, d.pick([1, 3]), bool(d.int(0, 1)))
    if key not in _JPEGS:
        y, x, c = np.indices([height, width, key[2]])
        image = (128 + 100 * np.sin(0.7 * y + 0.4 * x * (c + 1))).astype(np.uint8)
        with ops.Graph().as_default(), session.Session() as sess:
            file = gen_image_ops.encode_jpeg(image, chroma_downsampling=key[3])
            _JPEGS[key] = sess.run(file)
    return _JPEGS[key]


def _sides(d: Drawer) -> tuple[int, int]:
    return (
        (480, 640) if d.huge else (130, 170) if d.big else (d.int(1, 40), d.int(1, 40))
    )


@hint("DecodeJpeg", "DecodeAndCropJpeg")
def _decode_jpeg(d: Drawer):
    d.attrs["channels"] = d.pick([0, 1, 3])
    d.attrs["ratio"] = 1 if d.large else d.pick([1, 1, 2, 4, 8])
    d.attrs["dct_method"] = d.pick(["", "INTEGER_FAST", "INTEGER_ACCURATE"])
    height, width = _sides(d)
    out = [_file(jpeg_file(d, height, width))]
    if d.sig.name == "DecodeAndCropJpeg":
        rows, columns = (-(-side // d["ratio"]) for side in (height, width))
        if d.large:
            window = [0, 0, rows, columns]
        else:
            top, left = d.int(0, rows - 1), d.int(0, columns - 1)
            window = [top, left, d.int(1, rows - top), d.int(1, columns - left)]
        out.append(d.array(sig.INT32, window))
    return out


@hint("ExtractJpegShape")
def _jpeg_shape(d: Drawer):
    return [_file(jpeg_file(d, *_sides(d)))]


@hint("DecodePng")
def _decode_png(d: Drawer):
    d.attrs["channels"] = d.pick([0, 1, 3, 4])
    return [_file(png_file(d, *_sides(d)))]


@hint("DecodeBmp")
def _decode_bmp(d: Drawer):
    channels = d.pick([1, 3, 4])
    d.attrs["channels"] = d.pick([0, channels]) if channels > 1 else 0
    return [_file(bmp_file(d, *_sides(d), channels))]


@hint("DecodeGif")
def _decode_gif(d: Drawer):
    return [_file(gif_file(d, *_sides(d), d.int(1, 4)))]


@hint("DecodeImage")
def _decode_image(d: Drawer):
    d.attrs["channels"] = d.pick([0, 3])
    height, width = _sides(d)
    contents = d.pick(
        [
            lambda: jpeg_file(d, height, width),
            lambda: png_file(d, height, width),
            lambda: bmp_file(d, height, width, 3),
            lambda: gif_file(d, height, width, d.int(1, 3)),
        ]
    )()
    return [_file(contents)]


@hint("EncodeJpeg", "EncodeJpegVariableQuality")
def _encode_jpeg(d: Drawer):
    channels = d.pick([1, 3])
    if "format" in d.attrs:
        d.attrs["format"] = d.pick(["", "grayscale" if channels == 1 else "rgb"])
        d.attrs["quality"] = d.int(0, 100)
    out = [d.values(_UINT8, [*_sides(d), channels])]
    if d.sig.name == "EncodeJpegVariableQuality":
        out.append(d.array(sig.INT32, d.int(0, 100)))
    return out


@hint("EncodePng")
def _encode_png(d: Drawer):
    d.attrs["compression"] = d.int(-1, 9)
    batch = [4] if d.large else [d.dim() for _ in range(d.int(0, 2))]
    return [d.values("T", [*batch, *_sides(d), d.int(1, 4)])]
