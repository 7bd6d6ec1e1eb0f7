# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of the ops of quantized numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.tools.difftest import expected_codes
from tensorwright.tools.difftest.difference import (
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    QUANTIZED,
    Explanation,
    call,
    gave,
    ours_is,
    refused,
)
from tensorwright.tools.opcheck import signature as sig


def _plain(x: np.ndarray) -> np.ndarray:
    """The codes of quantized numbers."""
    return x.view(x.dtype[0]) if x.dtype.names else x


def _real(codes: np.ndarray, low: Any, high: Any) -> np.ndarray:
    """The real numbers that codes stand for: the lowest for `low`, the highest for `high`."""
    codes = _plain(codes)
    info = np.iinfo(codes.dtype)
    step = (float(high) - float(low)) / (int(info.max) - int(info.min))
    return float(low) + (codes.astype(np.float64) - int(info.min)) * step


def _ours_real(d: Difference) -> np.ndarray:
    """The real numbers of our first output, whose range is in the two after it."""
    values, low, high = d.outputs[0]
    return _real(values, low, high)


def _sum_is(function: Callable[[Any, Any], Any]) -> Callable[[Difference], Any]:
    """Elements where ours is what NumPy makes of the real numbers: within a hundredth of their ranges."""

    def right(d: Difference) -> Any:
        assert d.arrays is not None
        x, y, *ends = (d.input(i) for i in range(6))
        low_x, high_x, low_y, high_y = (float(e) for e in ends)
        wanted = function(_real(x, low_x, high_x), _real(y, low_y, high_y))
        one, other = (
            max(abs(low), abs(high)) for low, high in ((low_x, high_x), (low_y, high_y))
        )
        near = np.abs(_ours_real(d) - wanted) <= 0.01 * function(one, other)
        return near[d.arrays.far] & _same(d)

    return right


def _same(d: Difference) -> bool:
    """Whether what is compared is the output whose range is read."""
    assert d.arrays is not None
    return np.array_equal(d.arrays.ours, d.outputs[0][0])  # type: ignore[arg-type]


def _broadcasts(d: Difference) -> bool:
    return d.input(0).shape != d.input(1).shape


def _joined(d: Difference) -> Any:
    """Elements where ours is what the values stand for, one after the other: within two steps of the result's."""
    assert d.arrays is not None and d.case is not None
    axis, values, lows, highs = (d.input(i) for i in range(4))
    wanted = np.concatenate(
        [_real(v, *ends) for v, *ends in zip(values, lows, highs)], int(axis)
    )
    codes, low, high = d.outputs[0]
    info = np.iinfo(codes.dtype)
    step = (float(high) - float(low)) / (int(info.max) - int(info.min))
    # Floats in between have 24 bits.
    step = max(step, 1e-6 * max(abs(float(low)), abs(float(high))))
    return (np.abs(_ours_real(d) - wanted) <= 2 * step)[d.arrays.far] & _same(d)


def _empty(index: int) -> Callable[[Difference], bool]:
    return lambda d: d.input(index).size == 0


def _zero(d: Difference) -> Any:
    return d.arrays.a == 0  # type: ignore[union-attr]


def _not_finite(*inputs: int) -> Callable[[Difference], bool]:
    return lambda d: any(not np.isfinite(d.input(i)).all() for i in inputs)


def _requantize(low: float) -> Any:
    return call("Requantize", np.int32([5, 6]), -1.0, 1.0, low, 1.0)


def _without_end(ours: float, low: float = -np.inf) -> Difference:
    """An infinite gradient of what is outside of all ranges, and one that is 1."""
    case = call(
        "FakeQuantWithMinMaxArgsGradient", np.float32([np.inf, 1]), _X,
        min=low, max=3.0, num_bits=8, narrow_range=False,
    )  # fmt: skip
    return gave(case, [ours, 0], [-np.inf, 0])


def _fake_gradient(d: Difference) -> Any:
    """An output of the gradient of FakeQuant: what is inside of the range, the sum of what is below, of what is above."""
    g, x, low, high = (np.asarray(d.input(i), np.float32) for i in range(4))
    first, last = int(d.attrs["narrow_range"]), (1 << d.attrs["num_bits"]) - 1
    scale = (high - low) / np.float32(last - first)
    zero = np.clip(np.round(first - low / scale), first, last)
    low, high = (first - zero) * scale, (last - zero) * scale
    if d.output == 0:
        return np.where((x >= low) & (x <= high), g, 0)
    axes = tuple(range(g.ndim - 1)) if low.ndim else None
    return np.where(x < low if d.output == 1 else x > high, g, 0).sum(axes)


def _endless(d: Difference) -> Any:
    """Elements whose range has an end that is infinite, or no number."""
    low, high = (np.isfinite(d.input(i)) for i in (2, 3))
    return np.broadcast_to(~(low & high), d.arrays.ours.shape)[d.arrays.far]  # type: ignore[union-attr]


def _fake(gradients: list[float], low: float = -1) -> Any:
    """In the range [-1, 1] there is the second of the numbers, the first is below."""
    inputs = [np.float32(v) for v in (gradients, [-3, 0], low, 1)]
    op = "FakeQuantWithMinMaxVarsGradient"
    return call(op, *inputs, num_bits=8, narrow_range=False)


_EPSILON = {"variance_epsilon": 1e-5}
_BYTES = np.uint8([[0, 255], [128, 10]])
_COLUMN = np.uint8([[0], [255]])
_X = np.float32([0.5, 3.0])


def _binary(op: str, right: bool, y: np.ndarray = _COLUMN) -> Difference:
    """A sum or product of a matrix and a column, both in [0, 1]; the result's range is [-4, 4]."""
    case = call(op, _BYTES, y, *np.float32([0, 1, 0, 1]), Toutput=13)
    function = operator.add if op == "QuantizedAdd" else operator.mul
    wanted = function(_BYTES / 255, y / 255)
    if not right:
        wanted = function(_BYTES / 255, y.T / 255)
    codes = np.clip((wanted / 4 * 2**31), -(2**31), 2**31 - 1).astype(np.int32)
    outputs = [codes, np.float32(-4), np.float32(4)]
    theirs = [codes // 2 + 1, *outputs[1:]]
    return gave(case, codes, theirs[0], "qint32", outputs=(outputs, theirs))


def _in_range(op: str, ours: int, high: float = np.inf) -> Difference:
    case = call(op, _BYTES, _BYTES, *np.float32([0, high, 0, 1]), Toutput=13)
    return gave(case, np.full((2, 2), ours), np.full((2, 2), -2), "qint32")


def _concatenation(ours: Any, empty: bool = True) -> Difference:
    first = np.uint8([] if empty else [255])
    case = call(
        "QuantizedConcat",
        0,
        [first, np.uint8([0, 255])],
        [np.float32(0), np.float32(0)],
        [np.float32(9), np.float32(1)],
    )
    codes = np.uint8(ours)
    outputs = [codes, np.float32(0), np.float32(1)]
    theirs = [codes // 2 + 1, *outputs[1:]]
    return gave(case, codes, theirs[0], "quint8", outputs=(outputs, theirs))


def _depth(depth: int) -> Any:
    case = call("QuantizedMatMul", np.zeros((2, depth)), np.zeros((depth, 1)))
    case.attrs |= {"transpose_a": False, "transpose_b": False}
    return case


TABLE: list[Explanation] = [
    Explanation(
        "QuantizedAdd",
        VALUE,
        "TensorFlow broadcasts a column as if it were a row, or leaves elements out",
        dtypes="qint32",
        outputs=(0,),
        elements=_sum_is(operator.add),
        bound=np.inf,
        when=_broadcasts,
        true=[_binary("QuantizedAdd", True)],
        wrong=[_binary("QuantizedAdd", False), _binary("QuantizedAdd", True, _BYTES)],
    ),
    Explanation(
        "QuantizedAdd QuantizedMul",
        VALUE,
        "an infinite range has no codes: all of ours are 0, TensorFlow's are what its arithmetic leaves",
        dtypes="qint32",
        outputs=(0,),
        elements=_zero,
        bound=np.inf,
        when=_not_finite(2, 3, 4, 5),
        true=[_in_range("QuantizedAdd", 0)],
        wrong=[_in_range("QuantizedAdd", 1), _in_range("QuantizedAdd", 0, 1.0)],
    ),
    Explanation(
        "QuantizedMul",
        VALUE,
        "TensorFlow broadcasts a column as if it were a row, or leaves elements out",
        dtypes="qint32",
        outputs=(0,),
        elements=_sum_is(operator.mul),
        bound=np.inf,
        when=_broadcasts,
        true=[_binary("QuantizedMul", True)],
        wrong=[_binary("QuantizedMul", False), _binary("QuantizedMul", True, _BYTES)],
    ),
    Explanation(
        "QuantizedConcat",
        VALUE,
        "TensorFlow gives what follows an empty value the range of another",
        dtypes=QUANTIZED,
        outputs=(0,),
        elements=_joined,
        bound=np.inf,
        when=lambda d: any(v.size == 0 for v in d.input(1)),
        true=[_concatenation([0, 255])],
        wrong=[_concatenation([0, 128]), _concatenation([255, 0, 255], empty=False)],
    ),
    Explanation(
        "QuantizedMatMul",
        VALUE,
        "TensorFlow leaves a product of depth 0 as the memory was",
        dtypes="qint32",
        outputs=(0,),
        elements=_zero,
        bound=np.inf,
        when=lambda d: d.input(0).size == 0 and d.input(1).size == 0,
        true=[gave(_depth(0), [[0], [0]], [[-805156240], [7]], "qint32")],
        wrong=[
            gave(_depth(0), [[1], [0]], [[-805156240], [7]], "qint32"),
            gave(_depth(1), [[0], [0]], [[-805156240], [7]], "qint32"),
        ],
    ),
    Explanation(
        "QuantizeV2",
        VALUE,
        "what is above the highest code becomes the lowest in TensorFlow",
        dtypes="qint32",
        outputs=(0,),
        elements=lambda d: (
            # The highest code that a float holds.
            (d.arrays.a == 2147483520)
            & (d.arrays.b == -(1 << 31))
            & (d.input(0)[d.arrays.far] >= 0.99 * d.input(2).max())
        ),
        bound=np.inf,
        true=[
            gave(
                call("QuantizeV2", _X, np.float32(-1), np.float32(1)),
                [7, 2147483520],
                [7, -(1 << 31)],
                "qint32",
            )
        ],
        wrong=[
            gave(
                call("QuantizeV2", _X, np.float32(-1), np.float32(1)),
                [2147483520, 7],
                [-(1 << 31), 7],
                "qint32",
            ),
            gave(
                call("QuantizeV2", _X, np.float32(-1), np.float32(1)),
                [7, 2147483520],
                [7, 1 << 30],
                "qint32",
            ),
        ],
    ),
    Explanation(
        "QuantizeV2",
        VALUE,
        "of a range without a positive number the lowest code is 1; its step is so small that TensorFlow's threads take it for 0",
        dtypes="quint8 quint16",
        outputs=(0,),
        elements=lambda d: (d.arrays.a == 1) & (d.arrays.b == 0),
        bound=np.inf,
        when=lambda d: d.attrs["narrow_range"] and (d.input(2) <= 0).all(),
        true=[
            gave(
                call("QuantizeV2", _X, np.float32(-1), -0.0, narrow_range=True),
                [1, 1],
                [0, 0],
                "quint8",
            )
        ],
        wrong=[
            gave(
                call("QuantizeV2", _X, np.float32(-1), 0.5, narrow_range=True),
                [1, 1],
                [0, 0],
                "quint8",
            ),
            gave(
                call("QuantizeV2", _X, np.float32(-1), -0.0, narrow_range=False),
                [1, 1],
                [0, 0],
                "quint8",
            ),
        ],
    ),
    Explanation(
        "QuantizeDownAndShrinkRange",
        VALUE,
        "of no numbers the range is [0, 0]; TensorFlow's is upside down",
        dtypes="float32",
        outputs=(1, 2),
        elements=_zero,
        bound=np.inf,
        when=_empty(0),
        true=[
            gave(call("QuantizeDownAndShrinkRange", np.zeros(0)), 0.0, -1.4, output=2)
        ],
        wrong=[
            gave(call("QuantizeDownAndShrinkRange", np.zeros(0)), 1.0, -1.4, output=2),
            gave(call("QuantizeDownAndShrinkRange", np.zeros(1)), 0.0, -1.4, output=2),
        ],
    ),
    Explanation(
        "RequantizationRange",
        VALUE,
        "of no numbers the range is [0, 0]; TensorFlow's is upside down",
        dtypes="float32",
        outputs=(0, 1),
        elements=_zero,
        bound=np.inf,
        when=_empty(0),
        true=[gave(call("RequantizationRange", np.zeros(0)), 0.0, -1.4, output=1)],
        wrong=[
            gave(call("RequantizationRange", np.zeros(0)), 1.0, -1.4, output=1),
            gave(call("RequantizationRange", np.zeros(1)), 0.0, -1.4, output=1),
        ],
    ),
    Explanation(
        "Requantize",
        VALUE,
        "in a range without end all numbers are at one of its ends",
        dtypes="qint8 quint8",
        outputs=(0,),
        elements=ours_is(expected_codes.requantized),
        bound=np.inf,
        when=_not_finite(1, 2, 3, 4),
        true=[gave(_requantize(-np.inf), [-128, -128], [0, 0], "qint8")],
        wrong=[
            gave(_requantize(-np.inf), [-128, 3], [0, 0], "qint8"),
            gave(_requantize(-1.0), [-128, -128], [0, 0], "qint8"),
        ],
    ),
    Explanation(
        "QuantizedInstanceNorm",
        VALUE,
        "of no numbers the range is [0, 0]; TensorFlow's is infinite",
        dtypes="float32",
        outputs=(1, 2),
        elements=lambda d: _zero(d) & np.isinf(d.arrays.b),
        bound=np.inf,
        when=_empty(0),
        true=[
            gave(
                call("QuantizedInstanceNorm", np.zeros(0), 0.0, 1.0),
                0.0,
                np.inf,
                output=1,
            )
        ],
        wrong=[
            gave(
                call("QuantizedInstanceNorm", np.zeros(0), 0.0, 1.0),
                1.0,
                np.inf,
                output=1,
            ),
            gave(
                call("QuantizedInstanceNorm", np.zeros(1), 0.0, 1.0, **_EPSILON),
                0.0,
                np.inf,
                output=1,
            ),
        ],
    ),
    Explanation(
        "QuantizedInstanceNorm",
        VALUE,
        "of a range without end nothing is known; TensorFlow's is infinite",
        dtypes="float32",
        outputs=(1, 2),
        elements=lambda d: np.isnan(d.arrays.a) & np.isinf(d.arrays.b),
        bound=np.inf,
        when=lambda d: (
            _not_finite(1, 2)(d) or not np.isfinite(d.attrs.get("variance_epsilon", 0))
        ),
        true=[
            gave(
                call(
                    "QuantizedInstanceNorm",
                    np.zeros(1),
                    0.0,
                    1.0,
                    variance_epsilon=-np.inf,
                ),
                np.nan,
                np.inf,
                output=2,
            ),
            gave(
                call("QuantizedInstanceNorm", np.zeros(1), 0.0, np.inf, **_EPSILON),
                np.nan,
                np.inf,
                output=1,
            ),
        ],
        wrong=[
            gave(
                call("QuantizedInstanceNorm", np.zeros(1), 0.0, 1.0, **_EPSILON),
                np.nan,
                np.inf,
                output=1,
            ),
            gave(
                call("QuantizedInstanceNorm", np.zeros(1), 0.0, np.inf, **_EPSILON),
                1.0,
                np.inf,
                output=1,
            ),
        ],
    ),
    Explanation(
        "FakeQuantWithMinMaxArgsGradient",
        VALUE,
        "with a range without end there are no steps",
        dtypes="float32",
        outputs=(0,),
        elements=ours_is(expected_codes.passed),
        bound=np.inf,
        when=lambda d: not np.isfinite([d.attrs["min"], d.attrs["max"]]).all(),
        true=[_without_end(np.nan)],
        wrong=[_without_end(np.nan, low=-1.0), _without_end(2.0)],
    ),
    Explanation(
        "FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient",
        VALUE,
        "with a range without end there are no steps, and nothing is beyond them",
        dtypes="float32",
        outputs=(1, 2),
        elements=lambda d: _zero(d) & _endless(d),
        bound=np.inf,
        true=[gave(_fake([2, 1], low=np.inf), 0.0, 3.0, output=2)],
        wrong=[
            gave(_fake([2, 1]), 0.0, 3.0, output=2),
            gave(_fake([2, 1], low=np.inf), 2.0, 3.0, output=2),
        ],
    ),
    Explanation(
        "FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient",
        VALUE,
        "TensorFlow multiplies the gradients of other places by 0, infinite ones too; ours leaves them out",
        dtypes="float32",
        outputs=(0, 1, 2),
        elements=ours_is(_fake_gradient, 1e-5),
        bound=np.inf,
        when=_not_finite(0),
        true=[gave(_fake([np.inf, 1]), np.inf, np.nan, output=1)],
        wrong=[
            gave(_fake([2, 1]), np.inf, np.nan, output=1),
            gave(_fake([np.inf, 1]), 3.0, np.nan, output=1),
        ],
    ),
    Explanation(
        "Dequantize",
        REFUSAL,
        "TensorFlow's kernel has one mode for bfloat16",
        theirs=r"InvalidArgumentError: When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '",
        when=lambda d: d.attrs.get("dtype") == sig.BFLOAT16,
        true=[
            refused(
                call("Dequantize", dtype=sig.BFLOAT16),
                theirs="InvalidArgumentError: When output type is bfloat16, Mode string must be 'MIN_COMBINED', is 'SCALED'",
            )
        ],
        wrong=[
            refused(
                call("Dequantize", dtype=sig.FLOAT),
                theirs="InvalidArgumentError: When output type is bfloat16, Mode string must be 'MIN_COMBINED', is 'SCALED'",
            )
        ],
    ),
    Explanation(
        "QuantizeAndDequantizeV3",
        REFUSAL,
        "TensorFlow does not take a scalar, although axis -1 means none",
        theirs=r"InvalidArgumentError: Axis requested is larger than input dimensions\. Axis: -1 Input Dimensions: 0",
        true=[
            refused(
                "QuantizeAndDequantizeV3",
                theirs="InvalidArgumentError: Axis requested is larger than input dimensions. Axis: -1 Input Dimensions: 0",
            )
        ],
        wrong=[
            refused(
                "QuantizeAndDequantizeV3",
                theirs="InvalidArgumentError: Axis requested is larger than input dimensions. Axis: 1 Input Dimensions: 2",
            )
        ],
    ),
    Explanation(
        "QuantizedAdd QuantizedMul",
        REFUSAL,
        "TensorFlow's kernel does not broadcast all that can be",
        theirs=r"UnimplementedError: Broadcast between \[[\d,]*\] and \[[\d,]*\] is not supported yet\.",
        when=_broadcasts,
        true=[
            refused(
                call("QuantizedAdd", np.zeros((3, 1)), np.zeros((1, 2))),
                theirs="UnimplementedError: Broadcast between [3,1] and [1,2] is not supported yet.",
            )
        ],
        wrong=[
            refused(
                call("QuantizedAdd", np.zeros((3, 1)), np.zeros((3, 1))),
                theirs="UnimplementedError: Broadcast between [3,1] and [3,1] is not supported yet.",
            )
        ],
    ),
    Explanation(
        "QuantizedAdd QuantizedMul",
        REFUSAL,
        "TensorFlow refuses to work on nothing",
        theirs=r"InvalidArgumentError: (Must have some elements to add|vector must have at least 1 element)",
        when=lambda d: _empty(0)(d) or _empty(1)(d),
        true=[
            refused(
                call("QuantizedAdd", np.zeros(0), np.zeros(0)),
                theirs="InvalidArgumentError: Must have some elements to add",
            )
        ],
        wrong=[
            refused(
                call("QuantizedAdd", np.zeros(1), np.zeros(1)),
                theirs="InvalidArgumentError: Must have some elements to add",
            )
        ],
    ),
]
