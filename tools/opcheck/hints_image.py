# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops of images; see draws.hint."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import SMOOTH, Drawer, hint

_UINT8 = 4


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
    # Noise has no seed, so calls with noise cannot be compared.
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


def _sampled_at(box: np.ndarray, image: list[int], crop: list[int]) -> np.ndarray:
    """The coordinates in an image at which a box's crop is taken, of both axes."""
    ends = (box[:2], box[2:])
    return np.concatenate(
        [
            np.linspace(ends[0][i], ends[1][i], crop[i]) * (image[i] - 1)
            if crop[i] > 1
            else [(ends[0][i] + ends[1][i]) / 2 * (image[i] - 1)]
            for i in range(2)
        ]
    )


@hint("CropAndResize")
def _crop(d: Drawer):
    shape, crops, where = _crops(d)
    if d.size == SMOOTH:
        # For "nearest", TensorFlow gives boxes the gradient of the four pixels around.
        d.attrs["method"] = "bilinear"
        # Crops have an edge where a coordinate passes a pixel: further away than finite differences go.
        for i, box in enumerate(where[0]):
            for _ in range(100):
                at = _sampled_at(box, shape[1:3], crops[1:3])
                if np.abs(at - np.round(at)).min() > 0.06:
                    break
                box = d.array(sig.FLOAT, _corners(d, [], 0.35))
            where[0][i] = box
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


# Exemptions. --------------------------------------------------------------------------------------------------

_SEEN_FROM = "an element decides where pixels are looked for, and no pixel is there for a NaN: outside, as in TensorFlow"
allowed.allow(
    allowed.NAN_LOST,
    [
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
    ["DrawBoundingBoxes", "ImageProjectiveTransformV3"],
    _SEEN_FROM,
    rare=True,
)
allowed.allow(allowed.NAN_LOST, "DrawBoundingBoxesV2", _SEEN_FROM, rare=True)
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
