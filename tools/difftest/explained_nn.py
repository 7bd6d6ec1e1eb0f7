# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of the ops of neural networks; those of pools are beside this file."""

import ml_dtypes
import numpy as np
import scipy.special

from tensorwright.tools.difftest import expected_moments as moments, expected_norm
from tensorwright.tools.difftest.difference import VALUE, Difference
from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import (
    ANY_DTYPE,
    UPSTREAM_SEED,
    ours_is,
    upstream,
)
from tensorwright.tools.difftest.records import gradient, no_gradient, refusal, value
from tensorwright.tools.opcheck import signature as sig

_FLOATS, _NARROW = "float16 bfloat16 float32 float64", "float16 bfloat16 float32"
_NORMS = "FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3"

# The largest. ------------------------------------------------------------------------------------------------


def _unsorted(d):
    """Our values of a TopK are the largest of each row, as often as they are there, and stand where we say."""
    if d.attrs["sorted"]:
        return False
    values, indices, theirs = *d.outputs[0], d.outputs[1][0]
    x, indices = d.input(0), indices.astype(np.int64)
    if values.shape != theirs.shape:
        return False
    if not ((indices >= 0) & (indices < x.shape[-1])).all():
        return False
    rows, found = np.sort(indices, -1), np.take_along_axis(x, indices, -1)
    alone = (rows[..., 1:] != rows[..., :-1]).all()
    pairs = (found, values), (np.sort(values, -1), np.sort(theirs, -1))
    return alone and all(((a == b) | ((a != a) & (b != b))).all() for a, b in pairs)


def _is_its_output(d):
    """The compared output is the one that `_unsorted` judges."""
    return np.array_equal(d.here, d.outputs[0][d.output], equal_nan=True)


def _returned(d):
    """The gradient of TopK: each upstream element where its value came from."""
    values, indices = d.outputs[0]
    out = np.zeros(d.input(0).shape, values.dtype)
    np.put_along_axis(out, indices.astype(np.int64), upstream(values), -1)
    return out


def _has_nan(d):
    return bool(np.isnan(d.wide(0)).any())


def _order(d):
    """The places of the largest of each row in turn: NaNs, then numbers; of equal ones the first is first."""
    return np.lexsort((-d.wide(0), ~np.isnan(d.wide(0))))


def _largest(d):
    picked = _order(d)[..., : d.here.shape[-1]]
    return picked if d.output else np.take_along_axis(d.input(0), picked, -1)


def _all_largest(d):
    indices = d.outputs[0][1]
    return np.array_equal(indices, _order(d)[..., : indices.shape[-1]])


def _top(values, indices):
    return [np.float32([values]), np.int32([indices])]


_X = np.float32([[3, 1, 2]])
_NAN_CALL = on(np.float32([[3, np.nan, 2]]), 2, sorted=True)
_BEST, _TURNED = _top([3, 2], [0, 2]), _top([2, 3], [2, 0])
_NOT_BEST = _top([3, 1], [0, 1])
_ASTRAY = [_BEST[0], _TURNED[1]], [_TURNED[0], _BEST[1]]
# The first two upstream elements, where the values came from.
_BACK = np.float32([[-1.20959161, 0, -0.22214756]])
_NAN_BACK, _NAN_BEST = np.float32([[-0.22214756, 0, 0]]), _top([np.nan, 3], [1, 0])

# Normalized. -------------------------------------------------------------------------------------------------


def _norm_gradient(d):
    """(FusedBatchNormGrad's first output, what is subtracted there) in float64."""
    axes = (0, 1, 2) if d.attrs["data_format"] == "NHWC" else (0, 2, 3)
    dy, x = d.wide(0), d.wide(1)
    scale = np.expand_dims(d.wide(2), axes)
    variance = x.var(axes, keepdims=True) + np.float32(d.attrs.get("epsilon", 1e-4))
    apart, moved = x - x.mean(axes, keepdims=True), dy - dy.mean(axes, keepdims=True)
    slope = (dy * apart).mean(axes, keepdims=True) / variance
    factor = scale / np.sqrt(variance)
    return factor * (moved - apart * slope), np.abs(factor * moved)


def _rounds_as_its_terms(d):
    """Ours is right but for the rounding of what is subtracted, and TensorFlow's is hardly further off."""
    wanted, terms = _norm_gradient(d)
    unit = 2.0**-20 * terms.max(initial=0)
    right = np.abs(d.here - wanted) <= unit
    return right & (np.abs(d.here - d.there) <= 4 * unit)


def _few(d):
    """Training on at most two elements a channel: what is left of the gradient after the mean and the slope is 0."""
    shape = d.input(0).shape
    channel = 3 if d.attrs["data_format"] == "NHWC" else 1
    if len(shape) != 4 or not d.attrs["is_training"]:
        return False
    return int(np.prod(shape)) // max(shape[channel], 1) <= 2


def _by_channel(d, row):
    """A number for each channel, for what is compared: images, or a row."""
    images = d.here.ndim == 4 and d.attrs["data_format"] == "NCHW"
    return row[:, None, None] if images else row


def _of_infinite_moments(d):
    """Channels for which FusedBatchNormGrad is given an infinite moment."""
    return _by_channel(d, np.isinf(d.input(3)) | np.isinf(d.input(4)))


def _of_the_offset(d):
    """The gradient by FusedBatchNormGrad's first input where a channel is divided by infinity: the offset's alone."""
    rng = np.random.RandomState(UPSTREAM_SEED)
    *_, offset = (rng.normal(size=d.input(i).shape) for i in (0, 2, 2))
    return _by_channel(d, offset.astype(np.float32))


def _norm(*inputs, training=False):
    return on(*inputs, is_training=training, data_format="NHWC", epsilon=1e-3)


def _images(moments, training=True):
    return _norm(_X4, _X4, _V, _V, np.float32(moments), training=training)


def _constant(dy, training=True):
    return _norm(0 * _X4 + dy, _X4, _V, _V, _W, training=training)


def _of_rows(n, training=True):
    dy, x = (np.linspace(*ends, n, dtype=np.float32) for ends in ((1, 3), (0, 2)))
    images = (v.reshape(1, n, 1, 1) for v in (dy, x))
    return _norm(*images, *[np.ones(1, np.float32)] * 3, training=training)


def _right(rows):
    d = Difference("FusedBatchNormGrad", VALUE, case=_of_rows(rows))
    return _norm_gradient(d)[0]


_V, _W = np.float32([1, 2]), np.float32([3, 4])
_X4 = np.arange(6, dtype=np.float32).reshape(1, 1, 3, 2)
_MANY, _TWO, _FOUR = np.ones((1, 4, 1, 1), np.float32), _right(2), _right(4)
_STATISTICS = _norm(_MANY[:0], _V, _V, _V, _W)
# The upstream gradient of the offset's, of a call with _X4: the last two numbers that are drawn.
_DRAWN = np.random.RandomState(UPSTREAM_SEED).normal(size=10)[8:]
_OFFSET = np.tile(_DRAWN.astype(np.float32), (1, 1, 3, 1))
_FURTHER = dict(dtype="float32", theirs=_FOUR + 1e-6 * np.sign(_FOUR))


def _of_large(d):
    """Something of the call is infinite, or so large that a power of it is."""
    numbers = np.array([d.attrs[a] for a in ("alpha", "beta", "bias")])
    return not all((np.abs(x) < 1e18).all() for x in (*map(d.wide, range(3)), numbers))


def _beside_infinite(d):
    """Elements of pixels with a channel that is not finite, or whose square is not."""
    odd = ~np.isfinite(np.square(d.input(0).astype(np.float32)))
    return odd.any(-1, keepdims=True) & np.isnan(d.here) & (d.there == 0)


def _normalized(d):
    """LRN of the channels of each window, and of no others."""
    x, reach = d.wide(0), d.attrs["depth_radius"]
    padded = np.pad(np.square(x), [(0, 0)] * 3 + [(reach, reach)])
    sums = sum(padded[..., i : i + x.shape[-1]] for i in range(2 * reach + 1))
    return x / (d.attrs["bias"] + d.attrs["alpha"] * sums) ** d.attrs["beta"]


def _channels_with_nan(d):
    """Filters' channels whose gradients have an element that is infinite or NaN."""
    gradients = d.wide(2)
    return ~np.isfinite(gradients).all(tuple(range(gradients.ndim - 1)))


def _padded_gradient(bad):
    case = [
        np.ones([1, 1, 1, 1, 1]),
        np.ones([3, 1, 1, 1, 1]),
        np.reshape(bad, [1] * 5),
    ]
    return on(*case, padding="SAME")


def _filters(first):
    return np.float64([first, np.nan, 0]).reshape(3, 1, 1, 1, 1)


def _of_softmax(y, g):
    """(Softmax's gradient, the sum of the sizes of its terms) in double precision."""
    y, g = y.astype(np.float64), g.astype(np.float64)
    wanted = y * (g - (y * g).sum(-1, keepdims=True))
    return wanted, y * (np.abs(g) + np.abs(y * g).sum(-1, keepdims=True))


def _rounds_as_its_row(d):
    exact = scipy.special.softmax(d.wide(0), -1)
    wanted, terms = _of_softmax(exact, upstream(d.outputs[0][0]))
    return np.abs(d.here.astype(np.float64) - wanted) <= 2.0**-7 * terms


def _lrn(*channels):
    return on(np.float32([[[channels]]]), depth_radius=1, bias=1.0, alpha=1.0, beta=0.5)


def _lrn_grad(largest):
    return on(*[np.float32([1, largest])] * 3, alpha=1.0, beta=1.0, bias=1.0)


_ANEW = dict(
    why="TensorFlow computes the moments anew; ours takes those of the call, of which some are infinite",
    dtypes="float32",
    where=_of_infinite_moments,
    when=lambda d: d.attrs["is_training"],
)
_SECOND = expected_norm.example(_of_rows(2))
# Selu's slope below 0: its scale times its alpha.
_SLOPE, _UP = 1.7580993408473766, upstream(np.zeros(1))[0]
_SOFT = np.asarray([[0.9998, 0.000123, 0.000123]], ml_dtypes.bfloat16)
_ROW = _of_softmax(_SOFT, upstream(_SOFT))[0]
_OF_DILATIONS = dict(
    theirs="InvalidArgumentError: Current CPU implementations do not yet support dilation rates larger than 1.",
    when=lambda d: max(d.attrs["dilations"]) > 1,
    true=[on(dilations=[1, 2, 1, 1])],
)

# fmt: off
TABLE = [
    value("TopK TopKV2", "without sorted=True the largest may be in any order", ANY_DTYPE, (0, 1), _is_its_output,
        gives="the largest in another order", when=_unsorted,
        true=[seen(call("TopKV2", _X, 2, sorted=False), _BEST[0], _TURNED[0], outputs=(_BEST, _TURNED)),
            but(ours=_BEST[1], theirs=_TURNED[1], dtype="int32", output=1)],
        wrong=[but(ours=_NOT_BEST[0], outputs=(_NOT_BEST, _TURNED)), but(outputs=_ASTRAY),
            but(ours=_TURNED[1], theirs=_BEST[1], outputs=_ASTRAY, dtype="int32", output=1),
            call("TopKV2", _X, 2, sorted=True)]),
    gradient("TopK TopKV2",
        "without sorted=True the largest, and their gradients, may be in any order", _FLOATS, 0,
        ours_is(_returned, 1e-06), gives="each gradient where its value came from", when=_unsorted,
        true=[seen(call("TopKV2", _X, 2, sorted=False), _BACK, _BACK[:, ::-1], outputs=(_BEST, _TURNED))],
        wrong=[but(ours=3 * _BACK)]),
    value("TopK TopKV2", "TensorFlow compares with a NaN, which says nothing", f"{_FLOATS} int32 int64 int16", (0, 1),
        ours_is(_largest), gives="a NaN is larger than all numbers", when=_has_nan,
        true=[seen(_NAN_CALL, [[np.nan, 3]], [[3, 2]]), but(ours=[[1, 0]], theirs=[[0, 2]], dtype="int32", output=1)],
        wrong=[but(ours=[[np.nan, 2.5]]), but(ours=[[1, 1]], theirs=[[0, 2]], dtype="int32", output=1),
            but(on(_X, 2, sorted=True), [[3, 1]])]),
    gradient("TopK TopKV2", "TensorFlow compares with a NaN, which says nothing", _FLOATS, 0, ours_is(_returned, 1e-06),
        gives="a NaN is larger than all numbers, and has a gradient", when=lambda d: _has_nan(d) and _all_largest(d),
        true=[seen(_NAN_CALL, _NAN_BACK, _BACK, outputs=(_NAN_BEST, _BEST))],
        wrong=[but(ours=3 * _NAN_BACK), but(outputs=(_NOT_BEST, _TURNED))]),
    no_gradient("TopK TopKV2", "TensorFlow's gradient adds int32 to indices of another type",
        theirs="TypeError: Input 'y' of 'AddV2' Op has type int32 that does not match type int<16|64~64> of argument 'x'",
        when=lambda d: d.attrs.get("index_type") in (5, sig.INT64), true=[on(_X, 2, index_type=sig.INT64)],
        wrong=[on(_X, 2, index_type=sig.INT32)]),
    value(_NORMS, "outside of training TensorFlow does not write what is saved for the gradient", "float32", (3, 4),
        ours_is(lambda d: d.input(d.output)), gives="the moments that are given", there="what lies in memory",
        when=lambda d: not d.attrs["is_training"],
        true=[seen(_norm(_MANY, _V, _V, _V, _W), [3.0, 4.0], [1e30, 0.0], output=4)],
        wrong=[_norm(_MANY, _V, _V, _V, _W, training=True), but(ours=[1.0, 2.0]), but(output=2)]),
    value(_NORMS, "outside of training no images leave the statistics as they are", "float32", (1, 2),
        ours_is(lambda d: d.input(d.output + 2)), gives="the statistics that are given", there="NaN",
        when=lambda d: not d.attrs["is_training"] and np.size(d.input(0)) == 0,
        true=[seen(_STATISTICS, [3.0, 4.0], [np.nan, np.nan], output=2)],
        wrong=[_norm(_MANY, _V, _V, _V, _W), _norm(_MANY[:0], _V, _V, _V, _W, training=True)]),
    gradient("FusedBatchNormGrad", outputs=0, elements=ours_is(_of_the_offset, 1e-06), **_ANEW,
        gives="the offset's gradient", true=[seen(_images([1, np.inf]), _OFFSET, _OFFSET + [0.0, 1.0])],
        wrong=[but(theirs=_OFFSET + [1.0, 0.0]), _images([1, np.inf], False), _images(_W)]),
    gradient("FusedBatchNormGrad", outputs=(1, 2), elements=ours_is(lambda d: np.float32(0)), **_ANEW, gives="0",
        true=[seen(_images([1, np.inf]), _X4 * 0, _X4 * 0 + [0.0, 5.8]), but(ours=[0, 0], theirs=[0, 5.8], output=2)],
        wrong=[but(ours=[0, 5.8], theirs=[0, 0], output=2), but(ours=[0, 0], theirs=[5.8, 0], output=2),
            but(_images([1, np.inf], False), [0, 0], [0, 5.8], output=2), but(_images(_W), [0, 0], [0, 5.8], output=2)]),
    gradient("FusedBatchNormGrad", "the mean is taken from equal gradients, and only rounding is left", "float32", 1,
        where=lambda d: np.abs(d.here) <= 1e-5, bound=1e-05, also=("zero", "twice", "sign"),
        when=lambda d: d.attrs["is_training"] and np.ptp(d.input(0)) == 0,
        true=[seen(_constant(1.0), _X4 * 0 + 4e-09, _X4 * 0 + 2e-06)],
        wrong=[but(theirs=_X4 * 0 + 0.002), _constant(1.0, training=False), _constant([0.0, 1.0])]),
    value("FusedBatchNormGrad", "for two elements in a channel the gradient is nothing but rounding", "float32", 0,
        where=_rounds_as_its_terms, gives="the gradient to the rounding of its terms", when=_few,
        true=[seen(_of_rows(2), _TWO, _TWO + 1e-6 * np.sign(_TWO))],
        wrong=[but(ours=0 * _TWO), but(ours=2 * _TWO), but(theirs=_TWO + 1e-3 * np.sign(_TWO)),
            _of_rows(2, training=False), but(_of_rows(4), _FOUR, **_FURTHER)]),
    gradient("FusedBatchNormGrad", "for two elements in a channel the gradient is nothing but rounding", "float32", 1,
        where=expected_norm.rounds_as_its_terms, gives="the gradient to the rounding of its terms", when=_few,
        true=[seen(_of_rows(2), _SECOND, _SECOND + 1e-6 * np.sign(_SECOND))],
        wrong=[but(ours=0 * _SECOND + 1), but(theirs=_SECOND + 1e-3), _of_rows(2, training=False)]),
    gradient("LRN", "an infinite power has no derivative", _NARROW, 0,
        where=lambda d: np.isnan(d.here) & (d.there == 0), gives="NaN", there="0",
        when=lambda d: not np.isfinite(d.attrs["beta"]),
        true=[seen(on(beta=-np.inf), [np.nan], [0.0])], wrong=[on(beta=0.5), but(ours=[1.0])]),
    gradient("LRN", "infinite numbers of a window have no quotient", _NARROW, 0, where=_beside_infinite, gives="NaN",
        there="0", when=lambda d: bool(d.case.inputs),
        true=[seen(on(np.float32([[[[np.inf, 1]]]]), beta=0.5), [[[[np.nan, np.nan]]]], [[[[0, 0]]]])],
        wrong=[but(ours=[[[[1, 1]]]]), on(np.float32([[[[2, 1]]]]), beta=0.5)]),
    value("LRNGrad", "the order of operations decides what infinite numbers make", _NARROW, 0,
        where=lambda d: ~(np.isfinite(d.here) | np.isfinite(d.there)), gives="infinite or NaN", there="infinite or NaN",
        when=_of_large, true=[seen(_lrn_grad(np.inf), [np.nan, 1], [np.inf, 1])],
        wrong=[_lrn_grad(2.0), but(ours=[3, 1]), but(ours=[np.inf, 1], theirs=[3, 1])]),
    no_gradient("SoftmaxCrossEntropyWithLogits", "TensorFlow's gradient does not expect arguments that broadcast",
        theirs=r"InvalidArgumentError: dim <-?\d+~1> not in the interval [<.*~-1, 0>]. for '{{node gradients/op_grad/ExpandDims",
        when=lambda d: d.input(0).shape != d.input(1).shape, true=[on(np.ones((2, 3)), np.ones((1, 3)))],
        wrong=[on(np.ones((2, 3)), np.ones((2, 3)))]),
    refusal("Conv2DBackpropFilter Conv2DBackpropFilterV2 Conv2DBackpropInput Conv2DBackpropInputV2",
        "TensorFlow's kernel stops at dilations", **_OF_DILATIONS,
        wrong=[on(dilations=[1, 1, 1, 1]), call("Conv2D", dilations=[1, 2, 1, 1])]),
    no_gradient("Conv2D", "TensorFlow's gradient stops at dilations", **_OF_DILATIONS,
        wrong=[on(dilations=[1, 1, 1, 1])]),
    refusal("Conv2DBackpropInput",
        "strides that an op never takes are a fault of the input; TensorFlow calls them its own",
        ours="InvalidArgumentError: Conv2DBackpropInput: strides must be 1 in the batch and depth dimensions, got ",
        theirs="UnimplementedError: Current implementation does not yet support strides in the batch and depth dimensions.",
        wrong=[but(ours="InvalidArgumentError: Conv2DBackpropInput: Shape must be rank 4 but is rank 0: filter has shape []")]),
    refusal("Conv3DBackpropInput Conv3DBackpropInputV2 Conv3DBackpropFilter Conv3DBackpropFilterV2 Conv2DBackpropFilter",
        "TensorFlow takes a window of no size for one that finds nothing",
        ours="InvalidArgumentError: Conv<[23]~3>DBackprop<(Input|Filter)(V2)?~Input>: window and input sizes must be positive int32 values, got window 0 and input <6>",
        wrong=[but(ours="InvalidArgumentError: Conv3DBackpropInput: window and input sizes must be positive int32 values, got window 3 and input 6")]),
    value("LRN", "a number that is not in the window does not count; TensorFlow multiplies it by 0", _NARROW, 0,
        ours_is(_normalized, slack=4), where=lambda d: np.isnan(d.there), gives="normalized in its window", there="NaN",
        when=lambda d: not np.isfinite(d.wide(0)).all(),
        true=[seen(_lrn(1, 0, np.inf), [[[[2**-0.5, 0, np.nan]]]], [[[[np.nan, 0, np.nan]]]])],
        wrong=[_lrn(1, 0, 2), but(theirs=[[[[0.5, 0, np.nan]]]]), but(ours=[[[[0.5, 0, np.nan]]]])]),
    value("Conv3DBackpropFilter Conv3DBackpropFilterV2",
        "padding is zeros, which a gradient that is no number is multiplied by; TensorFlow leaves some of it out",
        "float16 bfloat16 float32 float64", 0, where=lambda d: np.isnan(d.here) & np.isfinite(d.there) & _channels_with_nan(d),
        gives="NaN", there="the sum of the rest", also=("nan",), when=lambda d: d.attrs["padding"] == "SAME",
        true=[seen(_padded_gradient(np.nan), _filters(np.nan), _filters(2.0), dtype="float64")],
        wrong=[_padded_gradient(1.0), but(ours=_filters(2.0), theirs=_filters(np.nan))]),
    refusal("DepthwiseConv2dNativeBackpropFilter", "TensorFlow does not look at how many dilations there are",
        ours="InvalidArgumentError: DepthwiseConv2dNativeBackpropFilter: dilations must have 4 values, got <5>",
        when=lambda d: len(d.attrs["dilations"]) != 4, true=[on(dilations=[1] * 5)], wrong=[on(dilations=[1] * 4)]),
    refusal("DepthwiseConv2dNativeBackpropInput", "TensorFlow does not look whether dilations are positive",
        ours="InvalidArgumentError: DepthwiseConv2dNativeBackpropInput: dilations must be > 0, got [",
        when=lambda d: min(d.attrs["dilations"]) <= 0, true=[on(dilations=[1, 1, -2, 1])], wrong=[on(dilations=[1] * 4)]),
    gradient("FusedBatchNormGradV3", "TensorFlow computes the moments anew; ours takes those of the call", "float32", (0, 1, 2),
        ours_is(moments.given, 1e-3), gives="by the variance that is given",
        when=lambda d: d.attrs["is_training"] and not np.allclose(d.wide(4), moments.own_variance(d), 0.01),
        true=[seen(moments.call(0), moments.of_call(0), 0 * _X4, outputs=moments.OUTPUTS)],
        wrong=[but(ours=2 * moments.of_call(0)), but(moments.call(1), moments.of_call(1)), but(ours=0 * _X4, theirs=moments.of_call(0))]),
    value("Selu", "near 0 TensorFlow's exp(x) - 1 is 0", _NARROW, 0, ours_is(lambda d: _SLOPE * np.expm1(d.wide(0)), slack=4),
        where=lambda d: (d.there == 0) & (d.wide(0) < 0), gives="1.758 (exp(x) - 1)", there="0", when=lambda d: bool(d.case.inputs),
        true=[seen(on(np.float32([-1e-30])), [-1.7580993e-30], [0.0])], wrong=[but(ours=[-1e-30]), but(on(np.float32([1e-30])))]),
    gradient("Selu", "near 0 TensorFlow's exp(x) - 1 is 0, and it takes the slope of numbers above 0", f"{_NARROW} float64", 0,
        ours_is(lambda d: upstream(d.outputs[0][0]) * np.float64(_SLOPE), slack=8), gives="1.758 times the gradient", there="1.051 times the gradient",
        where=lambda d: (d.wide(0) < 0) & (d.wide(0) > -2.0**-8),
        true=[seen(on(np.float32([-1e-30])), [_UP * _SLOPE], [_UP * 1.0507010], outputs=[np.float32([-1.7580993e-30])])],
        wrong=[but(ours=[_UP]), but(on(np.float32([-1])))]),
    gradient("Softmax", "a row adds up to 1 but for the rounding of each number, which is left where terms cancel", "bfloat16", 0,
        where=_rounds_as_its_row, gives="the gradient to the rounding of its terms", also=("zero", "twice", "other sign", "small"),
        when=lambda d: bool(d.case.inputs),
        true=[seen(on(np.float32([[9, 0, 0]])), _ROW, _ROW + [[0.004, 0, 0]], dtype="bfloat16", outputs=[_SOFT])],
        wrong=[but(ours=_ROW + 0.5), but(ours=0 * _ROW + 1)]),
    refusal("Conv", "a filter without outputs gives none",
        theirs="InvalidArgumentError: filter must not have zero elements (i.e. all dimensions must be non-zero)",
        when=lambda d: np.size(d.input(1)) == 0, true=[on(np.ones([1, 2, 2, 3]), np.ones([1, 1, 3, 0]))],
        wrong=[on(np.ones([1, 2, 2, 3]), np.ones([1, 1, 3, 1]))]),
]
