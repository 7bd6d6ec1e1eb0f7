# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of rows in place, ragged rows, norms and products of later versions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    KERNELS,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    QUANTIZED,
    Explanation,
    call,
    gave,
    lacks,
    ours_is,
    refused,
)
from tensorwright.tools.opcheck import signature as sig

_UNSUPPORTED = "InvalidArgumentError: Unsupported data type: qint8"
_STITCH = "TypeError: Tensors in list passed to 'indices' of 'DynamicStitch' Op have types [int64, int64] that do not match expected type int32"
_INT8 = "TypeError: Value passed to parameter 'x' has DataType int8 not in list of allowed values: bfloat16"
_MIXED = "TypeError: Input 'y' of 'BatchMatMulV2' Op has type int8 that does not match type bfloat16 of argument 'x'."
_FAR = -(2**63)
_OUTSIDE = f"InvalidArgumentError: RaggedGather: indices[0] = {_FAR} is not in [0, 2)"


def _sums(d: Difference) -> np.ndarray:
    """The sums of a CumulativeLogsumexp, in which a NaN spoils what comes after it."""
    x, axis = d.input(0).astype(np.float64), int(d.input(1))
    if d.attrs["reverse"]:
        x = np.flip(x, axis)
    with np.errstate(invalid="ignore"):
        y = np.logaddexp.accumulate(x, axis)
    if d.attrs["exclusive"] and y.shape[axis]:
        first = np.full_like(np.take(y, [0], axis), -np.inf)
        y = np.concatenate([first, np.delete(y, -1, axis)], axis)
    return np.flip(y, axis) if d.attrs["reverse"] else y


def _has_nan(d: Difference) -> bool:
    return bool(np.isnan(d.input(0).astype(float)).any())


def _at_infinite(d: Difference) -> np.ndarray:
    """0 for what is no finite number; what no gradient is elsewhere."""
    return np.where(np.isfinite(d.input(0).astype(float)), np.inf, 0.0)


def _of_sums(x: Any, ours: Any, theirs: Any, kind: str = VALUE) -> Difference:
    case = call(
        "CumulativeLogsumexp",
        np.float32(x),
        np.int32(0),
        exclusive=False,
        reverse=False,
    )
    return gave(case, ours, theirs, kind=kind)


def _norms(d: Difference) -> np.ndarray:
    x = d.input(0)
    axes = tuple(int(a) for a in np.reshape(d.input(1), -1))
    with np.errstate(all="ignore"):
        squares = (np.abs(x) ** 2).sum(axes, keepdims=True)
    return np.broadcast_to(squares, x.shape)


def _nothing(d: Difference) -> np.ndarray:
    """0 where the norm is infinite; what no gradient is elsewhere."""
    return np.where(np.isinf(_norms(d)), 0.0, np.inf).astype(d.input(0).dtype)


def _of_norm(x: Any, ours: Any, theirs: Any) -> Difference:
    case = call("EuclideanNorm", np.complex64(x), np.int32([0]), keep_dims=False)
    return gave(case, ours, theirs, "complex64", kind=GRADIENT)


def _mixes(d: Difference) -> bool:
    return len({d.attrs[name] for name in ("Ta", "Tb", "Tout")}) > 1


def _product(theirs: str, second: int) -> Difference:
    types = dict(Ta=sig.BFLOAT16, Tb=second, Tout=sig.BFLOAT16)
    return refused(call("BatchMatMulV3", **types), theirs=theirs, kind=GRADIENT_ERROR)


def _of_row(row: int) -> Difference:
    case = call(
        "RaggedGather", [np.int32([0, 1, 2])], np.float32([1, 2]), np.int64([row])
    )
    return refused(case, _OUTSIDE)


TABLE: list[Explanation] = [
    Explanation(
        "InplaceUpdate DeepCopy",
        REFUSAL,
        "quantized numbers move as any others; TensorFlow's kernels are registered for them and refuse them",
        theirs=r"InvalidArgumentError: Unsupported data type: qu?int",
        when=lambda d: d.attrs["T"] in sig.QUANTIZED,
        true=[refused(call("DeepCopy", T=sig.QUANTIZED[0]), theirs=_UNSUPPORTED)],
        wrong=[refused(call("DeepCopy", T=sig.FLOAT), theirs=_UNSUPPORTED)],
    ),
    Explanation(
        "InplaceAdd InplaceSub",
        KERNELS,
        "TensorFlow's kernels are registered for any dtype, and refuse what is no number",
        dtypes=f"{QUANTIZED} string bool resource variant",
        true=[lacks("InplaceAdd", "bool"), lacks("InplaceSub", "string")],
        wrong=[lacks("InplaceAdd", "int8"), lacks("InplaceUpdate", "bool")],
    ),
    Explanation(
        "CumulativeLogsumexp",
        VALUE,
        "a NaN spoils the sums that it is part of; TensorFlow passes it over",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0,),
        elements=ours_is(_sums),
        bound=np.inf,
        when=_has_nan,
        true=[_of_sums([np.nan, 1], [np.nan, np.nan], [-np.inf, 1])],
        wrong=[
            _of_sums([1, 2], [np.nan, np.nan], [1, 2.3]),
            _of_sums([np.nan, 1], [1, np.nan], [-np.inf, 1]),
        ],
    ),
    Explanation(
        "CumulativeLogsumexp",
        GRADIENT,
        "what is no finite number has the gradient 0; TensorFlow's is none",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0,),
        elements=ours_is(_at_infinite),
        bound=np.inf,
        true=[_of_sums([np.nan, 1], [0, 1], [np.nan, 1], GRADIENT)],
        wrong=[
            _of_sums([2, 1], [0, 1], [np.nan, 1], GRADIENT),
            _of_sums([np.nan, 1], [3, 1], [np.nan, 1], GRADIENT),
        ],
    ),
    Explanation(
        "EuclideanNorm",
        GRADIENT_ERROR,
        "TensorFlow's gradient function mixes axes of int64 with those of its own",
        theirs=r"TypeError: Tensors in list passed to 'indices' of 'DynamicStitch' Op have types \[int64, int64\]",
        when=lambda d: d.attrs["Tidx"] == sig.INT64,
        true=[
            refused(
                call("EuclideanNorm", Tidx=sig.INT64),
                theirs=_STITCH,
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                call("EuclideanNorm", Tidx=sig.INT32),
                theirs=_STITCH,
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "EuclideanNorm",
        GRADIENT,
        "what is divided by an infinite complex number is 0, as in C; in TensorFlow it is none",
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=ours_is(_nothing),
        bound=np.inf,
        true=[_of_norm([1, np.inf], [0, 0], [np.nan, np.nan])],
        wrong=[
            _of_norm([1, 2], [0, 0], [np.nan, np.nan]),
            _of_norm([1, np.inf], [1, 0], [np.nan, np.nan]),
        ],
    ),
    Explanation(
        "BatchMatMulV3",
        GRADIENT_ERROR,
        "bytes have no gradient, and what they are multiplied with has; TensorFlow's gradient function fails",
        theirs=r"TypeError: (Value passed to parameter '[xy]' has DataType u?int8 not in list|Input 'y' of 'BatchMatMulV2' Op has type \w+ that does not match type \w+ of argument 'x')",
        when=_mixes,
        true=[_product(_INT8, sig.INT32), _product(_MIXED, sig.INT32)],
        wrong=[_product(_INT8, sig.BFLOAT16)],
    ),
    Explanation(
        "RaggedGather",
        REFUSAL,
        "an index is read in its own dtype; TensorFlow reads that of an int64 in the splits' int32",
        ours=r"InvalidArgumentError: RaggedGather: indices\[\d+\] = -?\d+ is not in \[",
        when=lambda d: bool((np.abs(d.input(2).astype(float)) >= 2**31).any()),
        true=[_of_row(_FAR)],
        wrong=[_of_row(5)],
    ),
]

# TensorFlow's graphs say which of two faults is told first, and ours another.
TABLE += [
    Explanation(
        "MaxPoolGradV2 MaxPoolGradGradV2",
        ERROR_CLASS,
        "of two faults the sizes of windows come first, and an input's rank in TensorFlow",
        ours=r"UnimplementedError: MaxPoolGrad(Grad)?V2: ",
        theirs=r"InvalidArgumentError: tensor_(in|out) must be 4-dimensional",
        when=lambda d: np.ndim(d.input(1)) != 4,
        true=[
            refused(
                call("MaxPoolGradV2", np.zeros([1] * 4), np.zeros([1] * 8)),
                "UnimplementedError: MaxPoolGradV2: the depth stride must be 1",
                "InvalidArgumentError: tensor_out must be 4-dimensional",
            )
        ],
        wrong=[
            refused(
                call("MaxPoolGradV2", np.zeros([1] * 4), np.zeros([1] * 4)),
                "UnimplementedError: MaxPoolGradV2: the depth stride must be 1",
                "InvalidArgumentError: tensor_out must be 4-dimensional",
            )
        ],
    ),
]
