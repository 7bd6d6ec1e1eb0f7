# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of images."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest import compare, expected_colors, expected_samples
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
_INFINITE_PIXEL = np.array([[-np.inf, 1, 2]], np.float32)
_PLAIN_PIXEL = np.array([[0.1, 1, 0.5]], np.float32)


def _has_nan_in_pixel(d) -> np.ndarray:
    """Where another channel of the same pixel is a NaN."""
    spoilt = np.isnan(d.input(0)).any(-1, keepdims=True)
    return np.broadcast_to(spoilt, d.arrays.ours.shape)[d.arrays.far]


def _ours_is(formula):
    """Elements where ours is what a formula says, to the rounding of their dtype."""
    return lambda d: ours_is(formula, 4 * compare.TOLERANCE[d.enum])(d)


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


_TRIANGLE = {"kernel_type": "triangle", "antialias": False}
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
    return call(
        "ImageProjectiveTransformV2", _PIXEL + 3, transform, np.int32([1, 1]),
        interpolation="NEAREST", fill_mode="NEAREST",
    )  # fmt: skip


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
    return np.broadcast_to(nowhere[..., None], shape)[d.arrays.far]


def _projected(d) -> np.ndarray:
    """What ours is; of an integer dtype what is left of it."""
    wanted = expected_samples.projected(d)
    return wanted if d.enum in compare.TOLERANCE else np.trunc(wanted)


def _near_projected_back(d) -> np.ndarray:
    """Ours is what comes back through the inverses, but for places that are as good as floats are."""
    wanted = expected_samples.projected_back(d)
    size = max(max(d.input(0).shape[1:3]), max(d.outputs[0][0].shape[1:3]))
    slope = 2 * np.abs(upstream(d.outputs[0][0])).max(initial=0)
    off = np.abs(d.arrays.ours - wanted) <= 2.0**-19 * size * slope
    return off[d.arrays.far]


def _projected_gradient(ours: float, off: float, dtype: str = "float64"):
    """Of one pixel that is half beside where it was, times a number; TensorFlow's is so far off."""
    transform = np.float32([[1, 0, 0.5, 0, 1, 0, 0, 0]])
    case = call(
        "ImageProjectiveTransformV2", _PIXEL.astype(dtype), transform,
        np.int32([1, 1]), interpolation="BILINEAR", fill_mode="CONSTANT",
    )  # fmt: skip
    right = upstream(np.zeros([1, 1, 1, 1], dtype)) / 2
    outputs = [np.zeros([1, 1, 1, 1], dtype)]
    return gave(
        case, ours * right, right + off, dtype, kind=GRADIENT,
        outputs=(outputs, outputs),
    )  # fmt: skip


def _near_resized_back(d) -> np.ndarray:
    """Ours is the gradient that weights of double precision give."""
    wanted = expected_samples.resized_back(d)
    scale = np.abs(np.where(np.isfinite(wanted), wanted, 0)).max(initial=0)
    with np.errstate(all="ignore"):
        right = (np.abs(d.arrays.ours - wanted) <= 1e-10 * scale)[d.arrays.far]
        return right & (np.abs(d.arrays.a - d.arrays.b) <= 2e-6 * scale)


def _resized_gradient(op: str, ours: float, off: float, dtype: str = "float64"):
    """Of two pixels that became one, times a number; TensorFlow's is so far off."""
    pair, one = np.zeros([1, 1, 2, 1], dtype), np.ones([1, 1, 1, 1], dtype)
    if op == "ResizeBilinearGrad":
        case, up = call(op, one, pair, half_pixel_centers=True), one
    else:
        case, up = call(op, pair, [1, 1], half_pixel_centers=True), upstream(one)
    right = np.concatenate([up, up], 2) / 2
    kind = VALUE if op == "ResizeBilinearGrad" else GRADIENT
    return gave(
        case, ours * right, right + off, dtype, kind=kind, outputs=([one], [one])
    )


def _resized_codes(d) -> np.ndarray:
    """The codes of an image between whose pixels is interpolated, in float64."""
    codes = d.input(0)
    codes = codes.view(codes.dtype[0]) if codes.dtype.names else codes
    x = codes.astype(np.float64)
    return expected_samples.resized(d, x, d.arrays.ours.shape)


def ours_is_near(formula, by: float):
    """Elements where ours is at most so far from a formula."""

    def near(d) -> np.ndarray:
        exact = formula(d)[d.arrays.far]
        return np.abs(d.arrays.a.astype(np.float64) - exact) <= by

    return near


def _to_24_bits(d) -> np.ndarray:
    """TensorFlow's is ours, but for what floats of the image's codes leave out."""
    codes = d.input(0)
    codes = codes.view(codes.dtype[0]) if codes.dtype.names else codes
    most = np.abs(codes.astype(np.float64)).max(initial=0)
    a, b = (x.astype(np.float64) for x in (d.arrays.a, d.arrays.b))
    return np.abs(a - b) <= 2.0**-21 * most


def _wide_codes(ours: int, theirs: int, code: int = 1058961829):
    image = np.array([[[[code]]]], np.int32)
    case = call("QuantizedResizeBilinear", image, np.int32([1, 1]))
    return gave(case, [[[[ours]]]], [[[[theirs]]]], "qint32")


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


def _spoilt_elsewhere(d) -> np.ndarray:
    """TensorFlow's is no number, and another element of the channel is none either."""
    x = d.input(0).astype(np.float64)
    odd = ~np.isfinite(x).all((1, 2), keepdims=True)
    return np.broadcast_to(odd, d.arrays.ours.shape)[d.arrays.far] & np.isnan(
        d.arrays.b
    )


def _in_infinite_pixel(d) -> np.ndarray:
    odd = ~np.isfinite(d.input(0).astype(np.float64)).all(-1, keepdims=True)
    return np.broadcast_to(odd, d.arrays.ours.shape)[d.arrays.far]


_OTHER_NUMBER = "InvalidArgumentError: ScaleAndTranslateGrad: Dimensions must be equal, but are 2 and 1"
_TO_NOWHERE = "InvalidArgumentError: ScaleAndTranslateGrad: scale must be > 0 and translation finite, got 1 and inf"


def _translated_grad(shape: list[int], by: float = 0.0):
    return call(
        "ScaleAndTranslateGrad", np.ones(shape, np.float32), _PIXEL,
        np.float32([1, 1]), np.float32([by, 0]), **_TRIANGLE,
    )  # fmt: skip


def _of_nan_above(ours, theirs):
    """Gradients of two pixels above each other, the second of them a NaN."""
    pixels = np.float32([2.0, np.nan]).reshape(1, 2, 1, 1)
    shape = (1, 2, 1, 1)
    case = call(
        "ScaleAndTranslateGrad", pixels, np.zeros(shape, np.float32),
        np.float32([1, 1]), np.float32([0, 0]), **_TRIANGLE,
    )  # fmt: skip
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
        elements=both(_has_nan_in_pixel, _ours_is(expected_colors.hsv)),
        bound=np.inf,
        true=[gave(call("RGBToHSV", _NAN_PIXEL), [[0, 0, np.nan]], [[np.nan, 0.5, 1]])],
        wrong=[
            gave(call("RGBToHSV", _PLAIN_PIXEL), [[0, 0, 1]], [[0.5, 0.5, 1]]),
            gave(call("RGBToHSV", _NAN_PIXEL), [[0, 0, 0.7]], [[0, 0, np.nan]]),
            gave(call("RGBToHSV", _NAN_PIXEL), [[np.nan] * 3], [[0, np.nan, 1]]),
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
        elements=_near_projected_back,
        bound=2e-5,
        true=[_projected_gradient(1.0, 1e-6)],
        wrong=[
            _projected_gradient(1.0, 1e-4),
            _projected_gradient(0.0, 1e-6),
            _projected_gradient(1.0, 1e-6, "float32"),
        ],
    ),
    Explanation(
        "ImageProjectiveTransformV2 ImageProjectiveTransformV3",
        VALUE,
        "a place that is no number is nowhere in the image",
        dtypes="uint8 int32 int64 float16 bfloat16 float32 float64",
        outputs=(0,),
        elements=both(
            _nowhere, lambda d: ours_is(_projected, compare.TOLERANCE.get(d.enum, 0))(d)
        ),
        bound=np.inf,
        true=[gave(_moved(np.inf), [[[[3.0]]]], [[[[np.nan]]]])],
        wrong=[
            gave(_moved(1.0), [[[[3.0]]]], [[[[np.nan]]]]),
            gave(_moved(np.inf), [[[[0.0]]]], [[[[np.nan]]]]),
            gave(_moved(np.inf), [[[[np.nan]]]], [[[[3.0]]]]),
        ],
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
            elements=_near_resized_back,
            bound=np.inf,
            true=[_resized_gradient(op, 1.0, 1e-7)],
            wrong=[
                _resized_gradient(op, 1.0, 1e-4),
                _resized_gradient(op, 0.0, 1e-7),
                _resized_gradient(op, 1 + 1e-8, 1e-7),
                _resized_gradient(op, 1.0, 1e-4, "float32"),
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
        elements=both(ours_is_near(_resized_codes, 1.0), _to_24_bits),
        bound=np.inf,
        true=[_wide_codes(1058961829, 1058961856)],
        wrong=[
            _wide_codes(1058961829, 1058971829),
            _wide_codes(1058961856, 1058961829),
            _wide_codes(510, 10, 10),
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
        "ScaleAndTranslateGrad",
        VALUE,
        "of numbers TensorFlow makes no numbers, of memory that nobody has written",
        dtypes="float32",
        outputs=(0,),
        elements=both(
            lambda d: ~np.isfinite(d.arrays.b), _ours_is(expected_samples.scaled_back)
        ),
        bound=np.inf,
        when=lambda d: _all_finite(d.input(0)) and _all_finite(d.input(1)),
        true=[gave(_translated_grad([1, 1, 1, 1]), [[[[1.0]]]], [[[[np.nan]]]])],
        wrong=[
            gave(_translated_grad([1, 1, 1, 1]), [[[[1.0]]]], [[[[1.25]]]]),
            gave(_translated_grad([1, 1, 1, 1]), [[[[0.0]]]], [[[[np.nan]]]]),
            gave(_translated_grad([1, 1, 1, 1]), [[[[1.5]]]], [[[[np.nan]]]]),
        ],
    ),
    Explanation(
        "ScaleAndTranslateGrad",
        VALUE,
        "a pixel that does not touch another one gives it nothing; TensorFlow multiplies what is no number by 0 there",
        dtypes="float32",
        outputs=(0,),
        elements=both(_spoilt_elsewhere, _ours_is(expected_samples.scaled_back)),
        bound=np.inf,
        when=lambda d: _all_finite(d.input(1)),
        true=[_of_nan_above([[2.0], [np.nan]], [[np.nan], [np.nan]])],
        wrong=[
            _of_nan_above([[2.0], [np.nan]], [[3.0], [np.nan]]),
            _of_nan_above([[0.0], [np.nan]], [[np.nan], [np.nan]]),
            _of_nan_above([[30.0], [np.nan]], [[np.nan], [np.nan]]),
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
        ours=r"InvalidArgumentError: ScaleAndTranslateGrad: scale must be > 0 and translation finite, got ",
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
        elements=_ours_is(expected_colors.saturated),
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
    *(
        Explanation(
            op,
            VALUE,
            "a pixel with a channel that is no finite number has no hue",
            dtypes="float16 float32",
            outputs=(0,),
            elements=both(_in_infinite_pixel, _ours_is(formula)),
            bound=np.inf,
            true=[gave(call(op, _INFINITE_PIXEL, 0.5), right, [[0.0, 0.5, 1]])],
            wrong=[
                gave(call(op, _PLAIN_PIXEL, 0.5), [[0, np.nan, 1]], [[0, 0.5, 1]]),
                gave(call(op, _INFINITE_PIXEL, 0.5), [[0.0] * 3], [[0, 0.5, 1]]),
                gave(call(op, _INFINITE_PIXEL, 0.5), [[0, 7.0, 1]], [[0, 0.5, 1]]),
            ],
        )
        for op, formula, right in (
            ("AdjustHue", expected_colors.turned, [[np.nan] * 3]),
            ("AdjustSaturation", expected_colors.saturated, [[np.nan] * 3]),
        )
    ),
]
