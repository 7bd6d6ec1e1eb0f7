# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of quantized ops of neural networks, of convolutions with what comes before, and of debug ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest import expected_codes
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    REFUSAL,
    SHAPE,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    Explanation,
    call,
    gave,
    inferred,
    ours_is,
    refused,
)

# Convolutions. -----------------------------------------------------------------------------------------------


def _convolved(x: np.ndarray, f: np.ndarray, strides: Any, padding: str) -> np.ndarray:
    """Cross-correlation of NHWC x, with zeros around it for SAME."""
    rows, cols = f.shape[:2]
    (top, down), (left, right) = (
        _same_padding(n, k, s) if padding == "SAME" else (0, 0)
        for n, k, s in zip(x.shape[1:3], f.shape[:2], strides[1:3])
    )
    x = np.pad(x, [(0, 0), (top, down), (left, right), (0, 0)])
    size = [
        max((n - k) // s + 1, 0)
        for n, k, s in zip(x.shape[1:3], f.shape[:2], strides[1:3])
    ]
    total = np.zeros([x.shape[0], *size, f.shape[3]], np.result_type(x, f))
    for i, j in np.ndindex(rows, cols):
        part = x[:, i :: strides[1], j :: strides[2]][:, : size[0], : size[1]]
        total += part @ f[i, j]
    return total


def _same_padding(n: int, window: int, stride: int) -> tuple[int, int]:
    need = max(0, (-(-n // stride) - 1) * stride + window - n)
    return need // 2, need - need // 2


def _plain(x: np.ndarray) -> np.ndarray:
    """The codes of quantized numbers."""
    return (x.view(x.dtype[0]) if x.dtype.names else x).astype(np.int64)


def _zero(low: Any, high: Any) -> int:
    """The code of real 0 among those from 0 to 255."""
    low, high = float(low), float(high)
    if low == high or not np.isfinite([low, high]).all():
        return 0
    code = low * 255 / (high - low)
    return int(-np.trunc(code + np.copysign(0.5, code)))


def _quantized_conv(d: Difference) -> np.ndarray:
    x, f, *ends = (d.input(i) for i in range(6))
    x, f = _plain(x) - _zero(*ends[:2]), _plain(f) - _zero(*ends[2:])
    return _convolved(x, f, d.attrs["strides"], d.attrs["padding"])


def _stride_beyond_window(d: Difference) -> bool:
    """Windows of a padded image with gaps between them."""
    sizes, strides = d.input(1).shape[:2], d.attrs["strides"][1:3]
    return d.attrs["padding"] == "SAME" and any(s > k for s, k in zip(strides, sizes))


def _padding_has_no_code(d: Difference) -> bool:
    """Real 0, which is around the image, is outside the range of its codes."""
    zero = _zero(d.input(2), d.input(3))
    return d.attrs["padding"] == "SAME" and not 0 <= zero <= 255


def _signed_filter(d: Difference) -> bool:
    assert d.case is not None
    return d.case.attrs.get("Tfilter") == _QINT8


_QINT8 = 11
_NOTHING = "InternalError: Missing 0-th output from {{node op}}"


def _conv_call(size: int = 3, stride: int = 2, low: float = 0, **attrs: Any) -> Any:
    """A row of codes, each less `low` as a number; the filter [1]."""
    ends = [np.float32(e) for e in (low, low + 255, 0, 255)]
    x = np.arange(1, size + 1).reshape(1, 1, size, 1)
    attrs = {"padding": "SAME", "strides": [1, 1, stride, 1], **attrs}
    return call("QuantizedConv2D", x, np.ones([1, 1, 1, 1], np.int64), *ends, **attrs)


_QUANTIZED = [
    Explanation(
        "QuantizedConv2D",
        kind,
        "TensorFlow's kernel for filters of qint8 stands in for oneDNN's, and does nothing",
        ours=ours,
        theirs=r"InternalError: Missing 0-th output from \{\{node op\}\}",
        when=_signed_filter,
        true=[
            refused(_conv_call(Tfilter=_QINT8), example, theirs=_NOTHING),
        ],
        wrong=[
            refused(_conv_call(Tfilter=12), example, theirs=_NOTHING),
            refused(
                _conv_call(Tfilter=_QINT8), example, theirs="InternalError: Missing"
            ),
        ],
    )
    for kind, ours, example in [
        (REFUSAL, "", ""),
        (
            ERROR_CLASS,
            r"InvalidArgumentError: QuantizedConv2D: Shape must be rank 0 but is rank \d+: \w+ has",
            "InvalidArgumentError: QuantizedConv2D: Shape must be rank 0 but is rank 1: min_filter has shape [1]",
        ),
    ]
] + [
    Explanation(
        "QuantizedConv2D",
        REFUSAL,
        "TensorFlow's kernel has one stride, and no dilations",
        theirs=r"InvalidArgumentError: Current implementation only supports (dilated rate as 1|equal length strides) in the row and column dimensions",
        when=lambda d: (
            d.attrs["strides"][1] != d.attrs["strides"][2]
            or d.attrs["dilations"] != [1, 1, 1, 1]
        ),
        true=[
            refused(
                _conv_call(dilations=[1, 2, 1, 1]),
                theirs="InvalidArgumentError: Current implementation only supports dilated rate as 1 in the row and column dimensions.",
            )
        ],
        wrong=[
            refused(
                _conv_call(stride=1, dilations=[1, 1, 1, 1]),
                theirs="InvalidArgumentError: Current implementation only supports dilated rate as 1 in the row and column dimensions.",
            )
        ],
    ),
    Explanation(
        "QuantizedConv2D",
        VALUE,
        "where strides are larger than the window, TensorFlow's kernel begins before the image",
        dtypes="qint32",
        outputs=(0,),
        elements=ours_is(_quantized_conv),
        bound=np.inf,
        when=_stride_beyond_window,
        true=[
            gave(_conv_call(), np.reshape([1, 3], [1, 1, 2, 1]),
                 np.reshape([0, 2], [1, 1, 2, 1]), "qint32")
        ],
        wrong=[
            gave(_conv_call(), np.reshape([1, 2], [1, 1, 2, 1]),
                 np.reshape([0, 7], [1, 1, 2, 1]), "qint32"),
            gave(_conv_call(2, 1), np.reshape([1, 2], [1, 1, 2, 1]),
                 np.reshape([0, 1], [1, 1, 2, 1]), "qint32"),
        ],
    ),
    Explanation(
        "QuantizedConv2D",
        VALUE,
        "TensorFlow's kernel pads with a code, which may not stand for 0",
        dtypes="qint32",
        outputs=(0,),
        elements=ours_is(_quantized_conv),
        bound=np.inf,
        when=_padding_has_no_code,
        true=[
            gave(_conv_call(2, 1, 9), np.reshape([10, 11], [1, 1, 2, 1]),
                 np.reshape([10, 12], [1, 1, 2, 1]), "qint32")
        ],
        wrong=[
            gave(_conv_call(2, 1, 9), np.reshape([10, 12], [1, 1, 2, 1]),
                 np.reshape([10, 11], [1, 1, 2, 1]), "qint32"),
            gave(_conv_call(2, 1), np.reshape([1, 2], [1, 1, 2, 1]),
                 np.reshape([0, 1], [1, 1, 2, 1]), "qint32"),
        ],
    ),
]  # fmt: skip


def _batch_norm_call(epsilon: float) -> Any:
    one = np.float32(1)
    return call(
        "QuantizedBatchNormWithGlobalNormalization",
        *[np.uint8([1]), np.float32(0), one] * 5,
        variance_epsilon=epsilon,
        scale_after_normalization=True,
    )


_NONE = "InvalidArgumentError: Invalid input: Shapes dimension cannot be 0."
_QUANTIZED += [
    Explanation(
        "QuantizedBiasAdd QuantizedConv2D",
        REFUSAL,
        "TensorFlow refuses to work on nothing",
        theirs=r"InvalidArgumentError: (Must provide at least 1 bias|Invalid input: Shapes dimension cannot be 0)",
        when=lambda d: d.input(0).size == 0 or d.input(1).size == 0,
        true=[
            refused(call("QuantizedBiasAdd", [[]], []), theirs=_NONE),
            refused(call("QuantizedConv2D", [], [1]), theirs=_NONE),
        ],
        wrong=[refused(call("QuantizedConv2D", [1], [1]), theirs=_NONE)],
    ),
    Explanation(
        "QuantizedBatchNormWithGlobalNormalization",
        REFUSAL,
        "TensorFlow refuses one channel as if it were none",
        theirs=r"InvalidArgumentError: Must have at least a mean value",
        when=lambda d: d.input(3).size < 2,
        true=[
            refused(
                _batch_norm_call(0.1),
                theirs="InvalidArgumentError: Must have at least a mean value[1]",
            )
        ],
        wrong=[
            refused(
                call("QuantizedBatchNormWithGlobalNormalization", 1, 1, 1, [1, 2]),
                theirs="InvalidArgumentError: Must have at least a mean value[1]",
            )
        ],
    ),
]

# Batch normalisation. ----------------------------------------------------------------------------------------

_BATCH_NORM = "QuantizedBatchNormWithGlobalNormalization"


def _not_finite(d: Difference) -> bool:
    """An end of a range or the epsilon is no number, or the root has none."""
    epsilon = d.attrs["variance_epsilon"]
    ends = [float(np.ravel(d.input(i))[0]) for i in range(15) if i % 3]
    return not np.isfinite([*ends, epsilon]).all() or epsilon < 0


_NORMS = [
    Explanation(
        _BATCH_NORM,
        VALUE,
        "what is no number is at an end of the codes; TensorFlow's integers wrap around",
        dtypes="qint32",
        outputs=(0,),
        elements=ours_is(expected_codes.normalized),
        bound=np.inf,
        when=_not_finite,
        true=[gave(_batch_norm_call(np.nan), [-(2**31)], [7], "qint32")],
        wrong=[
            gave(_batch_norm_call(np.nan), [6], [7], "qint32"),
            gave(_batch_norm_call(0.1), [-(2**31)], [7], "qint32"),
        ],
    ),
]

# Images that are resized and mirrored first. -----------------------------------------------------------------

_FUSED = "FusedPadConv2D FusedResizeAndPadConv2D"


def _resized(x: np.ndarray, size: Any, align_corners: bool) -> np.ndarray:
    for axis, out in zip((1, 2), size):
        n, out = x.shape[axis], int(out)
        aligned = align_corners and out > 1
        scale = (
            np.float32(n - 1) / np.float32(out - 1)
            if aligned
            else np.float32(n) / np.float32(out)
        )
        at = np.arange(out, dtype=np.float32) * scale
        low = np.minimum(at.astype(int), n - 1)
        high = np.minimum(low + (at > low), n - 1)
        t = (at - low).reshape([-1] + [1] * (3 - axis))
        a, b = x.take(low, axis), x.take(high, axis)
        x = a + (b - a) * t
    return x  # fmt: skip


def _fused(d: Difference) -> np.ndarray:
    assert d.arrays is not None and d.arrays.ours is not None
    x = d.input(0).astype(np.float64)
    rest = 1
    if d.op == "FusedResizeAndPadConv2D":
        x = _resized(x, d.input(1), d.attrs.get("resize_align_corners", False))
        x = x.astype(d.input(0).dtype).astype(np.float64)
        rest = 2
    x = np.pad(x, d.input(rest), d.attrs["mode"].lower())
    f = d.input(rest + 1).astype(np.float64)
    return _convolved(x, f, d.attrs["strides"], d.attrs["padding"])


def _fused_is_right(d: Difference) -> Any:
    """Elements that are the single ops' in float64, to what rounding leaves of the largest."""
    assert d.arrays is not None and d.arrays.far is not None
    wanted = _fused(d)
    if wanted.shape != d.arrays.ours.shape:  # type: ignore[union-attr]
        return False
    rounding = {"float16": 5e-3, "bfloat16": 3e-2, "float32": 1e-5}.get(d.dtype, 1e-12)
    with np.errstate(all="ignore"):
        most = np.max(np.abs(wanted), initial=1, where=np.isfinite(wanted))
        a, wanted = d.arrays.a.astype(np.float64), wanted[d.arrays.far]
        return (np.abs(a - wanted) <= rounding * most) | ~np.isfinite(wanted)


def _fused_call(images: int, **attrs: Any) -> Any:
    """Images of one pixel, 1, 2, ..., and the filter [1]."""
    attrs = {"mode": "REFLECT", "strides": [1] * 4, "padding": "VALID", **attrs}
    x = np.arange(1.0, images + 1).astype(np.float32).reshape(images, 1, 1, 1)
    paddings = np.zeros([4, 2], np.int32)
    return call("FusedPadConv2D", x, paddings, np.ones([1, 1, 1, 1], "f"), **attrs)


def _fused_gave(ours: list[float], theirs: list[float]) -> Difference:
    shape = [len(ours), 1, 1, 1]
    return gave(_fused_call(len(ours)), np.reshape(ours, shape), np.reshape(theirs, shape))  # fmt: skip


_IMAGES = [
    Explanation(
        _FUSED,
        REFUSAL,
        "TensorFlow's shape function takes paddings only where their values are known",
        theirs=r"InvalidArgumentError: Shape must be rank -1 but is rank 4 for '\{\{node op\}\} = Fused",
        true=[
            refused(
                _fused_call(1),
                theirs="InvalidArgumentError: Shape must be rank -1 but is rank 4 for '{{node op}} = FusedPadConv2D[T=",
            )
        ],
        wrong=[
            refused(
                _fused_call(1),
                theirs="InvalidArgumentError: Shape must be rank 3 but is rank 4 for '{{node op}} = FusedPadConv2D[T=",
            )
        ],
    ),
    Explanation(
        _FUSED,
        REFUSAL,
        "TensorFlow's kernel mirrors rows and columns only",
        theirs=r"InvalidArgumentError: Fused mirror padding only support spatial padding",
        when=lambda d: bool(d.input(len(d.case.inputs) - 2)[[0, 3]].any()),  # type: ignore[union-attr]
        true=[
            refused(
                call("FusedPadConv2D", 0, np.array([[0, 0], [0, 0], [0, 0], [1, 0]]), 0),
                theirs="InvalidArgumentError: Fused mirror padding only support spatial padding, got",
            )
        ],
        wrong=[
            refused(
                _fused_call(1),
                theirs="InvalidArgumentError: Fused mirror padding only support spatial padding, got",
            )
        ],
    ),
    Explanation(
        _FUSED,
        REFUSAL,
        "TensorFlow refuses to convolve nothing",
        theirs=r"InvalidArgumentError: Input tensor can't be empty",
        when=lambda d: any(np.size(i) == 0 for i in d.case.inputs),  # type: ignore[union-attr]
        true=[
            refused(
                _fused_call(0), theirs="InvalidArgumentError: Input tensor can't be empty"
            )
        ],
        wrong=[
            refused(
                _fused_call(1), theirs="InvalidArgumentError: Input tensor can't be empty"
            )
        ],
    ),
    Explanation(
        _FUSED,
        VALUE,
        "TensorFlow's kernel takes images after the first for others, and rounds halves at every step",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0,),
        elements=_fused_is_right,
        bound=np.inf,
        when=lambda d: (
            len(d.input(0)) > 1 or d.dtype in ("float16", "bfloat16")
        ),
        true=[_fused_gave([1, 2], [1, 1])],
        wrong=[_fused_gave([1, 3], [1, 1]), _fused_gave([1], [2])],
    ),
]  # fmt: skip

# Debug ops. --------------------------------------------------------------------------------------------------

_DEBUG = "DebugIdentity DebugNanCount DebugNumericSummary"
_SEMICOLONS = (
    "InternalError: Unexpected number of semicolons in debug_ops_spec element: "
)
_URL = "InternalError: Invalid debug target URL: "
_FOLDER = "InternalError: Publishing to 1 of 1 debug target URLs failed, due to the following errors: Failed to create directory "


def _gated(op: str, ours: Any, theirs: Any, actual: Any) -> Difference:
    d = inferred(op, ours, theirs, actual)
    d.case = call(op, gated_grpc=True)
    return d


def _may_be_closed(d: Difference) -> bool:
    return bool(d.attrs.get("gated_grpc"))


_DEBUGGING = [
    Explanation(
        "Copy CopyHost",
        ERROR_CLASS,
        "a spec that is wrong is an argument that is",
        ours=r"InvalidArgumentError: Copy(Host)?: debug_ops_spec must be of op;url;gated",
        theirs=_SEMICOLONS,
        true=[
            refused(
                "Copy",
                "InvalidArgumentError: Copy: debug_ops_spec must be of op;url;gated, got ",
                _SEMICOLONS,
            )
        ],
        wrong=[refused("Copy", "InvalidArgumentError: Copy: no", _SEMICOLONS)],
    ),
    Explanation(
        _DEBUG,
        ERROR_CLASS,
        "a URL that is wrong is an argument that is",
        ours=r"InvalidArgumentError: Invalid debug target URL: ",
        theirs=_URL,
        true=[
            refused(
                "DebugIdentity",
                "InvalidArgumentError: Invalid debug target URL: ",
                _URL,
            )
        ],
        wrong=[refused("DebugIdentity", "UnavailableError: Invalid", _URL)],
    ),
    Explanation(
        _DEBUG,
        ERROR_CLASS,
        "what cannot be written is an error of the file system's class",
        ours=r"FailedPreconditionError: Publishing .* debug target URLs failed: Cannot make the folder ",
        theirs=r"InternalError: Publishing to \d+ of \d+ debug target URLs failed, due to the following errors: Failed to create directory ",
        true=[
            refused(
                "DebugIdentity",
                "FailedPreconditionError: Publishing n:0:DebugIdentity to 1 of 1 debug target URLs failed: Cannot make the folder ",
                _FOLDER,
            )
        ],
        wrong=[
            refused("DebugIdentity", "FailedPreconditionError: Publishing", _FOLDER)
        ],
    ),
    Explanation(
        _DEBUG,
        REFUSAL,
        "TensorFlow writes to the path that is before a zero byte",
        ours=r"InvalidArgumentError: Publishing .* The path of a dump has a zero byte: ",
        true=[
            refused(
                "DebugNanCount",
                "InvalidArgumentError: Publishing n:0:DebugNanCount to 1 of 1 debug target URLs failed: The path of a dump has a zero byte: /tmp",
                kind=REFUSAL,
            )
        ],
        wrong=[
            refused(
                "DebugNanCount",
                "InvalidArgumentError: Publishing n:0:DebugNanCount failed",
                kind=REFUSAL,
            )
        ],
    ),
    Explanation(
        "DebugIdentity",
        SHAPE,
        "a gate that may be closed leaves the shape open",
        when=lambda d: d.ours is None and _may_be_closed(d),
        true=[_gated("DebugIdentity", None, [2], [2])],
        wrong=[inferred("DebugIdentity", None, [2], [2])],  # type: ignore[arg-type]
    ),
    Explanation(
        "DebugNanCount",
        SHAPE,
        "TensorFlow says that it is a scalar, which it is not",
        # One number, or none where a gate is closed; then ours is left open, too.
        when=lambda d: (
            d.theirs == []
            and (
                d.ours == d.actual == [1]
                or (d.ours == [None] and d.actual in ([0], [1]) and _may_be_closed(d))
            )
        ),
        true=[
            inferred("DebugNanCount", [1], [], [1]),
            _gated("DebugNanCount", [None], [], [0]),
        ],
        wrong=[
            inferred("DebugNanCount", [1], [], []),
            inferred("DebugNanCount", [None], [], [0]),
            _gated("DebugNanCount", [None], [], []),
            _gated("DebugNanCount", [None], [], [2]),
        ],
    ),
]

TABLE: list[Explanation] = [*_QUANTIZED, *_NORMS, *_IMAGES, *_DEBUGGING]
