# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of mathematical ops."""

import numpy as np
import scipy.special

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.expected_truncated import truncated
from tensorwright.tools.difftest.explanation import (
    INTEGERS,
    THEIRS_ONLY,
    ours_is,
    upstream,
)
from tensorwright.tools.difftest.records import (
    death,
    gradient,
    no_gradient,
    path,
    refusal,
    value,
)
from tensorwright.tools.opcheck import signature as sig

_FLOATS, _COMPLEX = "float16 bfloat16 float32 float64", "complex64 complex128"
_DIVISIONS = "Div DivNoNan RealDiv Xdivy"


def _of_products(d):
    """The gradient of a product of each segment: what is upstream of it times the conjugate of the others' product."""
    x, ids = d.input(0).astype(np.complex128), np.ravel(d.input(1))
    rows = x.reshape(ids.size, -1)
    up = upstream(d.outputs[0][0]).reshape(-1, rows.shape[1])
    found = np.zeros_like(rows)
    for i, segment in enumerate(ids.tolist()):
        # Those that are in no segment have no gradient.
        if 0 <= segment < len(up):
            others = (ids == segment) & (np.arange(ids.size) != i)
            found[i] = up[segment] * np.conj(rows[others].prod(0))
    return found.reshape(x.shape)


def _extremes(d):
    """The least, or largest, of each segment; a NaN if it has one, and 0 if it has nothing."""
    reduce = np.minimum.reduce if d.op == "SegmentMin" else np.maximum.reduce
    x, ids = d.wide(0), d.input(1)
    found = [x[ids == i] for i in range(len(d.here))]
    return np.array([reduce(x) if len(x) else 0 * d.wide(0)[0] for x in found])


def _over_infinity(d):
    """Zeros of ours where the input that is divided by is infinite, or so large that its square is."""
    x = d.input(1 if d.op in _DIVISIONS.split() else 0)
    most = np.sqrt(np.finfo(x.real.dtype).max) / 4
    large = np.fmax(np.abs(x.real), np.abs(x.imag)) >= most
    return (d.here == 0) & np.isnan(d.there) & large


def _far_out(d):
    """Elements of ours that are no larger than a Bessel function is so far from 0: nothing, at infinity."""
    x = np.abs(d.wide(0))
    return (x > 1e15) & (np.abs(d.here) <= 1.001 * np.sqrt(2 / np.pi / x))


def _beyond_the_poles(d):
    """Zeros of ours where the cosine is so large that its square is infinite."""
    y = np.abs(d.input(0).imag)
    large = y >= np.log(np.finfo(y.dtype).max) / 2
    return large & (np.abs(d.here) <= 16 * np.finfo(y.dtype).tiny) & np.isnan(d.there)


def _of_incomplete_gamma(d):
    """The gradient by x: upstream x^(a-1) exp(-x) / Gamma(a), in which 0^0 is 1."""
    a, x = d.wide(0), d.wide(1)
    slope = np.exp(scipy.special.xlogy(a - 1, x) - x - scipy.special.gammaln(a))
    up = compare.widest(upstream(d.outputs[0][0]))
    terms = up * slope * (1 if d.op == "Igamma" else -1)
    shape = (1,) * (terms.ndim - x.ndim) + x.shape
    axes = tuple(i for i, n in enumerate(shape) if n == 1)
    return terms.sum(axes, keepdims=True).reshape(x.shape)


def _power_of_zero(d):
    """0^0 is in the derivative of the incomplete gamma function."""
    if len(d.case.inputs) < 2:
        return False
    a, x = np.broadcast_arrays(*d.case.inputs)
    return bool(((a == 1) & (x == 0)).any())


def _truncated(dtype="float16", seed=52):
    """A call for samples of a mean of 0.8 between 2.8 and 4.1."""
    parameters = (np.array([x], dtype) for x in (0.8022, 1.11, 2.762, 4.133))
    return on([2, 4], *parameters, seed=seed, seed2=12)


def _between(count, mean):
    """A call for samples between -1 and 1."""
    return on(np.int32([count]), *np.float32([mean, 1, -1, 1]))


def _has_infinite_parameter(d):
    """A mean or a deviation is infinite, or so large that the bounds are no numbers beside it."""
    return any(not (np.abs(d.wide(i)) < 1e19).all() for i in (1, 2))


def _scalar_x(d):
    return d.input(2).ndim == 0 and max(d.input(i).ndim for i in (0, 1)) > 0


_X, _PAIR = np.float32([1, 2, -3]), np.array([1 + 2j, 2 - 1j])
_Z, _NAN = np.complex64([1 + 2j, complex(np.inf, 1), 3j]), complex(np.nan, np.nan)
_PRODUCT, _FIRST = [_PAIR.prod(keepdims=True)], upstream(np.zeros(1))[0]
_RIGHT = upstream(_PRODUCT[0]) * np.conj(_PAIR[::-1])
_SAMPLES = np.array([[3.37, 2.85, 3.158, 3.188], [2.812, 3.24, 3.62, 3.021]])
_OF_INFINITY = dict(
    dtypes=_COMPLEX, where=_over_infinity, gives="0, as in C", there="NaN"
)


def _rounds_as_its_exponent(d):
    """The derivative by x, but for so many units of the largest term of its exponent."""
    a, x = d.wide(0), d.wide(1)
    slope = np.exp(scipy.special.xlogy(a - 1, x) - x - scipy.special.gammaln(a))
    terms = (
        np.abs(x)
        + np.abs(a * np.log(np.maximum(x, 1e-300)))
        + np.abs(scipy.special.gammaln(a))
    )
    parts = (
        np.abs(compare.widest(upstream(d.outputs[0][0])))
        * slope
        * (1 + terms)
        * 2.0**-23
    )
    shape = (1,) * (parts.ndim - x.ndim) + x.shape
    axes = tuple(i for i, n in enumerate(shape) if n == 1)
    unit = parts.sum(axes, keepdims=True).reshape(x.shape)
    return np.isfinite(d.there) & (np.abs(d.here - _of_incomplete_gamma(d)) <= unit)


def _slope_at(n):
    """The derivative by x = a = n of an Igamma, times the first upstream number."""
    return _FIRST * np.exp((n - 1) * np.log(n) - n - scipy.special.gammaln(n))


_STEEP, _FLAT = _slope_at(1000.0), _slope_at(2.0)

# fmt: off
TABLE = [
    path("Igamma Igammac", "TensorFlow 1.x has no gradient by a, and no op for it", _FLOATS, 0, THEIRS_ONLY,
        wrong=[but(output=1), call("Lgamma")]),
    gradient("SegmentProd UnsortedSegmentProd", "TensorFlow's gradient of a complex product is not conjugated", _COMPLEX, 0,
        ours_is(_of_products, slack=8), gives="conjugated",
        true=[seen(on(_PAIR, [0, 0]), _RIGHT, upstream(_PRODUCT[0]) * _PAIR[::-1], dtype="complex128", outputs=_PRODUCT)],
        wrong=[but(ours=3 * _RIGHT), but(ours=1j * _RIGHT), seen(call("SegmentSum"), [1 + 2j], [1 - 2j])]),
    no_gradient("SparseMatMul", "TensorFlow's gradient mixes float and bfloat16",
        theirs="TypeError: Input 'y' of 'BatchMatMulV2' Op has type <bfloat16 that does not match type float32|float32 that does not match type bfloat16~bfloat16 that does not match type float32> of argument 'x'",
        when=lambda d: sig.BFLOAT16 in (d.attrs["Ta"], d.attrs["Tb"]), true=[on(Ta=sig.FLOAT, Tb=sig.BFLOAT16)],
        wrong=[on(Ta=sig.FLOAT, Tb=sig.FLOAT)]),
    refusal("SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN", "TensorFlow's count of segments overflows",
        ours=r"ResourceExhaustedError: OOM when allocating tensor with shape[2147483648<[,\]]~,>",
        theirs=["InvalidArgumentError: segment ids must be >= 0",
            "InvalidArgumentError: Last segment id must be \\< kintmax, got 2147483647"],
        wrong=[but(ours="ResourceExhaustedError: OOM when allocating tensor with shape[7,5] and type int64")]),
    refusal("ArgMax ArgMin", "TensorFlow reads an int16 dimension as int32",
        theirs=r"InvalidArgumentError: Expected dimension in the range [-<1>, <1>), but got <-?\d{5,}~420478977>",
        when=lambda d: d.input(1).dtype == np.int16, true=[on(_X, np.int16(0))],
        wrong=[but(theirs="InvalidArgumentError: Expected dimension in the range [-1, 1), but got 1"), on(_X, np.int32(0))]),
    refusal("ArgMax ArgMin", "TensorFlow's kernel stops at 7 dimensions",
        theirs="InvalidArgumentError: Argmax and Argmin only support up to 7 input dimensions, but got <9>.",
        when=lambda d: d.input(0).ndim > 7, true=[on(np.ones([1] * 9), 0)], wrong=[on(np.ones([1] * 7), 0)]),
    value("Round", "TensorFlow rounds integers to 0", INTEGERS, 0, ours_is(lambda d: d.input(0)), gives="the integer",
        there="0", true=[seen(on([3, -4]), [3, -4], [0, 0], dtype="int32")],
        wrong=[but(ours=[4, -4]), but(on([3.2, -4]), ours=[3.2, -4], dtype="float32")]),
    value(f"{_DIVISIONS} Inv Reciprocal SqrtGrad", "a complex number is divided by an infinite one", outputs=0, **_OF_INFINITY,
        true=[seen(on(_Z, _Z), [1, 0, 1], [1, _NAN, 1]), call("Inv", _Z)],
        wrong=[but(ours=[1, 2j, 1]), but(ours=[0, 0, 1], theirs=[_NAN, _NAN, 1]), call("Mul", _Z, _Z)]),
    value("BesselJ0 BesselJ1 BesselY0 BesselY1", "TensorFlow's functions have lost their argument so far from 0",
        "float16 float32 float64", 0, where=_far_out, gives="at most 1.001 sqrt(2 / pi / x), 0 at infinity",
        there="larger, or NaN", also=("zero", "twice", "other sign"),
        true=[seen(call("BesselJ1", [1, np.inf]), [1, 0], [1, np.nan], dtype="float64"),
            but(call("BesselJ1", [1e300]), [-1e-151], [-4e-151])],
        wrong=[but(ours=[1, 1]), call("BesselJ1", [1, 2.0])]),
    value("BesselY0 BesselY1", "both functions fall without end towards 0", "float16 float32 float64", 0,
        where=lambda d: (d.here == -np.inf) & (d.input(0) == 0), gives="minus infinity at 0", there="NaN, of a float",
        true=[seen(on(np.float32([1, 0])), [1, -np.inf], [1, np.nan])],
        wrong=[but(ours=[1, np.inf]), on(np.float32([1, 2]))]),
    value("Erfinv", "TensorFlow loses a number so near 0", "float32 float64", 0,
        ours_is(lambda d: d.input(0) * (np.sqrt(np.pi) / 2), 1e-06), where=lambda d: np.abs(d.input(0)) < 1e-30,
        gives="x sqrt(pi) / 2", there="0", true=[seen(on([1e-300]), [8.86226925e-301], [0.0], dtype="float64")],
        wrong=[but(ours=[1e-301]), but(on([0.001]), ours=[0.000886227157])]),
    gradient(_DIVISIONS, "a complex number is divided by an infinite one", outputs=(0, 1), **_OF_INFINITY,
        true=[seen(on(_Z, _Z), [1, 0, 1], [1, _NAN, 1], output=1)],
        # The last is a sum over what is divided by each.
        wrong=[but(ours=[1, 2j, 1], output=0), but(ours=[0, 0, 1], theirs=[_NAN, _NAN, 1], output=0),
            but(on(_Z[:1], _Z), [0], [_NAN], output=0)]),
    gradient("Angle Acos Acosh Asin Asinh Atan Atanh Inv Log Log1p Reciprocal",
        "the gradient is divided by an infinite complex number", outputs=0, **_OF_INFINITY,
        true=[seen(on(_Z), [1, 0, 1], [1, _NAN, 1]), call("Log", _Z)],
        wrong=[but(ours=[1, 2j, 1]), but(ours=[0, 0, 1], theirs=[_NAN, _NAN, 1]), call("Exp", _Z)]),
    gradient("SqrtGrad", "a complex number is divided by an infinite one", outputs=(0, 1), **_OF_INFINITY,
        true=[seen(on(_Z, _Z), [1, 0, 1], [1, _NAN, 1], output=1)], wrong=[but(ours=[1, 2j, 1]), call("RsqrtGrad", _Z, _Z)]),
    gradient("Tan", "far from the real line 1 is divided by an infinite number", _COMPLEX, 0, where=_beyond_the_poles,
        gives="0", there="NaN", true=[seen(on(np.complex64([1j, 50j])), [1, 0], [1, _NAN])],
        wrong=[but(ours=[0, 0], theirs=[_NAN, _NAN]), but(ours=[1, 1])]),
    gradient("Igamma Igammac", "TensorFlow multiplies 0 by an infinite logarithm at x = 0 and a = 1", _FLOATS, 1,
        ours_is(_of_incomplete_gamma, slack=8), where=lambda d: np.isnan(d.there), gives="the derivative, which is 1 there",
        there="NaN", when=_power_of_zero,
        true=[seen(on(np.float32([1]), np.float32([0])), [_FIRST], [np.nan], outputs=[np.float32([0])])],
        wrong=[but(ours=[3.0]), but(on(np.float32([2]), np.float32([0])), [0.0])]),
    no_gradient("Betainc", "TensorFlow's gradient does not sum over what a scalar x is broadcast to",
        theirs="InvalidArgumentError: Input to reshape is a tensor with <144> values, but the requested shape has 1",
        when=_scalar_x, true=[on(1.0, [1.0, 2.0], 0.5)], wrong=[on(1.0, 2.0, 0.5), on(1.0, [2.0], [0.5])]),
    no_gradient("Max Mean Min Prod Sum", "TensorFlow's gradient mixes int64 axes with int32",
        theirs="TypeError: Tensors in list passed to 'indices' of 'DynamicStitch' Op have types [int64, int64] that do not match expected type int32",
        when=lambda d: d.input(1).dtype == np.int64, true=[on(_X, np.int64([0]))],
        wrong=[on(_X, np.int32([0])), call("Any", _X, np.int64([0]))]),
    refusal("TruncateDiv TruncateMod", "TensorFlow calls a division by zero an error that it does not know",
        ours="InvalidArgumentError: Integer division by zero",
        theirs="InternalError: Unexpected error in binary operator (only integer div and mod should have errors)",
        wrong=[but(ours="InvalidArgumentError: shapes differ"), call("FloorDiv")]),
    refusal("InvGrad ReciprocalGrad RsqrtGrad SigmoidGrad SqrtGrad TanhGrad",
        "TensorFlow compares the numbers of elements only",
        ours=r"InvalidArgumentError: <Tanh>Grad: <Dimension \d+ in both shapes must be equal|Shapes must be equal rank~Dimension 0 in both shapes must be equal>, but are <.*~2 and 3. Shapes are [2,3] and [3,2],> of y and dy",
        when=lambda d: d.input(0).size == d.input(1).size, true=[on(np.zeros((2, 3)), np.zeros((3, 2)))],
        wrong=[on(np.zeros((2, 3)), np.zeros((3, 3)))]),
    value("RandomGamma", "a number below 0 has no gamma distribution, and of 0 all samples are 0; TensorFlow's formula goes on",
        "float16 float32 float64", 0, ours_is(lambda d: np.where(d.input(1) < 0, np.nan, 0)),
        where=lambda d: np.signbit(d.input(1)), gives="NaN, or 0 of -0",
        true=[seen(on([2], np.float32([-1, 2])), [[np.nan, 1], [np.nan, 2]], [[np.inf, 1], [3, 2]]),
            but(on([1], np.float32([-0.0])), [[0]], [[np.inf]])],
        wrong=[but(on([1], np.float32([1.0])), [[np.nan]], [[1.0]]), but(on([1], np.float32([0.0])), [[np.nan]], [[0.0]]),
            but(on([1], np.float32([-1.0])), [[1.0]], [[2.0]])]),
    death("ParameterizedTruncatedNormal",
        "so many samples do not fit into the memory that a call may have; TensorFlow draws them as long as anybody waits",
        ours="ResourceExhaustedError: OOM when allocating tensor with shape[", theirs="Died: no answer in <20> s",
        when=lambda d: float(np.prod(np.float64(d.input(0)))) > 1e9, true=[_between(2147483647, 0)],
        wrong=[_between(5, 0), but(ours="")]),
    refusal("ParameterizedTruncatedNormal", "parameters by which nothing is between the bounds are a fault of the input",
        ours="InvalidArgumentError: ParameterizedTruncatedNormal: of batch <0> none of 1000 proposals",
        theirs="InternalError: TruncatedNormal <exponential distribution|randn|uniform~randn> rejection sampler failed to accept",
        when=_has_infinite_parameter, true=[_between(2, np.inf)], wrong=[_between(2, 0.5)]),
    value("ParameterizedTruncatedNormal", "TensorFlow decides in half precision whether it takes a proposal",
        "float16 bfloat16", 0, ours_is(truncated, slack=2), gives="decided in float32",
        true=[seen(_truncated(), _SAMPLES, [[3.37, 2.852, 3.158, 3.188], [2.812, 3.62, 3.021, 3.002]])],
        wrong=[but(ours=_SAMPLES + [[0] * 4, [0, 0.06, 0, 0]]), _truncated(seed=53),
            but(_truncated("float32"), dtype="float32")]),
    no_gradient("RandomGamma",
        "TensorFlow has a derivative of samples in float32 and float64 only; that of float16 is computed in float32 here",
        theirs="TypeError: Value passed to parameter 'alpha' has DataType float16 not in list of allowed values: float32, float64",
        when=lambda d: d.input(1).dtype == np.float16, true=[on([2], np.ones(1, np.float16))],
        wrong=[on([2], np.ones(1, np.float32))]),
    refusal("Range", "an array for which there is no memory is the run's fault; TensorFlow's is Python's",
        ours="ResourceExhaustedError: OOM when allocating tensor with shape[<715827883>] and type ", theirs="MemoryError: <$~>",
        wrong=[but(ours="ResourceExhaustedError: OOM when allocating tensor with shape[7,5] and type int64")]),
    refusal("RaggedBincount", "the end of a row does not stand before its start",
        ours="InvalidArgumentError: RaggedBincount: splits must start with 0, not decrease and end with the number of values, <8>, got ",
        when=lambda d: d.input(0)[0] == 0 and d.input(0)[-1] == d.input(1).size and (np.diff(d.input(0)) < 0).any(),
        true=[on(np.int64([0, 2, 1, 8]), np.arange(8))],
        wrong=[on(np.int64([0, 1, 2, 8]), np.arange(8)), on(np.int64([0, 2, 1, 7]), np.arange(8))]),
    refusal("RaggedBincount RaggedCountSparseOutput", "values are a vector; TensorFlow takes those of an array of any rank",
        ours="InvalidArgumentError: Ragged<Bincount|CountSparseOutput~Bincount>: Shape must be rank 1 but is rank <2>: values has shape ",
        when=lambda d: d.input(1).ndim != 1, true=[on(np.int64([0, 1]), [[0]])], wrong=[on(np.int64([0, 1]), [0])]),
    refusal("DenseCountSparseOutput", "of no rows there are no counts",
        theirs="InvalidArgumentError: Invalid input: Shapes dimension cannot be 0.",
        when=lambda d: d.input(0).ndim == 2 and len(d.input(0)) == 0, true=[on(np.zeros([0, 9], np.int32))],
        wrong=[on(np.zeros([1, 9], np.int32)), on(np.zeros([0], np.int32))]),
    value("SegmentMin SegmentMax", "a NaN is the least and the largest of all; TensorFlow keeps it or not by its place", _FLOATS, 0,
        ours_is(_extremes), where=lambda d: np.isnan(d.here) & ~np.isnan(d.there), gives="NaN", there="infinity, or a number",
        when=lambda d: np.isnan(d.wide(0)).any(),
        true=[seen(on(np.float32([np.nan, 2]), [0, 0]), [np.nan], [2]), seen(on(np.float32([np.nan, 2]), [0, 1]), [np.nan, 2], [np.inf, 2])],
        wrong=[on(np.float32([1, 2]), [0, 0]), but(ours=[2], theirs=[np.nan]), but(on(np.float32([np.nan, 2]), [0, 1]), [1, np.nan], [1, 2])]),
    refusal("SparseSegmentSqrtNGrad", "TensorFlow does not look at indices where the output has no rows",
        ours="InvalidArgumentError: SparseSegmentSqrtNGrad: indices[<0>] = <2> is out of range [0, 0)",
        when=lambda d: int(d.input(3)) == 0, true=[on(_X, [2], [0], 0)], wrong=[on(_X, [2], [0], 1)]),
    gradient("Igamma Igammac", "the exponent of the derivative is a difference of large numbers, whose rounding is left of it",
        "float32", 1, where=_rounds_as_its_exponent, gives="as near as the rounding of x and a log x lets it be",
        when=lambda d: bool(d.case.inputs) and d.case.op == d.op,
        true=[seen(on(np.float32([1000]), np.float32([1000])), [_STEEP * (1 + 1e-4)], [_STEEP], outputs=[np.float32([0.5])])],
        wrong=[but(ours=[_STEEP * 1.01]), but(ours=[0.0]),
            but(on(np.float32([2]), np.float32([2])), [_FLAT * (1 + 1e-4)], [_FLAT])]),
]
