# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of rows in place, ragged rows, norms and products of later versions."""

import numpy as np

from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import QUANTIZED, ours_is
from tensorwright.tools.difftest.records import (
    death,
    gradient,
    kernels,
    no_gradient,
    refusal,
    value,
)
from tensorwright.tools.opcheck import signature as sig

_FLOATS = "float16 bfloat16 float32 float64"


def _sums(d):
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


def _norms(d):
    x = d.input(0)
    axes = tuple(int(a) for a in np.reshape(d.input(1), -1))
    with np.errstate(all="ignore"):
        squares = (np.abs(x) ** 2).sum(axes, keepdims=True)
    return np.broadcast_to(squares, x.shape)


def _summed(*x):
    return on(np.float32(x), np.int32(0), exclusive=False, reverse=False)


def _norm(*x):
    return on(np.complex64(x), np.int32([0]), keep_dims=False)


def _product(second):
    return on(Ta=sig.BFLOAT16, Tb=second, Tout=sig.BFLOAT16)


def _row(row):
    return on([np.int32([0, 1, 2])], np.float32([1, 2]), np.int64([row]))


_FOUR, _EIGHT = np.zeros([1] * 4), np.zeros([1] * 8)

# fmt: off
TABLE = [
    refusal("InplaceUpdate DeepCopy",
        "quantized numbers move as any others; TensorFlow's kernels are registered for them and refuse them",
        theirs="InvalidArgumentError: Unsupported data type: <qu?int~qint>", when=lambda d: d.attrs["T"] in sig.QUANTIZED,
        true=[call("DeepCopy", T=sig.QUANTIZED[0])], wrong=[call("DeepCopy", T=sig.FLOAT)]),
    kernels("InplaceAdd InplaceSub", "TensorFlow's kernels are registered for any dtype, and refuse what is no number",
        f"{QUANTIZED} string bool resource variant", wrong=[but(dtype="int8"), but(op="InplaceUpdate", dtype="bool")]),
    value("CumulativeLogsumexp", "a NaN spoils the sums that it is part of; TensorFlow passes it over", _FLOATS, 0,
        ours_is(_sums), gives="NaN from there on", when=lambda d: bool(np.isnan(d.input(0).astype(float)).any()),
        true=[seen(_summed(np.nan, 1), [np.nan, np.nan], [-np.inf, 1])],
        wrong=[_summed(1, 2), but(ours=[1, np.nan])]),
    gradient("CumulativeLogsumexp", "what is no finite number has the gradient 0; TensorFlow's is none", _FLOATS, 0,
        where=lambda d: (d.here == 0) & ~np.isfinite(d.wide(0)), gives="0", there="NaN", true=[seen(_summed(np.nan, 1), [0, 1], [np.nan, 1])],
        wrong=[_summed(2, 1), but(ours=[3, 1])]),
    no_gradient("EuclideanNorm", "TensorFlow's gradient function mixes axes of int64 with those of its own",
        theirs="TypeError: Tensors in list passed to 'indices' of 'DynamicStitch' Op have types [int64, int64]",
        when=lambda d: d.attrs["Tidx"] == sig.INT64, true=[on(Tidx=sig.INT64)], wrong=[on(Tidx=sig.INT32)]),
    gradient("EuclideanNorm", "what is divided by an infinite complex number is 0, as in C; in TensorFlow it is none",
        "complex64 complex128", 0, where=lambda d: (d.here == 0) & np.isinf(_norms(d)), gives="0", there="NaN",
        true=[seen(_norm(1, np.inf), [0, 0], [np.nan, np.nan], dtype="complex64")],
        wrong=[_norm(1, 2), but(ours=[1, 0])]),
    no_gradient("BatchMatMulV3",
        "bytes have no gradient, and what they are multiplied with has; TensorFlow's gradient function fails",
        theirs=["TypeError: Value passed to parameter '<[xy]~x>' has DataType <u?int8~int8> not in list",
            "TypeError: Input 'y' of 'BatchMatMulV2' Op has type <int8> that does not match type <bfloat16> of argument 'x'"],
        when=lambda d: len({d.attrs[name] for name in ("Ta", "Tb", "Tout")}) > 1,
        true=[_product(sig.INT32)], wrong=[_product(sig.BFLOAT16)]),
    refusal("RaggedGather", "an index is read in its own dtype; TensorFlow reads that of an int64 in the splits' int32",
        ours="InvalidArgumentError: RaggedGather: indices[<0>] = <-9223372036854775808> is not in [",
        when=lambda d: bool((np.abs(d.input(2).astype(float)) >= 2**31).any()), true=[_row(-(2**63))], wrong=[_row(5)]),
    death("ConjugateTranspose", "TensorFlow's process ends for texts that have no dimensions to move", theirs="Died: SIGABRT",
        when=lambda d: np.ndim(d.input(0)) < 2 and np.asarray(d.input(0)).dtype == object,
        true=[on(b"text", np.int64([])), on([b"a", b"b"], np.int64([0]))], wrong=[on([[b"text"]], np.int64([1, 0])), on([1.0], np.int64([0]))]),
    refusal("MaxPoolGradV2 MaxPoolGradGradV2", "of two faults the sizes of windows come first, and an input's rank in TensorFlow",
        ours="UnimplementedError: MaxPoolGrad<(Grad)?~>V2: ", theirs="InvalidArgumentError: <tensor_(in|out)|out_backprop~tensor_out> must be 4-dimensional",
        when=lambda d: any(np.ndim(d.input(i)) != 4 for i in range(3)), true=[on(_FOUR, _EIGHT, _FOUR)],
        wrong=[on(_FOUR, _FOUR, _FOUR)]),
    refusal("MaxPoolV2", "of two faults a window over the batch comes first, and in TensorFlow one that is larger than the image",
        ours="UnimplementedError: MaxPoolV2: Pooling is not yet supported on the batch dimension, got ksize <2147483647>",
        theirs="InvalidArgumentError: Negative dimension size caused by subtracting ",
        when=lambda d: d.input(1)[0] > 1, true=[on(_FOUR, np.int32([9] * 4), np.int32([1] * 4))],
        wrong=[on(_FOUR, np.int32([1, 9, 9, 1]), np.int32([1] * 4))]),
    refusal("MaxPoolV2 MaxPoolGradV2 MaxPoolGradGradV2", "sizes of windows are a vector; TensorFlow takes four numbers of any shape",
        ours="InvalidArgumentError: MaxPool<(Grad){0,2}~Grad>V2: Shape must be rank 1 but is rank <2>: <strides|ksize~strides> has shape ",
        wrong=[but(ours="InvalidArgumentError: MaxPoolGradV2: Shape must be rank 4 but is rank 2: grad has shape ")]),
]
