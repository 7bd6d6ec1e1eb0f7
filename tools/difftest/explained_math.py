# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of mathematical ops."""

from __future__ import annotations

import numpy as np

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
    call,
    gave,
    ours_is,
    refused,
)
from tensorwright.tools.opcheck import signature as sig

_X = np.array([1.0, 2.0, -3.0], np.float32)
_Z = np.array([1 + 2j, complex(np.inf, 1), 3j], np.complex64)
_NAN = complex(np.nan, np.nan)


def _same_size(d: Difference) -> np.ndarray:
    """Of numbers whose conjugate the other has."""
    assert d.arrays is not None
    tolerance = 8 * compare.TOLERANCE[d.enum]
    return compare.close(np.abs(d.arrays.a), np.abs(d.arrays.b), tolerance)


def _over_infinity(index: int):
    """Zeros of ours where the input that is divided by is infinite, or so large that its square is."""

    def test(d: Difference) -> np.ndarray:
        arrays = d.arrays
        assert arrays is not None and arrays.ours is not None
        x = np.broadcast_to(d.input(index), arrays.ours.shape)[arrays.far]
        with np.errstate(all="ignore"):
            most = np.sqrt(np.finfo(x.real.dtype).max) / 4
            large = np.fmax(np.abs(x.real), np.abs(x.imag)) >= most
        return (arrays.a == 0) & np.isnan(arrays.b) & large

    return test


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
        elements=_same_size,
        bound=np.inf,
        true=[gave("SegmentProd", [1 + 2j], [1 - 2j], "complex64", kind=GRADIENT)],
        wrong=[
            gave("SegmentProd", [3 + 6j], [1 - 2j], "complex64", kind=GRADIENT),
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
        "Div RealDiv",
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
        "Acos Acosh Asin Asinh Atan Atanh Log Log1p",
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
        ours=r"InvalidArgumentError: \w+Grad: y and dy must have equal shapes, got ",
        when=_equal_sizes,
        true=[
            refused(
                call("TanhGrad", np.zeros((2, 3)), np.zeros((3, 2))),
                "InvalidArgumentError: TanhGrad: y and dy must have equal shapes, got [2,3] and [3,2]",
            )
        ],
        wrong=[
            refused(
                call("TanhGrad", np.zeros((2, 3)), np.zeros((3, 3))),
                "InvalidArgumentError: TanhGrad: y and dy must have equal shapes, got [2,3] and [3,3]",
            )
        ],
    ),
]
