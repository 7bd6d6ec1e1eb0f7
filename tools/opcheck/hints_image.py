# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops of images; see draws.hint."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import SMOOTH, Drawer, hint

_UINT8 = 4

# What reads a file and refuses most of them needs a file: these are written here, as the tools know no codec.


def _batch(d: Drawer, channels: int | None = None) -> list[int]:
    """[batch, height, width, channels] with pixels, and with images where gradients are taken."""
    depth = channels or (3 if d.large else d.pick([1, 2, 3, 4, 5]))
    if d.huge:
        return [4, 512, 640, depth]
    if d.big:
        return [3, 97, 101, depth]
    low = 1 if d.size == "smooth" else 0
    return [d.int(low, 3), d.int(1, 7), d.int(1, 7), depth]


def _size(d: Drawer, shape: list[int]) -> Any:
    """A new height and width, often close to the old ones."""
    if d.large:
        return d.array(sig.INT32, [shape[1] * 3 // 2, shape[2] * 5 // 4])
    return d.array(sig.INT32, [d.int(1, 9), d.int(1, 9)])


def _centers(d: Drawer) -> None:
    """No two of the attrs that say where pixels are at once."""
    if d.attrs.get("align_corners") and d.attrs.get("half_pixel_centers"):
        d.attrs[d.pick(["align_corners", "half_pixel_centers"])] = False


@hint("ResizeArea", "ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor")
def _resize(d: Drawer):
    _centers(d)
    shape = _batch(d)
    return [d.values("T", shape), _size(d, shape)]


@hint("ResizeBicubicGrad", "ResizeBilinearGrad")
def _resize_grad(d: Drawer):
    _centers(d)
    shape = _batch(d)
    size = _size(d, shape)
    grads = [shape[0], *map(int, size), shape[3]]
    return [d.values(sig.FLOAT, grads), d.values("T", shape)]


@hint("ResizeNearestNeighborGrad")
def _nearest_grad(d: Drawer):
    _centers(d)
    shape = _batch(d)
    return [d.values("T", shape), _size(d, shape)]


@hint("QuantizedResizeBilinear")
def _quantized_resize(d: Drawer):
    _centers(d)
    shape = _batch(d)
    low = d.rng.uniform(-5, 1)
    return [
        d.values("T", shape),
        _size(d, shape),
        d.array(sig.FLOAT, low),
        d.array(sig.FLOAT, low + d.rng.uniform(0.5, 9)),
    ]


_KERNELS = [
    "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic",
    "mitchellcubic",
]  # fmt: skip


def _scale_and_move(d: Drawer) -> list[Any]:
    d.attrs["kernel_type"] = d.pick(_KERNELS)
    scale = d.rng.uniform(0.5, 1.6, 2) if d.chance(0.8) else d.rng.uniform(0.1, 4, 2)
    return [d.array(sig.FLOAT, scale), d.array(sig.FLOAT, d.rng.uniform(-2, 2, 2))]


@hint("ScaleAndTranslate")
def _scale_and_translate(d: Drawer):
    shape = _batch(d)
    return [d.values("T", shape), _size(d, shape), *_scale_and_move(d)]


@hint("ScaleAndTranslateGrad")
def _scale_and_translate_grad(d: Drawer):
    shape = _batch(d)
    grads = [shape[0], *map(int, _size(d, shape)), shape[3]]
    return [d.values("T", grads), d.values("T", shape), *_scale_and_move(d)]


@hint("ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
def _projective(d: Drawer):
    d.attrs["interpolation"] = d.pick(["NEAREST", "BILINEAR"])
    d.attrs["fill_mode"] = d.pick(["CONSTANT", "REFLECT", "WRAP", "NEAREST"])
    shape = _batch(d)
    many = shape[0] if d.chance(0.6) else 1
    same = np.tile([1, 0, 0, 0, 1, 0, 0, 0], [many, 1])
    moved = same + d.rng.normal(size=same.shape) * [
        0.2,
        0.2,
        1,
        0.2,
        0.2,
        1,
        0.01,
        0.01,
    ]
    out = [d.values("dtype", shape), d.array(sig.FLOAT, moved), _size(d, shape)]
    if d.sig.name.endswith("V3"):
        out.append(d.array(sig.FLOAT, d.int(0, 5)))
    return out


def _pixels(d: Drawer, channels: int | None = None, low: int = 2) -> list[int]:
    """[..., height, width, channels], which may have no batch, or several dimensions of it."""
    if d.large:
        return [4, 512, 640, 3] if d.huge else [3, 97, 101, 3]
    depth = channels or d.pick([1, 2, 3, 4])
    return [*(d.dim() for _ in range(d.int(low, 4))), depth]


@hint("RGBToHSV", "HSVToRGB")
def _color_space(d: Drawer):
    kind = "probability" if d.chance(0.8) else "any"
    return [d.values("T", _pixels(d, 3, low=0), kind)]


@hint("AdjustHue", "AdjustSaturation")
def _adjust_color(d: Drawer):
    by = d.rng.uniform(-1, 1) if d.sig.name == "AdjustHue" else d.rng.uniform(0, 3)
    return [d.values("T", _pixels(d, 3), "probability"), d.array(sig.FLOAT, by)]


@hint("AdjustContrast", "AdjustContrastv2")
def _adjust_contrast(d: Drawer):
    out = [d.values("T", _pixels(d), "normal"), d.array(sig.FLOAT, d.rng.uniform(0, 3))]
    if d.sig.name == "AdjustContrast":
        out += [d.array(sig.FLOAT, -2), d.array(sig.FLOAT, d.int(0, 5))]
    return out


def _corners(d: Drawer, shape: list[int], spread: float = 0.3) -> np.ndarray:
    """Boxes [..., 4] mostly inside [0, 1], mostly not flipped."""
    middle = d.rng.uniform(0.2, 0.8, [*shape, 2])
    half = d.rng.uniform(-0.05 if d.chance(0.3) else 0.02, spread, [*shape, 2])
    return np.concatenate([middle - half, middle + half], -1)


@hint("DrawBoundingBoxes", "DrawBoundingBoxesV2")
def _draw_boxes(d: Drawer):
    shape = _batch(d, d.pick([1, 3, 4]))
    boxes = _corners(d, [shape[0], d.int(0, 12)], 0.7)
    out = [d.values("T", shape), d.array(sig.FLOAT, boxes)]
    if d.sig.name.endswith("V2"):
        colors = [d.int(0, 3), shape[3] if d.chance(0.5) else 4]
        out.append(d.array(sig.FLOAT, d.rng.uniform(0, 1, colors)))
    return out


@hint("ExtractGlimpse", "ExtractGlimpseV2")
def _glimpse(d: Drawer):
    # Noise has no seed: what can be compared is what has none.
    d.attrs["uniform_noise"] = False
    d.attrs["noise"] = "zero"
    shape = _batch(d)
    span = 1.0 if d["normalized"] else 4.0
    offsets = d.rng.uniform(-span, span, [shape[0], 2])
    return [d.values(sig.FLOAT, shape), _size(d, shape), d.array(sig.FLOAT, offsets)]


@hint("RandomCrop")
def _random_crop(d: Drawer):
    d.attrs["seed"] = d.int(1, 99)
    shape = [1999, 701, 3] if d.huge else [301, 333, 3] if d.big else d.shape(3, 3)
    size = [d.int(n // 2, n) for n in shape[:2]]
    return [d.values("T", shape), d.array(sig.INT64, size)]


@hint("SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2")
def _distorted_box(d: Drawer):
    d.attrs["seed"] = d.int(1, 99)
    low = d.rng.uniform(0.05, 0.8)
    d.attrs["area_range"] = [low, d.rng.uniform(low, 1)]
    if not d.sig.name.endswith("V2"):
        d.attrs["min_object_covered"] = float(d.rng.uniform(0, 1))
    d.attrs["use_image_if_no_bounding_boxes"] = True
    small = sig.numpy_type(d["T"]) in (np.int8, np.uint8)
    size = d.ints("T", [3], 1, 120 if small else 700)
    boxes = np.clip(_corners(d, [1, d.int(0, 3)]), 0, 1)
    out = [size, d.array(sig.FLOAT, boxes)]
    if d.sig.name.endswith("V2"):
        out.append(d.array(sig.FLOAT, d.rng.uniform(0, 1)))
    return out


# Boxes. ------------------------------------------------------------------------------------------------------


def _crops(d: Drawer) -> tuple[list[int], list[int], list[Any]]:
    """Shapes of images and of crops, and boxes with the number of their image."""
    shape = _batch(d)
    shape[0] = max(shape[0], 1)
    n = 12 if d.huge else 7 if d.big else d.int(0 if d.size == "small" else 1, 4)
    sides = [_size(d, shape)[i] for i in range(2)]
    boxes = _corners(d, [n], 0.35)
    where = [
        d.array(sig.FLOAT, boxes),
        d.ints(sig.INT32, [n], 0, shape[0] - 1),
    ]
    return shape, [n, *map(int, sides), shape[3]], where


@hint("CropAndResize")
def _crop(d: Drawer):
    shape, crops, where = _crops(d)
    if d.size == SMOOTH:
        # Of the nearest pixels TensorFlow gives boxes the gradient that they have of the four around.
        d.attrs["method"] = "bilinear"
    return [d.values("T", shape), *where, d.array(sig.INT32, crops[1:3])]


@hint("CropAndResizeGradImage")
def _crop_grad_image(d: Drawer):
    shape, crops, where = _crops(d)
    return [d.values(sig.FLOAT, crops), *where, d.array(sig.INT32, shape)]


@hint("CropAndResizeGradBoxes")
def _crop_grad_boxes(d: Drawer):
    shape, crops, where = _crops(d)
    return [d.values(sig.FLOAT, crops), d.values("T", shape), *where]


def _count(d: Drawer) -> int:
    return 4000 if d.huge else 900 if d.big else d.int(0, 9)


def _thresholds(d: Drawer, names: int) -> list[Any]:
    """iou_threshold, score_threshold and sigma, as many as are asked for."""
    what = "T_threshold" if "T_threshold" in d.attrs else d.attrs.get("T", sig.FLOAT)
    drawn = [d.rng.uniform(0, 1), d.rng.uniform(-0.3, 0.4), d.pick([0, 0.3, 1.0])]
    return [d.array(what, number) for number in drawn[:names]]


@hint(
    "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3",
    "NonMaxSuppressionV4", "NonMaxSuppressionV5",
)  # fmt: skip
def _suppress(d: Drawer):
    n = _count(d)
    what = d.attrs.get("T", sig.FLOAT)
    boxes = _corners(d, [n])
    return [
        d.array(what, boxes),
        d.array(what, d.rng.uniform(0, 1, n)),
        d.array(sig.INT32, d.int(0, n + 2)),
        *_thresholds(d, len(d.sig.inputs) - 3),
    ]


@hint("NonMaxSuppressionWithOverlaps")
def _suppress_overlaps(d: Drawer):
    n = min(_count(d), 2000)
    return [
        d.array(sig.FLOAT, d.rng.uniform(0, 1, [n, n])),
        d.array(sig.FLOAT, d.rng.uniform(0, 1, n)),
        d.array(sig.INT32, d.int(0, n + 2)),
        *_thresholds(d, 2),
    ]


@hint("CombinedNonMaxSuppression")
def _suppress_combined(d: Drawer):
    n = 400 if d.large else d.int(0, 6)
    batch, classes = (6 if d.large else d.int(0, 3)), d.int(1, 4)
    own = d.pick([1, classes])
    return [
        d.array(sig.FLOAT, _corners(d, [batch, n, own], 0.6)),
        d.array(sig.FLOAT, d.rng.uniform(0, 1, [batch, n, classes])),
        d.array(sig.INT32, d.int(1, 5)),
        d.array(sig.INT32, d.int(1, 9)),
        *_thresholds(d, 2),
    ]


# Files. ------------------------------------------------------------------------------------------------------


def _file(*contents: bytes) -> np.ndarray:
    out = np.empty([], dtype=object)
    out[()] = b"".join(contents)
    return out


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png_file(d: Drawer, height: int, width: int) -> bytes:
    """Of any colour type and depth that the format has."""
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
    """Encoded by the library under test, which is compared with others by what EncodeJpeg gives."""
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
    d.attrs["ratio"] = d.pick([1, 1, 2, 4, 8])
    d.attrs["dct_method"] = d.pick(["", "INTEGER_FAST", "INTEGER_ACCURATE"])
    height, width = _sides(d)
    out = [_file(jpeg_file(d, height, width))]
    if d.sig.name == "DecodeAndCropJpeg":
        rows, columns = (-(-side // d["ratio"]) for side in (height, width))
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


# What is not asked of them. -----------------------------------------------------------------------------------

_SEEN_FROM = "an element decides where pixels are looked for, and no pixel is there for a NaN: outside, as in TensorFlow"
allowed.allow(
    allowed.NAN_LOST,
    [
        "CropAndResize",
        "CropAndResizeGradImage",
        "CropAndResizeGradBoxes",
        "DrawBoundingBoxes",
        "ExtractGlimpse",
        "ExtractGlimpseV2",
        "ImageProjectiveTransformV2",
        "ImageProjectiveTransformV3",
    ],
    _SEEN_FROM,
)
allowed.allow(
    allowed.NAN_LOST,
    ["AdjustContrast", "CombinedNonMaxSuppression", "NonMaxSuppressionV5", "RGBToHSV"],
    "a comparison with a NaN is false, as in TensorFlow's kernels",
)
allowed.allow(
    allowed.NAN_SPREAD,
    [
        "AdjustHue",
        "AdjustSaturation",
        "HSVToRGB",
        "NonMaxSuppressionV5",
    ],
    "what has the number in a product with 0, or in a comparison, depends on it only where it is none",
)
allowed.allow(
    allowed.NAN_SPREAD,
    [
        "CropAndResizeGradBoxes",
        "CropAndResizeGradImage",
        "ResizeBicubic",
        "ResizeBicubicGrad",
    ],
    "a neighbour with the weight 0 is multiplied too",
)
allowed.allow(
    allowed.NAN_SPREAD,
    ["DrawBoundingBoxesV2", "ImageProjectiveTransformV2"],
    _SEEN_FROM,
)
allowed.allow(
    allowed.DERIVATIVE,
    ["ImageProjectiveTransformV2", "ImageProjectiveTransformV3"],
    "as TensorFlow's: the image of the gradient under the inverse projection",
    of="real",
)
allowed.allow(
    allowed.NO_PATH,
    "ImageProjectiveTransformV2",
    "TensorFlow gives projections none",
    of="transforms",
)
for _name in ("scale", "translation"):
    allowed.allow(
        allowed.NO_PATH, "ScaleAndTranslate", "TensorFlow gives it none", of=_name
    )
allowed.allow(
    allowed.THREADS,
    [
        "ExtractJpegShape",
        "NonMaxSuppression",
        "NonMaxSuppressionV2",
        "NonMaxSuppressionV3",
        "NonMaxSuppressionV4",
        "NonMaxSuppressionV5",
        "SampleDistortedBoundingBox",
        "SampleDistortedBoundingBoxV2",
    ],
    "works in one thread: what comes depends on what came before",
)
