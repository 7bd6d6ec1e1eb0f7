# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of quantized numbers."""

import operator

import numpy as np

from tensorwright.tools.difftest import compare, expected_codes
from tensorwright.tools.difftest.examples import but, on, seen
from tensorwright.tools.difftest.explanation import QUANTIZED, ours_is
from tensorwright.tools.difftest.records import refusal, value
from tensorwright.tools.opcheck import signature as sig


def _real(codes, low, high):
    """The real numbers that codes stand for, and their step: the lowest for `low`, the highest for `high`."""
    codes = codes.view(codes.dtype[0]) if codes.dtype.names else codes
    info = np.iinfo(codes.dtype)
    step = (float(high) - float(low)) / (int(info.max) - int(info.min))
    return float(low) + (codes.astype(np.float64) - int(info.min)) * step, step


def _combined(function):
    """Elements where ours is what NumPy makes of the real numbers: within a hundredth of their ranges."""

    def right(d):
        x, y, *ends = (d.input(i) for i in range(6))
        wanted = function(_real(x, *ends[:2])[0], _real(y, *ends[2:])[0])
        most = (np.abs(e).max() for e in (ends[:2], ends[2:]))
        near = np.abs(_real(*d.outputs[0])[0] - wanted) <= 0.01 * function(*most)
        return near & _is_first(d)

    return right


def _is_first(d):
    """The compared output is the one whose range is read."""
    return np.array_equal(d.here, d.outputs[0][0])


def _joined(d):
    """Elements where ours is what the values stand for, one after the other: within two steps of the result's."""
    axis, *values = (d.input(i) for i in range(4))
    wanted = np.concatenate([_real(*v)[0] for v in zip(*values)], int(axis))
    (ours, step), ends = _real(*d.outputs[0]), d.outputs[0][1:]
    # Floats in between have 24 bits.
    step = max(step, 1e-6 * max(abs(float(e)) for e in ends))
    return (np.abs(ours - wanted) <= 2 * step) & _is_first(d)


def _broadcasts(d):
    return d.input(0).shape != d.input(1).shape


def _is_empty(d):
    return d.input(0).size == 0


def _not_finite(*inputs):
    return lambda d: any(not np.isfinite(d.input(i)).all() for i in inputs)


def _of_fake(d):
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


def _at_a_middle(d):
    """Elements in the middle of two numbers that have codes, to 2^-6 of a code, of which ours is one.

    float32 has 24 bits, for codes of 16.
    """
    of_attrs = d.op == "FakeQuantWithMinMaxArgs"
    ends = (d.attrs["min"], d.attrs["max"]) if of_attrs else d.case.inputs[1:3]
    low, high = (np.asarray(e, np.float32) for e in ends)
    first, last = int(d.attrs["narrow_range"]), (1 << d.attrs["num_bits"]) - 1
    step = (high - low) / np.float32(last - first)
    zero = np.clip(np.round(first - low / step), first, last)
    low, high, step = map(np.float64, (first - zero, last - zero, step))
    codes = np.clip(d.wide(0), low * step, high * step) / step - low
    below = np.floor(codes)
    found = [low * step + (below + k) * step for k in (0, 1)]
    one = [compare.close(d.here, x, compare.TOLERANCE[sig.FLOAT]) for x in found]
    return (np.abs(codes - below - 0.5) < 2.0**-6) & (one[0] | one[1])


def _fake_of(x):
    """In [0, 255], whose codes are its whole numbers."""
    return on(np.float32([x]), 0.0, 255.0, num_bits=8, narrow_range=False)


def _fake(*gradients, low=-1):
    """In the range [-1, 1] there is the second of the numbers, the first is below."""
    inputs = (np.float32(v) for v in (gradients, [-3, 0], low, 1))
    return on(*inputs, num_bits=8, narrow_range=False)


def _fake_args(low):
    """An infinite gradient of what is outside of all ranges, and one that is 1."""
    attrs = {"min": low, "max": 3.0, "num_bits": 8, "narrow_range": False}
    return on(np.float32([np.inf, 1]), _X, **attrs)


def _two(y, high=1.0):
    """A matrix in [0, `high`] and another array in [0, 1]."""
    return on(_BYTES, y, *np.float32([0, high, 0, 1]), Toutput=13)


def _of_two(function, y=None, by=None):
    """Codes of the result in [-4, 4]: ours of a column y, or as if it were `by`; TensorFlow's are others."""
    y = _COLUMN if y is None else y
    wanted = function(_BYTES / 255, (y if by is None else by) / 255)
    codes = np.clip(wanted / 4 * 2**31, -(2**31), 2**31 - 1).astype(np.int32)
    return _beside(_two(y), codes, -4, 4)


def _beside(case, codes, low, high):
    ends, theirs = [np.float32(low), np.float32(high)], codes // 2 + 1
    return seen(case, codes, theirs, outputs=([codes, *ends], [theirs, *ends]))


def _concatenated(*codes, first=()):
    ends = [np.float32(0)] * 2, [np.float32(9), np.float32(1)]
    case = on(0, [np.uint8(first), np.uint8([0, 255])], *ends)
    return _beside(case, np.uint8(codes), 0, 1) | {"dtype": "quint8"}


def _depth(n):
    return on(np.zeros((2, n)), np.zeros((n, 1)), transpose_a=False, transpose_b=False)


def _norm(high=1.0, epsilon=1e-5, size=1):
    return on(np.zeros(size), 0.0, high, variance_epsilon=epsilon, min_separation=1e-3)


_BYTES, _COLUMN = np.uint8([[0, 255], [128, 10]]), np.uint8([[0], [255]])
_X, _NONE = np.float32([0.5, 3.0]), on(np.zeros(0))
_FAKES = "FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient"

# fmt: off
TABLE = [
    *(value(op, "TensorFlow broadcasts a column as if it were a row, or leaves elements out", "qint32", 0,
        where=_combined(function), gives=f"the {name} of the real numbers", when=_broadcasts, true=[_of_two(function)],
        wrong=[_of_two(function, by=_COLUMN.T), _of_two(function, _BYTES)])
      for op, function, name in (("QuantizedAdd", operator.add, "sum"), ("QuantizedMul", operator.mul, "product"))),
    value("QuantizedAdd QuantizedMul", "an infinite range has no codes; TensorFlow's are what its arithmetic leaves",
        "qint32", 0, where=lambda d: d.here == 0, gives="0", when=_not_finite(2, 3, 4, 5),
        true=[seen(_two(_BYTES, np.inf), [[0, 0]] * 2, [[-2, -2]] * 2)],
        wrong=[but(ours=[[1, 1]] * 2), _two(_BYTES)]),
    value("QuantizedConcat", "TensorFlow gives what follows an empty value the range of another", QUANTIZED, 0,
        where=_joined, gives="each value in its own range", when=lambda d: any(v.size == 0 for v in d.input(1)),
        true=[_concatenated(0, 255)], wrong=[_concatenated(0, 128), _concatenated(255, 0, 255, first=[255])]),
    value("QuantizedMatMul", "TensorFlow does not write a product of depth 0", "qint32", 0, where=lambda d: d.here == 0,
        gives="0", there="what lies in memory", when=lambda d: _is_empty(d) and d.input(1).size == 0,
        true=[seen(_depth(0), [[0], [0]], [[-805156240], [7]])], wrong=[but(ours=[[1], [0]]), _depth(1)]),
    value("QuantizeV2", "a number above the highest code becomes the lowest in TensorFlow", "qint32", 0,
        where=lambda d: (d.here == 2147483520) & (d.there == -(1 << 31)) & (d.input(0) >= 0.99 * d.input(2).max()),
        gives="the highest code that a float has", there="the lowest code",
        true=[seen(on(_X, np.float32(-1), np.float32(1)), [7, 2147483520], [7, -(1 << 31)])],
        wrong=[but(ours=[2147483520, 7], theirs=[-(1 << 31), 7]), but(theirs=[7, 1 << 30])]),
    value("QuantizeV2",
        "in a range without a positive number the step is so small that TensorFlow's threads take it for 0",
        "quint8 quint16", 0, where=lambda d: (d.here == 1) & (d.there == 0), gives="1, the lowest code", there="0",
        when=lambda d: d.attrs["narrow_range"] and (d.input(2) <= 0).all(),
        true=[seen(on(_X, np.float32(-1), -0.0, narrow_range=True), [1, 1], [0, 0])],
        wrong=[on(_X, np.float32(-1), 0.5, narrow_range=True), on(_X, np.float32(-1), -0.0, narrow_range=False)]),
    *(value(op, "TensorFlow's range of no numbers is upside down", "float32", ends, where=lambda d: d.here == 0,
        gives="the range [0, 0]", when=_is_empty, true=[seen(_NONE, 0.0, -1.4, output=ends[1])],
        wrong=[but(ours=1.0), on(np.zeros(1))])
      for op, ends in (("QuantizeDownAndShrinkRange", (1, 2)), ("RequantizationRange", (0, 1)))),
    value("Requantize", "in a range without end all numbers are at one of its ends", "qint8 quint8", 0,
        ours_is(expected_codes.requantized), gives="the lowest or the highest code", when=_not_finite(1, 2, 3, 4),
        true=[seen(on(np.int32([5, 6]), -1.0, 1.0, -np.inf, 1.0), [-128, -128], [0, 0])],
        wrong=[but(ours=[-128, 3]), on(np.int32([5, 6]), -1.0, 1.0, -1.0, 1.0)]),
    value("QuantizedInstanceNorm", "no numbers have no range", "float32", (1, 2),
        ours_is(lambda d: np.float32(d.attrs["min_separation"] if d.output == 2 else 0)), where=lambda d: np.isinf(d.there),
        gives="the least range from 0 on", there="infinite", when=_is_empty,
        true=[seen(_norm(size=0), 0.0, np.inf), but(ours=1e-3, output=2)], wrong=[but(ours=1.0), _norm(), but(ours=0.0, output=2)]),
    value("QuantizedInstanceNorm", "nothing is known of a range without end", "float32", (1, 2),
        where=lambda d: np.isnan(d.here) & np.isinf(d.there), gives="NaN", there="infinite",
        when=lambda d: _not_finite(1, 2)(d) or not np.isfinite(d.attrs.get("variance_epsilon", 0)),
        true=[seen(_norm(epsilon=-np.inf), np.nan, np.inf, output=2), but(_norm(np.inf), output=1)],
        wrong=[but(_norm(), output=1), but(_norm(np.inf), ours=1.0, output=1)]),
    value("FakeQuantWithMinMaxArgsGradient", "a range without end has no steps", "float32", 0,
        ours_is(expected_codes.passed), gives="the gradient times 0 or 1",
        when=lambda d: not np.isfinite([d.attrs["min"], d.attrs["max"]]).all(),
        true=[seen(_fake_args(-np.inf), [np.nan, 0], [-np.inf, 0])], wrong=[_fake_args(-1.0), but(ours=[2.0, 0])]),
    value(_FAKES, "a range without end has no steps, and nothing is beyond them", "float32", (1, 2),
        where=lambda d: (d.here == 0) & ~(np.isfinite(d.input(2)) & np.isfinite(d.input(3))), gives="0",
        true=[seen(_fake(2, 1, low=np.inf), 0.0, 3.0, output=2)], wrong=[_fake(2, 1), but(ours=2.0)]),
    value(_FAKES, "TensorFlow multiplies the gradients of other places by 0, infinite ones too", "float32",
        (0, 1, 2), ours_is(_of_fake, 1e-05), gives="without other places", when=_not_finite(0),
        true=[seen(_fake(np.inf, 1), np.inf, np.nan, output=1)], wrong=[_fake(2, 1), but(ours=3.0)]),
    value("FakeQuantWithMinMaxVars FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVarsPerChannel",
        "the rounding of a product decides for one of two codes", "float32", 0, where=_at_a_middle,
        gives="one of the two", there="the other", when=lambda d: bool(d.case.inputs),
        true=[seen(_fake_of(7.5), [7.0], [8.0]), but(ours=[8.0], theirs=[7.0])],
        wrong=[but(ours=[9.0]), but(_fake_of(7.4), [8.0], [7.0]), but(ours=[7.2])]),
    refusal("Dequantize", "TensorFlow's kernel has one mode for bfloat16",
        theirs="InvalidArgumentError: When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '",
        when=lambda d: d.attrs.get("dtype") == sig.BFLOAT16, true=[on(dtype=sig.BFLOAT16)], wrong=[on(dtype=sig.FLOAT)]),
    refusal("QuantizeAndDequantizeV3", "TensorFlow does not take a scalar, although axis -1 means none",
        theirs="InvalidArgumentError: Axis requested is larger than input dimensions. Axis: -1 Input Dimensions: 0",
        wrong=[but(theirs="InvalidArgumentError: Axis requested is larger than input dimensions. Axis: 1 Input Dimensions: 2")]),
    refusal("QuantizedAdd QuantizedMul", "TensorFlow's kernel does not broadcast all shapes that do",
        theirs="UnimplementedError: Broadcast between [<3,1>] and [<1,2>] is not supported yet.", when=_broadcasts,
        true=[on(np.zeros((3, 1)), np.zeros((1, 2)))], wrong=[on(np.zeros((3, 1)), np.zeros((3, 1)))]),
    refusal("QuantizedAdd QuantizedMul", "TensorFlow refuses to work on nothing",
        theirs="InvalidArgumentError: <Must have some elements to add|vector must have at least 1 element~Must have some elements to add>",
        when=lambda d: _is_empty(d) or d.input(1).size == 0, true=[on([], [])], wrong=[on([1], [1])]),
]
