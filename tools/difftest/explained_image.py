# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of images."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    PEER_DIED,
    REFUSAL,
    VALUE,
)
from tensorwright.tools.difftest.explanation import (
    OURS_ONLY,
    Explanation,
    both,
    call,
    gave,
    ours_is,
    refused,
    upstream,
)
from tensorwright.tools.opcheck import signature as sig

_FLOATS = "float16 bfloat16 float32 float64"
_CHANNELS = (
    "FailedPreconditionError: input must have 3 channels but input only has 1 channels."
)
_OURS_CHANNELS = "InvalidArgumentError: HSVToRGB: Dimension must be 3 but is 1"
_GARBAGE = "InvalidArgumentError: ImageProjectiveTransformV2: interpolation must be NEAREST or BILINEAR, got 'x'"
_BFLOAT16 = "TypeError: Invalid dtype <dtype: 'bfloat16'>."
_NO_SIDE = "InvalidArgumentError: SampleDistortedBoundingBox: image_size must be positive and below 2^31, got 0"
_FLOAT_ONLY = "TypeError: Input 'original_image' of 'ScaleAndTranslateGrad' Op has type float64 that does not match type float32 of argument 'grads'."
_MISSING = "InternalError: Missing 1-th output from {{node op}}"
_EMPTY = np.zeros([1, 0, 2, 1], np.float32)
_PIXEL = np.zeros([1, 1, 1, 1], np.float32)
_NAN_PIXEL = np.array([[np.nan, 1, 0.5]], np.float32)
_PLAIN_PIXEL = np.array([[0.1, 1, 0.5]], np.float32)


def _of_pixel(d) -> np.ndarray:
    """Ours is no number, or no larger than the pixel's finite channels make it."""
    x = d.input(0).astype(np.float64)
    most = np.abs(np.where(np.isfinite(x), x, 0)).max(-1, keepdims=True)
    most = np.broadcast_to(most, d.arrays.ours.shape)[d.arrays.far]
    ours = d.arrays.a.astype(np.float64)
    return ~np.isfinite(ours) | (np.abs(ours) <= 2 * most + 1)


def _of_some_order(d) -> np.ndarray:
    """Ours is a hue in [0, 1], a saturation of two of the pixel's channels, one of these as the value, or no number."""
    x, ours = d.input(0).astype(np.float64), d.arrays.ours.astype(np.float64)
    x, h, s, v = x[..., None, :], *(ours[..., i, None] for i in range(3))
    tolerance = 4 * compare.TOLERANCE[d.enum]
    with np.errstate(all="ignore"):
        ratios = 1 - x / np.swapaxes(x, -1, -2)
        ratios = ratios.reshape(*ratios.shape[:-2], 9)
        right = [
            (h >= -tolerance) & (h <= 1 + tolerance),
            (s == 0) | compare.close(np.broadcast_to(s, ratios.shape), ratios, tolerance).any(-1, keepdims=True),
            (v == x[..., 0, :]).any(-1, keepdims=True),
        ]  # fmt: skip
    found = np.concatenate(right, -1) | np.isnan(ours)
    return found[d.arrays.far]


def _has_nan_in_pixel(d) -> np.ndarray:
    """Where another channel of the same pixel is a NaN."""
    spoilt = np.isnan(d.input(0)).any(-1, keepdims=True)
    return np.broadcast_to(spoilt, d.arrays.ours.shape)[d.arrays.far]


def _hsv_derivative(d) -> np.ndarray:
    """The upstream gradient of RGBToHSV times the derivatives of hue, saturation and value, in float64."""
    x = np.asarray(d.input(0), np.float64)
    up = np.moveaxis(np.asarray(upstream(d.outputs[0][0]), np.float64), -1, 0)
    r, g, b = np.moveaxis(x, -1, 0)
    high = np.stack([(r >= g) & (r >= b), (g > r) & (g >= b), (b > r) & (b > g)])
    low = np.stack([(r < g) & (r < b), (g <= r) & (g < b), (b <= r) & (b <= g)])
    top, span = x.max(-1), np.ptp(x, axis=-1)
    behind = np.stack([g - b, b - r, r - g])
    n = np.where(high, behind, 0).sum(0)
    dn = np.stack(
        [high[2] * 1.0 - high[1], high[0] * 1.0 - high[2], high[1] * 1.0 - high[0]]
    )
    ds = high * 1.0 - low
    with np.errstate(all="ignore"):
        hue = np.where(span == 0, 0, (dn * span - n * ds) / (6 * span**2))
        saturation = np.where(top <= 0, 0, (ds * top - span * high) / top**2)
    return np.moveaxis(up[0] * hue + up[1] * saturation + up[2] * high, 0, -1)


_ODD_PIXEL = np.array([[0.9, -0.5, 0.3]], np.float64)
_ODD_HSV = np.array([[1 - 0.8 / 1.4 / 6, 1.4 / 0.9, 0.9]])


def _odd_gradient(ours, theirs):
    return gave(
        call("RGBToHSV", _ODD_PIXEL), ours, theirs, "float64", kind=GRADIENT,
        outputs=([_ODD_HSV], [_ODD_HSV]),
    )  # fmt: skip


_RIGHT = _hsv_derivative(_odd_gradient([[0.0] * 3], [[0.0] * 3]))


_UINT8, _UINT16 = 4, 17
_NO_RANK = "InvalidArgumentError: Cannot take the length of shape with unknown rank."
_OTHER_IMAGES = (
    "InvalidArgumentError: ResizeBicubicGrad: Dimensions must be equal, but are 1 and 2"
)
_NOT_WITHIN = "FailedPreconditionError: RandomCrop: size must be within image, got [4611686018427387904, 1]"


def _transform(interpolation: str, fill_mode: str):
    return call(
        "ImageProjectiveTransformV2", _EMPTY,
        interpolation=interpolation, fill_mode=fill_mode,
    )  # fmt: skip


def _moved(first: float):
    transform = np.float32([[first, 0, 0, 0, 1, 0, 0, 0]])
    return call("ImageProjectiveTransformV2", _PIXEL + 3, transform, np.int32([1, 1]))


def _nowhere(d) -> np.ndarray:
    """Where the transform gives no place in the image that is a number."""
    shape = d.arrays.ours.shape
    y, x = np.meshgrid(np.arange(shape[1]), np.arange(shape[2]), indexing="ij")
    t = np.asarray(d.input(1), np.float32)[:, :, None, None]
    with np.errstate(all="ignore"):
        k = t[:, 6] * x + t[:, 7] * y + 1
        across = (t[:, 0] * x + t[:, 1] * y + t[:, 2]) / k
        down = (t[:, 3] * x + t[:, 4] * y + t[:, 5]) / k
    nowhere = ~(np.abs(across) < 2.0**31) | ~(np.abs(down) < 2.0**31) | ~np.isfinite(k)
    image = np.asarray(d.input(0), np.float64)
    fill = [np.asarray(i, np.float64).reshape(-1) for i in d.case.inputs[3:]]
    colours = np.concatenate([[0.0], image.reshape(-1), *fill])
    a = d.arrays.a.astype(np.float64)
    with np.errstate(all="ignore"):
        near = ~np.isfinite(a) | ((a >= np.nanmin(colours)) & (a <= np.nanmax(colours)))
    return np.broadcast_to(nowhere[..., None], shape)[d.arrays.far] & near


def _resized_codes(d) -> np.ndarray:
    """The codes of an image between whose pixels is interpolated, in float64."""
    x = np.asarray(d.input(0).view(np.uint8).reshape(d.input(0).shape), np.float64)
    for axis, n in ((1, d.arrays.ours.shape[1]), (2, d.arrays.ours.shape[2])):
        size, half = x.shape[axis], d.attrs.get("half_pixel_centers", False)
        corners = d.attrs.get("align_corners", False) and n > 1
        step = (size - 1) / (n - 1) if corners else size / n
        at = (np.arange(n) + 0.5) * step - 0.5 if half else np.arange(n) * step
        low = np.floor(at)
        part = (at - low).reshape([-1 if a == axis else 1 for a in range(4)])
        low = low.astype(int)
        first = np.take(x, np.clip(low, 0, size - 1), axis)
        second = np.take(x, np.clip(low + 1, 0, size - 1), axis)
        x = first + (second - first) * part
    return x


def ours_is_near(formula, by: float):
    """Elements where ours is at most so far from a formula."""

    def near(d) -> np.ndarray:
        exact = formula(d)[d.arrays.far]
        return np.abs(d.arrays.a.astype(np.float64) - exact) <= by

    return near


def _codes():
    image = np.array([[[[10], [15]]]], np.uint8)
    return call("QuantizedResizeBilinear", image, np.int32([1, 4]))


def _all_finite(x) -> bool:
    return bool(np.isfinite(np.asarray(x, np.float64)).all())


def _bitmap(content: bytes, dtype: int):
    text = np.empty([], object)
    text[()] = content
    case = call("DecodeImage", text, types=[sig.STRING], dtype=dtype)
    return refused(case, theirs="Died: SIGABRT", kind=PEER_DIED)


def _outside(d) -> np.ndarray:
    """Where the middle of a scaled and moved pixel is not in the image."""
    shape, outside = d.arrays.ours.shape, np.zeros(d.arrays.ours.shape, bool)
    for axis in (1, 2):
        scale, by = (float(d.input(i)[axis - 1]) for i in (2, 3))
        at = (np.arange(shape[axis]) + 0.5 - by) / scale
        off = (at < 0) | (at > d.input(0).shape[axis])
        outside |= off.reshape([-1 if a == axis else 1 for a in range(4)])
    return outside[d.arrays.far]


def _translated(by: float):
    pixel = np.full([1, 1, 1, 1], np.nan, np.float32)
    return call(
        "ScaleAndTranslate", pixel, np.int32([1, 1]),
        np.float32([1, 1]), np.float32([by, 0]),
    )  # fmt: skip


def _in_infinite_pixel(d) -> np.ndarray:
    odd = ~np.isfinite(d.input(0).astype(np.float64)).all(-1, keepdims=True)
    return np.broadcast_to(odd, d.arrays.ours.shape)[d.arrays.far]


def _untouched(d) -> np.ndarray:
    """A gradient of the plane is not finite, and ours is nothing, or a sum of others while that spoilt ours elsewhere."""
    x, ours = d.input(0).astype(np.float64), d.arrays.ours
    most = 2 * np.abs(np.where(np.isfinite(x), x, 0)).sum((1, 2), keepdims=True)
    spoilt = ~np.isfinite(x).all((1, 2), keepdims=True)
    nothing = spoilt & (ours == 0)
    spoilt = spoilt & ~np.isfinite(ours).all((1, 2), keepdims=True)
    return (spoilt & (np.abs(ours) <= most) | nothing)[d.arrays.far]


_OTHER_NUMBER = "InvalidArgumentError: ScaleAndTranslateGrad: Dimensions must be equal, but are 2 and 1"
_TO_NOWHERE = "InvalidArgumentError: ScaleAndTranslateGrad: scale must be > 0 and scale and translation finite, got 1 and inf"


def _translated_grad(shape: list[int], by: float = 0.0):
    return call(
        "ScaleAndTranslateGrad", np.ones(shape, np.float32), _PIXEL,
        np.float32([1, 1]), np.float32([by, 0]),
    )  # fmt: skip


def _of_nan_above(ours, theirs):
    """Gradients of two pixels above each other, the second of them a NaN."""
    pixels = np.float32([2.0, np.nan]).reshape(1, 2, 1, 1)
    shape = (1, 2, 1, 1)
    case = call("ScaleAndTranslateGrad", pixels, np.zeros(shape, np.float32))
    return gave(case, np.reshape(ours, shape), np.reshape(theirs, shape))


TABLE: list[Explanation] = [
    Explanation(
        "HSVToRGB RGBToHSV",
        ERROR_CLASS,
        "our shape functions speak in every run",
        ours=r"InvalidArgumentError: (HSVToRGB|RGBToHSV): Dimension must be 3 but is ",
        theirs=r"FailedPreconditionError: input must have 3 channels but input only has \d+ channels",
        when=lambda d: np.shape(d.input(0))[-1:] != (3,),
        true=[refused(call("HSVToRGB", [[1.0]]), _OURS_CHANNELS, _CHANNELS)],
        wrong=[refused(call("HSVToRGB", [[1.0, 2, 3]]), _OURS_CHANNELS, _CHANNELS)],
    ),
    Explanation(
        "RGBToHSV",
        VALUE,
        "a pixel with a NaN has no hue, and where it is decides what else both find",
        dtypes=_FLOATS,
        outputs=(0,),
        elements=both(_has_nan_in_pixel, _of_some_order),
        bound=np.inf,
        true=[
            gave(call("RGBToHSV", _NAN_PIXEL), [[0, 0, np.nan]], [[np.nan, 0.5, 1]]),
            gave(call("RGBToHSV", _NAN_PIXEL), [[np.nan, 0.5, 1]], [[0, 0, np.nan]]),
        ],
        wrong=[
            gave(call("RGBToHSV", _PLAIN_PIXEL), [[0, 0, 1]], [[0.5, 0.5, 1]]),
            gave(call("RGBToHSV", _NAN_PIXEL), [[0, 0, 0.7]], [[0, 0, np.nan]]),
            gave(call("RGBToHSV", _NAN_PIXEL), [[0, 0.3, 1]], [[0, np.nan, 1]]),
            gave(call("RGBToHSV", _NAN_PIXEL), [[1.2, 0, 1]], [[np.nan, 0, 1]]),
        ],
    ),
    Explanation(
        "RGBToHSV",
        GRADIENT,
        "TensorFlow leaves channels below 0 out of the saturation's derivative, and rounds differences of halves",
        dtypes=_FLOATS,
        outputs=(0,),
        elements=ours_is(_hsv_derivative, 1e-2),
        bound=np.inf,
        true=[_odd_gradient(_RIGHT, _RIGHT * [[1, 0, 1]])],
        wrong=[_odd_gradient(_RIGHT * [[1, 0, 1]], _RIGHT)],
    ),
    Explanation(
        "ImageProjectiveTransformV2 ImageProjectiveTransformV3",
        REFUSAL,
        "TensorFlow writes a wrong attr into its log and goes on",
        ours=r"InvalidArgumentError: ImageProjectiveTransformV[23]: (interpolation|fill_mode) must be ",
        when=lambda d: (
            d.attrs["interpolation"] not in ("NEAREST", "BILINEAR")
            or d.attrs["fill_mode"] not in ("REFLECT", "WRAP", "CONSTANT", "NEAREST")
        ),
        true=[refused(_transform("x", "WRAP"), _GARBAGE)],
        wrong=[refused(_transform("NEAREST", "WRAP"), _GARBAGE)],
    ),
    Explanation(
        "ImageProjectiveTransformV2 ImageProjectiveTransformV3",
        GRADIENT_ERROR,
        "TensorFlow's gradient function asks for the rank of the image",
        theirs=r"InvalidArgumentError: Cannot take the length of shape with unknown rank",
        true=[
            refused("ImageProjectiveTransformV3", theirs=_NO_RANK, kind=GRADIENT_ERROR)
        ],
        wrong=[
            refused(
                "ImageProjectiveTransformV3", theirs=_BFLOAT16[:20], kind=GRADIENT_ERROR
            )
        ],
    ),
    Explanation(
        "ImageProjectiveTransformV2 ImageProjectiveTransformV3",
        GRADIENT,
        "TensorFlow inverts the transforms, which are floats, in another order of steps",
        dtypes="float64",
        outputs=(0,),
        bound=2e-5,
        true=[
            gave(
                "ImageProjectiveTransformV2",
                [-1.4489712],
                [-1.4489717],
                "float64",
                kind=GRADIENT,
            )
        ],
        wrong=[
            gave(
                "ImageProjectiveTransformV2",
                [-1.4489],
                [-1.4488],
                "float64",
                kind=GRADIENT,
            ),
            gave("ImageProjectiveTransformV2", [-1.44897], [-1.44898], kind=GRADIENT),
        ],
    ),
    Explanation(
        "ImageProjectiveTransformV2 ImageProjectiveTransformV3",
        VALUE,
        "a place that is no number is nowhere in the image",
        dtypes="uint8 int32 int64 float16 bfloat16 float32 float64",
        outputs=(0,),
        elements=_nowhere,
        bound=np.inf,
        true=[gave(_moved(np.inf), [[[[3.0]]]], [[[[np.nan]]]])],
        wrong=[gave(_moved(1.0), [[[[3.0]]]], [[[[np.nan]]]])],
    ),
    Explanation(
        "ImageProjectiveTransformV2 ImageProjectiveTransformV3",
        GRADIENT_ERROR,
        "TensorFlow's gradient function has a list of dtypes that lacks one",
        theirs=r"TypeError: Invalid dtype <dtype: 'bfloat16'>",
        true=[
            refused("ImageProjectiveTransformV2", theirs=_BFLOAT16, kind=GRADIENT_ERROR)
        ],
        wrong=[
            refused(
                "ImageProjectiveTransformV2", theirs="TypeError: x", kind=GRADIENT_ERROR
            )
        ],
    ),
    Explanation(
        "ScaleAndTranslate",
        GRADIENT_ERROR,
        "TensorFlow's gradient function is for float alone",
        theirs=r"TypeError: Input 'original_image' of 'ScaleAndTranslateGrad' Op has type (b?float16|float64|u?int\d+) ",
        true=[refused("ScaleAndTranslate", theirs=_FLOAT_ONLY, kind=GRADIENT_ERROR)],
        wrong=[
            refused("ScaleAndTranslate", theirs="TypeError: x", kind=GRADIENT_ERROR)
        ],
    ),
    Explanation(
        "ResizeBilinearGrad",
        GRADIENT,
        "TensorFlow does not differentiate it again",
        dtypes=_FLOATS,
        outputs=(0,),
        path=OURS_ONLY,
        true=[gave("ResizeBilinearGrad", [1], None, kind=GRADIENT)],
        wrong=[gave("ResizeBilinearGrad", None, [1], kind=GRADIENT)],
    ),
    *(
        Explanation(
            op,
            kind,
            "TensorFlow's weights are floats",
            dtypes="float64",
            outputs=(0,),
            bound=2e-6,
            true=[gave(op, [1.0], [1.0000005], "float64", kind=kind)],
            wrong=[
                gave(op, [1.0], [1.0001], "float64", kind=kind),
                gave(op, [1.0], [1.00001], kind=kind),
            ],
        )
        for op, kind in (("ResizeBilinear", GRADIENT), ("ResizeBilinearGrad", VALUE))
    ),
    Explanation(
        "SampleDistortedBoundingBox SampleDistortedBoundingBoxV2",
        REFUSAL,
        "an image without pixels has no box",
        ours=r"InvalidArgumentError: SampleDistortedBoundingBox(V2)?: image_size must be positive ",
        when=lambda d: bool(np.any(np.asarray(d.input(0))[:2] <= 0)),
        true=[refused(call("SampleDistortedBoundingBox", [0, 1, 3]), _NO_SIDE)],
        wrong=[refused(call("SampleDistortedBoundingBox", [1, 1, 3]), _NO_SIDE)],
    ),
    Explanation(
        "QuantizedResizeBilinear",
        REFUSAL,
        "TensorFlow gives no range for what it hands through or has nothing of",
        theirs=r"InternalError: Missing [12]-th output from \{\{node op\}\}$",
        true=[refused("QuantizedResizeBilinear", theirs=_MISSING)],
        wrong=[refused("QuantizedResizeBilinear", theirs="InternalError: x")],
    ),
    Explanation(
        "QuantizedResizeBilinear",
        VALUE,
        "TensorFlow goes through floats, which have 24 of the 32 bits",
        dtypes="qint32",
        outputs=(0,),
        bound=512.0,
        true=[
            gave(
                "QuantizedResizeBilinear",
                [1058961829],
                [1058961856],
                "qint32",
                output=0,
            )
        ],
        wrong=[
            gave("QuantizedResizeBilinear", [1058961829], [1058971829], "qint32"),
            gave("QuantizedResizeBilinear", [10], [12], "quint8"),
        ],
    ),
    Explanation(
        "QuantizedResizeBilinear",
        VALUE,
        "TensorFlow interpolates codes of 8 bits with weights of 10 bits",
        dtypes="quint8",
        outputs=(0,),
        when=lambda d: bool(d.case.inputs),
        elements=ours_is_near(_resized_codes, 0.505),
        bound=4.0,
        true=[
            gave(
                _codes(),
                [[[[10], [12], [15], [20]]]],
                [[[[10], [13], [15], [20]]]],
                "quint8",
            )
        ],
        wrong=[
            gave(
                _codes(),
                [[[[10], [14], [15], [20]]]],
                [[[[10], [13], [15], [20]]]],
                "quint8",
            ),
        ],
    ),
    Explanation(
        "ScaleAndTranslate",
        VALUE,
        "outside of the image there is nothing; TensorFlow multiplies what is no number by 0 there",
        dtypes="float32",
        outputs=(0,),
        elements=both(
            ours_is(lambda d: 0), lambda d: ~np.isfinite(d.arrays.b), _outside
        ),
        bound=np.inf,
        true=[gave(_translated(3.0), [[[[0.0]]]], [[[[np.nan]]]])],
        wrong=[
            gave(_translated(3.0), [[[[1.0]]]], [[[[np.nan]]]]),
            gave(_translated(3.0), [[[[0.0]]]], [[[[1.0]]]]),
            gave(_translated(0.0), [[[[0.0]]]], [[[[np.nan]]]]),
        ],
    ),
    Explanation(
        "ScaleAndTranslateGrad",
        VALUE,
        "of numbers TensorFlow makes no numbers, of memory that nobody has written",
        dtypes="float32",
        outputs=(0,),
        elements=lambda d: (
            (np.abs(d.arrays.a) <= 2 * np.abs(d.input(0)).sum())
            & ~np.isfinite(d.arrays.b)
        ),
        bound=np.inf,
        when=lambda d: _all_finite(d.input(0)) and _all_finite(d.input(1)),
        true=[gave(call("ScaleAndTranslateGrad", _PIXEL + 1, _PIXEL), [1.5], [np.nan])],
        wrong=[
            gave(call("ScaleAndTranslateGrad", _PIXEL + 1, _PIXEL), [1.5], [1.25]),
            gave(call("ScaleAndTranslateGrad", [np.inf], _PIXEL), [1.5], [np.nan]),
        ],
    ),
    Explanation(
        "ScaleAndTranslateGrad",
        VALUE,
        "a pixel that does not touch another one gives it nothing; TensorFlow multiplies what is no number by 0 there",
        dtypes="float32",
        outputs=(0,),
        elements=both(lambda d: np.isnan(d.arrays.b), _untouched),
        bound=np.inf,
        when=lambda d: _all_finite(d.input(1)) and np.ndim(d.arrays.ours) == 4,
        true=[_of_nan_above([[3.0], [np.nan]], [[np.nan], [np.nan]])],
        wrong=[
            _of_nan_above([[3.0], [np.nan]], [[2.0], [np.nan]]),
            _of_nan_above([[3.0], [2.0]], [[np.nan], [np.nan]]),
            _of_nan_above([[30.0], [np.nan]], [[np.nan], [np.nan]]),
            _of_nan_above([[3.0], [0.0]], [[np.nan], [0.0]]),
        ],
    ),
    Explanation(
        "ScaleAndTranslateGrad",
        REFUSAL,
        "TensorFlow does not look whether the images are as many, and have as many channels",
        ours=r"InvalidArgumentError: ScaleAndTranslateGrad: Dimensions must be equal, but are ",
        when=lambda d: np.shape(d.input(0))[::3] != np.shape(d.input(1))[::3],
        true=[refused(_translated_grad([2, 1, 1, 1]), _OTHER_NUMBER)],
        wrong=[refused(_translated_grad([1, 1, 1, 1]), _OTHER_NUMBER)],
    ),
    Explanation(
        "ScaleAndTranslateGrad",
        REFUSAL,
        "TensorFlow does not look whether the translation is finite",
        ours=r"InvalidArgumentError: ScaleAndTranslateGrad: scale must be > 0 and scale and translation finite, got ",
        when=lambda d: not _all_finite(d.input(3)) and (d.input(2) > 0).all(),
        true=[refused(_translated_grad([1, 1, 1, 1], np.inf), _TO_NOWHERE)],
        wrong=[refused(_translated_grad([1, 1, 1, 1], 1.0), _TO_NOWHERE)],
    ),
    Explanation(
        "ResizeBicubicGrad ResizeBilinearGrad ResizeNearestNeighborGrad",
        REFUSAL,
        "TensorFlow does not look whether the images are as many, and have as many channels",
        ours=r"InvalidArgumentError: Resize(Bicubic|Bilinear)Grad: Dimensions must be equal, but are ",
        when=lambda d: np.shape(d.input(0))[::3] != np.shape(d.input(1))[::3],
        true=[
            refused(
                call("ResizeBicubicGrad", _PIXEL, np.zeros([2, 1, 1, 1])), _OTHER_IMAGES
            )
        ],
        wrong=[refused(call("ResizeBicubicGrad", _PIXEL, _PIXEL), _OTHER_IMAGES)],
    ),
    Explanation(
        "RandomCrop",
        REFUSAL,
        "TensorFlow reads the lower 32 bits of sizes",
        ours=r"FailedPreconditionError: RandomCrop: size must be within image, got ",
        when=lambda d: bool((np.abs(d.input(1).astype(float)) >= 2**31).any()),
        true=[
            refused(call("RandomCrop", _PIXEL[0], np.int64([1 << 62, 1])), _NOT_WITHIN)
        ],
        wrong=[refused(call("RandomCrop", _PIXEL[0], np.int64([2, 1])), _NOT_WITHIN)],
    ),
    Explanation(
        "DecodeImage DecodeBmp",
        PEER_DIED,
        "TensorFlow dies of a bitmap that is to become another type",
        theirs="Died: SIGABRT",
        when=lambda d: (
            bytes(d.input(0).reshape(-1)[0])[:2] == b"BM" and d.attrs["dtype"] != _UINT8
        ),
        true=[_bitmap(b"BM\0", _UINT16)],
        wrong=[_bitmap(b"BM\0", _UINT8), _bitmap(b"GIF8", _UINT16)],
    ),
    Explanation(
        "AdjustSaturation",
        VALUE,
        "a scale that is no number makes none; TensorFlow takes the smaller of it and 1",
        dtypes="float16 float32",
        outputs=(0,),
        elements=lambda d: np.isnan(d.arrays.a),
        bound=np.inf,
        when=lambda d: np.isnan(d.input(1)).all(),
        true=[
            gave(
                call("AdjustSaturation", [[0.5, 1, 2]], np.nan),
                [[np.nan] * 3],
                [[0.5, 1, 2]],
            )
        ],
        wrong=[
            gave(
                call("AdjustSaturation", [[0.5, 1, 2]], 0.5),
                [[np.nan] * 3],
                [[0.5, 1, 2]],
            ),
            gave(
                call("AdjustSaturation", [[0.5, 1, 2]], np.nan),
                [[0.0] * 3],
                [[0.5, 1, 2]],
            ),
        ],
    ),
    Explanation(
        "AdjustHue AdjustSaturation",
        VALUE,
        "a pixel with a channel that is no finite number has no hue",
        dtypes="float16 float32",
        outputs=(0,),
        elements=both(_in_infinite_pixel, _of_pixel),
        bound=np.inf,
        true=[
            gave(
                call("AdjustHue", [[-np.inf, 1, 2]], 0.5),
                [[0, np.nan, 1]],
                [[0, 0.5, 1]],
            )
        ],
        wrong=[
            gave(
                call("AdjustHue", [[0.5, 1, 2]], 0.5), [[0, np.nan, 1]], [[0, 0.5, 1]]
            ),
            gave(
                call("AdjustHue", [[-np.inf, 1, 2]], 0.5),
                [[0, 7.0, 1]],
                [[0, 0.5, 1]],
            ),
        ],
    ),
]
