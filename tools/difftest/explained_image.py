# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of images."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
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

_FLOATS = "float16 bfloat16 float32 float64"
_CHANNELS = (
    "FailedPreconditionError: input must have 3 channels but input only has 1 channels."
)
_OURS_CHANNELS = (
    "InvalidArgumentError: HSVToRGB: dimension must be 3, got 1; images has shape [1,1]"
)
_GARBAGE = "InvalidArgumentError: ImageProjectiveTransformV2: interpolation must be NEAREST or BILINEAR, got 'x'"
_BFLOAT16 = "TypeError: Invalid dtype <dtype: 'bfloat16'>."
_NO_SIDE = "InvalidArgumentError: SampleDistortedBoundingBox: image_size must be positive and below 2^31, got 0"
_FLOAT_ONLY = "TypeError: Input 'original_image' of 'ScaleAndTranslateGrad' Op has type float64 that does not match type float32 of argument 'grads'."
_MISSING = "InternalError: Missing 1-th output from {{node op}}"
_EMPTY = np.zeros([1, 0, 2, 1], np.float32)
_PIXEL = np.zeros([1, 1, 1, 1], np.float32)
_NAN_PIXEL = np.array([[np.nan, 1, 0.5]], np.float32)
_PLAIN_PIXEL = np.array([[0.1, 1, 0.5]], np.float32)


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


TABLE: list[Explanation] = [
    Explanation(
        "HSVToRGB RGBToHSV",
        ERROR_CLASS,
        "our shape functions speak in every run",
        ours=r"InvalidArgumentError: (HSVToRGB|RGBToHSV): dimension must be 3, got ",
        theirs=r"FailedPreconditionError: input must have 3 channels but input only has \d+ channels",
        when=lambda d: np.shape(d.input(0))[-1:] != (3,),
        true=[refused(call("HSVToRGB", [[1.0]]), _OURS_CHANNELS, _CHANNELS)],
        wrong=[refused(call("HSVToRGB", [[1.0, 2, 3]]), _OURS_CHANNELS, _CHANNELS)],
    ),
    Explanation(
        "RGBToHSV",
        VALUE,
        "a pixel with a NaN has no hue, and where it is decides what else TensorFlow finds",
        dtypes=_FLOATS,
        outputs=(0,),
        elements=both(_has_nan_in_pixel, ours_is(lambda d: [0, 0, np.nan])),
        bound=np.inf,
        true=[gave(call("RGBToHSV", _NAN_PIXEL), [[0, 0, np.nan]], [[np.nan, 0.5, 1]])],
        wrong=[gave(call("RGBToHSV", _PLAIN_PIXEL), [[0, 0, 1]], [[0.5, 0.5, 1]])],
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
        "ImageProjectiveTransformV2",
        REFUSAL,
        "attrs are looked at before there are pixels",
        ours=r"InvalidArgumentError: ImageProjectiveTransformV2: (interpolation|fill_mode) must be ",
        when=lambda d: np.size(d.input(0)) == 0,
        true=[refused(call("ImageProjectiveTransformV2", _EMPTY), _GARBAGE)],
        wrong=[refused(call("ImageProjectiveTransformV2", _PIXEL), _GARBAGE)],
    ),
    Explanation(
        "ImageProjectiveTransformV2",
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
]
