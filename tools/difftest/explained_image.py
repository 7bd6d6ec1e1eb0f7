# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of images."""

import numpy as np

from tensorwright.tools.difftest import (
    compare,
    expected_colors,
    expected_jpeg,
    expected_png,
    expected_samples,
)
from tensorwright.tools.difftest.examples import but, call, gave, on, seen
from tensorwright.tools.difftest.explanation import OURS_ONLY, ours_is, upstream
from tensorwright.tools.difftest.records import (
    death,
    gradient,
    no_gradient,
    path,
    refusal,
    shaped,
    value,
)
from tensorwright.tools.opcheck import signature as sig

_FLOATS = "float16 bfloat16 float32 float64"
_PROJECTS = "ImageProjectiveTransformV2 ImageProjectiveTransformV3"


def _finite(x):
    return bool(np.isfinite(np.asarray(x, np.float64)).all())


def _odd(d, axes):
    """Pixels or channels, whose parts are along `axes`, with an element that is infinite or NaN."""
    return ~np.isfinite(d.wide(0)).all(axes, keepdims=True)


def _other_images(d):
    """The two images are not as many, or have not as many channels."""
    return np.shape(d.input(0))[::3] != np.shape(d.input(1))[::3]


def _of_hsv(d):
    """The upstream gradient of RGBToHSV times the derivatives of hue, saturation and value, in float64."""
    x = d.wide(0)
    up = np.moveaxis(np.asarray(upstream(d.outputs[0][0]), np.float64), -1, 0)
    r, g, b = np.moveaxis(x, -1, 0)
    high = np.stack([(r >= g) & (r >= b), (g > r) & (g >= b), (b > r) & (b > g)]) * 1.0
    low = np.stack([(r < g) & (r < b), (g <= r) & (g < b), (b <= r) & (b <= g)])
    top, span = x.max(-1), np.ptp(x, axis=-1)
    n = (high * [g - b, b - r, r - g]).sum(0)
    dn, ds = np.roll(high, 1, 0) - np.roll(high, 2, 0), high - low
    hue = np.where(span == 0, 0, (dn * span - n * ds) / (6 * span**2))
    saturation = np.where(top <= 0, 0, (ds * top - span * high) / top**2)
    return np.moveaxis(up[0] * hue + up[1] * saturation + up[2] * high, 0, -1)


def _nowhere(d):
    """Pixels to which the transform gives no place in the image that is a number."""
    y, x = np.indices(d.here.shape[1:3])
    t = np.moveaxis(np.asarray(d.input(1), np.float32), 1, 0)[..., None, None]
    k = t[6] * x + t[7] * y + 1
    places = (t[i] * x + t[i + 1] * y + t[i + 2] for i in (0, 3))
    there = [np.abs(p / k) < 2.0**31 for p in places]
    return ~(there[0] & there[1] & np.isfinite(k))[..., None]


def _projected(d):
    """The image that is projected; of an integer dtype what is left of it."""
    wanted = expected_samples.projected(d)
    return wanted if d.enum in compare.TOLERANCE else np.trunc(wanted)


def _near_projected_back(d):
    """Ours is what comes back through the inverses, but for places that are as good as floats are."""
    size = max(max(d.input(0).shape[1:3]), max(d.outputs[0][0].shape[1:3]))
    slope = 2 * np.abs(upstream(d.outputs[0][0])).max(initial=0)
    off = np.abs(d.here - expected_samples.projected_back(d))
    return off <= 2.0**-19 * size * slope


def _near_resized_back(d):
    """Ours is the gradient that weights of double precision give, and TensorFlow's the one of floats."""
    wanted = expected_samples.resized_back(d)
    scale = np.abs(np.where(np.isfinite(wanted), wanted, 0)).max(initial=0)
    right = np.abs(d.here - wanted) <= 1e-10 * scale
    return right & (np.abs(d.here - d.there) <= 2e-6 * scale)


def _codes(d):
    x = d.input(0)
    return (x.view(x.dtype[0]) if x.dtype.names else x).astype(np.float64)


def _near_resized(by):
    """Elements where ours is at most so far from an image between whose pixels is interpolated in float64."""

    def near(d):
        exact = expected_samples.resized(d, _codes(d), d.here.shape)
        return np.abs(d.here.astype(np.float64) - exact) <= by

    return near


def _to_24_bits(d):
    """TensorFlow's is ours, but for what floats of the image's codes leave out."""
    off = np.abs(d.here.astype(np.float64) - d.there.astype(np.float64))
    return off <= 2.0**-21 * np.abs(_codes(d)).max(initial=0)


def _bitmap(content, dtype):
    text = np.empty([], object)
    text[()] = content
    return on(text, types=[sig.STRING], dtype=dtype)


def _transform(image, first=1.0, by=0.0, **attrs):
    transform = np.float32([[first, 0, by, 0, 1, 0, 0, 0]])
    attrs = {"interpolation": "NEAREST", "fill_mode": "NEAREST"} | attrs
    return on(image, transform, np.int32([1, 1]), **attrs)


def _half_beside(dtype):
    image = np.zeros([1, 1, 1, 1], dtype)
    return _transform(image, by=0.5, interpolation="BILINEAR", fill_mode="CONSTANT")


def _translated(images, by=0.0, back=None):
    """A translation of images, or what comes back from it, by a kernel that reaches one pixel."""
    second = np.int32([1, 1]) if back is None else np.zeros(back, np.float32)
    moves = np.float32([1, 1]), np.float32([by, 0])
    attrs = {"kernel_type": "triangle", "antialias": False}
    return on(np.float32(images), second, *moves, **attrs)


def _window(*places, fancy=True):
    return on(expected_jpeg.file(), np.int32(places), fancy_upscaling=fancy)


def _beside():
    """A window, and what TensorFlow makes of its last column."""
    right = expected_jpeg.PART
    return _window(2, 3, 2, 4), right, right + np.uint8([0, 0, 0, 9])[:, None]


def _by_score(d):
    """The boxes in the order of their scores."""
    return np.argsort(-d.wide(1), kind="stable")[: d.here.size]


def _above(d):
    """The number of boxes whose scores are above the threshold, at most as many as are wanted."""
    return min(d.input(2), np.sum(d.wide(1) > d.wide(4)))


def _boxes(side):
    return on(np.full([3, 4], side, np.float32), np.float32([1, 2, 3]), 3, 0.5, 0.0)


_NAN_BOXES = (
    "boxes of NaN overlap no other; TensorFlow's order loses its way among them"
)
_IS_NAN = dict(when=lambda d: bool(np.isnan(d.wide(0)).all()))
_PIXEL = np.zeros([1, 1, 1, 1], np.float32)
_NAN_PIXEL, _INFINITE_PIXEL, _PLAIN_PIXEL = np.float32(
    [[[np.nan, 1, 0.5]], [[-np.inf, 1, 2]], [[0.1, 1, 0.5]]]
)
_ODD_PIXEL, _ODD_HSV = (
    [[0.9, -0.5, 0.3]],
    np.array([[1 - 0.8 / 1.4 / 6, 1.4 / 0.9, 0.9]]),
)
_RIGHT = _of_hsv(gave(call("RGBToHSV", _ODD_PIXEL), 0, 0, outputs=[_ODD_HSV]))
_ONE, _PAIR = np.ones([1, 1, 1, 1]), np.zeros([1, 1, 2, 1])
_UP = upstream(_ONE)
_PLACES, _OF_NAN = [1, 2, 1, 1], np.reshape([2.0, np.nan], [1, 2, 1, 1])
_NANS, _ROW = np.full([1, 2, 1, 1], np.nan), np.ones([1, 1, 4, 1])
_CODES = on(np.uint8([[[[10], [15]]]]), np.int32([1, 4]))
_CODE = np.int32([[[[1058961829]]]])

# fmt: off
TABLE = [
    refusal("HSVToRGB RGBToHSV", "our shape functions look at every run, TensorFlow's only while a graph is built",
        ours="InvalidArgumentError: <HSVToRGB|RGBToHSV~HSVToRGB>: Dimension must be 3 but is ",
        theirs="FailedPreconditionError: input must have 3 channels but input only has <1> channels",
        when=lambda d: np.shape(d.input(0))[-1:] != (3,), true=[on([[1.0]])], wrong=[on([[1.0, 2, 3]])]),
    value("RGBToHSV", "a pixel with a NaN has no hue, and the NaN's place decides what else both find", _FLOATS, 0,
        ours_is(expected_colors.hsv, slack=4), where=lambda d: np.isnan(d.input(0)).any(-1, keepdims=True),
        gives="by comparisons that a NaN fails",
        true=[seen(on(_NAN_PIXEL), [[0, 0, np.nan]], [[np.nan, 0.5, 1]])],
        wrong=[but(on(_PLAIN_PIXEL), [[0, 0, 1]], [[0.5, 0.5, 1]]), but(ours=[[0, 0, 0.7]], theirs=[[0, 0, np.nan]]),
            but(ours=[[np.nan] * 3], theirs=[[0, np.nan, 1]]), but(ours=[[1.2, 0, 1]], theirs=[[np.nan, 0, 1]])]),
    gradient("RGBToHSV",
        "TensorFlow leaves channels below 0 out of the saturation's derivative, and rounds differences of halves",
        _FLOATS, 0, ours_is(_of_hsv, 0.01), gives="the derivative with all channels",
        true=[seen(on(_ODD_PIXEL), _RIGHT, _RIGHT * [[1, 0, 1]], dtype="float64", outputs=[_ODD_HSV])],
        wrong=[but(ours=_RIGHT * [[1, 0, 1]], theirs=_RIGHT)]),
    refusal(_PROJECTS, "TensorFlow writes a wrong attr into its log and goes on",
        ours="InvalidArgumentError: ImageProjectiveTransformV<[23]~2>: <interpolation|fill_mode~interpolation> must be ",
        when=lambda d: d.attrs["interpolation"] not in ("NEAREST", "BILINEAR")
        or d.attrs["fill_mode"] not in ("REFLECT", "WRAP", "CONSTANT", "NEAREST"),
        true=[on(interpolation="x", fill_mode="WRAP")], wrong=[on(interpolation="NEAREST", fill_mode="WRAP")]),
    no_gradient(_PROJECTS, "TensorFlow's gradient function asks for the rank of the image",
        theirs="InvalidArgumentError: Cannot take the length of shape with unknown rank",
        wrong=[but(theirs="TypeError: Invalid d")]),
    gradient(_PROJECTS, "TensorFlow inverts the transforms, which are floats, in another order of steps", "float64", 0,
        where=_near_projected_back, bound=2e-05,
        true=[seen(_half_beside("float64"), _UP / 2, _UP / 2 + 1e-06, outputs=[_ONE * 0])],
        wrong=[but(theirs=_UP / 2 + 1e-4), but(ours=0 * _UP),
            but(_half_beside("float32"), dtype="float32", outputs=[_PIXEL])]),
    value(_PROJECTS, "a place that is infinite or NaN is outside of the image",
        "uint8 int32 int64 float16 bfloat16 float32 float64", 0, ours_is(_projected, slack=1), where=_nowhere,
        gives="what `fill_mode` has for such a place",
        true=[seen(_transform(_PIXEL + 3, np.inf), [[[[3.0]]]], [[[[np.nan]]]])],
        wrong=[_transform(_PIXEL + 3), but(ours=[[[[0.0]]]]), but(ours=[[[[np.nan]]]], theirs=[[[[3.0]]]])]),
    no_gradient(_PROJECTS, "TensorFlow's gradient function has a list of dtypes that lacks one",
        theirs=r"TypeError: Invalid dtype \<dtype: 'bfloat16'>", wrong=[but(theirs="TypeError: x")]),
    no_gradient("ScaleAndTranslate", "TensorFlow's gradient function is for float alone",
        theirs=r"TypeError: Input 'original_image' of 'ScaleAndTranslateGrad' Op has type <b?float16|float64|u?int\d+~float64> ",
        wrong=[but(theirs="TypeError: x")]),
    path("ResizeBilinearGrad", "TensorFlow does not differentiate it again", _FLOATS, 0, OURS_ONLY),
    gradient("ResizeBilinear", "TensorFlow's weights are floats", "float64", 0, where=_near_resized_back,
        gives="at most 1e-10 off weights in double precision", there="at most 2e-6 off",
        true=[seen(on(_PAIR, [1, 1], half_pixel_centers=True), _PAIR + _UP / 2, _PAIR + _UP / 2 + 1e-7, outputs=[_ONE])],
        wrong=[but(theirs=_PAIR + _UP / 2 + 1e-4), but(ours=_PAIR), but(ours=_PAIR + _UP / 2 * (1 + 1e-8)),
            but(dtype="float32", theirs=_PAIR + _UP / 2 + 1e-4)]),
    value("ResizeBilinearGrad", "TensorFlow's weights are floats", "float64", 0, where=_near_resized_back,
        gives="at most 1e-10 off weights in double precision", there="at most 2e-6 off",
        true=[seen(on(_ONE, _PAIR, half_pixel_centers=True), _PAIR + 0.5, _PAIR + 0.5 + 1e-7)],
        wrong=[but(theirs=_PAIR + 0.5 + 1e-4), but(ours=_PAIR), but(ours=_PAIR + 0.5 + 1e-8),
            but(dtype="float32", theirs=_PAIR + 0.5 + 1e-4)]),
    refusal("SampleDistortedBoundingBox SampleDistortedBoundingBoxV2", "an image without pixels has no box",
        ours="InvalidArgumentError: SampleDistortedBoundingBox<(V2)?~>: image_size must be positive ",
        when=lambda d: bool(np.any(np.asarray(d.input(0))[:2] <= 0)), true=[on([0, 1, 3])], wrong=[on([1, 1, 3])]),
    refusal("QuantizedResizeBilinear", "TensorFlow gives no range of an image that it hands through, or that is empty",
        theirs="InternalError: Missing <[12]~1>-th output from {{node op}}<$~>",
        wrong=[but(theirs="InternalError: x")]),
    value("QuantizedResizeBilinear", "TensorFlow goes through floats, which have 24 of the 32 bits", "qint32", 0,
        where=lambda d: _near_resized(1.0)(d) & _to_24_bits(d), gives="at most 1 off the exact code",
        true=[seen(on(_CODE, np.int32([1, 1])), _CODE, _CODE + 27)],
        wrong=[but(theirs=_CODE + 10000), but(ours=_CODE + 27, theirs=_CODE),
            but(on(np.int32([[[[10]]]]), np.int32([1, 1])), [[[[510]]]], [[[[10]]]]),
            seen(None, [10], [12], dtype="quint8")]),
    value("QuantizedResizeBilinear", "TensorFlow interpolates codes of 8 bits with weights of 10 bits", "quint8", 0,
        where=_near_resized(0.505), bound=4.0, when=lambda d: bool(d.case.inputs),
        true=[seen(_CODES, [[[[10], [12], [15], [20]]]], [[[[10], [13], [15], [20]]]])],
        wrong=[but(ours=[[[[10], [14], [15], [20]]]])]),
    value("ScaleAndTranslateGrad", "TensorFlow makes NaN of numbers, from memory that nobody has written",
        "float32", 0, ours_is(expected_samples.scaled_back, slack=4), where=lambda d: ~np.isfinite(d.there),
        gives="the weighted sum", there="not finite", when=lambda d: _finite(d.input(0)) and _finite(d.input(1)),
        by_chance=True, true=[seen(_translated(_ONE, back=[1] * 4), [[[[1.0]]]], [[[[np.nan]]]])],
        wrong=[but(theirs=[[[[1.25]]]]), but(ours=[[[[0.0]]]]), but(ours=[[[[1.5]]]])]),
    value("ScaleAndTranslateGrad",
        "a pixel that does not touch another one gives it nothing; TensorFlow multiplies infinity or NaN by 0 there",
        "float32", 0, ours_is(expected_samples.scaled_back, slack=4),
        where=lambda d: _odd(d, (1, 2)) & np.isnan(d.there), gives="the sum over pixels that have a weight", there="NaN",
        when=lambda d: _finite(d.input(1)), true=[seen(_translated(_OF_NAN, back=_PLACES), _OF_NAN, _NANS)],
        wrong=[but(theirs=_OF_NAN + 1), but(ours=_OF_NAN * 0), but(ours=_OF_NAN * 15)]),
    refusal("ScaleAndTranslateGrad",
        "TensorFlow does not look whether the images are as many, and have as many channels",
        ours="InvalidArgumentError: ScaleAndTranslateGrad: Dimensions must be equal, but are ", when=_other_images,
        true=[_translated(np.ones([2, 1, 1, 1]), back=[1] * 4)], wrong=[_translated(_ONE, back=[1] * 4)]),
    refusal("ScaleAndTranslateGrad ScaleAndTranslate", "TensorFlow does not look whether the translation is finite",
        ours="InvalidArgumentError: <ScaleAndTranslate(Grad)?~ScaleAndTranslateGrad>: scale must be > 0 and translation finite, got ",
        when=lambda d: not _finite(d.input(3)) and (d.input(2) > 0).all(),
        true=[_translated(_ONE, np.inf, [1] * 4)], wrong=[_translated(_ONE, 1.0, [1] * 4)]),
    refusal("ScaleAndTranslateGrad", "no image has no pixels",
        ours="InvalidArgumentError: ScaleAndTranslateGrad: grads and original_image must have pixels, got shapes ",
        when=lambda d: 0 in (*d.input(0).shape[1:3], *d.input(1).shape[1:3]),
        true=[_translated(np.zeros([1, 0, 6, 1]), back=[1] * 4)], wrong=[_translated(_ONE, back=[1] * 4)]),
    value("ScaleAndTranslate",
        "a pixel without a weight, or a place outside of the image, does not count; TensorFlow multiplies infinity or NaN by 0",
        "float32", 0, ours_is(expected_samples.scaled, slack=4), where=lambda d: np.isnan(d.there),
        gives="the sum over pixels that have a weight", there="NaN", when=lambda d: "kernel_type" in d.attrs,
        true=[seen(_translated(_ROW * [[1], [1], [1], [np.nan]]), [[[[1.0]]]], [[[[np.nan]]]])],
        wrong=[but(theirs=[[[[2.0]]]]), but(ours=[[[[9.0]]]]), _translated(_ROW * [[np.nan], [1], [1], [1]])]),
    refusal("ResizeBicubicGrad ResizeBilinearGrad ResizeNearestNeighborGrad",
        "TensorFlow does not look whether the images are as many, and have as many channels",
        ours="InvalidArgumentError: Resize<Bicubic|Bilinear~Bicubic>Grad: Dimensions must be equal, but are ",
        when=_other_images, true=[on(_PIXEL, np.zeros([2, 1, 1, 1]))], wrong=[on(_PIXEL, _PIXEL)]),
    refusal("RandomCrop", "TensorFlow reads the lower 32 bits of sizes",
        ours="FailedPreconditionError: RandomCrop: size must be within image, got ",
        when=lambda d: bool((np.abs(d.input(1).astype(float)) >= 2 ** 31).any()),
        true=[on(_PIXEL[0], np.int64([1 << 62, 1]))], wrong=[on(_PIXEL[0], np.int64([2, 1]))]),
    death("DecodeImage DecodeBmp", "TensorFlow dies of a bitmap that is to become another type", theirs="Died: SIGABRT",
        when=lambda d: bytes(d.input(0).reshape(-1)[0])[:2] == b"BM" and d.attrs["dtype"] != 4,
        true=[_bitmap(b"BM\x00", 17)], wrong=[_bitmap(b"BM\x00", 4), _bitmap(b"GIF8", 17)]),
    value("AdjustSaturation", "a scale that is no number makes NaN; TensorFlow takes the smaller of it and 1",
        "float16 float32", 0, ours_is(expected_colors.saturated, slack=4), gives="NaN",
        when=lambda d: np.isnan(d.input(1)).all(), true=[seen(on([[0.5, 1, 2]], np.nan), [[np.nan] * 3], [[0.5, 1, 2]])],
        wrong=[on([[0.5, 1, 2]], 0.5), but(ours=[[0.0] * 3])]),
    *(value(op, "a pixel with a channel that is no finite number has no hue", "float16 float32", 0,
        ours_is(formula, slack=4), where=lambda d: _odd(d, -1), gives="by comparisons that a NaN fails",
        true=[seen(on(_INFINITE_PIXEL, 0.5), [[np.nan] * 3], [[0.0, 0.5, 1]])],
        wrong=[but(on(_PLAIN_PIXEL, 0.5), [[0, np.nan, 1]]), but(ours=[[0.0] * 3]), but(ours=[[0, 7.0, 1]])])
      for op, formula in (("AdjustHue", expected_colors.turned), ("AdjustSaturation", expected_colors.saturated))),
    value("CropAndResizeGradImage", "TensorFlow's products are in float32, whatever the result's dtype", "float64", 0,
        lambda d: compare.close(d.a, d.b, 2e-5), bound=1e-4,
        true=[seen(on(_PIXEL), [[[[1.0]]]], [[[[1.0 + 1e-7]]]])],
        wrong=[seen(None, [1.0], [1.001]), seen(None, [1.0], [1.001], dtype="float32")]),
    value("DecodeAndCropJpeg", "a pixel beside the window has a colour, too; TensorFlow smooths without it", "uint8", 0,
        ours_is(expected_jpeg.cropped), where=expected_jpeg.sides, gives="a part of the whole image",
        when=lambda d: d.attrs["fancy_upscaling"], true=[seen(*_beside())],
        wrong=[_window(2, 3, 2, 4, fancy=False), _window(2, 2, 2, 4)]),
    value("NonMaxSuppression NonMaxSuppressionV2",
        "boxes without a finite side have no overlap that is a number; TensorFlow takes their scores for 0", "int32", 0,
        ours_is(_by_score), gives="the boxes with the highest scores", there="the first box of the others",
        when=lambda d: not np.isfinite(d.wide(0)).any(),
        true=[seen(on(np.float32([[np.inf] * 4] * 3), [1, 2, 3]), [2, 1], [2, 0])],
        wrong=[on(np.float32([[0, 0, 1, 1]] * 3), [1, 2, 3]), but(ours=[2, 0], theirs=[2, 1])]),
    value("NonMaxSuppressionV3 NonMaxSuppressionV4", _NAN_BOXES, "int32", 0, ours_is(_by_score), gives="the boxes by their scores", **_IS_NAN,
        true=[seen(_boxes(np.nan), [2, 1, 0], [2, 0, 1])], wrong=[_boxes(1), but(ours=[2, 0, 1], theirs=[2, 1, 0])]),
    value("NonMaxSuppressionV4", _NAN_BOXES, "int32", 1, ours_is(_above), gives="the number of scores above the threshold", **_IS_NAN,
        true=[seen(_boxes(np.nan), 3, 1)], wrong=[_boxes(1), but(ours=2)]),
    shaped("NonMaxSuppressionV3 NonMaxSuppressionV4", _NAN_BOXES, "int32", 0,
        lambda d: len(d.here) == _above(d) and np.array_equal(d.here, _by_score(d)), **_IS_NAN,
        true=[seen(_boxes(np.nan), [2, 1, 0], [2], dtype="int32")], wrong=[_boxes(1), but(ours=[2, 0, 1]), but(ours=[2, 1])]),
    death("CropAndResizeGradBoxes CropAndResizeGradImage", "TensorFlow reads pixels, or writes them, at places that are no numbers",
        theirs="Died: SIGSEGV", when=lambda d: not np.isfinite(d.wide(2 if d.op.endswith("Boxes") else 1)).all(),
        true=[on(_PIXEL, _PIXEL, np.float32([[0, 0, np.inf, 1]])), call("CropAndResizeGradImage", _PIXEL, np.float32([[-np.inf] * 4]))],
        wrong=[on(_PIXEL, _PIXEL, np.float32([[0, 0, 1, 1]])), call("CropAndResizeGradImage", _PIXEL, np.float32([[0, 0, 1, 1]]))]),
    refusal("CropAndResizeGradBoxes CropAndResizeGradImage CropAndResize", "a box has four sides also where there is no box",
        ours="InvalidArgumentError: CropAndResize<(Grad(Boxes|Image))?~GradBoxes>: Dimension must be 4 but is <5> for 'op'",
        wrong=[but(ours="InvalidArgumentError: CropAndResizeGradBoxes: Dimension must be 5 but is 4 for 'op'")]),
    refusal("EncodeJpeg EncodeJpegVariableQuality", "an image without pixels is a fault of the image",
        ours="InvalidArgumentError: JPEG: height and width must be 1 to 65500, channels 1 or 3, got ",
        theirs="InternalError: JPEG encoding failed", when=lambda d: d.input(0).size == 0, true=[on(np.zeros([0, 5, 1], np.uint8))],
        wrong=[on(np.zeros([5, 5, 1], np.uint8))]),
    refusal("EncodePng", "an image without pixels is a fault of the image",
        ours="InvalidArgumentError: EncodePng: image must have pixels, and no more than 2^31 in a row or a column, got ",
        theirs="InternalError: PNG encoding failed at the following flattened batch indices: ",
        when=lambda d: d.input(0).size == 0, true=[on(np.zeros([2, 0, 1], np.uint8))], wrong=[on(np.zeros([2, 2, 1], np.uint8))]),
    value("EncodePng", "versions of zlib find other repetitions in the bytes of one image", "string", 0, expected_png.same_images,
        gives="a file of the same pixels", true=[seen(None, [expected_png.file(b"aaa")], [expected_png.file(b"aaa", 0)])],
        wrong=[but(ours=[expected_png.file(b"aab")]), but(ours=[b""])]),
    death("RandomCrop", "TensorFlow makes room for a crop of sizes that are no int32", theirs="Died: SIGABRT",
        ours="FailedPreconditionError: RandomCrop: size must be within image, got ",
        when=lambda d: bool((np.abs(d.input(1).astype(float)) >= 2**31).any()),
        true=[on(_PIXEL[0], np.int64([2**63 - 1] * 2))], wrong=[on(_PIXEL[0], np.int64([2, 1]))]),
    refusal("ResizeBicubic", "a row that no int32 counts is a fault of the size",
        ours="InvalidArgumentError: ResizeBicubic: rows of images must have less than 2^31 elements, got ",
        theirs="ResourceExhaustedError: OOM when allocating tensor with shape[", when=lambda d: int(max(d.input(1))) >= 1 << 28,
        true=[on(_PIXEL, np.int32([2, (1 << 31) - 1]))], wrong=[on(_PIXEL, np.int32([2, 4]))]),
    gradient("CropAndResize", "TensorFlow's products are in float32, whatever the result's dtype", "float64", 0,
        lambda d: compare.close(d.a, d.b, 2e-5), bound=1e-4,
        true=[seen(on(_PIXEL), [[[[1.0]]]], [[[[1.0 + 1e-7]]]])],
        wrong=[seen(None, [1.0], [1.001]), seen(None, [1.0], [1.001], dtype="float32")]),
    refusal("QuantizedResizeBilinear ResizeNearestNeighborGrad", "centers of pixels that are aligned are no half pixels",
        ours="InvalidArgumentError: <QuantizedResizeBilinear|ResizeNearestNeighborGrad~QuantizedResizeBilinear>: align_corners must be false where half_pixel_centers is true",
        when=lambda d: d.attrs["align_corners"] and d.attrs["half_pixel_centers"],
        true=[on(align_corners=True, half_pixel_centers=True)], wrong=[on(align_corners=True, half_pixel_centers=False)]),
]
