# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of the ops of neural networks; those of pools are beside this file."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    ANY_DTYPE,
    UPSTREAM_SEED,
    Explanation,
    both,
    call,
    gave,
    ours_is,
    refused,
    upstream,
)
from tensorwright.tools.opcheck import signature as sig

_X = np.array([[3.0, 1.0, 2.0]], np.float32)
_V = np.array([1.0, 2.0], np.float32)
_W = np.array([3.0, 4.0], np.float32)
_INF = np.array([1.0, np.inf], np.float32)
_X4 = np.arange(6, dtype=np.float32).reshape(1, 1, 3, 2)


def _picked(d: Difference) -> bool:
    """Whether our values of a TopK are the largest of each row, as often as they are there, and stand where we say."""
    ours, theirs = d.outputs
    values, indices = ours[0], ours[1].astype(np.int64)
    x = d.input(0)
    if values.shape != theirs[0].shape or (indices < 0).any():
        return False
    if (indices >= x.shape[-1]).any():
        return False
    rows = np.sort(indices, -1)
    alone = (rows[..., 1:] != rows[..., :-1]).all()
    found = np.take_along_axis(x, indices, -1)
    same = (found == values) | ((found != found) & (values != values))
    a, b = (np.sort(v, -1) for v in (values, theirs[0]))
    return bool(alone and same.all() and ((a == b) | ((a != a) & (b != b))).all())


def _matches(d: Difference) -> bool:
    """Whether what is compared is the output that `_picked` judges."""
    assert d.arrays is not None and d.arrays.ours is not None
    return np.array_equal(d.arrays.ours, d.outputs[0][d.output], equal_nan=True)


def _unsorted(d: Difference) -> bool:
    return not d.attrs["sorted"] and _picked(d)


def _returned(d: Difference) -> np.ndarray:
    """The gradient of TopK: each upstream element where its value came from."""
    values, indices = d.outputs[0][0], d.outputs[0][1].astype(np.int64)
    out = np.zeros(d.input(0).shape, values.dtype)
    np.put_along_axis(out, indices, upstream(values), -1)
    return out


_INDICES = np.array([[0, 2]], np.int32)
_OTHER = np.array([[2, 0]], np.int32)
_BEST = (np.float32([[3, 2]]), np.float32([[2, 3]]))
_TOPS = ([_BEST[0], _INDICES], [_BEST[1], _OTHER])
# The first two upstream elements, where the values came from.
_BACK = np.float32([[-1.20959161, 0, -0.22214756]])
# The third is not among the largest two.
_NOT_TOPS = (
    [np.float32([[3, 1]]), np.array([[0, 1]], np.int32)],
    [_BEST[1], _OTHER],
)
# The values are not where the indices point.
_ASTRAY = ([_BEST[0], _OTHER], [_BEST[1], _INDICES])


def _has_nan(d: Difference) -> bool:
    return bool(np.isnan(d.input(0).astype(np.float64)).any())


def _order(d: Difference) -> np.ndarray:
    """The places of the largest of each row in turn: NaNs, then numbers; of equal ones the first is first."""
    x = d.input(0).astype(np.float64)
    return np.lexsort((-x, ~np.isnan(x)))


def _largest(d: Difference) -> np.ndarray:
    assert d.arrays is not None and d.arrays.ours is not None
    picked = _order(d)[..., : d.arrays.ours.shape[-1]]
    return picked if d.output else np.take_along_axis(d.input(0), picked, -1)


def _all_largest(d: Difference) -> bool:
    indices = d.outputs[0][1]
    return np.array_equal(indices, _order(d)[..., : indices.shape[-1]])


_NAN_CALL = call("TopKV2", np.float32([[3, np.nan, 2]]), 2, sorted=True)
_NAN_BACK = np.float32([[-0.22214756, 0, 0]])
_NAN_TOPS = (
    [np.float32([[np.nan, 3]]), np.array([[1, 0]], np.int32)],
    [np.float32([[3, 2]]), np.array([[0, 2]], np.int32)],
)
_MIXED = "TypeError: Input 'y' of 'AddV2' Op has type int32 that does not match type int64 of argument 'x'."


def _top(ours, theirs, outputs, sorted_=False, **more):
    case = call("TopKV2", _X, 2, sorted=sorted_)
    return gave(case, ours, theirs, outputs=outputs, **more)


def _norm(op: str, *inputs, training: bool):
    return call(op, *inputs, is_training=training, data_format="NHWC")


def _second_gradient(output: int, ours, theirs, moments=_INF, training=True):
    call_ = _norm("FusedBatchNormGrad", _X4, _X4, _V, _V, moments, training=training)
    return gave(call_, ours, theirs, output=output, kind=GRADIENT)


def _constant(dy, ours: float, theirs: float, training=True):
    dy = np.zeros_like(_X4) + dy
    call_ = _norm("FusedBatchNormGrad", dy, _X4, _V, _V, _W, training=training)
    return gave(call_, _X4 * 0 + ours, _X4 * 0 + theirs, output=1, kind=GRADIENT)


def _is_rounding(d: Difference) -> np.ndarray:
    """Ours is as good as 0."""
    assert d.arrays is not None
    return np.abs(d.arrays.a) <= 1e-5


def _norm_gradient(d: Difference) -> tuple[np.ndarray, np.ndarray]:
    """(FusedBatchNormGrad's first output, what is subtracted there) in float64."""
    axes = (0, 1, 2) if d.attrs["data_format"] == "NHWC" else (0, 2, 3)
    dy, x = (np.asarray(d.input(i), np.float64) for i in (0, 1))
    scale = np.asarray(d.input(2), np.float64).reshape(
        [-1 if a not in axes else 1 for a in range(4)]
    )
    variance = x.var(axes, keepdims=True) + np.float32(d.attrs.get("epsilon", 1e-4))
    apart, moved = x - x.mean(axes, keepdims=True), dy - dy.mean(axes, keepdims=True)
    slope = (dy * apart).mean(axes, keepdims=True) / variance
    factor = scale / np.sqrt(variance)
    return factor * (moved - apart * slope), np.abs(factor * moved)


def _rounds_as_its_terms(d: Difference) -> np.ndarray:
    """Ours is right but for the rounding of what is subtracted, and TensorFlow's is hardly further off."""
    assert d.arrays is not None and d.arrays.ours is not None
    wanted, terms = _norm_gradient(d)
    unit = 2.0**-20 * terms.max(initial=0)
    off = np.abs(d.arrays.ours - wanted) <= unit
    return off[d.arrays.far] & (np.abs(d.arrays.a - d.arrays.b) <= 4 * unit)


def _few(d: Difference) -> bool:
    """Training on at most two elements a channel: what is left of the gradient after the mean and the slope is 0."""
    shape = d.input(0).shape
    channel = 3 if d.attrs["data_format"] == "NHWC" else 1
    if len(shape) != 4 or not d.attrs["is_training"]:
        return False
    return int(np.prod(shape)) // max(shape[channel], 1) <= 2


def _of_infinite_moments(d: Difference) -> np.ndarray:
    """Elements of channels for which FusedBatchNormGrad is given an infinite moment."""
    assert d.arrays is not None and d.arrays.ours is not None
    infinite = np.isinf(d.input(3)) | np.isinf(d.input(4))
    return _by_channel(d, infinite)[d.arrays.far]


def _by_channel(d: Difference, row: np.ndarray) -> np.ndarray:
    """A number for each channel, as an array of the shape of what is compared."""
    assert d.arrays is not None and d.arrays.ours is not None
    shape = d.arrays.ours.shape
    if len(shape) == 4 and d.attrs["data_format"] == "NCHW":
        row = row[:, None, None]
    return np.broadcast_to(row, shape)


def _of_the_offset(d: Difference) -> np.ndarray:
    """The gradient by FusedBatchNormGrad's first input where a channel is divided by infinity: the offset's alone."""
    rng = np.random.RandomState(UPSTREAM_SEED)
    dx, scale, offset = (rng.normal(size=d.input(i).shape) for i in (0, 2, 2))
    del dx, scale
    return _by_channel(d, offset.astype(np.float32))


def _not_finite(d: Difference) -> bool:
    """Something of the call is infinite, or so large that a power of it is."""
    inputs = [np.asarray(d.input(i), np.float64) for i in range(3)]
    numbers = np.array([d.attrs[a] for a in ("alpha", "beta", "bias")])
    large = any((~(np.abs(x) < 1e18)).any() for x in inputs)
    return large or not (np.abs(numbers) < 1e18).all()


def _lrn_grad(beta: float, largest: float):
    x = np.float32([1, largest])
    return call("LRNGrad", x, x, x, alpha=1.0, beta=beta, bias=1.0)


def _beside_infinite(d: Difference) -> np.ndarray:
    """Elements of pixels with a channel that is not finite, or whose square is not."""
    assert d.arrays is not None and d.arrays.ours is not None
    with np.errstate(all="ignore"):
        odd = ~np.isfinite(np.square(d.input(0).astype(np.float32)))
    odd = odd.any(-1, keepdims=True)
    return np.broadcast_to(odd, d.arrays.ours.shape)[d.arrays.far]


def _normalized(x: float, ours: list) -> Difference:
    case = call("LRN", np.float32([[[[x, 1.0]]]]), beta=0.5)
    return gave(case, ours, [[[[0.0, 0.0]]]], kind=GRADIENT)


def _of_two(times: float, off: float, training: bool = True, rows: int = 2):
    """The right gradient of a channel, times a number; TensorFlow's is so far off."""
    dy, x = (
        np.linspace(a, b, rows, dtype=np.float32).reshape(1, rows, 1, 1)
        for a, b in ((1, 3), (0, 2))
    )
    one = np.ones(1, np.float32)
    case = _norm("FusedBatchNormGrad", dy, x, one, one, one, training=training)
    case.attrs["epsilon"] = 1e-3
    right, _ = _norm_gradient(Difference("FusedBatchNormGrad", VALUE, case=case))
    return gave(case, times * right, right + off * np.sign(right))


_MANY = np.ones((1, 4, 1, 1), np.float32)
_DILATED = "InvalidArgumentError: Current CPU implementations do not yet support dilation rates larger than 1."

_MOMENTS_ANEW = "TensorFlow computes the moments anew; ours takes those of the call, of which some are infinite"
# The upstream gradient of the offset's, of a call with _X4: the last two numbers that are drawn.
_OFFSET = np.tile(
    np.random.RandomState(UPSTREAM_SEED).normal(size=10)[8:].astype(np.float32),
    (1, 1, 3, 1),
)

TABLE: list[Explanation] = [
    Explanation(
        "TopK TopKV2",
        VALUE,
        "without sorted=True the order of the largest is anyone's",
        dtypes=ANY_DTYPE,
        outputs=(0, 1),
        elements=_matches,
        bound=np.inf,
        when=_unsorted,
        true=[
            _top(*_BEST, _TOPS),
            _top(_INDICES, _OTHER, _TOPS, dtype="int32", output=1),
        ],
        wrong=[
            _top(_NOT_TOPS[0][0], _BEST[1], _NOT_TOPS),
            _top(*_BEST, _ASTRAY),
            _top(_OTHER, _INDICES, _ASTRAY, dtype="int32", output=1),
            _top(*_BEST, _TOPS, sorted_=True),
        ],
    ),
    Explanation(
        "TopK TopKV2",
        GRADIENT,
        "without sorted=True the order of the largest is anyone's, and so is that of their gradients",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0,),
        elements=ours_is(_returned, 1e-6),
        bound=np.inf,
        when=_unsorted,
        true=[_top(_BACK, _BACK[:, ::-1], _TOPS, kind=GRADIENT)],
        wrong=[
            _top(3 * _BACK, _BACK[:, ::-1], _TOPS, kind=GRADIENT),
        ],
    ),
    Explanation(
        "TopK TopKV2",
        VALUE,
        "a NaN is larger than all numbers; TensorFlow compares with it, which says nothing",
        dtypes="float16 bfloat16 float32 float64 int32 int64 int16",
        outputs=(0, 1),
        elements=ours_is(_largest),
        bound=np.inf,
        when=_has_nan,
        true=[
            gave(_NAN_CALL, [[np.nan, 3]], [[3, 2]]),
            gave(_NAN_CALL, [[1, 0]], [[0, 2]], "int32", output=1),
        ],
        wrong=[
            gave(_NAN_CALL, [[np.nan, 2.5]], [[3, 2]]),
            gave(_NAN_CALL, [[1, 1]], [[0, 2]], "int32", output=1),
            gave(call("TopKV2", _X, 2, sorted=True), [[3, 1]], [[3, 2]]),
        ],
    ),
    Explanation(
        "TopK TopKV2",
        GRADIENT,
        "a NaN is larger than all numbers, and has a gradient then",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0,),
        elements=ours_is(_returned, 1e-6),
        bound=np.inf,
        when=lambda d: _has_nan(d) and _all_largest(d),
        true=[gave(_NAN_CALL, _NAN_BACK, _BACK, kind=GRADIENT, outputs=_NAN_TOPS)],
        wrong=[
            gave(_NAN_CALL, 3 * _NAN_BACK, _BACK, kind=GRADIENT, outputs=_NAN_TOPS),
            gave(_NAN_CALL, _NAN_BACK, _BACK, kind=GRADIENT, outputs=_NOT_TOPS),
        ],
    ),
    Explanation(
        "TopK TopKV2",
        GRADIENT_ERROR,
        "TensorFlow's gradient adds int32 to indices of another type",
        theirs=r"TypeError: Input 'y' of 'AddV2' Op has type int32 that does not match type int(16|64) of argument 'x'",
        when=lambda d: d.attrs.get("index_type") in (5, sig.INT64),
        true=[
            refused(
                call("TopKV2", _X, 2, index_type=sig.INT64),
                theirs=_MIXED,
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                call("TopKV2", _X, 2, index_type=sig.INT32),
                theirs=_MIXED,
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3",
        VALUE,
        "outside of training TensorFlow leaves what is saved for the gradient as the memory was",
        dtypes="float32",
        outputs=(3, 4),
        elements=ours_is(lambda d: d.input(d.output)),
        bound=np.inf,
        when=lambda d: not d.attrs["is_training"],
        true=[
            gave(
                _norm("FusedBatchNorm", _MANY, _V, _V, _V, _W, training=False),
                [3.0, 4.0],
                [1e30, 0.0],
                output=4,
            )
        ],
        wrong=[
            gave(
                _norm("FusedBatchNorm", _MANY, _V, _V, _V, _W, training=True),
                [3.0, 4.0],
                [1e30, 0.0],
                output=4,
            ),
            gave(
                _norm("FusedBatchNorm", _MANY, _V, _V, _V, _W, training=False),
                [1.0, 2.0],
                [1e30, 0.0],
                output=4,
            ),
            gave(
                _norm("FusedBatchNorm", _MANY, _V, _V, _V, _W, training=False),
                [3.0, 4.0],
                [1e30, 0.0],
                output=2,
            ),
        ],
    ),
    Explanation(
        "FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3",
        VALUE,
        "outside of training no images leave the statistics as they are given; TensorFlow makes them NaN",
        dtypes="float32",
        outputs=(1, 2),
        elements=ours_is(lambda d: d.input(d.output + 2)),
        bound=np.inf,
        when=lambda d: not d.attrs["is_training"] and np.size(d.input(0)) == 0,
        true=[
            gave(
                _norm("FusedBatchNormV2", _MANY[:0], _V, _V, _V, _W, training=False),
                [3.0, 4.0],
                [np.nan, np.nan],
                output=2,
            )
        ],
        wrong=[
            gave(
                _norm("FusedBatchNormV2", _MANY, _V, _V, _V, _W, training=False),
                [3.0, 4.0],
                [np.nan, np.nan],
                output=2,
            ),
            gave(
                _norm("FusedBatchNormV2", _MANY[:0], _V, _V, _V, _W, training=True),
                [3.0, 4.0],
                [np.nan, np.nan],
                output=2,
            ),
        ],
    ),
    Explanation(
        "FusedBatchNormGrad",
        GRADIENT,
        _MOMENTS_ANEW,
        dtypes="float32",
        outputs=(0,),
        elements=both(_of_infinite_moments, ours_is(_of_the_offset, 1e-6)),
        bound=np.inf,
        when=lambda d: d.attrs["is_training"],
        true=[_second_gradient(0, _OFFSET, _OFFSET + [0.0, 1.0])],
        wrong=[
            _second_gradient(0, _OFFSET, _OFFSET + [1.0, 0.0]),
            _second_gradient(0, _OFFSET, _OFFSET + [0.0, 1.0], training=False),
            _second_gradient(0, _OFFSET, _OFFSET + [0.0, 1.0], moments=_W),
        ],
    ),
    Explanation(
        "FusedBatchNormGrad",
        GRADIENT,
        _MOMENTS_ANEW,
        dtypes="float32",
        outputs=(1, 2),
        elements=both(_of_infinite_moments, ours_is(lambda d: np.float32(0))),
        bound=np.inf,
        when=lambda d: d.attrs["is_training"],
        true=[
            _second_gradient(1, _X4 * 0, _X4 * 0 + [0.0, 5.8]),
            _second_gradient(2, [0.0, 0.0], [0.0, 5.8]),
        ],
        wrong=[
            _second_gradient(2, [0.0, 5.8], [0.0, 0.0]),
            _second_gradient(2, [0.0, 0.0], [5.8, 0.0]),
            _second_gradient(2, [0.0, 0.0], [0.0, 5.8], training=False),
            _second_gradient(2, [0.0, 0.0], [0.0, 5.8], moments=_W),
        ],
    ),
    Explanation(
        "FusedBatchNormGrad",
        GRADIENT,
        "of gradients that are one number the mean is taken away, and nothing but rounding is left",
        dtypes="float32",
        outputs=(1,),
        elements=_is_rounding,
        bound=1e-5,
        also=("zero", "twice", "sign"),
        when=lambda d: d.attrs["is_training"] and np.ptp(d.input(0)) == 0,
        true=[_constant(1.0, 4e-9, 2e-6)],
        wrong=[
            _constant(1.0, 4e-9, 2e-3),
            _constant(1.0, 4e-9, 2e-6, training=False),
            _constant(np.arange(2), 4e-9, 2e-6),
        ],
    ),
    Explanation(
        "FusedBatchNormGrad",
        VALUE,
        "of two elements in a channel the gradient is nothing but rounding",
        dtypes="float32",
        outputs=(0,),
        elements=_rounds_as_its_terms,
        bound=np.inf,
        when=_few,
        true=[_of_two(1.0, 1e-6)],
        wrong=[
            _of_two(0.0, 1e-6),
            _of_two(2.0, 1e-6),
            _of_two(1.0, 1e-3),
            _of_two(1.0, 1e-6, training=False),
            _of_two(1.0, 1e-6, rows=4),
        ],
    ),
    Explanation(
        "LRN",
        GRADIENT,
        "an infinite power",
        dtypes="float16 bfloat16 float32",
        outputs=(0,),
        elements=lambda d: np.isnan(d.arrays.a) & (d.arrays.b == 0),
        bound=np.inf,
        when=lambda d: not np.isfinite(d.attrs["beta"]),
        true=[gave(call("LRN", beta=-np.inf), [np.nan], [0.0], kind=GRADIENT)],
        wrong=[
            gave(call("LRN", beta=0.5), [np.nan], [0.0], kind=GRADIENT),
            gave(call("LRN", beta=-np.inf), [1.0], [0.0], kind=GRADIENT),
        ],
    ),
    Explanation(
        "LRN",
        GRADIENT,
        "where numbers of the window are infinite their quotient is none",
        dtypes="float16 bfloat16 float32",
        outputs=(0,),
        elements=lambda d: (
            np.isnan(d.arrays.a) & (d.arrays.b == 0) & _beside_infinite(d)
        ),
        bound=np.inf,
        when=lambda d: bool(d.case.inputs),
        true=[_normalized(np.inf, [[[[np.nan, np.nan]]]])],
        wrong=[
            _normalized(np.inf, [[[[1.0, 1.0]]]]),
            _normalized(2.0, [[[[np.nan, np.nan]]]]),
        ],
    ),
    Explanation(
        "LRNGrad",
        VALUE,
        "where numbers are infinite, what is not finite is infinite or no number by the order of operations",
        dtypes="float16 bfloat16 float32",
        outputs=(0,),
        elements=lambda d: ~(np.isfinite(d.arrays.a) | np.isfinite(d.arrays.b)),
        bound=np.inf,
        when=_not_finite,
        true=[gave(_lrn_grad(1.0, np.inf), [np.nan, 1], [np.inf, 1])],
        wrong=[
            gave(_lrn_grad(1.0, 2.0), [np.nan, 1], [np.inf, 1]),
            gave(_lrn_grad(1.0, np.inf), [3, 1], [np.inf, 1]),
            gave(_lrn_grad(1.0, np.inf), [np.inf, 1], [3, 1]),
        ],
    ),
    Explanation(
        "SoftmaxCrossEntropyWithLogits",
        GRADIENT_ERROR,
        "TensorFlow's gradient does not expect arguments that broadcast",
        theirs=r"InvalidArgumentError: dim -?\d+ not in the interval \[.*\]\. for '\{\{node gradients/op_grad/ExpandDims",
        when=lambda d: d.input(0).shape != d.input(1).shape,
        true=[
            refused(
                call("SoftmaxCrossEntropyWithLogits", np.ones((2, 3)), np.ones((1, 3))),
                theirs="InvalidArgumentError: dim 1 not in the interval [-1, 0]. for '{{node gradients/op_grad/ExpandDims_1}}",
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                call("SoftmaxCrossEntropyWithLogits", np.ones((2, 3)), np.ones((2, 3))),
                theirs="InvalidArgumentError: dim 1 not in the interval [-1, 0]. for '{{node gradients/op_grad/ExpandDims_1}}",
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "Conv2DBackpropFilter Conv2DBackpropFilterV2 Conv2DBackpropInput Conv2DBackpropInputV2",
        REFUSAL,
        "TensorFlow's kernel stops at dilations",
        theirs=r"InvalidArgumentError: Current CPU implementations do not yet support dilation rates larger than 1\.",
        when=lambda d: max(d.attrs["dilations"]) > 1,
        true=[
            refused(
                call("Conv2DBackpropFilter", dilations=[1, 2, 1, 1]), theirs=_DILATED
            )
        ],
        wrong=[
            refused(
                call("Conv2DBackpropFilter", dilations=[1, 1, 1, 1]), theirs=_DILATED
            ),
            refused(call("Conv2D", dilations=[1, 2, 1, 1]), theirs=_DILATED),
        ],
    ),
    Explanation(
        "Conv2D",
        GRADIENT_ERROR,
        "TensorFlow's gradient stops at dilations",
        theirs=r"InvalidArgumentError: Current CPU implementations do not yet support dilation rates larger than 1\.",
        when=lambda d: max(d.attrs["dilations"]) > 1,
        true=[
            refused(
                call("Conv2D", dilations=[1, 2, 1, 1]),
                theirs=_DILATED,
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                call("Conv2D", dilations=[1, 1, 1, 1]),
                theirs=_DILATED,
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "Conv2DBackpropInput",
        ERROR_CLASS,
        "strides that an op never takes are a fault of the input; TensorFlow calls them its own",
        ours=r"InvalidArgumentError: Conv2DBackpropInput: strides must be 1 in the batch and depth dimensions, got ",
        theirs=r"UnimplementedError: Current implementation does not yet support strides in the batch and depth dimensions\.",
        true=[
            refused(
                "Conv2DBackpropInput",
                "InvalidArgumentError: Conv2DBackpropInput: strides must be 1 in the batch and depth dimensions, got [2,1,1,1]",
                "UnimplementedError: Current implementation does not yet support strides in the batch and depth dimensions.",
            )
        ],
        wrong=[
            refused(
                "Conv2DBackpropInput",
                "InvalidArgumentError: Conv2DBackpropInput: Shape must be rank 4 but is rank 0: filter has shape []",
                "UnimplementedError: Current implementation does not yet support strides in the batch and depth dimensions.",
            )
        ],
    ),
    Explanation(
        "Conv3DBackpropInput Conv3DBackpropInputV2 Conv3DBackpropFilter Conv3DBackpropFilterV2",
        REFUSAL,
        "TensorFlow takes a window of no size for one that finds nothing",
        ours=r"InvalidArgumentError: Conv3DBackprop(Input|Filter)(V2)?: window and input sizes must be positive int32 values, got window 0 and input \d+",
        true=[
            refused(
                "Conv3DBackpropInput",
                "InvalidArgumentError: Conv3DBackpropInput: window and input sizes must be positive int32 values, got window 0 and input 6",
            ),
            refused(
                "Conv3DBackpropFilterV2",
                "InvalidArgumentError: Conv3DBackpropFilterV2: window and input sizes must be positive int32 values, got window 0 and input 6",
            ),
        ],
        wrong=[
            refused(
                "Conv3DBackpropInput",
                "InvalidArgumentError: Conv3DBackpropInput: window and input sizes must be positive int32 values, got window 3 and input 6",
            )
        ],
    ),
]
