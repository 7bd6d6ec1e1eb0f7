# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of mathematical ops."""

from __future__ import annotations

import numpy as np
import scipy.special

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    INTEGERS,
    THEIRS_ONLY,
    Explanation,
    at_input,
    both,
    call,
    gave,
    ours_is,
    refused,
    upstream,
)
from tensorwright.tools.opcheck import signature as sig

_X = np.array([1.0, 2.0, -3.0], np.float32)
_Z = np.array([1 + 2j, complex(np.inf, 1), 3j], np.complex64)
_NAN = complex(np.nan, np.nan)
_NO_HALF = (
    "TypeError: Value passed to parameter 'alpha' has DataType float16 not in list of "
    "allowed values: float32, float64"
)


def _of_products(d: Difference) -> np.ndarray:
    """The gradient of a product of each segment: what is upstream of it times the conjugate of the others' product."""
    x, ids = d.input(0).astype(np.complex128), np.asarray(d.input(1))
    rows = x.reshape(ids.size, -1)
    up = upstream(d.outputs[0][0]).reshape(-1, rows.shape[1])
    found = np.zeros_like(rows)
    for i, segment in enumerate(ids.reshape(-1).tolist()):
        # Those that are in no segment have no gradient.
        if 0 <= segment < len(up):
            others = (ids.reshape(-1) == segment) & (np.arange(ids.size) != i)
            found[i] = up[segment] * np.conj(rows[others].prod(0))
    return found.reshape(x.shape)


def _product(times: complex) -> Difference:
    """The gradient by two numbers, times a number; TensorFlow's has not conjugated them."""
    x = np.array([1 + 2j, 2 - 1j])
    output = [x.prod(keepdims=True)]
    up = upstream(output[0])
    case = call("SegmentProd", x, np.int32([0, 0]))
    return gave(
        case, times * up * np.conj(x[::-1]), up * x[::-1], "complex128",
        kind=GRADIENT, outputs=(output, output),
    )  # fmt: skip


def _over_infinity(index: int):
    """Zeros of ours where the input that is divided by is infinite, or so large that its square is."""

    def test(d: Difference) -> np.ndarray:
        arrays = d.arrays
        assert arrays is not None and arrays.ours is not None
        if np.broadcast_shapes(d.input(index).shape, arrays.ours.shape) != (
            arrays.ours.shape
        ):
            return np.zeros((), bool)  # A gradient that is a sum of several.
        x = np.broadcast_to(d.input(index), arrays.ours.shape)[arrays.far]
        with np.errstate(all="ignore"):
            most = np.sqrt(np.finfo(x.real.dtype).max) / 4
            large = np.fmax(np.abs(x.real), np.abs(x.imag)) >= most
        return (arrays.a == 0) & np.isnan(arrays.b) & large

    return test


def _far_out(d: Difference) -> np.ndarray:
    """Elements of ours that are no larger than a Bessel function is so far from 0: nothing, at infinity."""
    assert d.arrays is not None
    x = np.abs(np.asarray(d.input(0), np.float64))[d.arrays.far]
    with np.errstate(all="ignore"):
        return (x > 1e15) & (np.abs(d.arrays.a) <= 1.001 * np.sqrt(2 / np.pi / x))


def _beyond_the_poles(d: Difference) -> np.ndarray:
    """Zeros of ours where the cosine is so large that its square is infinite."""
    arrays = d.arrays
    assert arrays is not None and arrays.ours is not None
    y = np.abs(d.input(0).imag[arrays.far])
    most = np.log(np.finfo(y.dtype).max)
    with np.errstate(all="ignore"):
        zero = np.abs(arrays.a) <= 16 * np.finfo(y.dtype).tiny
    return zero & np.isnan(arrays.b) & (y >= most / 2)


def _incomplete_gamma_slope(d: Difference) -> np.ndarray:
    """Elements where ours is the gradient by x: upstream x^(a-1) exp(-x) / Gamma(a), in which 0^0 is 1."""
    arrays = d.arrays
    assert arrays is not None and arrays.ours is not None
    a, x = (compare.widest(d.input(i)) for i in (0, 1))
    with np.errstate(all="ignore"):
        slope = np.exp(scipy.special.xlogy(a - 1, x) - x - scipy.special.gammaln(a))
        terms = (
            compare.widest(upstream(d.outputs[0][0]))
            * slope
            * (1 if d.op == "Igamma" else -1)
        )
    shape = (1,) * (terms.ndim - x.ndim) + x.shape
    axes = tuple(i for i, n in enumerate(shape) if n == 1)
    wanted = terms.sum(axes, keepdims=True).reshape(x.shape)[arrays.far]
    right = compare.close(arrays.a, wanted, 8 * compare.TOLERANCE[d.enum])
    return right & np.isnan(arrays.b)


def _power_of_zero(d: Difference) -> bool:
    """0^0 is in the derivative of the incomplete gamma function."""
    assert d.case is not None
    if len(d.case.inputs) < 2:
        return False
    a, x = np.broadcast_arrays(*d.case.inputs)
    return bool(((a == 1) & (x == 0)).any())


def _igamma_gradient(ours, a, x):
    """A gradient by x; the first number that is drawn goes upstream."""
    case = call("Igamma", np.float32([a]), np.float32([x]))
    outputs = [np.float32([0])], [np.float32([0])]
    return gave(case, [ours], [np.nan], output=1, kind=GRADIENT, outputs=outputs)


def _scalar_x(d: Difference) -> bool:
    return d.input(2).ndim == 0 and max(d.input(i).ndim for i in (0, 1)) > 0


_FIRST = upstream(np.zeros(1))[0]
_NO_SUM = "InvalidArgumentError: Input to reshape is a tensor with 144 values, but the requested shape has 1"


def _equal_sizes(d: Difference) -> bool:
    return d.input(0).size == d.input(1).size


_STITCH = (
    "TypeError: Tensors in list passed to 'indices' of 'DynamicStitch' Op have types "
    "[int64, int64] that do not match expected type int32."
)
_FLOOR_ERROR = "InternalError: Unexpected error in binary operator (only integer div and mod should have errors)"

TABLE: list[Explanation] = [
    Explanation(
        "Igamma Igammac",
        GRADIENT,
        "TensorFlow 1.x has no gradient by a, and no op for it",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0,),
        path=THEIRS_ONLY,
        true=[gave("Igamma", None, _X, kind=GRADIENT)],
        wrong=[
            gave("Igamma", None, _X, output=1, kind=GRADIENT),
            gave("Igamma", _X, None, kind=GRADIENT),
            gave("Lgamma", None, _X, kind=GRADIENT),
        ],
    ),
    Explanation(
        "SegmentProd UnsortedSegmentProd",
        GRADIENT,
        "ours is conjugated, as gradients of complex functions are",
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=lambda d: ours_is(_of_products, 8 * compare.TOLERANCE[d.enum])(d),
        bound=np.inf,
        true=[_product(1)],
        wrong=[
            _product(3),
            _product(1j),
            gave("SegmentSum", [1 + 2j], [1 - 2j], "complex64", kind=GRADIENT),
        ],
    ),
    Explanation(
        "SparseMatMul",
        GRADIENT_ERROR,
        "TensorFlow's gradient mixes float and bfloat16",
        theirs=r"TypeError: Input 'y' of 'BatchMatMulV2' Op has type (bfloat16 that does not match type float32|float32 that does not match type bfloat16) of argument 'x'",
        when=lambda d: sig.BFLOAT16 in (d.attrs["Ta"], d.attrs["Tb"]),
        true=[
            refused(
                call("SparseMatMul", Ta=sig.FLOAT, Tb=sig.BFLOAT16),
                theirs="TypeError: Input 'y' of 'BatchMatMulV2' Op has type bfloat16 that does not match type float32 of argument 'x'.",
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                call("SparseMatMul", Ta=sig.FLOAT, Tb=sig.FLOAT),
                theirs="TypeError: Input 'y' of 'BatchMatMulV2' Op has type bfloat16 that does not match type float32 of argument 'x'.",
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN",
        ERROR_CLASS,
        "TensorFlow's count of segments overflows",
        ours=r"ResourceExhaustedError: OOM when allocating tensor with shape\[2147483648[,\]]",
        theirs=r"InvalidArgumentError: segment ids must be >= 0",
        true=[
            refused(
                "SparseSegmentSum",
                "ResourceExhaustedError: OOM when allocating tensor with shape[2147483648,5] and type int64",
                "InvalidArgumentError: segment ids must be >= 0",
            )
        ],
        wrong=[
            refused(
                "SparseSegmentSum",
                "ResourceExhaustedError: OOM when allocating tensor with shape[7,5] and type int64",
                "InvalidArgumentError: segment ids must be >= 0",
            )
        ],
    ),
    Explanation(
        "ArgMax ArgMin",
        REFUSAL,
        "TensorFlow reads an int16 dimension as int32",
        theirs=r"InvalidArgumentError: Expected dimension in the range \[-\d+, \d+\), but got -?\d{5,}",
        when=lambda d: d.input(1).dtype == np.int16,
        true=[
            refused(
                call("ArgMax", _X, np.int16(0)),
                theirs="InvalidArgumentError: Expected dimension in the range [-1, 1), but got 420478977",
            )
        ],
        wrong=[
            refused(
                call("ArgMax", _X, np.int16(0)),
                theirs="InvalidArgumentError: Expected dimension in the range [-1, 1), but got 1",
            ),
            refused(
                call("ArgMax", _X, np.int32(0)),
                theirs="InvalidArgumentError: Expected dimension in the range [-1, 1), but got 420478977",
            ),
        ],
    ),
    Explanation(
        "ArgMax ArgMin",
        REFUSAL,
        "TensorFlow's kernel stops at 7 dimensions",
        theirs=r"InvalidArgumentError: Argmax and Argmin only support up to 7 input dimensions, but got \d+\.",
        when=lambda d: d.input(0).ndim > 7,
        true=[
            refused(
                call("ArgMin", np.ones([1] * 9), 0),
                theirs="InvalidArgumentError: Argmax and Argmin only support up to 7 input dimensions, but got 9. Inputs shape: [1,1]",
            )
        ],
        wrong=[
            refused(
                call("ArgMin", np.ones([1] * 7), 0),
                theirs="InvalidArgumentError: Argmax and Argmin only support up to 7 input dimensions, but got 7. Inputs shape: [1,1]",
            )
        ],
    ),
    Explanation(
        "Round",
        VALUE,
        "TensorFlow rounds integers to 0; an integer is round",
        dtypes=INTEGERS,
        outputs=(0,),
        elements=ours_is(lambda d: d.input(0)),
        bound=np.inf,
        true=[gave(call("Round", [3, -4]), [3, -4], [0, 0], "int32")],
        wrong=[
            gave(call("Round", [3, -4]), [4, -4], [0, 0], "int32"),
            gave(call("Round", [3.2, -4]), [3.2, -4], [0, 0], "float32"),
        ],
    ),
    Explanation(
        "Div DivNoNan RealDiv Xdivy",
        VALUE,
        "a complex number divided by an infinite one is 0, as in C; in TensorFlow it is none",
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=_over_infinity(1),
        bound=np.inf,
        true=[gave(call("Div", _Z, _Z), [1, 0, 1], [1, _NAN, 1], "complex64")],
        wrong=[
            gave(call("Div", _Z, _Z), [1, 2j, 1], [1, _NAN, 1], "complex64"),
            gave(call("Div", _Z, _Z), [0, 0, 1], [_NAN, _NAN, 1], "complex64"),
            gave(call("Mul", _Z, _Z), [1, 0, 1], [1, _NAN, 1], "complex64"),
        ],
    ),
    Explanation(
        "BesselJ0 BesselJ1 BesselY0 BesselY1",
        VALUE,
        "far from 0 they are small, and 0 at infinity; TensorFlow's have lost their argument, or are no numbers",
        dtypes="float16 float32 float64",
        outputs=(0,),
        elements=_far_out,
        bound=np.inf,
        also=("zero", "twice", "other sign"),
        true=[
            gave(
                call("BesselJ1", np.array([1, np.inf])), [1, 0], [1, np.nan], "float64"
            ),
            gave(call("BesselJ1", np.array([1e300])), [-1e-151], [-4e-151], "float64"),
        ],
        wrong=[
            gave(
                call("BesselJ1", np.array([1, np.inf])), [1, 1], [1, np.nan], "float64"
            ),
            gave(call("BesselJ1", np.array([1, 2.0])), [1, 0], [1, np.nan], "float64"),
        ],
    ),
    Explanation(
        "BesselY0 BesselY1",
        VALUE,
        "minus infinity at 0; TensorFlow's of a float is no number there",
        dtypes="float16 float32 float64",
        outputs=(0,),
        elements=lambda d: (d.arrays.a == -np.inf) & (d.input(0) == 0)[d.arrays.far],
        bound=np.inf,
        true=[gave(call("BesselY1", np.float32([1, 0])), [1, -np.inf], [1, np.nan])],
        wrong=[
            gave(call("BesselY1", np.float32([1, 0])), [1, np.inf], [1, np.nan]),
            gave(call("BesselY1", np.float32([1, 2])), [1, -np.inf], [1, np.nan]),
        ],
    ),
    Explanation(
        "Erfinv",
        VALUE,
        "TensorFlow loses a number so near 0",
        dtypes="float32 float64",
        outputs=(0,),
        elements=both(
            ours_is(lambda d: d.input(0) * (np.sqrt(np.pi) / 2), 1e-6),
            lambda d: (np.abs(d.input(0)) < 1e-30)[d.arrays.far],
        ),
        bound=np.inf,
        true=[
            gave(
                call("Erfinv", np.array([1e-300])), [8.86226925e-301], [0.0], "float64"
            )
        ],
        wrong=[
            gave(call("Erfinv", np.array([1e-300])), [1e-301], [0.0], "float64"),
            gave(call("Erfinv", np.array([1e-3])), [8.86227157e-4], [0.0], "float64"),
        ],
    ),
    Explanation(
        "Angle",
        GRADIENT,
        "a step from an infinite complex number turns it by nothing; in TensorFlow that is none",
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=_over_infinity(0),
        bound=np.inf,
        true=[
            gave(call("Angle", _Z), [1, 0, 1], [1, _NAN, 1], "complex64", kind=GRADIENT)
        ],
        wrong=[
            gave(
                call("Angle", _Z), [1, 2j, 1], [1, _NAN, 1], "complex64", kind=GRADIENT
            ),
            gave(
                call("Angle", _Z),
                [0, 0, 1],
                [_NAN, _NAN, 1],
                "complex64",
                kind=GRADIENT,
            ),
        ],
    ),
    Explanation(
        "Div DivNoNan RealDiv Xdivy",
        GRADIENT,
        "what is divided by an infinite complex number has the gradient 0; in TensorFlow it has none",
        dtypes="complex64 complex128",
        outputs=(0, 1),
        elements=_over_infinity(1),
        bound=np.inf,
        true=[
            gave(
                call("Div", _Z, _Z),
                [1, 0, 1],
                [1, _NAN, 1],
                "complex64",
                output=1,
                kind=GRADIENT,
            ),
        ],
        wrong=[
            gave(
                call("Div", _Z, _Z),
                [1, 2j, 1],
                [1, _NAN, 1],
                "complex64",
                kind=GRADIENT,
            ),
            gave(
                call("Div", _Z, _Z),
                [0, 0, 1],
                [_NAN, _NAN, 1],
                "complex64",
                kind=GRADIENT,
            ),
            # A sum over what is divided by each.
            gave(call("Div", _Z[:1], _Z), [0], [_NAN], "complex64", kind=GRADIENT),
        ],
    ),
    Explanation(
        "Tan",
        GRADIENT,
        "far from the real line the derivative is 0, and 1 divided by an infinite number; in TensorFlow it is none",
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=_beyond_the_poles,
        bound=np.inf,
        true=[
            gave(
                call("Tan", np.complex64([1j, 50j])),
                [1, 0],
                [1, _NAN],
                "complex64",
                kind=GRADIENT,
            )
        ],
        wrong=[
            gave(
                call("Tan", np.complex64([1j, 50j])),
                [0, 0],
                [_NAN, _NAN],
                "complex64",
                kind=GRADIENT,
            ),
            gave(
                call("Tan", np.complex64([1j, 50j])),
                [1, 1],
                [1, _NAN],
                "complex64",
                kind=GRADIENT,
            ),
        ],
    ),
    Explanation(
        "Igamma Igammac",
        GRADIENT,
        "at x = 0 and a = 1 the derivative is 1; TensorFlow multiplies 0 by an infinite logarithm",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(1,),
        elements=_incomplete_gamma_slope,
        bound=np.inf,
        when=_power_of_zero,
        true=[_igamma_gradient(_FIRST, 1, 0)],
        wrong=[_igamma_gradient(3.0, 1, 0), _igamma_gradient(0.0, 2, 0)],
    ),
    Explanation(
        "Betainc",
        GRADIENT_ERROR,
        "TensorFlow's gradient does not sum over what a scalar x is broadcast to",
        theirs=r"InvalidArgumentError: Input to reshape is a tensor with \d+ values, but the requested shape has 1",
        when=_scalar_x,
        true=[
            refused(
                call("Betainc", 1.0, [1.0, 2.0], 0.5),
                theirs=_NO_SUM,
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                call("Betainc", 1.0, 2.0, 0.5), theirs=_NO_SUM, kind=GRADIENT_ERROR
            ),
            refused(
                call("Betainc", 1.0, [2.0], [0.5]), theirs=_NO_SUM, kind=GRADIENT_ERROR
            ),
        ],
    ),
    Explanation(
        "Inv Reciprocal",
        VALUE,
        "a complex number divided by an infinite one is 0, as in C; in TensorFlow it is none",
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=_over_infinity(0),
        bound=np.inf,
        true=[gave(call("Inv", _Z), [1, 0, 1], [1, _NAN, 1], "complex64")],
        wrong=[
            gave(call("Inv", _Z), [1, 2j, 1], [1, _NAN, 1], "complex64"),
            gave(call("Inv", _Z), [0, 0, 1], [_NAN, _NAN, 1], "complex64"),
        ],
    ),
    Explanation(
        "Acos Acosh Asin Asinh Atan Atanh Inv Log Log1p Reciprocal",
        GRADIENT,
        "the gradient is divided by an infinite complex number, which gives 0, as in C",
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=_over_infinity(0),
        bound=np.inf,
        true=[
            gave(call("Log", _Z), [1, 0, 1], [1, _NAN, 1], "complex64", kind=GRADIENT)
        ],
        wrong=[
            gave(call("Log", _Z), [1, 1, 1], [1, _NAN, 1], "complex64", kind=GRADIENT),
            gave(
                call("Log", _Z), [0, 0, 1], [_NAN, _NAN, 1], "complex64", kind=GRADIENT
            ),
            gave(call("Exp", _Z), [1, 0, 1], [1, _NAN, 1], "complex64", kind=GRADIENT),
        ],
    ),
    Explanation(
        "Max Mean Min Prod Sum",
        GRADIENT_ERROR,
        "TensorFlow's gradient mixes int64 axes with int32",
        theirs=r"TypeError: Tensors in list passed to 'indices' of 'DynamicStitch' Op have types \[int64, int64\] that do not match expected type int32",
        when=lambda d: d.input(1).dtype == np.int64,
        true=[
            refused(call("Sum", _X, np.int64([0])), theirs=_STITCH, kind=GRADIENT_ERROR)
        ],
        wrong=[
            refused(
                call("Sum", _X, np.int32([0])), theirs=_STITCH, kind=GRADIENT_ERROR
            ),
            refused(
                call("Any", _X, np.int64([0])), theirs=_STITCH, kind=GRADIENT_ERROR
            ),
        ],
    ),
    Explanation(
        "TruncateDiv TruncateMod",
        ERROR_CLASS,
        "of a division by zero, TensorFlow says that it does not know",
        ours=r"InvalidArgumentError: Integer division by zero",
        theirs=r"InternalError: Unexpected error in binary operator \(only integer div and mod should have errors\)",
        true=[
            refused(
                "TruncateDiv",
                "InvalidArgumentError: Integer division by zero",
                _FLOOR_ERROR,
            )
        ],
        wrong=[
            refused("TruncateDiv", "InvalidArgumentError: shapes differ", _FLOOR_ERROR),
            refused(
                "FloorDiv",
                "InvalidArgumentError: Integer division by zero",
                _FLOOR_ERROR,
            ),
        ],
    ),
    Explanation(
        "InvGrad ReciprocalGrad RsqrtGrad SigmoidGrad SqrtGrad TanhGrad",
        REFUSAL,
        "TensorFlow compares the numbers of elements only",
        ours=r"InvalidArgumentError: \w+Grad: (Dimension \d+ in both shapes must be equal|Shapes must be equal rank), but are .* of y and dy",
        when=_equal_sizes,
        true=[
            refused(
                call("TanhGrad", np.zeros((2, 3)), np.zeros((3, 2))),
                "InvalidArgumentError: TanhGrad: Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2,3] and [3,2], of y and dy",
            )
        ],
        wrong=[
            refused(
                call("TanhGrad", np.zeros((2, 3)), np.zeros((3, 3))),
                "InvalidArgumentError: TanhGrad: Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2,3] and [3,3], of y and dy",
            )
        ],
    ),
    Explanation(
        "RandomGamma",
        VALUE,
        "of no positive number there is no gamma distribution, and of 0 all samples are 0; TensorFlow's formula goes on",
        dtypes="float16 float32 float64",
        outputs=(0,),
        elements=both(
            at_input(1, np.signbit),
            ours_is(lambda d: np.where(d.input(1) < 0, np.nan, 0)),
        ),
        bound=np.inf,
        true=[
            gave(
                call("RandomGamma", [2], np.float32([-1, 2])),
                [[np.nan, 1], [np.nan, 2]],
                [[np.inf, 1], [3, 2]],
            ),
            gave(call("RandomGamma", [1], np.float32([-0.0])), [[0]], [[np.inf]]),
        ],
        wrong=[
            gave(call("RandomGamma", [1], np.float32([1.0])), [[np.nan]], [[1.0]]),
            gave(call("RandomGamma", [1], np.float32([0.0])), [[np.nan]], [[0.0]]),
            gave(call("RandomGamma", [1], np.float32([-1.0])), [[1.0]], [[2.0]]),
        ],
    ),
    Explanation(
        "RandomGamma",
        GRADIENT_ERROR,
        "TensorFlow has a derivative of samples in float32 and float64 only; that of float16 is computed in float32 here",
        theirs=r"TypeError: Value passed to parameter 'alpha' has DataType float16 not in list of allowed values: float32, float64",
        when=lambda d: d.input(1).dtype == np.float16,
        true=[
            refused(
                call("RandomGamma", [2], np.ones(1, np.float16)),
                theirs=_NO_HALF,
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                call("RandomGamma", [2], np.ones(1, np.float32)),
                theirs=_NO_HALF,
                kind=GRADIENT_ERROR,
            )
        ],
    ),
]
