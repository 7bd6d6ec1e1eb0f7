# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of quantized ops of neural networks, of convolutions with what comes before, and of debug ops."""

import numpy as np

from tensorwright.tools.difftest import expected_codes
from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import ours_is
from tensorwright.tools.difftest.records import death, inference, refusal, value


def _convolved(d, x, f):
    """Cross-correlation of NHWC x, with zeros around it for SAME."""
    strides, pads = d.attrs["strides"][1:3], [(0, 0), (0, 0)]
    sizes = list(zip(x.shape[1:3], f.shape[:2], strides))
    if d.attrs["padding"] == "SAME":
        needs = [max(0, (-(-n // s) - 1) * s + k - n) for n, k, s in sizes]
        pads = [(n // 2, n - n // 2) for n in needs]
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    if any(n < k for n, k in zip(x.shape[1:3], f.shape)):
        return np.zeros(0)
    windows = np.lib.stride_tricks.sliding_window_view(x, f.shape[:2], (1, 2))
    windows = windows[:, :: strides[0], :: strides[1]]
    return np.einsum("brcxij,ijxo->brco", windows, f)


# Quantized. --------------------------------------------------------------------------------------------------


def _codes(x):
    return (x.view(x.dtype[0]) if x.dtype.names else x).astype(np.int64)


def _zero(low, high):
    """The code of real 0 among those from 0 to 255."""
    low, high = float(low), float(high)
    if low == high or not np.isfinite([low, high]).all():
        return 0
    code = low * 255 / (high - low)
    return int(-np.trunc(code + np.copysign(0.5, code)))


def _quantized_conv(d):
    x, f, *ends = (d.input(i) for i in range(6))
    return _convolved(d, _codes(x) - _zero(*ends[:2]), _codes(f) - _zero(*ends[2:]))


def _stride_beyond_window(d):
    """Windows of a padded image have gaps between them."""
    sizes, strides = d.input(1).shape[:2], d.attrs["strides"][1:3]
    return d.attrs["padding"] == "SAME" and any(s > k for s, k in zip(strides, sizes))


def _padding_has_no_code(d):
    """Real 0, which is around the image, is outside the range of its codes."""
    inside = 0 <= _zero(d.input(2), d.input(3)) <= 255
    return d.attrs["padding"] == "SAME" and not inside


def _not_finite(d):
    """An end of a range or the epsilon is no number, or the root has none."""
    epsilon = d.attrs["variance_epsilon"]
    ends = [float(np.ravel(d.input(i))[0]) for i in range(15) if i % 3]
    return not np.isfinite([*ends, epsilon]).all() or epsilon < 0


def _conv(size=3, stride=2, low=0, **attrs):
    """A row of codes, each less `low` as a number; the filter [1]."""
    ends = [np.float32(e) for e in (low, low + 255, 0, 255)]
    x = np.arange(1, size + 1).reshape(1, 1, size, 1)
    attrs = {"padding": "SAME", "strides": [1, 1, stride, 1], **attrs}
    return call("QuantizedConv2D", x, np.ones([1, 1, 1, 1], np.int64), *ends, **attrs)


def _norm(epsilon):
    code = np.uint8([1]), np.float32(0), np.float32(1)
    return on(*code * 5, variance_epsilon=epsilon, scale_after_normalization=True)


def _two(*codes):
    return np.reshape(codes, [1, 1, 2, 1])


# Images that are resized and mirrored first. -----------------------------------------------------------------


def _resized(x, size, align_corners):
    for axis, out in zip((1, 2), map(int, size)):
        n, less = x.shape[axis], 1 if align_corners and out > 1 else 0
        scale = np.float32(n - less) / np.float32(out - less)
        at = np.arange(out, dtype=np.float32) * scale
        low = np.minimum(at.astype(int), n - 1)
        high = np.minimum(low + (at > low), n - 1)
        a, b = x.take(low, axis), x.take(high, axis)
        x = a + (b - a) * (at - low).reshape([-1] + [1] * (3 - axis))
    return x


def _single_ops(d):
    """Elements that are the single ops' in float64, to what rounding leaves of the largest."""
    x, *_, paddings, f = d.case.inputs
    x = x.astype(np.float64)
    if d.op == "FusedResizeAndPadConv2D":
        x = _resized(x, d.input(1), d.attrs.get("resize_align_corners", False))
        x = x.astype(d.input(0).dtype).astype(np.float64)
    x = np.pad(x, paddings, d.attrs["mode"].lower())
    wanted = _convolved(d, x, f.astype(np.float64))
    if wanted.shape != d.here.shape:
        return False
    rounding = {"float16": 5e-3, "bfloat16": 3e-2, "float32": 1e-5}.get(d.dtype, 1e-12)
    most = np.max(np.abs(wanted), initial=1, where=np.isfinite(wanted))
    off = np.abs(d.here.astype(np.float64) - wanted)
    return (off <= rounding * most) | ~np.isfinite(wanted)


def _images(n, **attrs):
    """Images of one pixel, 1, 2, ..., and the filter [1]."""
    attrs = {"mode": "REFLECT", "strides": [1] * 4, "padding": "VALID", **attrs}
    inputs = _pixels(*range(1, n + 1)), np.zeros([4, 2], np.int32), _pixels(1)
    return call("FusedPadConv2D", *inputs, **attrs)


def _pixels(*values):
    return np.float32(values).reshape(-1, 1, 1, 1)


_FUSED = "FusedPadConv2D FusedResizeAndPadConv2D"
_NORM = "QuantizedBatchNormWithGlobalNormalization"
_DEBUG = "DebugIdentity DebugNanCount DebugNumericSummary"
_OF_QINT8 = dict(
    theirs="InternalError: Missing 0-th output from {{node op}}",
    when=lambda d: d.attrs.get("Tfilter") == 11,
    true=[_conv(Tfilter=11)],
    wrong=[_conv(Tfilter=12), but(theirs="InternalError: Missing")],
)

# fmt: off
TABLE = [
    refusal("QuantizedConv2D", "TensorFlow's kernel for filters of qint8 stands in for oneDNN's, and does nothing",
        **_OF_QINT8),
    refusal("QuantizedConv2D", "TensorFlow's kernel for filters of qint8 stands in for oneDNN's, and does nothing",
        ours="InvalidArgumentError: QuantizedConv2D: Shape must be rank 0 but is rank <1>: <min_filter> has", **_OF_QINT8),
    refusal("QuantizedConv2D", "TensorFlow's kernel has one stride, and no dilations",
        theirs="InvalidArgumentError: Current implementation only supports <dilated rate as 1|equal length strides~dilated rate as 1> in the row and column dimensions",
        when=lambda d: d.attrs["strides"][1] != d.attrs["strides"][2] or d.attrs["dilations"] != [1, 1, 1, 1],
        true=[_conv(dilations=[1, 2, 1, 1])], wrong=[_conv(stride=1, dilations=[1, 1, 1, 1])]),
    value("QuantizedConv2D", "where strides are larger than the window, TensorFlow's kernel begins before the image",
        "qint32", 0, ours_is(_quantized_conv), gives="windows from the image's first pixel on",
        when=_stride_beyond_window, true=[seen(_conv(), _two(1, 3), _two(0, 2))],
        wrong=[but(ours=_two(1, 2), theirs=_two(0, 7)), but(_conv(2, 1), _two(1, 2), _two(0, 1))]),
    value("QuantizedConv2D", "TensorFlow's kernel pads with a code, which may not stand for 0", "qint32", 0,
        ours_is(_quantized_conv), gives="padded with 0", when=_padding_has_no_code,
        true=[seen(_conv(2, 1, 9), _two(10, 11), _two(10, 12))],
        wrong=[but(ours=_two(10, 12), theirs=_two(10, 11)), but(_conv(2, 1), _two(1, 2), _two(0, 1))]),
    refusal("QuantizedBiasAdd QuantizedConv2D", "TensorFlow refuses to work on nothing",
        theirs="InvalidArgumentError: <Must provide at least 1 bias|Invalid input: Shapes dimension cannot be 0~Invalid input: Shapes dimension cannot be 0>",
        when=lambda d: d.input(0).size == 0 or d.input(1).size == 0,
        true=[on([[]], []), call("QuantizedConv2D", [], [1])], wrong=[call("QuantizedConv2D", [1], [1])]),
    refusal(_NORM, "TensorFlow refuses one channel as if it were none",
        theirs="InvalidArgumentError: Must have at least a mean value", when=lambda d: d.input(3).size < 2,
        true=[_norm(0.1)], wrong=[on(1, 1, 1, [1, 2])]),
    value(_NORM, "a result that is no number is at an end of the codes; TensorFlow's integers wrap around", "qint32", 0,
        ours_is(expected_codes.normalized), gives="the lowest or the highest code", when=_not_finite,
        true=[seen(_norm(np.nan), [-(2**31)], [7])], wrong=[but(ours=[6]), _norm(0.1)]),
    refusal(_FUSED, "TensorFlow's shape function takes paddings only where their values are known",
        theirs="InvalidArgumentError: Shape must be rank -1 but is rank 4 for '{{node op}} = Fused", true=[_images(1)],
        wrong=[but(theirs="InvalidArgumentError: Shape must be rank 3 but is rank 4 for '{{node op}} = FusedPadConv2D[T=")]),
    refusal(_FUSED, "TensorFlow's kernel mirrors rows and columns only",
        theirs="InvalidArgumentError: Fused mirror padding only support spatial padding",
        when=lambda d: bool(d.input(len(d.case.inputs) - 2)[[0, 3]].any()),
        true=[on(0, np.array([[0, 0], [0, 0], [0, 0], [1, 0]]), 0)], wrong=[_images(1)]),
    refusal(_FUSED, "TensorFlow refuses to convolve nothing", theirs="InvalidArgumentError: Input tensor can't be empty",
        when=lambda d: any(np.size(i) == 0 for i in d.case.inputs), true=[_images(0)], wrong=[_images(1)]),
    value(_FUSED, "TensorFlow's kernel takes images after the first for others, and rounds halves at every step",
        "float16 bfloat16 float32 float64", 0, where=_single_ops, gives="the single ops' result",
        when=lambda d: len(d.input(0)) > 1 or d.dtype in ("float16", "bfloat16"),
        true=[seen(_images(2), _pixels(1, 2), _pixels(1, 1))],
        wrong=[but(ours=_pixels(1, 3)), but(_images(1), _pixels(1), _pixels(2))]),
    refusal("Copy CopyHost", "a wrong spec is a wrong argument",
        ours="InvalidArgumentError: Copy<(Host)?~>: debug_ops_spec must be of op;url;gated",
        theirs="InternalError: Unexpected number of semicolons in debug_ops_spec element: ",
        wrong=[but(ours="InvalidArgumentError: Copy: no")]),
    refusal(_DEBUG, "a wrong URL is a wrong argument", ours="InvalidArgumentError: Invalid debug target URL: ",
        theirs="InternalError: Invalid debug target URL: ", wrong=[but(ours="UnavailableError: Invalid")]),
    refusal(_DEBUG, "a folder that cannot be made is an error of the file system's class",
        ours="FailedPreconditionError: Publishing <.*~n:0:DebugIdentity to 1 of 1> debug target URLs failed: Cannot make the folder ",
        theirs="InternalError: Publishing to <1> of <1> debug target URLs failed, due to the following errors: Failed to create directory ",
        wrong=[but(ours="FailedPreconditionError: Publishing")]),
    refusal(_DEBUG, "TensorFlow writes to the path that is before a zero byte",
        ours="InvalidArgumentError: Publishing <.*~n:0:DebugNanCount to 1 of 1 debug target URLs failed:> The path of a dump has a zero byte: ",
        true=[call("DebugNanCount")], wrong=[but(ours="InvalidArgumentError: Publishing n:0:DebugNanCount failed")]),
    inference("DebugIdentity", "a gate that may be closed leaves the shape open", (), gives="is unknown",
        when=lambda d: d.ours is None and d.attrs.get("gated_grpc"),
        true=[seen(on(gated_grpc=True), None, [2], actual=[2])], wrong=[on()]),
    # One number, or none where a gate is closed; then ours is left open, too.
    inference("DebugNanCount", "TensorFlow says that it is a scalar, which it is not", (),
        when=lambda d: d.theirs == [] and (d.ours == d.actual == [1] or d.ours == [None] and d.actual in ([0], [1])
            and d.attrs.get("gated_grpc")),
        true=[seen(None, [1], [], actual=[1]), but(on(gated_grpc=True), ours=[None], actual=[0])],
        wrong=[but(actual=[]), but(ours=[None], actual=[0]), but(on(gated_grpc=True), ours=[None], actual=[]),
            but(on(gated_grpc=True), ours=[None], actual=[2])]),
    death("DebugNanCount", "TensorFlow dies of a name that is too long for a file",
        ours="InvalidArgumentError: Publishing <x{500,}$~" + "x" * 586 + ">", theirs="Died: SIGABRT",
        when=lambda d: len(d.attrs["tensor_name"]) > 255, true=[on(tensor_name="x" * 1000)],
        wrong=[on(tensor_name="x"), but(ours="InvalidArgumentError: Publishing x failed")]),
]
